"""The soft margin of few examples in a kernel's space, finished as exactly as float64 allows.

The multipliers of a solver of many examples tell most of the bounds already; `box_newton` does the
rest on the Gram matrix of all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.problems.soft_margin import SoftMargin
from certo.solvers.box_newton import box_newton
from certo.stop import Asked, go_on

MAX_RESTARTS = 3  # Restarts, from multipliers that are feasible to the last digit.


class Finished(NamedTuple):
    alpha: np.ndarray  # 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    b: float
    scores: np.ndarray
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        return self.primal - self.dual


def finish_soft_margin(
    gram: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    alpha: np.ndarray,
    asked: Asked = go_on,
) -> Finished:
    """The best multipliers from these on, given the Gram matrix of all examples."""
    low, high = np.where(signs > 0, 0.0, -costs), np.where(signs > 0, costs, 0.0)
    lifted = gram + 1.0 if intercept == "lifted" else gram
    problem = SoftMargin(signs, costs, intercept)
    best = _evaluate(problem, gram, alpha)
    for _ in range(MAX_RESTARTS):
        beta = best.alpha * signs
        beta = box_newton(
            lifted, beta, low, high, signs - lifted @ beta,
            free=intercept == "free", most=100 + 10 * signs.size, asked=asked,
        )  # fmt: skip
        found = _evaluate(problem, gram, beta * signs)
        if not found.gap < best.gap:
            break
        best = found
    return best


def _evaluate(problem: SoftMargin, gram: np.ndarray, alpha: np.ndarray) -> Finished:
    """The multipliers, feasible exactly, and their objective value."""
    alpha = problem.feasible(alpha)
    coef = alpha * problem.signs
    scores = gram @ coef
    b, square = problem.best_intercept(scores, float(coef.sum())), float(coef @ scores)
    primal, dual = problem.primal(square, scores, b), problem.dual(square, alpha)
    return Finished(alpha, b, scores, primal, dual)
