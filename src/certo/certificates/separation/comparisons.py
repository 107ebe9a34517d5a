"""Whom a direction sets apart: the signs of an example's own score minus each other one, exactly.

A direction u has a vector u_k for each class, over the features and, `lifted`, a last 1; for two
classes one alone, that of the second class against the first. An example t of class y is compared
with every other class k: (u_y − u_k)·x̃_t; for two classes that is ±u·x̃_t, one comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.spans import score_signs
from certo.numbers.farkas import common_denominator

Direction = Sequence[Sequence[Fraction]]


def check_classes(labels: Labels) -> None:
    """ValueError, unless there are several classes, of which the last is the positive one."""
    K = len(labels.classes)
    if K < 2 or labels.positive != K - 1 or labels.column is not None:
        raise ValueError("labels must have two classes or more, the last positive, and no column.")


def whole_direction(direction: Direction) -> list[list[int]] | None:
    """The direction times its common denominator, or None if that has no reasonable size."""
    common = common_denominator([entry for row in direction for entry in row])
    if common is None:
        return None
    return [[int(entry * common) for entry in row] for row in direction]


def comparison_signs(sample: Sample, direction: list[list[int]], lifted: bool) -> np.ndarray:
    """The signs of all comparisons (int8): (m,) for two classes, (m, K) for more, with 0 for an
    example's own class. `sample.signs` are places of classes, the direction whole numbers."""
    codes = sample.signs
    if len(direction) == 1:
        signs = np.where(codes == 1, 1, -1).astype(np.int8)
        return score_signs(Sample(sample.X, signs), direction[0], lifted)
    used = [j for j in range(sample.d) if len({row[j] for row in direction}) > 1]
    X = sample.X.tocsc()[:, used].tocsr() if sparse.issparse(sample.X) else sample.X[:, used]
    places = [*used, sample.d] if lifted else used
    groups: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
    for y, own in enumerate(direction):
        for k, other in enumerate(direction):
            apart = tuple(own[j] - other[j] for j in places)
            if any(apart):  # one way round
                side = 1 if next(entry for entry in apart if entry) > 0 else -1
                groups.setdefault(tuple(side * entry for entry in apart), []).append((y, k, side))
    signs = np.zeros((sample.m, len(direction)), dtype=np.int8)
    for apart, pairs in groups.items():
        rows = np.flatnonzero(np.isin(codes, [y for y, _, _ in pairs]))
        if not rows.size:
            continue
        found = score_signs(Sample(X[rows], np.ones(rows.size, np.int8)), apart, lifted)
        for y, k, side in pairs:
            of_class = codes[rows] == y
            signs[rows[of_class], k] = side * found[of_class]
    return signs
