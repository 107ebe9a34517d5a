"""Columns that are combinations of other columns: which to keep, how the others combine them, and
the shortest coefficients among all that give the same scores.

X̃ is X with a last column of ones if the intercept is free, X alone otherwise. The columns `kept`
are independent, and X̃_j = X̃_kept·c_j for every other j: `combinations` has the rows c_j, in the
order of the columns that are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import linalg

# Of a column scaled to length 1, the square of what the others must leave. Sums of squares are good
# to about 1e-14 here: less than this may be rounding.
INDEPENDENT_SHARE = 1e-11
SIMPLE_DENOMINATORS = (64, 10_000)  # They are tried before the float's own.
TERM_ROUNDING = 1e-7  # The rounding of a combination's term, relative to the column it gives.


Combinations = Sequence[Sequence[Fraction]]


class Pivoted(NamedTuple):
    """A positive semi-definite matrix with its rows and columns divided by `scale`, so that its
    diagonal is 1: UᵀU at [order[:rank]], nothing new in the other columns."""

    scale: np.ndarray
    order: np.ndarray
    rank: int
    factor: np.ndarray  # U, (rank, all): the columns in `order`

    @property
    def triangle(self) -> np.ndarray:
        return self.factor[:, : self.rank]


def pivoted_cholesky(gram: np.ndarray, left: float = INDEPENDENT_SHARE) -> Pivoted:
    """Columns in the order of how much is new in them, down to `left`."""
    scale = np.sqrt(np.maximum(np.diag(gram), 0.0))
    usable = scale > 0
    scale = np.where(usable, scale, 1.0)
    matrix = gram / scale / scale[:, None]
    np.fill_diagonal(matrix, usable)  # Exactly 1, not nearly.
    if not len(matrix):
        return Pivoted(scale, np.arange(0), 0, matrix)
    factor, order, rank, _ = linalg.lapack.dpstrf(matrix, tol=left)
    return Pivoted(scale, order - 1, int(rank), np.triu(factor)[: int(rank)])


def kept_columns(gram: np.ndarray, lifted: bool, left: float = INDEPENDENT_SHARE) -> np.ndarray:
    """Independent columns of X̃ that span the others, in increasing order, from X̃ᵀX̃. The column
    of ones, which is the last if `lifted`, is kept first."""
    p = len(gram)
    if not lifted:
        pivoted = pivoted_cholesky(gram, left)
        return np.sort(pivoted.order[: pivoted.rank])
    ones = gram[:-1, -1]
    pivoted = pivoted_cholesky(gram[:-1, :-1] - np.outer(ones, ones) / gram[-1, -1], left)
    return np.append(np.sort(pivoted.order[: pivoted.rank]), p - 1)


def others(kept: np.ndarray, p: int) -> np.ndarray:
    """The columns that are not kept."""
    return np.flatnonzero(np.bincount(kept, minlength=p)[:p] == 0)


def combinations(
    gram: np.ndarray, kept: np.ndarray, lifted: bool, row: np.ndarray | None = None
) -> Combinations:
    """The rows c_j from X̃ᵀX̃, as simple fractions where these are near. With a row x̃ of the data,
    the constant term is the one that this row needs."""
    rest = others(kept, len(gram))
    if not (rest.size and kept.size):
        return tuple(() for _ in rest)
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0] = 1.0
    matrix = gram / scale / scale[:, None]
    terms = linalg.lstsq(matrix[np.ix_(kept, kept)], matrix[np.ix_(kept, rest)])[0].T
    simple = rational(terms * scale[rest][:, None] / scale[kept], kept, rest, scale)
    if not lifted or row is None:
        return simple
    return with_constant([line[:-1] for line in simple], kept[:-1], rest, row)


def rational(
    terms: np.ndarray, kept: np.ndarray, rest: np.ndarray, scale: np.ndarray
) -> Combinations:
    """Combinations (rest, kept) as fractions, simple ones where these are near: a term c of column
    i in column j counts as c·scale_i/scale_j."""
    within = TERM_ROUNDING * scale[rest][:, None] / scale[kept]
    simple = np.full(terms.shape, Fraction(0), dtype=object)  # Most terms are 0, often.
    for place in zip(*np.nonzero(np.abs(terms) > within), strict=True):
        simple[place] = _simplify(float(terms[place]), float(within[place]))
    return tuple(map(tuple, simple))


def _simplify(value: float, within: float) -> Fraction:
    if abs(value - round(value)) <= within:
        return Fraction(round(value))
    exact = Fraction(value)
    for largest in SIMPLE_DENOMINATORS:
        near = exact.limit_denominator(largest)
        if abs(near - exact) <= within / largest:  # Any number is within 1/largest² of some.
            return near
    return exact


def with_constant(
    slopes: Combinations, kept: np.ndarray, rest: np.ndarray, row: np.ndarray
) -> Combinations:
    """The combinations with one more term, that of the ones: what this row needs."""
    values = [Fraction(x) for x in np.asarray(row, dtype=np.float64).tolist()]
    lines = []
    for line, j in zip(slopes, rest.tolist(), strict=True):
        given = sum((c * values[i] for c, i in zip(line, kept, strict=True) if c.numerator), 0)
        lines.append((*line, values[j] - given))
    return tuple(lines)


def minimum_norm(
    a: np.ndarray, kept: np.ndarray, combinations: Combinations | np.ndarray, lifted: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(coef, intercept) with the scores of the coefficients a (outputs, kept), coef as short as can
    be: the intercept, of the ones that are kept last if `lifted`, counts nothing."""
    C = np.array(combinations, dtype=np.float64).reshape(len(combinations), len(kept))
    if not lifted:
        return shortest(a, kept, C), np.zeros(len(a))
    coef = shortest(a[:, :-1], kept[:-1], C[:, :-1])
    return coef, a[:, -1] - coef[:, others(kept[:-1], coef.shape[1])] @ C[:, -1]


