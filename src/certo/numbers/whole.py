"""Exact linear algebra of integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PRIME = 2**31 - 19  # Products fit int64; 2**31 − 1 itself is found in data, as a mark.


def independent(vectors: np.ndarray) -> np.ndarray:
    """Places of vectors of integers that are independent modulo a prime, as many as there are.

    Hence they are independent: a determinant that is not 0 modulo a prime is not 0. That all others
    depend on them is likely, but not proved.
    """
    left = (vectors % PRIME).astype(np.int64)
    places, found = np.arange(len(left)), []
    for column in range(left.shape[1]):
        at = np.flatnonzero(left[:, column])
        if at.size:
            own = left[at[0]] * pow(int(left[at[0], column]), -1, PRIME) % PRIME
            found.append(places[at[0]])
            left, places = np.delete(left, at[0], axis=0), np.delete(places, at[0])
            left = (left - left[:, column : column + 1] * own % PRIME) % PRIME
    return np.array(found, dtype=np.int64)


def null_space(rows: Sequence[Sequence[int]], size: int) -> list[list[int]]:
    """A basis of the w with w·z = 0 for all of these vectors of that size.

    Elimination without fractions (Bareiss): every division is exact, and the last pivot is the
    determinant of what was eliminated. That times a solution is whole (Cramer).
    """
    left = [list(row) for row in rows]
    upper: list[tuple[int, list[int]]] = []
    common = 1
    for column in range(size):
        at = next((i for i, row in enumerate(left) if row[column]), None)
        if at is None:
            continue
        own = left.pop(at)
        pivot = own[column]
        for i, row in enumerate(left):
            factor, pairs = row[column], zip(row, own, strict=True)
            left[i] = [(pivot * entry - factor * mine) // common for entry, mine in pairs]
        upper.append((column, own))
        common = pivot
    basis = []
    for free in sorted(set(range(size)) - {column for column, _ in upper}):
        w = [0] * size
        w[free] = common
        for column, row in reversed(upper):
            known = sum(entry * weight for entry, weight in zip(row, w, strict=True) if weight)
            w[column] = -known // row[column]
        basis.append(w)
    return basis
