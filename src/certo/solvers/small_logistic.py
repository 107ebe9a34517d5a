"""Logistic regression with a ridge for few dense examples: `logistic` in one compiled loop."""

from __future__ import annotations

import time

import numpy as np

from certo.compiled.small_logistic import descend
from certo.problems.logistic import LogisticProblem, Weights
from certo.solvers.logistic import LogisticOutcome
from certo.solvers.logistic_rows import centre_of, plain_weights
from certo.solvers.newton import (
    ARMIJO_SHARE,
    LAST_STEP_SHARE,
    ROUNDING,
    NewtonLimits,
    NewtonTrace,
)
from certo.stop import Stop, go_on

MAX_SMALL_COORDINATES = 64  # Coordinates up to which the loop's own factorisation is quick enough.
MAX_SMALL_PRODUCTS = 2**22  # Multiplications of a Hessian up to which threads do not help.


def small_logistic(problem: LogisticProblem, limits: NewtonLimits) -> LogisticOutcome | None:
    """The outcome, if the problem is small, has a ridge, and damped steps alone reach its tol."""
    X, K, p = problem.X, len(problem.classes), problem.columns
    n = (K - 1) * p
    if (
        not isinstance(X, np.ndarray)
        or n > MAX_SMALL_COORDINATES
        or len(X) * n * n > MAX_SMALL_PRODUCTS
        or not (problem.ridge and limits.damped and limits.risk_threshold is None)
        or limits.after_step is not go_on
        or limits.asked()
    ):
        return None
    began, (m, d), weights = time.perf_counter(), X.shape, problem.weights
    shares = np.full(m, 1 / m) if weights is None else weights / weights.sum()
    centre = centre_of(X, problem.lifted)
    Z = np.ones((m, p))
    np.subtract(X, centre if problem.lifted else 0.0, out=Z[:, :d])
    penalty = np.zeros((K - 1, p, K - 1, p))
    coupling = np.eye(K - 1) - (1 / K if K > 2 else 0.0)
    penalty[:, range(d), :, range(d)] = problem.ridge * coupling
    # The class without weights is the last one, of two the first.
    codes = 1 - problem.codes if K == 2 else problem.codes
    W, H, direction = np.zeros((K - 1, p)), np.empty((n, n)), np.zeros(n)
    notes = np.empty((int(min(limits.max_iter, 1000)) + 1, 4))
    count = descend(
        Z, codes, shares, penalty.reshape(n, n), LAST_STEP_SHARE * limits.tol, ARMIJO_SHARE,
        ROUNDING, W, H, direction, notes,
    )  # fmt: skip
    if count < 0 or limits.asked():
        return None
    found, moved = (
        plain_weights(part, centre, problem.lifted) for part in (W, direction.reshape(W.shape))
    )
    if K > 2:
        coef = np.vstack([found.coef, np.zeros(d)])
        found = Weights(coef, np.append(found.intercept, 0.0)).symmetric
    risk, objective, decrement, step = notes[:count].T.copy()
    seconds = np.linspace(0.0, time.perf_counter() - began, count)
    return LogisticOutcome(
        *found, float(risk[-1]), float(objective[-1]), _of_plain_rows(H, centre, K - 1, p),
        np.column_stack(moved)[:, :p], count - 1, Stop.CONVERGED,
        NewtonTrace(seconds, risk, objective, decrement, step),
    )  # fmt: skip


def _of_plain_rows(H: np.ndarray, centre: np.ndarray, vectors: int, p: int) -> np.ndarray:
    """The Hessian for x̃ from that for T⁻¹x̃ = (x − centre, 1)."""
    d, one = centre.size, np.eye(p)
    one[:d, d:] = centre[:, None]
    T = np.kron(np.eye(vectors), one)
    return T @ H @ T.T
