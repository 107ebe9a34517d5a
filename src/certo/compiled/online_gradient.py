r"""Online gradient descent, round by round; the definition is in
`certo.certificates.runs.gradient_run`, which repeats every operation here in the same order, so
that both runs agree bit for bit.

Problem     suffer little on ℓ_t(w) = loss(y_t, w·x̃_t) + (λ/2)‖w‖², t = 1, 2, …
Step        w ← Π(w − η_t (s x̃_t + λw)), s the slope of the loss in the score
Sums        λ > 0 without a ball: w_{t+1} = u/(λt), u = −Σ s x̃, as in `certo.compiled.pegasos`,
            with a = −Σ H_{t−1} s x̃ for the average. So a tie of a margin with 1 is seen as there.
Weights     otherwise u is w itself, and a the sum of the iterates.
In place    `u`, `a`
Cost        O(d) a round: ‖w‖² touches every weight
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit
from certo.compiled._lanes import lone_lane_dot
from certo.compiled.pegasos import row_add_twice
from certo.compiled.rows import row_add, row_dot, row_square

HINGE, LOGISTIC, SQUARED = 0, 1, 2
LOG2_E = 1.4426950408889634
# ln 2 in two parts: multiples of the first by integers of up to eleven bits are exact.
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13 = (1 / math.factorial(n) for n in range(2, 14))
HALVES = 0.5 ** np.arange(1023)  # 2⁻ᵏ


class Rule(NamedTuple):
    loss: int
    scale: float  # 1/ln(base) of the logistic loss
    lam: float
    radius: float  # It is infinite where there is no ball.
    lift: float  # 1.0: the extra feature 1; 0.0: none
    kappa: float  # What `squared_gradient` adds, relative to the terms of its sum.


class Books(NamedTuple):
    rounds: int
    suffered: float
    squares: float
    budget: float
    harmonic: float


@jit
def falling_exp(x):
    """eˣ for x ≤ 0, rounded alike on every machine; 0 below −700."""
    if not x >= -700.0:
        return 0.0 if x < -700.0 else x  # The second case is NaN.
    k = math.floor(x * LOG2_E + 0.5)
    rest = (x - k * LN2_HIGH) - k * LN2_LOW
    s = rest * rest
    s2 = s * s
    s4 = s2 * s2  # Short chains of products take less time than one long one.
    even = ((E2 * s + 1.0) + (E6 * s + E4) * s2) + ((E10 * s + E8) + E12 * s2) * s4
    odd = ((E3 * s + 1.0) + (E7 * s + E5) * s2) + ((E11 * s + E9) + E13 * s2) * s4
    return (even + odd * rest) * HALVES[int(-k)]


@jit
def value_and_slope(loss, scale, y, score):
    """L(y, score) and ∂L/∂score, y being −1 or +1, as in `certo.losses`."""
    z = y * score
    if loss == HINGE:
        return max(0.0, 1.0 - z), 0.0 if z >= 1.0 else -y
    if loss == LOGISTIC:
        small = falling_exp(-abs(z))
        value = np.log1p(small) + max(-z, 0.0)
        chance = small / (1.0 + small) if z >= 0.0 else 1.0 / (1.0 + small)  # σ(−z)
        return scale * value, -y * scale * chance
    return (y - score) * (y - score), -2.0 * (y - score)


@jit
def squared_length(w):
    """‖w‖², rounded as a score is."""
    return lone_lane_dot(w, 0, w, 0, w.size - 1) + w[-1] * w[-1]


@jit
def squared_gradient(slope, score, square, length2, lam, kappa):
    """A number that ‖slope·x̃ + λw‖² does not exceed, given ‖x̃‖² and ‖w‖²: see `Regret`."""
    own, ridge = slope * slope * square, lam * lam * length2
    return max(own + 2.0 * lam * slope * score + ridge, 0.0) + kappa * (own + ridge)


@jit
def play(rows, signs, rule, first, last, u, a, books):
    """Rounds on the examples first … last − 1. Returns the books afterwards."""
    if rule.radius == np.inf:
        return _play_sums(rows, signs, rule, first, last, u, a, books)
    return _play_weights(rows, signs, rule, first, last, u, a, books)


@jit
def _play_sums(rows, signs, rule, first, last, u, a, books):
    rounds, suffered, squares, budget, harmonic = books
    lam, lift = rule.lam, rule.lift
    for k in range(first, last):
        score, length2 = 0.0, 0.0
        if rounds > 0:
            reach = lam * rounds  # Here w = u/reach.
            score = (row_dot(rows, k, u) + lift * u[-1]) / reach
            length2 = squared_length(u) / reach / reach
        value, slope = value_and_slope(rule.loss, rule.scale, float(signs[k]), score)
        rounds += 1
        suffered += value + lam / 2.0 * length2
        square = row_square(rows, k) + lift
        square = squared_gradient(slope, score, square, length2, lam, rule.kappa)
        squares += square
        budget += square / (2.0 * lam * rounds)
        if slope != 0.0:
            row_add_twice(rows, k, -slope, u, -slope * harmonic, a)
            u[-1] -= slope * lift
            a[-1] -= slope * harmonic * lift
        harmonic += 1.0 / rounds
    return Books(rounds, suffered, squares, budget, harmonic)


@jit
def _play_weights(rows, signs, rule, first, last, w, total, books):
    rounds, suffered, squares, budget, harmonic = books
    lam, lift = rule.lam, rule.lift
    for k in range(first, last):
        score = row_dot(rows, k, w) + lift * w[-1]
        length2 = squared_length(w)
        for j in range(w.size):
            total[j] += w[j]
        value, slope = value_and_slope(rule.loss, rule.scale, float(signs[k]), score)
        rounds += 1
        suffered += value + lam / 2.0 * length2
        square = row_square(rows, k) + lift
        square = squared_gradient(slope, score, square, length2, lam, rule.kappa)
        squares += square
        rate = 0.0
        if lam > 0.0:
            rate = 1.0 / (lam * rounds)
            budget += square / (2.0 * lam * rounds)
            w *= 1.0 - 1.0 / rounds
        elif squares > 0.0:
            rate = math.sqrt(2.0) * rule.radius / math.sqrt(squares)
        if slope != 0.0:
            row_add(rows, k, -rate * slope, w)
            w[-1] -= rate * slope * lift
        length = math.sqrt(squared_length(w))
        if length > rule.radius:
            w *= rule.radius / length
    return Books(rounds, suffered, squares, budget, harmonic)
