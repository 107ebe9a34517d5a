"""Pairs of classes, in the order of scikit-learn."""

from __future__ import annotations

from certo.certificates import Labels
from certo.certificates.sample.pairs import pair_labels, pairs_of


def test_the_first_of_a_pair_is_positive():
    assert pairs_of(3) == [(0, 1), (0, 2), (1, 2)]
    assert pair_labels(("a", "b", "c"))[1] == Labels(("a", "b", "c"), 0, None, 2)
    assert pair_labels(("a", "b", "c"))[1].signs(list("abc")).tolist() == [1, 0, -1]