def shortest(a: np.ndarray, kept: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """The shortest w with the scores of a (outputs, kept), for all columns.

    All that have these scores satisfy w_kept + Σ_j c_j w_j = a: that is M w = a with M = (I, C).
    The shortest is Mᵀ(MMᵀ)⁻¹a; it is also (a, 0) less its part in the span of N = (−C, I), on which
    M vanishes. The smaller of the two is factored.
    """
    C = np.array(terms, dtype=np.float64).reshape(len(terms), len(kept))
    r, k = len(kept), len(C)
    short = np.zeros((len(a), r + k))
    short[:, :r] = a
    if 0 < k <= r:
        Q = np.linalg.qr(np.vstack([-C.T, np.eye(k)]))[0]
        short -= (short @ Q) @ Q.T
    elif 0 < r < k:
        Q, T = np.linalg.qr(np.vstack([np.eye(r), C]))
        short = linalg.solve_triangular(T, a.T, trans=1).T @ Q.T
    coef = np.empty_like(short)
    coef[:, np.concatenate([kept, others(kept, r + k)])] = short
    return coef


def hyperplanes(X: np.ndarray) -> Iterator[tuple[list[Fraction], Fraction]]:
    """(coef, level) with coef·x = level, or nearly so, for all rows x of X: one for each column
    that the others combine. The first row satisfies it exactly, the others must be checked."""
    X = X.astype(np.float64)
    lifted = np.hstack([X - X[0], np.ones((len(X), 1))])
    gram = lifted.T @ lifted
    kept = kept_columns(gram, True)
    first = [Fraction(v) for v in X[0].tolist()]
    rest = others(kept, len(gram)).tolist()
    for j, terms in zip(rest, combinations(gram, kept, True), strict=True):
        coef = [Fraction(0)] * X.shape[1]
        coef[j] = Fraction(1)
        for i, term in zip(kept.tolist()[:-1], terms, strict=False):  # The last term is constant.
            coef[i] = -term
        yield coef, sum((c * v for c, v in zip(coef, first, strict=True)), Fraction(0))
