r"""Logistic losses and probabilities, block by block, and how far each may be off.

The scores of an example are f_k = w_k·x + b_k, for two classes 0 and f. Over the classes *alive*
for it, always its own y among them, let p_k = e^{f_k}/Σ_l e^{f_l}; its loss is log Σ_l e^{f_l−f_y}
and the slope of that along f_k is p_k − [k = y].

Scores. All this does not change when one number is taken from all scores, here the greatest one as
computed. So the error of t_k = f_k − top is that of a sum of d + 1 products, and one rounding more:
at most ε = `exact.allowance(d + 3, max_k (|w_k|·|x| + |b_k|))`. To add 0 is exact, in any order, so
d may be how many numbers of x are not 0: it is, beyond MANY columns. A loss moves by no more than
the range of the errors of its scores, 2ε; a product p_k p_l by a factor e^{±4ε} at most.

From computed scores. `np.exp` and `np.log1p` are within four units in the last place, a factor
1 + δ with |δ| ≤ 8u; log1p(x(1 + δ)) is log1p(x) times 1 + δ' with |δ'| ≤ |δ|, as it is concave; a
sum of K positive numbers passes through K roundings; each operation rounds once. The sum of all
numbers but one is that of the others where the one is the greatest, and at least half the whole
where it is not, so a difference loses one bit. Altogether each loss, p_k and 1 − p_k is within a
factor 1 ± `relative(K)` = 1 ± (4K + 40)u. Exponentials below CUT are taken as 0, so that products
do not underflow: that moves a loss, and each p_k and 1 − p_k, by K·CUT at most.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import map_in_threads
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.rounded import ABOVE

CUT = 2.0**-460
BLOCK_NUMBERS = 2**17  # Numbers in a block of rows, so that it stays in the cache.
MANY = 1000  # Columns.
THREADS = min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def relative(classes: int) -> float:
    """How far a loss or a probability is off, relative to itself, if scores are exact."""
    return (4 * classes + 40) * exact.UNIT


class Terms(NamedTuple):
    """Of every example. `shares` are p_k, `others` 1 − p_k, `slopes` p_k − [k = y], over the terms
    alive: (m, K), for two classes (m, 1), of the second one alone."""

    losses: np.ndarray  # Losses with all classes alive.
    losses_off: np.ndarray  # Error bounds of these losses.
    left: np.ndarray  # Losses over the classes that are alive.
    left_off: np.ndarray
    within: np.ndarray  # ε of the scores alive
    shares: np.ndarray
    others: np.ndarray
    slopes: np.ndarray


@dataclass(frozen=True)
class LogisticProblem:
    """Examples with the places of their classes as `sample.signs`; weights, all divided by their
    sum; and what is alive: (m,) for two classes, (m, K) for more, None for all."""

    sample: Sample
    classes: int
    lifted: bool
    shares: np.ndarray
    alive: np.ndarray | None

    @property
    def outputs(self) -> int:
        """How many scores there are: one for two classes."""
        return 1 if self.classes == 2 else self.classes

    @property
    def columns(self) -> int:
        return self.sample.d + self.lifted

    @property
    def own(self) -> np.ndarray:
        """Whether an example is of the class of a score, (m, outputs)."""
        places = np.array([1]) if self.classes == 2 else np.arange(self.classes)
        return self.sample.signs[:, None] == places

    @cached_property
    def counts(self) -> np.ndarray:
        """Whether a score of an example makes a difference, (m, outputs)."""
        some = self.shares > 0
        if self.alive is None:
            return np.broadcast_to(some[:, None], (self.sample.m, self.outputs))
        if self.classes == 2:
            return (some & self.alive)[:, None]
        pairs = self.alive | self.own
        return pairs & (some & (pairs.sum(axis=1) > 1))[:, None]

    @property
    def left(self) -> np.ndarray:
        """Whether an example makes a difference."""
        return np.asarray(self.counts.any(axis=1))


class Point(NamedTuple):
    """Coefficients (outputs, d), their intercepts and penalty, and the terms that they make."""

    problem: LogisticProblem
    coef: np.ndarray
    intercept: np.ndarray
    ridge: float
    terms: Terms

    @classmethod
    def at(
        cls, problem: LogisticProblem, coef: np.ndarray, intercept: np.ndarray, ridge: float
    ) -> Point:
        m, outputs = problem.sample.m, problem.outputs
        terms = Terms(*(np.empty(m) for _ in range(5)), *(np.empty((m, outputs)) for _ in range(3)))
        point = cls(problem, coef, intercept, ridge, terms)
        step = max(64, BLOCK_NUMBERS // max(problem.sample.d, outputs, 1))
        own = problem.own

        def fill(start: int) -> None:
            some = slice(start, min(start + step, m))
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                point._fill(some, own[some])

        map_in_threads(fill, range(0, m, step), THREADS)
        return point

    def _fill(self, some: slice, own: np.ndarray) -> None:
        problem, coef, intercept, _, terms = self
        part, classes = problem.sample.part(some.start, some.stop), problem.classes
        scores = np.asarray(part @ coef.T) + intercept
        size = np.asarray(abs(part) @ np.abs(coef).T) + np.abs(intercept)
        within = exact.allowance(_products(part) + 3, size)
        counts = problem.counts[some]
        if classes == 2:
            losses, shares, others = _two(scores, own)
            left, off = np.where(counts[:, 0], losses, 0.0), _off(losses, within[:, 0], 2)
            near = within[:, 0]
        else:
            losses, shares, others = _several(scores, own)
            off, left = _off(losses, within.max(axis=1), classes), losses
            near = within.max(axis=1)
            if not counts.all():
                alive = np.where(counts | own, scores, -np.inf)
                left, shares, others = _several(alive, own)
                near = np.max(within, axis=1, where=counts, initial=0.0)
        terms.losses[some], terms.losses_off[some] = losses, off
        terms.left[some], terms.left_off[some] = left, _off(left, near, classes)
        terms.within[some] = near
        for out, values in (
            (terms.shares, shares), (terms.others, others),
            (terms.slopes, np.where(own, -others, shares)),
        ):  # fmt: skip
            np.multiply(values, counts, out=out[some])


def _products(part) -> int | np.ndarray:
    """How many products other than 0 the score of each row adds up, at most."""
    if part.shape[1] <= MANY:
        return int(part.shape[1])
    if not sparse.issparse(part):
        return np.count_nonzero(part, axis=1)[:, None]
    return np.diff(np.append(0, np.cumsum(part.data != 0))[part.indptr])[:, None]


def _off(losses: np.ndarray, within: np.ndarray, classes: int) -> np.ndarray:
    """How far off losses are, from computed scores within `within` of the true ones. A loss moves
    by Σ_{k≠y} p_k (Δ_k − Δ_y), so by 2ε(1 − p_y) and, as p moves on the way, a factor e^{2ε}, less
    than 2 if ε < 1/4; and 1 − p_y = 1 − e^{−loss} is at most the loss, and at most 1."""
    moved = 2 * within * np.where(within < 0.25, np.minimum(2 * losses, 1.0), 1.0)
    return (moved + relative(classes) * losses) * ABOVE + 2 * classes * CUT


def _two(score: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    small = np.exp(-np.abs(score))
    small[small < CUT] = 0.0
    losses = np.log1p(small) + np.maximum(np.where(own, -score, score), 0.0)
    low, high = small / (1 + small), 1 / (1 + small)
    up = score >= 0
    return losses[:, 0], np.where(up, high, low), np.where(up, low, high)


def _several(scores: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, best = np.arange(len(scores)), np.argmax(scores, axis=1)
    shifted = scores - scores[rows, best][:, None]
    terms = np.exp(shifted)
    terms[terms < CUT] = 0.0
    whole = terms.sum(axis=1)[:, None]
    others = whole - terms
    terms[rows, best] = 0.0
    rest = terms.sum(axis=1)
    terms[rows, best] = 1.0
    others[rows, best] = rest
    losses = np.log1p(rest) - shifted[own]
    return losses, terms / whole, others / whole
