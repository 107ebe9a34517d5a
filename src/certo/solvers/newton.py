"""What every run of Newton's method keeps: its limits, its trace, and why it stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from certo.stop import Asked, Stop, go_on

LAST_STEP_SHARE = 1e-2  # A step that promises at most this share of `tol` is the last one.
MIN_WHOLE_STEP = 0.9  # A step of at least this length is nearly Newton's.
SLOW_RATIO = 0.4  # A whole step that leaves more of the decrement does not have Newton's speed.
MAX_SLOW_STEPS = 5  # After so many slow steps in a row a minimiser is doubted.
MIN_STEP = 2.0**-40  # The shortest step of a line search: a shorter one gains nothing.
ARMIJO_SHARE = 1e-4  # The share of the promised decrease that a damped step must bring.
ROUNDING = 2.0**-50  # A relative decrease of the objective that float64 may not show.


@dataclass(frozen=True)
class NewtonTrace:
    """After every step, beginning with w = 0: all arrays of one length."""

    seconds: np.ndarray
    risk: np.ndarray  # Mean loss.
    objective: np.ndarray  # Mean loss with the penalty.
    decrement: np.ndarray  # (g·H⁺g)^½, NaN where it was not needed.
    step: np.ndarray  # The length t of the step; 0 at the start.


class NewtonLimits(NamedTuple):
    """When to stop: `after_step`, called before every step, may say why, as may `asked`, which is
    called more often. And how to step: "damped", or "newton", which never shortens a step."""

    tol: float = 1e-8
    max_iter: float = 100
    risk_threshold: float | None = None
    solver: str = "damped"
    asked: Asked = go_on
    after_step: Asked = go_on

    @property
    def damped(self) -> bool:
        return self.solver == "damped"


@dataclass
class NewtonRun:
    """What is known of a run so far, and why it stopped (`stop`)."""

    limits: NewtonLimits
    doubts: bool = False  # Whether the run may stop because a minimiser seems not to exist.
    stop: Stop | None = None
    steps: int = 0
    step: Any = None  # The last Newton step.
    decrement: float = np.inf  # The decrement of that step.
    slow_steps: int = 0
    began: float = field(default_factory=time.perf_counter)
    notes: list[tuple[float, ...]] = field(default_factory=list)

    def note(self, risk: float, objective: float, length: float) -> None:
        """Note what a step of this length has led to."""
        now = time.perf_counter() - self.began
        self.notes.append((now, risk, objective, np.nan, length))

    def note_next(self, step: Any, square: float) -> None:
        """Note the next step, and the square of its decrement."""
        decrement, length = float(np.sqrt(max(square, 0.0))), self.notes[-1][4]
        slow = length >= MIN_WHOLE_STEP and decrement > SLOW_RATIO * self.decrement
        self.slow_steps = self.slow_steps + 1 if slow else 0
        self.step, self.decrement = step, decrement
        self.notes[-1] = (*self.notes[-1][:3], decrement, length)

    @property
    def runs_away(self) -> bool:
        return self.doubts and self.slow_steps >= MAX_SLOW_STEPS

    def reason(self, risk: float, objective: float, converged: bool) -> Stop | None:
        """Why to stop here, or None to go on."""
        if not np.isfinite(objective):
            return Stop.DIVERGED
        if self.limits.risk_threshold is not None and risk <= self.limits.risk_threshold:
            return Stop.RISK_THRESHOLD
        if converged:
            return Stop.CONVERGED
        if self.steps >= self.limits.max_iter:
            return Stop.MAX_ITER
        return self.limits.asked() or self.limits.after_step()

    @property
    def trace(self) -> NewtonTrace:
        return NewtonTrace(*(np.array(column) for column in zip(*self.notes, strict=True)))
