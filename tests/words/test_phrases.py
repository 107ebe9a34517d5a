"""Phrases that several sentences share."""

from __future__ import annotations

import numpy as np

from certo.certificates import Labels, Separable
from certo.words.phrases import one_side


def test_one_side_names_a_class_only_where_there_is_one():
    X, words = np.zeros((2, 1)), one_side(Labels(("a", "b", "c"), 0), False, "2 examples")
    assert words == "None of the 2 examples is 'a'."
    claim = Separable(Labels(("a", "b", "c"), 0), np.zeros(1), -1.0, 2, 1.0, 0.0)
    assert claim.verify(X, ["b", "c"])
    assert claim.claim == words
    assert one_side(Labels(("a", "b")), False, "2 examples").endswith("all 2 examples are 'a'.")
