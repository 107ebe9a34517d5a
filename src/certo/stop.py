"""Why a solver stopped, as a value: what is said of it is written elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto


class Stop(Enum):
    """Why a run ended. Functions that may end one return a `Stop`, or None to go on."""

    CONVERGED = auto()  # The goal was reached.
    MAX_ITER = auto()  # The number of passes, epochs or steps allowed was used up.
    TIME_LIMIT = auto()  # The seconds allowed were used up.
    BY_HAND = auto()  # Ctrl-C was pressed.
    CALLBACK = auto()  # A callback asked to stop.
    NO_PROGRESS = auto()  # float64 allows no further progress.
    RISK_THRESHOLD = auto()  # The mean loss fell to a threshold that was given.
    RUNS_AWAY = auto()  # Steps do not become smaller, as where there is no minimiser.
    DIVERGED = auto()  # The objective is no longer finite, or no further step is.
    TOO_SHARP = auto()  # A density is too sharp to be integrated.
    SINGULAR = auto()  # A Hessian is singular in float64.


#: A question that a solver asks now and then: why it should stop, or None to go on.
Asked = Callable[[], Stop | None]


def go_on(*values: object) -> None:
    """The answer of nobody who wants a run to stop."""
