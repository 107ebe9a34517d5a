"""What an experiment is: settings, and a run that has frames to step through and a proof."""

from __future__ import annotations

import abc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from certo.certificates.composite import Composite
from certo.data.problem import Problem
from certo.lab.bench import Bench
from certo.lab.settings import Setting

WIDER = (4.0, 6.0, 8.0, 12.0, 16.0)  # The bench shows [−4, 4]², or more where points need it.


class Cancelled(Exception):
    """The page has asked for something else by now."""


class Wanting(Problem):
    """What an experiment needs first, with the key of the sentence that the page has for it."""

    def __init__(self, message: str, key: str, **args: Any) -> None:
        super().__init__(message)
        self.key, self.args_of_key = key, args


class Job:
    """Work that the page waits for: it may be cancelled, and may tell how far it is."""

    def __init__(self, tell: Callable[[dict[str, Any]], None] = lambda progress: None) -> None:
        self.cancelled, self.began, self._tell = False, time.monotonic(), tell

    def go_on(self) -> None:
        """To be called now and then; raises Cancelled, if nobody waits any more."""
        if self.cancelled:
            raise Cancelled

    def report(self, **progress: Any) -> None:
        """Say how far it is: `done` of how many, or whatever the page has a sentence for."""
        self._tell({"seconds": time.monotonic() - self.began, **progress})

    def tell(self, **progress: Any) -> None:
        """The same, unless nobody waits any more."""
        self.go_on()
        self.report(**progress)


@dataclass(frozen=True, eq=False)
class Asked:
    """What an experiment is asked to show."""

    bench: Bench
    chosen: dict[str, Any]  # The value of each setting.
    world: str  # The world that the points were drawn from, if they were, else empty.
    job: Job

    @property
    def reach(self) -> float:
        """How far the picture reaches."""
        return next(reach for reach in WIDER if reach >= self.bench.reach)

    def __getitem__(self, name: str) -> Any:
        """The value of a setting."""
        return self.chosen[name]


class Proof(NamedTuple):
    """Claims about a model, and the examples that they are about."""

    claims: Composite
    fitted: Any  # The model that the claims are about; None: they stand for themselves.
    X: np.ndarray
    y: np.ndarray
    name: str  # What it is about, as one would write it in Python.
    delta: float = 0.05  # The probability of being wrong of claims about new examples.
    tested: Composite = Composite(())  # Claims about these test examples, if there are any.
    test: tuple[Any, Any] = (None, None)


class Run(abc.ABC):
    """What came of an experiment: frames 0, …, steps, each with a scene and a strip of numbers.
    Where nothing is to be seen before the first example, or draw, frames begin at 1."""

    steps: int = 0
    begins_at: int = 0  # The first frame.
    opens_at: int | None = None  # The frame that is shown first; None: the last.
    #: A setting that `run` moves through its values instead of frames; empty: there are frames.
    sweeps: str = ""

    def step_of(self, asked: int | None) -> int:
        """The frame that is shown where this one is asked for; None: where the run opens."""
        opens = self.steps if self.opens_at is None else self.opens_at
        return min(opens if asked is None else max(asked, self.begins_at), self.steps)

    @abc.abstractmethod
    def frame(self, step: int, job: Job) -> dict[str, Any]:
        """`scene`, `strip`, `verdict` and `cursors` (where the frame is, in the charts)."""

    def charts(self) -> list[dict[str, Any]]:
        """What belongs to the run as a whole."""
        return []

    def more(self, job: Job) -> dict[str, Any]:
        """Charts, and so on, that take longer: asked for when the page is idle."""
        return {}

    @abc.abstractmethod
    def proof(self, job: Job) -> Proof:
        """What is claimed; a Problem, if nothing can be."""

    @abc.abstractmethod
    def code(self, step: int) -> list[str]:
        """Python, from X and y on, that reproduces a frame."""


def first_rows(step: int, steps: int) -> list[str]:
    """The code of a frame that is about the first examples alone."""
    return [f"X, y = X[:{step}], y[:{step}]  # Those that have arrived."] * (step < steps)


class MachineRun(Run):
    """A run whose answer is a fitted machine."""

    X: np.ndarray
    y: np.ndarray
    model: Any
    #: Lines of Python before the fit, what to print of the machine, and where its claims are.
    prepares: tuple[str, ...] = ()
    prints: str = ""
    claimed: str = "model.certificate_"

    @property
    def claims(self) -> Composite:
        return self.model.certificate_

    def proof(self, job: Job) -> Proof:
        fitted = self.model if self.claimed == "model.certificate_" else None
        return Proof(self.claims, fitted, self.X, self.y, repr(self.model))

    def machine_of(self, step: int) -> Any:
        """The machine of a frame, to be fitted."""
        return self.model

    def code(self, step: int) -> list[str]:
        return [
            f"from certo import {type(self.model).__name__}",
            *self.prepares,
            f"model = {self.machine_of(step)!r}.fit(X, y)",
            "print(model.status_)",
            *([f"print({self.prints})"] if self.prints else []),
            f"claims = {self.claimed}",
            "print(claims)",
            "print(claims.verify(X, y))",
        ]


class Experiment(abc.ABC):
    """One of the algorithms of the notes."""

    name: ClassVar[str]
    settings: ClassVar[tuple[Setting, ...]]
    preset: ClassVar[str]  # The points that it starts with.
    fewest: ClassVar[int] = 2  # Points that it needs, and whether of both labels.
    needs_both: ClassVar[bool] = True
    labels: ClassVar[bool] = True  # The labels of points matter.
    draws: ClassVar[bool] = False  # It draws its own points: those of the bench are not used.

    @abc.abstractmethod
    def _run(self, asked: Asked, before: Run | None) -> Run: ...

    def run(self, asked: Asked, before: Run | None = None) -> Run:
        """Do it, or say in a Problem why it cannot be done. `before` is the run that the same tab
        was shown last: what is the same need not be done again. (It is not kept, nor those before
        it.)"""
        bench = asked.bench
        if not self.draws and len(bench) < self.fewest:
            message = f"this experiment needs at least {self.fewest} points."
            raise Wanting(message, "wanting.points", fewest=str(self.fewest))
        if self.needs_both and not self.draws and not bench.has_both:
            raise Wanting("this experiment needs points of both labels.", "wanting.both")
        return self._run(asked, before)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "preset": self.preset,
            "draws": self.draws,
            "labels": self.labels,
            "settings": [setting.describe() for setting in self.settings],
        }
