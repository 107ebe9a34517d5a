"""Log-linear densities p ∝ exp(w·φ) by damped Newton.

Problem     min_w  A(w) − w·φ̄,   A(w) = log of the mean of e^(w·φ) over the box, φ̄ a given mean of φ
Step        w ← w − t·H⁻¹g,   g = E_w φ − φ̄,   H = the covariance of φ under the density
Damping     t is halved until the objective falls by t·λ²/4 or more, λ² = g·H⁻¹g
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from certo.certificates.density.box_features import TooSharp
from certo.solvers.newton import MIN_STEP, NewtonLimits, NewtonRun, NewtonTrace
from certo.stop import Asked, Stop, go_on

MIN_SQUARE = 1e-26  # λ² is known to about the errors of the moments, and these are larger.
FLAT_DECREMENT = 1e-6  # Below it a decrement that is not halved any more is rounding.
MOMENT_ROUNDING = 2.0**-46  # A relative decrease of the objective that float64 may not show.
MIN_OWN_VARIANCE = 1e-14  # The share of its variance that rounding may leave of a feature.


class LogLinearOutcome(NamedTuple):
    coef: np.ndarray
    log_mass: float
    factor: np.ndarray | None  # Upper triangular L, LᵀHL = I; None where H is singular in float64.
    stop: Stop
    steps: int
    trace: NewtonTrace


def log_linear(
    means: np.ndarray,
    moments: Callable[[np.ndarray], Any],
    *,
    start: np.ndarray | None = None,
    max_iter: int = 100,
    asked: Asked = go_on,
) -> LogLinearOutcome:
    """From w = 0, or `start`. `moments(w)` has the `log_mass`, the `mean` and the `covariance` of φ
    under the density at w, or raises TooSharp."""
    run = NewtonRun(NewtonLimits(max_iter=max_iter, asked=asked))
    w = np.zeros(means.size) if start is None else start
    now = moments(w)
    value = now.log_mass - w @ means
    run.note(value, value, 0.0)
    while True:
        g = now.mean - means
        factor, before = _factor(now.covariance), run.decrement
        if factor is None:
            run.stop = Stop.SINGULAR
            break
        step = factor @ (factor.T @ g)
        run.note_next(step, float(g @ step))
        small = run.decrement**2 <= MIN_SQUARE or FLAT_DECREMENT > run.decrement >= before / 2
        run.stop = run.reason(value, value, small)
        if run.stop is not None:
            break
        moved = _line_search(w, step, run.decrement, value, means, moments)
        if isinstance(moved, Stop):
            run.stop = moved
            break
        w, now, value, t = moved
        run.steps += 1
        run.note(value, value, t)
    return LogLinearOutcome(w, now.log_mass, factor, run.stop, run.steps, run.trace)


def _factor(covariance: np.ndarray) -> np.ndarray | None:
    try:
        lower = linalg.cholesky(covariance, lower=True)
    except linalg.LinAlgError:
        return None
    if np.any(np.diag(lower) ** 2 <= MIN_OWN_VARIANCE * np.diag(covariance)):
        return None
    return linalg.solve_triangular(lower, np.eye(len(lower)), lower=True).T


def _line_search(w, step, decrement: float, value: float, means, moments):
    """(w, its moments, its objective, t), or why there is none."""
    t, why = 1.0, Stop.NO_PROGRESS
    while t >= MIN_STEP:
        trial = w - t * step
        try:
            then = moments(trial)
        except TooSharp:
            why = Stop.TOO_SHARP
        else:
            new = then.log_mass - trial @ means
            if new <= value - t * decrement**2 / 4 + MOMENT_ROUNDING * (1 + abs(value)):
                return trial, then, new, t
        t /= 2
    return why
