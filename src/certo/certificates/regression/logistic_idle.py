r"""Coordinates of several classes that have no effect once terms are dropped, and the proof of it.

With more than two classes, a term dropped takes one class out of the sum of one example. What is
left may then be the same along directions that no column shows: if a column is not 0 only for
examples in whose sums class k no longer is, its coefficient for k moves nothing. Coordinates are
k·r + a, for the column kept[a] of class k against the last class. Those `fixed` have no effect
together with their `ties`: the direction that is 1 at a fixed coordinate, and its ties at the
coordinates that are not fixed, moves no comparison (u_y − u_k)·x̃_t that is left. So every change of
all coordinates moves what is left as one does that is 0 at those fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from scipy import linalg, sparse

from certo.blas import one_thread
from certo.certificates.regression.curvature import inverse_factor
from certo.certificates.regression.logistic_curvature import hessian
from certo.certificates.regression.logistic_terms import LogisticProblem, Terms
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.differences import comparison_signs
from certo.certificates.spaces.family import whole_direction
from certo.numbers.farkas import whole_numbers
from certo.numbers.whole import null_space

IDLE = 1e-9  # an eigenvalue, relative to the largest, of a direction without effect
NOTHING = 1e-7  # a tie that is 0, in units of the columns
LOOKED_AT = 1024  # examples that ties are computed from
LONGEST = 128  # coordinates that are tied by exact arithmetic

Ties = tuple[tuple[Fraction, ...], ...]


def moves_nothing(
    problem: LogisticProblem,
    kept: np.ndarray,
    fixed: np.ndarray,
    ties: Sequence[Sequence[Fraction]],
) -> bool:
    """Whether no tie moves what is left, in exact arithmetic."""
    r, K = kept.size, problem.classes
    free = np.setdiff1d(np.arange((K - 1) * r), fixed).tolist()
    directions, alone = [], np.zeros((K, problem.columns), dtype=bool)
    for own, line in zip(fixed.tolist(), ties, strict=True):
        if not any(line):
            alone[own // r, kept[own % r]] = True
            continue
        direction = [[Fraction(0)] * problem.columns for _ in range(K)]
        for place, term in [(own, Fraction(1)), *zip(free, line, strict=True)]:
            direction[place // r][int(kept[place % r])] = term
        whole = whole_direction(direction)
        if whole is None:
            return False
        directions.append(whole)
    if not _without_effect(problem, alone):
        return False
    if not directions:
        return True
    largest = max(abs(entry) for whole in directions for row in whole for entry in row)
    if largest >= 2**53:
        return _one_by_one(problem, directions)
    columns = np.array(directions, dtype=np.float64).transpose(1, 2, 0)  # (K, p, ties)
    for start, stop in problem.sample.blocks():
        counts = problem.counts[start:stop]
        part = problem.sample.part(start, stop)
        rows = np.ones((stop - start, problem.columns))
        rows[:, : problem.sample.d] = part.toarray() if sparse.issparse(part) else part
        size = np.max(np.abs(rows), initial=0.0) * float(np.max(np.abs(columns).sum(axis=1)))
        if not (size < 2.0**51 and np.all(rows == np.rint(rows))):  # then nothing is rounded
            return _one_by_one(problem, directions)
        with one_thread():
            scores = [rows @ of_class for of_class in columns]
        codes = problem.sample.signs[start:stop]
        own = np.zeros_like(scores[0])
        for k, of_class in enumerate(scores):
            own[codes == k] = of_class[codes == k]
        if any(np.any(own[some] != s[some]) for s, some in zip(scores, counts.T, strict=True)):
            return False
    return True


def _without_effect(problem: LogisticProblem, alone: np.ndarray) -> bool:
    """Whether, for each class, these columns are 0 in all examples where it counts."""
    d = problem.sample.d
    for k in np.flatnonzero(alone.any(axis=1)).tolist():
        columns = np.flatnonzero(alone[k])
        part = problem.sample.X[:, columns[columns < d]]
        there = np.asarray((part != 0).sum(axis=1)).ravel() > 0
        if np.any((there | alone[k, d:].any()) & problem.counts[:, k]):
            return False
    return True


def _one_by_one(problem: LogisticProblem, directions: list[list[list[int]]]) -> bool:
    rows = np.flatnonzero(problem.left)
    sample = Sample(problem.sample.X[rows], problem.sample.signs[rows])
    left = problem.counts[rows]
    return not any(
        np.any(comparison_signs(sample, whole, problem.lifted)[left]) for whole in directions
    )


def idle_coordinates(problem: LogisticProblem, kept: np.ndarray) -> tuple[np.ndarray, Ties]:
    """Coordinates to fix, and their ties: a guess, for `moves_nothing` to check.

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

    def curved(shares: np.ndarray, others: np.ndarray, factors: np.ndarray, starts) -> np.ndarray:
        flat = np.zeros_like(shares)
        terms = Terms(vectors, vectors, vectors, vectors, vectors, shares, others, flat)
        return hessian(even, terms, factors, np.asarray(starts), 0.0, coef).gram

    white = inverse_factor(curved(half, half, select, [0]))
    if white is None:
        return none
    gram = curved(equal, counts - equal, np.tile(select @ white, c), r * np.arange(c))
    values, found = np.linalg.eigh(gram)
    found = found[:, values < IDLE * values[-1]]
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
        support = [own, *free[np.abs(line) > NOTHING].tolist()]
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
    if len(support) > LONGEST:
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
    different = np.unique(np.vstack(vectors), axis=0)
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
    return rows[:: max(1, rows.size // LOOKED_AT)]
