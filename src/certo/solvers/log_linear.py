"""Log-linear densities p ∝ exp(w·φ) by damped Newton.

Problem     min_w  A(w) − w·φ̄,   A(w) = log of the mean of e^(w·φ) over the box, φ̄ a given mean of φ
Step        w ← w − t·H⁻¹g,   g = E_w φ − φ̄,   H = the covariance of φ under the density
Damping     t is halved until the objective falls by t·λ²/4 or more, λ² = g·H⁻¹g
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg

from certo.certificates.density.box_features import TooSharp
from certo.solvers.logistic import NewtonTrace
from certo.solvers.stop import Asked, go_on

# λ² is known to about the errors of the moments: below this, steps are no more than these
SMALL = 1e-26
ROUNDING = 2.0**-46  # of the objective, relative: a fall by less cannot be seen
SHORTEST = 2.0**-40
NOTHING_NEW = 1e-14  # the share of its variance that a feature has of its own, up to rounding


class DensityMoments(Protocol):
    """What a step needs to know of the density at w."""

    @property
    def log_mass(self) -> float: ...
    @property
    def mean(self) -> np.ndarray: ...
    @property
    def covariance(self) -> np.ndarray: ...


class LogLinearOutcome(NamedTuple):
    coef: np.ndarray
    log_mass: float
    factor: np.ndarray | None  # upper triangular L, LᵀHL = I; None where H is singular in float64
    stopped: str  # "optimal", "iterations", "too sharp", "singular", "no progress" or "interrupted"
    steps: int
    trace: NewtonTrace


def log_linear(
    means: np.ndarray,
    moments: Callable[[np.ndarray], DensityMoments],
    *,
    start: np.ndarray | None = None,
    max_iter: int = 100,
    asked: Asked = go_on,
) -> LogLinearOutcome:
    """From w = 0, or `start`; `moments(w)` may raise TooSharp."""
    began = time.perf_counter()
    w = np.zeros(means.size) if start is None else start
    now = moments(w)
    value, t, before = now.log_mass - w @ means, 0.0, math.inf
    history: list[tuple[float, float, float, float]] = []
    steps = 0
    while True:
        g = now.mean - means
        factor = _factor(now.covariance)
        step = None if factor is None else factor @ (factor.T @ g)
        decrement = math.nan if step is None else math.sqrt(max(float(g @ step), 0.0))
        history.append((time.perf_counter() - began, float(value), decrement, t))
        stopped = (
            "singular" if step is None
            else "optimal" if decrement**2 <= SMALL or 1e-6 > decrement >= before / 2
            else "interrupted" if asked()
            else "iterations" if steps >= max_iter
            else ""
        )  # fmt: skip
        if stopped or step is None:
            break
        moved = _line_search(w, step, decrement, value, means, moments)
        if isinstance(moved, str):
            stopped = moved
            break
        (w, now, value, t), before = moved, decrement
        steps += 1
    columns = [np.array(column) for column in zip(*history, strict=True)]
    trace = NewtonTrace(columns[0], columns[1], columns[1], columns[2], columns[3])
    return LogLinearOutcome(w, now.log_mass, factor, stopped, steps, trace)


def _factor(covariance: np.ndarray) -> np.ndarray | None:
    try:
        lower = linalg.cholesky(covariance, lower=True)
    except linalg.LinAlgError:
        return None
    if np.any(np.diag(lower) ** 2 <= NOTHING_NEW * np.diag(covariance)):
        return None
    return linalg.solve_triangular(lower, np.eye(len(lower)), lower=True).T


def _line_search(w, step, decrement: float, value: float, means, moments):
    """(w, its moments, its objective, t), or why there is none."""
    t, why = 1.0, "no progress"
    while t >= SHORTEST:
        trial = w - t * step
        try:
            then = moments(trial)
        except TooSharp:
            why = "too sharp"
        else:
            new = then.log_mass - trial @ means
            if new <= value - t * decrement**2 / 4 + ROUNDING * (1 + abs(value)):
                return trial, then, new, t
        t /= 2
    return why
