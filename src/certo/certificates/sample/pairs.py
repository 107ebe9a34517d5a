"""The pairs of classes that vote for one of them."""

from __future__ import annotations

import itertools
from typing import Any

from certo.certificates.sample.labels import Labels


def pair_labels(classes: tuple[Any, ...]) -> list[Labels]:
    """Every pair of classes, in scikit-learn's order: the first of the two is +1."""
    return [Labels(classes, i, None, j) for i, j in pairs_of(len(classes))]


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """The pairs (i, j), i < j, of so many classes, in the order of scikit-learn."""
    return list(itertools.combinations(range(classes), 2))
