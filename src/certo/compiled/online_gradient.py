r"""Online gradient descent, round by round; the definition is in `certo.certificates.gradient_run`.

Problem     suffer little on ℓ_t(w) = loss(y_t, w·x̃_t) + (λ/2)‖w‖², t = 1, 2, …
Step        w ← Π(w − η_t (s x̃_t + λw)), s the slope of the loss in the score
In place    `w`, `total` (the sum of the iterates) and `books`
Cost        O(d) a round: the sums over iterates and the projection touch every weight
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import row_add, row_dot, row_square

HINGE, LOGISTIC, SQUARED = 0, 1, 2


class Rule(NamedTuple):
    loss: int
    scale: float  # 1/ln(base) of the logistic loss
    lam: float
    radius: float  # infinite: no ball
    lift: float  # 1.0: the extra feature 1; 0.0: none


class Books(NamedTuple):
    rounds: int
    suffered: float
    squares: float
    budget: float


@jit
def value_and_slope(loss, scale, y, score):
    """L(y, score) and ∂L/∂score, y being −1 or +1, as in `certo.losses`."""
    z = y * score
    if loss == HINGE:
        return max(0.0, 1.0 - z), 0.0 if z > 1.0 else -y
    if loss == LOGISTIC:
        small = np.exp(-abs(z))
        value = np.log1p(small) + max(-z, 0.0)
        chance = small / (1.0 + small) if z >= 0.0 else 1.0 / (1.0 + small)  # σ(−z)
        return scale * value, -y * scale * chance
    return (y - score) ** 2, -2.0 * (y - score)


@jit
def play(rows, signs, rule, first, last, w, total, books):
    """Rounds on the examples first … last − 1. Returns the books afterwards."""
    rounds, suffered, squares, budget = books
    lam, lift = rule.lam, rule.lift
    for k in range(first, last):
        score = row_dot(rows, k, w) + lift * w[-1]
        length2 = 0.0
        for j in range(w.size):
            length2 += w[j] * w[j]
            total[j] += w[j]
        value, slope = value_and_slope(rule.loss, rule.scale, float(signs[k]), score)
        rounds += 1
        suffered += value + lam / 2 * length2
        square = slope * slope * (row_square(rows, k) + lift)  # of ‖slope·x̃ + λw‖
        square = max(square + lam * (2 * slope * score + lam * length2), 0.0)
        squares += square
        rate = 0.0
        if lam > 0.0:
            rate = 1.0 / (lam * rounds)
            budget += square * rate / 2
            w *= 1.0 - 1.0 / rounds
        elif squares > 0.0:
            rate = np.sqrt(2.0) * rule.radius / np.sqrt(squares)
        if slope != 0.0:
            row_add(rows, k, -rate * slope, w)
            w[-1] -= rate * slope * lift
        if rule.radius < np.inf:
            length2 = 0.0
            for j in range(w.size):
                length2 += w[j] * w[j]
            length = np.sqrt(length2)
            if length > rule.radius:
                w *= rule.radius / length
    return Books(rounds, suffered, squares, budget)
