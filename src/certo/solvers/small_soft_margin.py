"""The soft-margin linear SVM for few dense examples: `soft_margin` in one compiled loop."""

from __future__ import annotations

import time

import numpy as np

from certo.compiled.small_soft_margin import lifted_rows, minimise
from certo.problems.soft_margin import SoftMargin
from certo.solvers.soft_margin import (
    ACCEPTED_GAP,
    CENTRE_ABOVE,
    EXACT_BELOW_NUMBERS,
    MAX_FIRST_COST,
    SMALLEST_GAP,
    GapTrace,
    SoftOutcome,
)
from certo.stop import Stop

FIRST_WIDTH = 4.0  # As in `primal_newton`.
MAX_SMALL_NUMBERS = 2**17  # Entries of X up to which one loop is quicker than several threads.
MAX_LOOKS = 1000  # Passes over the examples, far more than are needed.
MAX_SMALL_FEATURES = 100  # Features up to which the loop's own factorisation is quick enough.


class SmallRows:
    """The examples of several problems with the same costs, in the form that the loop takes."""

    def __init__(self, X: np.ndarray, intercept: str, exactly: bool = True):
        """With `exactly`, problems of few numbers are solved as exactly as float64 allows."""
        m, d = X.shape
        self.X, self.intercept, self.exactly = X, intercept, exactly
        self.Z = np.empty((m, d + (intercept != "none")))
        self.regular = np.ones(self.Z.shape[1])
        above = np.inf
        if intercept == "free":
            self.regular[-1] = 0.0
            above = CENTRE_ABOVE  # As in `soft_margin`: less is rounded, and no b is lost.
        self.size = lifted_rows(np.ascontiguousarray(X), above, self.Z)

    @staticmethod
    def suits(X) -> bool:
        """Whether X is small, dense and tall enough."""
        return (
            isinstance(X, np.ndarray)
            and X.size <= MAX_SMALL_NUMBERS
            and X.shape[1] <= min(MAX_SMALL_FEATURES, X.shape[0])
        )

    def soft_margin(
        self, signs: np.ndarray, costs: np.ndarray, tol: float, max_iter: int
    ) -> SoftOutcome | None:
        """The outcome, if it is as good as that of `soft_margin`; else None."""
        if not costs.min() > 0 or costs.max() * self.size > MAX_FIRST_COST:
            return None
        began = time.perf_counter()
        exact = self.exactly and self.Z.size <= EXACT_BELOW_NUMBERS
        goal = min(tol, SMALLEST_GAP) if exact else tol
        signs = signs.astype(np.float64)
        Z = self.Z * signs[:, None]
        looks = np.empty((min(max_iter, MAX_LOOKS), 2))
        w, beta = np.zeros(Z.shape[1]), np.zeros(len(Z))
        count = minimise(Z, costs, self.regular, 1 / FIRST_WIDTH, goal, looks, w, beta)
        problem = SoftMargin(signs, costs, self.intercept)
        alpha = problem.feasible(beta * costs)
        d = self.X.shape[1]
        coef, b = w[:d], float(w[-1])
        v = (alpha * signs) @ self.X
        scores = self.X @ coef
        b = problem.best_intercept(scores, b)
        primal = problem.primal(float(coef @ coef), scores, b)
        dual = problem.dual(float(v @ v), alpha)
        if primal - dual > (max(goal, min(tol, ACCEPTED_GAP)) if exact else goal) * primal:
            return None
        primals = np.maximum(looks[:count, 0], primal)
        duals = np.minimum(looks[:count, 1], dual)
        passes = np.arange(1, count + 1)
        seconds = passes * ((time.perf_counter() - began) / count)
        trace = GapTrace(np.zeros(count, np.int64), seconds, passes, primals, duals)
        return SoftOutcome(coef, b, alpha, primal, dual, count, Stop.CONVERGED, trace)
