"""The least weight of errors by brute force in rational arithmetic, for a few examples.

Some optimal cell has an extreme ray v: a direction orthogonal to rank − 1 independent vectors. Near
v only the vectors orthogonal to it are undecided, so

    least(A) = min_v  weight{z : v·z < 0} + least({z : v·z = 0}),

over all such v and −v; a zero vector is always an error. (The package walks over facets instead.)
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction


def least(vectors, costs):
    """min over w of the costs of the z with w·z ≤ 0; vectors of integers or fractions."""
    paid = sum(c for z, c in zip(vectors, costs, strict=True) if not any(z))
    merged: dict[tuple, int] = {}
    for z, c in zip(vectors, costs, strict=True):
        if any(z) and c:
            merged[tuple(z)] = merged.get(tuple(z), 0) + c
    if not merged:
        return paid
    kept = _pivots(merged)
    items = [([z[j] for j in kept], c) for z, c in merged.items()]
    if len(kept) == 1:
        plus = sum(c for (z,), c in items if z > 0)
        return paid + min(plus, sum(c for _, c in items) - plus)
    best, seen = sum(c for _, c in items), set()
    for some in itertools.combinations([z for z, _ in items], len(kept) - 1):
        v = _orthogonal(some)
        if v is None or v in seen:
            continue
        seen |= {v, tuple(-x for x in v)}
        scores = [sum(a * b for a, b in zip(v, z, strict=True)) for z, _ in items]
        sides = [
            sum(c for (_, c), s in zip(items, scores, strict=True) if k * s > 0) for k in (1, -1)
        ]
        if min(sides) < best:
            on = [item for item, s in zip(items, scores, strict=True) if s == 0]
            best = min(best, min(sides) + least([z for z, _ in on], [c for _, c in on]))
    return paid + best


def least_errors(X, signs, lifted, weights=None) -> Fraction:
    """The same for examples as floats, exactly."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    common = math.lcm(*(v.denominator for row in rows for v in row))
    vectors = [
        [int(s) * int(v * common) for v in [*row, *[Fraction(1)] * lifted]]
        for row, s in zip(rows, signs, strict=True)
    ]
    costs = [Fraction(1)] * len(rows) if weights is None else [Fraction(float(w)) for w in weights]
    return Fraction(least(vectors, costs))


def _determinant(rows):
    if not rows:
        return 1
    return sum(
        (-1) ** j * entry * _determinant([row[:j] + row[j + 1 :] for row in rows[1:]])
        for j, entry in enumerate(rows[0])
        if entry
    )


def _orthogonal(rows):
    """The direction orthogonal to r − 1 vectors of r coordinates, None if they are dependent."""
    v = [(-1) ** j * _determinant([z[:j] + z[j + 1 :] for z in rows]) for j in range(len(rows[0]))]
    divisor = math.gcd(*v)
    return tuple(x // divisor for x in v) if divisor else None


def _pivots(vectors):
    rows, kept = [list(map(Fraction, z)) for z in vectors], []
    for j in range(len(rows[0])):
        at = next((i for i in range(len(kept), len(rows)) if rows[i][j]), None)
        if at is None:
            continue
        k = len(kept)
        rows[k], rows[at] = rows[at], rows[k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][j] / rows[k][j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
        kept.append(j)
    return kept
