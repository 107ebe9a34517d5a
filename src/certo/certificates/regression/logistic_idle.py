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
from fractions import Fraction
from itertools import permutations

import numpy as np

from certo.certificates.regression.dependence import vanish
from certo.certificates.regression.logistic_terms import LogisticProblem
from certo.numbers.farkas import common_denominator


def moves_nothing(
    problem: LogisticProblem,
    kept: np.ndarray,
    fixed: np.ndarray,
    ties: Sequence[Sequence[Fraction]],
) -> bool:
    """Whether no tie moves what is left, in exact arithmetic."""
    r, K = kept.size, problem.classes
    free = np.setdiff1d(np.arange((K - 1) * r), fixed).tolist()
    alone = np.zeros((K, problem.columns), dtype=bool)
    directions = []  # (K, p), integers
    for own, line in zip(fixed.tolist(), ties, strict=True):
        if not any(line):
            alone[own // r, kept[own % r]] = True
            continue
        common = common_denominator(line)
        if common is None:
            return False
        direction = np.zeros((K, problem.columns), dtype=object)
        for place, term in [(own, Fraction(1)), *zip(free, line, strict=True)]:
            direction[place // r, kept[place % r]] = int(term * common)
        directions.append(direction)
    if not _without_effect(problem, alone):
        return False
    for y, k in permutations(range(K), 2) if directions else ():
        rows = (problem.sample.signs == y) & problem.counts[:, k]
        apart = np.array([u[y] - u[k] for u in directions])
        apart = apart[np.any(apart != 0, axis=1)]
        if len(apart) and not np.all(vanish(problem.sample, apart, problem.lifted, rows)):
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
