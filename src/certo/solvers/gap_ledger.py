"""What is known of a minimum from both sides while a solver runs, and whether it may stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from certo.solvers.layered import Layered
from certo.stop import Asked, Stop, go_on

MAX_IDLE_LOOKS = 30  # Looks in vain, near the limits of float64, after which no more is expected.


@dataclass(frozen=True, repr=False)
class GapTrace(Layered):
    """What was known after every look at the examples.

    Attributes
    ----------
    output : integer array
        Whose machine.
    seconds : array
        Since the start.
    passes : array
        Passes over the examples so far (passes over a part of them count as one, too).
    primal, dual : arrays
        The best values so far, as computed.
    """

    output: np.ndarray
    seconds: np.ndarray
    passes: np.ndarray
    primal: np.ndarray
    dual: np.ndarray

    @property
    def gap(self) -> np.ndarray:
        """(primal − dual)/primal; 0 where primal is 0."""
        return (self.primal - self.dual) / np.where(self.primal == 0, 1.0, self.primal)

    def __repr__(self) -> str:
        return f"GapTrace({len(self)} looks at the examples)"


class Ledger:
    """The best values so far, and whether it is time to stop."""

    def __init__(
        self,
        goal: float,
        most: float = np.inf,
        asked: Asked = go_on,
        after_look: Callable[[float, float], Stop | None] = go_on,
    ):
        self.goal, self.most, self.asked, self.after_look = goal, most, asked, after_look
        self.began = time.perf_counter()
        self.primal, self.dual = np.inf, -np.inf
        self.passes, self.idle, self.least = 0, 0, np.inf
        self.asked_to: Stop | None = None  # Why the run was asked to stop.
        self.looks: list[tuple[float, int, float, float]] = []

    def note(self, primal: float, dual: float, passes: int = 1) -> tuple[bool, bool]:
        """After a look: whether each of the two values is the best so far."""
        better = primal < self.primal, dual > self.dual
        self.primal, self.dual = min(primal, self.primal), max(dual, self.dual)
        self.passes += passes
        gap = self.primal - self.dual
        self.idle = 0 if gap < 0.9 * self.least else self.idle + 1
        self.least = min(self.least, gap) if self.idle == 0 else self.least
        now = time.perf_counter() - self.began
        self.looks.append((now, self.passes, self.primal, self.dual))
        self.asked_to = self.asked_to or self.asked() or self.after_look(self.primal, self.dual)
        return better

    def correct(self, primal: float, dual: float) -> None:
        """The values were worth less than was believed: these, so that a smaller goal is set."""
        self.primal, self.dual, self.goal, self.idle = primal, dual, self.goal / 10, 0
        self.found(primal, dual)

    def found(self, primal: float, dual: float) -> None:
        """No look so far knew better than this (some values are estimates until the end)."""
        self.looks = [(now, n, max(P, primal), min(D, dual)) for now, n, P, D in self.looks]

    def anew(self) -> Ledger:
        """For another problem: only the passes and the time go on."""
        fresh = Ledger(self.goal, self.most, self.asked, self.after_look)
        fresh.began, fresh.passes, fresh.asked_to = self.began, self.passes, self.asked_to
        return fresh

    @property
    def reached(self) -> bool:
        return self.primal - self.dual <= self.goal * abs(self.primal)

    @property
    def spent(self) -> bool:
        """Whether no further pass may be made."""
        return self.asked_to is not None or self.passes >= self.most

    def stop(self, gap: float, goal: float) -> Stop:
        """Why a run is over that reached this gap."""
        if gap <= goal:
            return Stop.CONVERGED
        return self.asked_to or (Stop.MAX_ITER if self.spent else Stop.NO_PROGRESS)

    @property
    def over(self) -> bool:
        stalled = self.idle >= MAX_IDLE_LOOKS and self.primal - self.dual <= 1e-8 * abs(self.primal)
        return self.spent or self.reached or stalled

    @property
    def trace(self) -> GapTrace:
        columns = map(np.array, zip(*self.looks, strict=True))
        return GapTrace(np.zeros(len(self.looks), np.int64), *columns)
