"""Which coordinates of several classes have no effect once terms are dropped: a guess, for
`certificates.regression.logistic_idle.moves_nothing` to check."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from scipy import linalg, sparse

from certo.certificates.regression.factors import inverse_factor
from certo.certificates.regression.logistic_curvature import hessian
from certo.certificates.regression.logistic_terms import LogisticProblem, Point, Terms
from certo.numbers.farkas import whole_numbers
from certo.numbers.whole import null_space

IDLE_EIGENVALUE = 1e-9  # Relative to the largest: that of a direction without effect.
ZERO_TIE = 1e-7  # A tie that is taken for 0, in units of the columns.
TIE_ROWS = 1024  # Examples that ties are computed from.
MAX_TIED = 128  # Coordinates that are tied by exact arithmetic.

Ties = tuple[tuple[Fraction, ...], ...]


def idle_coordinates(problem: LogisticProblem, kept: np.ndarray) -> tuple[np.ndarray, Ties]:
    """Coordinates to fix, and their ties.

    What moves nothing does not depend on the probabilities: with equal ones, and columns that are
    whitened, it stands out as what has no curvature.
    """
    none = np.zeros(0, dtype=np.int64), ()
    if problem.classes == 2 or problem.alive is None or not kept.size:
        return none
    counts, r, c = problem.counts, kept.size, problem.classes - 1
    equal = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    even = replace(problem, shares=problem.left * (1 / problem.sample.m))
    vectors = np.zeros(problem.sample.m)
    half = np.full((problem.sample.m, 1), 0.5)
    select, coef = np.eye(problem.columns)[:, kept], np.zeros((c + 1, problem.sample.d))

    def curved(shares: np.ndarray, others: np.ndarray, factors: list[np.ndarray]) -> np.ndarray:
        flat = np.zeros_like(shares)
        terms = Terms(vectors, vectors, vectors, vectors, vectors, shares, others, flat)
        point = Point(even, coef, np.zeros(c + 1), 0.0, terms)
        return hessian(point, factors).gram

    white = inverse_factor(curved(half, half, [select]))
    if white is None:
        return none
    gram = curved(equal, counts - equal, [select @ white] * c)
    values, found = np.linalg.eigh(gram)
    found = found[:, values < IDLE_EIGENVALUE * values[-1]]
    if not found.size:
        return none
    idle = np.vstack([white @ part for part in np.split(found, c)])
    size = np.tile(1 / np.abs(np.diag(white)), c)[:, None]
    order = linalg.qr((idle * size).T, mode="r", pivoting=True)[1]
    fixed = np.sort(order[: idle.shape[1]])
    free = np.setdiff1d(np.arange(c * r), fixed)
    moves = np.linalg.solve(idle[fixed].T, idle[free].T) * size[free].T / size[fixed]
    ties = []
    for own, line in zip(fixed.tolist(), moves, strict=True):
        support = [own, *free[np.abs(line) > ZERO_TIE].tolist()]
        exactly = _exactly_tied(problem, kept, support)
        if exactly is None:
            return none
        known = dict(zip(support, exactly, strict=True))
        ties.append(tuple(known.get(place, Fraction(0)) for place in free.tolist()))
    return fixed, tuple(ties)


def _exactly_tied(
    problem: LogisticProblem, kept: np.ndarray, support: list[int]
) -> list[Fraction] | None:
    """Coefficients of these coordinates, 1 for the first, that move nothing left of some examples;
    None if there are none, or several."""
    if len(support) == 1:
        return [Fraction(1)]
    if len(support) > MAX_TIED:
        return None
    classes = np.array(support) // kept.size
    columns = kept[np.array(support) % kept.size]
    X = problem.sample.X
    there = np.flatnonzero(problem.counts[:, classes].any(axis=1))
    slopes = np.unique(columns[columns < problem.sample.d])
    marked = there[np.asarray((X[:, slopes] != 0).sum(axis=1)).ravel()[there] > 0]
    rows = np.union1d(_some(there), _some(marked))
    X = X[rows][:, columns[columns < problem.sample.d]]
    entries = np.ones((rows.size, columns.size))
    entries[:, columns < problem.sample.d] = X.toarray() if sparse.issparse(X) else X
    own = problem.sample.signs[rows]
    vectors = [np.zeros((0, columns.size))]
    for k in range(problem.classes):
        turned = (own[:, None] == classes).astype(float) - (classes == k)
        vectors.append((turned * entries)[problem.counts[rows, k]])
    # Rows that are equal have equal sums of weights; those that differ need not all be kept.
    many = np.vstack(vectors)
    weights = np.random.default_rng(0).standard_normal(columns.size)
    different = many[_some(np.unique((many * weights).sum(axis=1), return_index=True)[1])]
    scale = np.max(np.abs(different), axis=0, initial=0.0)
    scale[scale == 0] = 1.0
    order = linalg.qr((different / scale).T, mode="r", pivoting=True)[1]
    different = different[order[: len(support) - 1]]
    basis = null_space(whole_numbers(different), len(support)) if len(different) else []
    if len(basis) != 1 or not basis[0][0]:
        return None
    return [Fraction(entry, basis[0][0]) for entry in basis[0]]


def _some(rows: np.ndarray) -> np.ndarray:
    """Not too many of them, from beginning to end."""
    return rows[:: max(1, rows.size // TIE_ROWS)]
