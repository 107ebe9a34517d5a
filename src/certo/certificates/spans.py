"""Exact linear algebra on examples: what is zero, and what lies in the span of a few of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from certo.certificates import exact
from certo.certificates.farkas import whole_numbers
from certo.certificates.sample import Sample


def eliminate(rows: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[int], int]:
    """(reduced rows, their pivot columns, c): row k has c in its pivot column, the others 0 there.

    Gauss-Jordan elimination without fractions (Bareiss): every division is exact.
    """
    left = [list(row) for row in rows]
    done: list[list[int]] = []
    pivots: list[int] = []
    before = 1
    for column in range(len(left[0]) if left else 0):
        at = next((i for i, row in enumerate(left) if row[column]), None)
        if at is None:
            continue
        own = left.pop(at)
        pivot = own[column]
        for some in (done, left):
            for i, row in enumerate(some):
                factor = row[column]
                some[i] = [
                    (pivot * entry - factor * mine) // before
                    for entry, mine in zip(row, own, strict=True)
                ]
        done.append(own)
        pivots.append(column)
        before = pivot
    return done, pivots, before


def null_space(rows: Sequence[Sequence[int]], size: int) -> list[list[int]]:
    """A basis of the w with w·z = 0 for all of these vectors of that size."""
    reduced, pivots, common = eliminate(rows)
    basis = []
    for free in sorted(set(range(size)) - set(pivots)):
        w = [0] * size
        w[free] = common
        for row, pivot in zip(reduced, pivots, strict=True):
            w[pivot] = -row[free]
        basis.append(w)
    return basis


def signed_rows(sample: Sample, rows: np.ndarray | Sequence[int], lifted: bool) -> np.ndarray:
    """z_t = y_t x_t, or y_t (x_t, 1), for these rows, in float64."""
    places = np.asarray(rows, dtype=np.int64)
    part = sample.X[places].astype(np.float64)
    part = part.toarray() if sparse.issparse(part) else part
    part = np.hstack([part, np.ones((places.size, 1))]) if lifted else part
    return part * sample.signs[places][:, None]


def score_signs(sample: Sample, w: Sequence[int], lifted: bool) -> np.ndarray:
    """The sign of y_t w·x_t, or y_t w·(x_t, 1), for every example (int8), decided exactly.

    Rounded first: w scaled by a power of two and rounded is off by a factor 1 ± u, which doubles
    the allowance at most; nothing is rounded where all is whole and below 2⁵³. What remains is
    computed in whole numbers, once for equal examples.
    """
    coef = np.array(w, dtype=object) // max(1, math.gcd(*w))
    used = np.flatnonzero(coef[: sample.d] != 0)
    places = np.append(used, sample.d) if lifted else used
    top = max(weight.bit_length() for weight in abs(coef).tolist())
    down = max(0, top - 64)  # >> cuts off less than 2⁻⁶³ of the largest weight
    rounded = (coef[places] >> down).astype(np.float64)
    X = sample.X.tocsc()[:, used].tocsr() if sparse.issparse(sample.X) else sample.X
    signs = np.zeros(sample.m, np.int8)
    for start, stop in sample.blocks():
        part = X[start:stop].astype(np.float64)
        part = part.toarray() if sparse.issparse(part) else part[:, used]
        if lifted:
            part = np.hstack([part, np.ones((stop - start, 1))])
        with np.errstate(over="ignore", invalid="ignore"):
            scores, magnitude = part @ rounded, np.abs(part) @ np.abs(rounded)
            cut = places.size * np.max(np.abs(part), axis=1, initial=0.0) if down else 0.0
            slack = 2 * exact.allowance(places.size + 2, magnitude) + 2 * cut
            clear = np.abs(scores) > slack
            if top <= 53:
                clear |= np.all(part == np.rint(part), axis=1) & (magnitude < 2.0**52)
        signs[start:stop][clear] = np.sign(scores[clear])
        unsure = np.flatnonzero(~clear)
        if unsure.size:
            different, which = np.unique(part[unsure], axis=0, return_inverse=True)
            whole = np.array(whole_numbers(different), dtype=object).reshape(different.shape)
            exactly = np.sign(whole.dot(coef[places]))
            signs[start + unsure] = exactly.astype(np.int8)[which.ravel()]
    signs *= sample.signs
    return signs
