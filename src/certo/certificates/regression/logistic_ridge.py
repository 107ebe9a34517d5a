r"""How far a penalised logistic risk can be above its minimum, from its gradient alone.

F(w, b) is the mean loss plus (ridge/2)‖w‖², w all vectors w_k together (two classes: one). The mean
loss is convex and the rest ridge-strongly so in w: with g and e the gradients at (w, b),

    F(w', b')  ≥  F(w, b) + g·(w' − w) + (ridge/2)‖w' − w‖² + e·(b' − b)
               ≥  F(w, b) − ‖g‖²/(2·ridge) − |e·(b' − b)| .

Without intercepts the last term is 0. With them, only (w', b') with F(w', b') ≤ V := F(w, b) need
be looked at. There ‖w'‖ ≤ ρ := (2V/ridge)^½, as losses are positive. And the loss of an example of
class k is at least the score of another class l minus its own: summed over the class, whose weight
is π_k and whose weighted sum of the x is m_k, V ≥ π_k (b'_l − b'_k) − ‖w'_l − w'_k‖‖m_k‖, so

    b'_l − b'_k  ≤  B := max_k (V + √2·ρ·‖m_k‖)/π_k

(two classes: |b'| ≤ B, without √2). The e_k add up to 0, as the probabilities of an example do to
1: |e·(b' − b)| ≤ ½ Σ_k |e_k|·(B + max_k b_k − min_k b_k), for two classes |e|·(B + |b|). As all
these (w', b') lie in a bounded set, a minimiser exists.

Rounding. A computed slope p_k − [k = y] is within a factor e^{±2ε} for its scores, which is less
than 1 + 4ε if ε < 1/4, of relative(K) for itself, and of K·CUT; a sum of n products as in `exact`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from certo.blas import one_thread
from certo.certificates.base import require
from certo.certificates.regression.factors import MAX_SUMMED_ROWS, norm_above
from certo.certificates.regression.logistic_terms import CUT, Point, relative
from certo.numbers import exact
from certo.numbers.rounded import ABOVE


def strong_convexity(point: Point, value: float, room: int) -> float:
    """A number that F(coef, intercept) − min F does not exceed, where F(coef, intercept) ≤ value;
    allowances `room` times. Refuted, if there is none."""
    problem, coef, intercept, ridge, _ = point
    require(problem.alive is None, "a proof by the ridge is about all terms.")
    pulls = pulls_of(point)
    return excess_of(pulls, coef, intercept, ridge, problem.lifted, value, room)


class Pulls(NamedTuple):
    """Sums over the examples: of x̃ times the slopes of the losses, and then of x̃ over each class,
    side by side; how far these may be off; the sizes of what was added; the weights of classes."""

    sums: np.ndarray
    slack: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray


def pulls_of(point: Point) -> Pulls:
    problem, terms = point.problem, point.terms
    K, codes, m = problem.classes, problem.sample.signs, problem.sample.m
    require(float(np.max(terms.within)) < 0.25, "the scores are too large for float64.")
    step = min(MAX_SUMMED_ROWS, next(iter(problem.sample.blocks()))[1])
    n = step + m // step + 8
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        own = np.where(codes[:, None] == np.arange(K), problem.shares[:, None], 0.0)
        apart = (2 * exact.gamma(n) + relative(K) + 4 * terms.within)[:, None]
        off = problem.shares[:, None] * (apart * np.abs(terms.slopes) + K * CUT)
        right = np.hstack([problem.shares[:, None] * terms.slopes, own])
        right_off = np.hstack([off, 2 * exact.gamma(n) * own])
        sums, slack, sizes = (np.zeros((problem.columns, right.shape[1])) for _ in range(3))
        for start in range(0, m, step):
            some = slice(start, min(start + step, m))
            part, d = problem.sample.part(some.start, some.stop), problem.sample.d
            sums[:d] += part.T @ right[some]
            slack[:d] += abs(part).T @ right_off[some]
            sizes[:d] += abs(part).T @ np.abs(right[some])
            if problem.lifted:
                sums[d] += right[some].sum(axis=0)
                slack[d] += right_off[some].sum(axis=0)
                sizes[d] += np.abs(right[some]).sum(axis=0)
        slack = slack * ABOVE + 4 * m * exact.TINY
    return Pulls(sums, slack, sizes, np.bincount(codes, problem.shares, K))


def excess_of(
    pulls: Pulls, coef: np.ndarray, intercept: np.ndarray, ridge: float, lifted: bool,
    value: float, room: int,
) -> float:  # fmt: skip
    """What follows from the sums, given that the objective is at most `value`."""
    require(ridge > 0, "without a ridge the risk is not strongly convex.")
    sums, slack, _, weights = pulls
    require(not lifted or np.all(weights > 0), "a class has no weight.")
    (outputs, d), K = coef.shape, weights.size
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        of_slopes, of_classes = np.split(sums, [outputs], axis=1)
        slack, classes_slack = np.split(slack, [outputs], axis=1)
        pull = of_slopes[:d].T + ridge * coef
        slack_w = slack[:d].T + exact.allowance(4, np.abs(of_slopes[:d].T) + ridge * np.abs(coef))
        length = norm_above(pull) + room * norm_above(slack_w)
        excess = length * length / (2 * ridge) * ABOVE
        if lifted:
            two = K == 2
            pairs = zip(of_classes[:d].T, classes_slack[:d].T, strict=True)
            lengths = [norm_above(m_k) + norm_above(s_k) for m_k, s_k in pairs]
            far = math.sqrt(2 * value / ridge) * (1.0 if two else 1.5)  # √2 < 1.5
            most = float(np.max((value + far * np.array(lengths)) / weights))
            here = abs(float(intercept[0])) if two else float(np.ptp(intercept))
            moved = float(np.sum(np.abs(of_slopes[d]) + room * slack[d])) * (1.0 if two else 0.5)
            excess += moved * (most + here) * ABOVE
    require(excess < math.inf, "numbers overflow float64.")
    return float(excess * ABOVE)
