"""Which classes a claim tells apart, as one would say it."""

from __future__ import annotations

import pytest

from certo.certificates import Labels, Unlabelled, Values
from certo.words.labels import against, name_of, rest_of, shown_of, sides_of

THREE = ("a", "b", "c")


@pytest.mark.parametrize(
    ("labels", "shown", "rest", "name"),
    [
        (Labels(("a", "b")), "'b'", "'a'", "b"),
        (Labels((0, 1)), "1", "0", "1"),
        (Labels(THREE, 2), "'c'", "the rest", "c"),
        (Labels(THREE, 0, None, 2), "'a'", "'c'", "a against c"),
        (Labels((0, 1), 1, 3), "label 3", "the rest", "label 3"),
        (Labels(THREE, None), "all classes", "the rest", "all classes"),
    ],
)
def test_sides_and_names(labels, shown, rest, name):
    assert (shown_of(labels), rest_of(labels), name_of(labels)) == (shown, rest, name)
    assert sides_of(labels) == f"{shown} from {rest}"
    assert against(labels) == f"{shown} against {rest}"


def test_claims_that_are_not_about_classes():
    names = ["y", "3 columns of y", "X alone"]
    assert [name_of(about) for about in (Values(), Values(3), Unlabelled())] == names
