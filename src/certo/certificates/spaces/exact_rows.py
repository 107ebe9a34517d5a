"""Rows of examples in integers, and on which side of a hyperplane each of them is, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.farkas import whole_numbers


def integer_rows(
    sample: Sample, rows: Sequence[int], lifted: bool, every: bool = False
) -> list[list[int]]:
    """y_t x_t, or y_t (x_t, 1), for these rows, all times one power of two that makes them whole
    numbers. Columns that are zero in all of these rows are left out, unless `every` is wanted.
    """
    dense = np.zeros((len(rows), sample.d + lifted))
    for k, t in enumerate(rows):
        values, columns = sample.row(t)
        dense[k, : sample.d][columns] = values
        dense[k, sample.d :] = 1.0
        dense[k] *= sample.signs[t]
    return whole_numbers(dense if every else dense[:, dense.any(axis=0)])


def _different(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that differ from each other, and which of them each row is. A sum of their bits
    tells them apart, where it does."""
    random = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], dtype=np.uint64)
    bits = np.ascontiguousarray(rows + 0.0).view(np.uint64)  # +0.0: 0 has one form
    mixed = (bits ^ (bits >> np.uint64(29))) * (2 * random + np.uint64(1))
    _, first, which = np.unique(mixed.sum(axis=1), return_index=True, return_inverse=True)
    if np.array_equal(rows[first][which], rows):
        return rows[first], which
    return np.unique(rows, axis=0, return_inverse=True)


def score_signs(sample: Sample, w: Sequence[int], lifted: bool) -> np.ndarray:
    """The sign of y_t w·x_t, or y_t w·(x_t, 1), for every example (int8), decided exactly.

    Rounded first: w scaled by a power of two and rounded is off by a factor 1 ± u, which doubles
    the allowance at most; nothing is rounded where all is whole and below 2⁵³. What remains is
    computed in integers, once for equal examples.
    """
    coef = np.array(w, dtype=object) // max(1, math.gcd(*w))
    used = np.flatnonzero(coef[: sample.d] != 0)
    places = np.append(used, sample.d) if lifted else used
    top = max((weight.bit_length() for weight in abs(coef).tolist()), default=0)
    down = max(0, top - 64)  # >> cuts off less than 2⁻⁶³ of the largest weight
    rounded = (coef[places] >> down).astype(np.float64)
    X = sample.X.tocsc()[:, used].tocsr() if sparse.issparse(sample.X) else sample.X
    signs = np.zeros(sample.m, np.int8)
    for start, stop in sample.blocks():
        part = X[start:stop]
        part = part.toarray() if sparse.issparse(part) else part[:, used]
        part = part.astype(np.float64, copy=False)
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
            different, which = _different(part[unsure])
            whole = np.array(whole_numbers(different), dtype=object).reshape(different.shape)
            exactly = np.sign(whole.dot(coef[places]))
            signs[start + unsure] = exactly.astype(np.int8)[which.ravel()]
    signs *= sample.signs
    return signs
