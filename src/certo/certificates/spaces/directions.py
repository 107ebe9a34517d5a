"""Directions in which weights of classes move, and on which side of them an example is, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from certo.certificates.fields import FractionRows
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.exact_rows import score_signs
from certo.numbers.farkas import common_denominator


def whole_direction(direction: FractionRows) -> list[list[int]] | None:
    """The direction times its common denominator, or None if that has no reasonable size."""
    common = common_denominator([entry for row in direction for entry in row])
    if common is None:
        return None
    return [[int(entry * common) for entry in row] for row in direction]


def check_direction(direction: FractionRows, rows: int, width: int) -> None:
    """ValueError, unless there are so many rows of so many fractions."""
    if len(direction) != rows or any(len(row) != width for row in direction):
        raise ValueError(
            f"direction must have {width} fractions for each class, for two classes once."
        )


def comparison_signs(sample: Sample, whole: Sequence[Sequence[int]], lifted: bool) -> np.ndarray:
    """The signs of (u_y − u_k)·x̃_t for all examples t, y being the place of the class of t and u a
    direction of integers: (m, K), or for two classes (m, 1), the direction being that of the
    second class against the first."""
    codes, d = sample.signs, sample.d
    if len(whole) == 1:
        signs = np.where(codes == 1, 1, -1).astype(np.int8)
        return score_signs(Sample(sample.X, signs), whole[0], lifted)[:, None]
    used = [j for j in range(d) if len({row[j] for row in whole}) > 1]
    X = sample.X.tocsc()[:, used].tocsr() if sparse.issparse(sample.X) else sample.X[:, used]
    places = [*used, d] if lifted else used
    groups: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
    for y, own in enumerate(whole):
        for k, other in enumerate(whole):
            apart = tuple(own[j] - other[j] for j in places)
            if any(apart):  # Opposite differences have one form.
                side = 1 if next(entry for entry in apart if entry) > 0 else -1
                form = tuple(side * entry for entry in apart)
                groups.setdefault(form, []).append((y, k, side))
    signs = np.zeros((sample.m, len(whole)), dtype=np.int8)
    for form, pairs in groups.items():
        rows = np.flatnonzero(np.isin(codes, [y for y, _, _ in pairs]))
        if rows.size:
            found = score_signs(Sample(X[rows], np.ones(rows.size, np.int8)), form, lifted)
            for y, k, side in pairs:
                of_class = codes[rows] == y
                signs[rows[of_class], k] = side * found[of_class]
    return signs
