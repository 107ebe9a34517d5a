"""When a fit stops: Ctrl-C, the time limit and scikit-learn's callbacks as one question."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from certo.solvers.interrupt import Watch, ctrl_c_asks
from certo.stop import Asked, Stop, go_on


class Limits(NamedTuple):
    """When a solver stops: at a relative gap of `tol`, after `max_iter` looks or passes, or as soon
    as `asked()` (often) or `after_look(...)` says why."""

    tol: float
    max_iter: int
    asked: Asked = go_on
    after_look: Callable[..., Stop | None] = go_on


def has_callbacks(machine: Any) -> bool:
    """Whether callbacks want to hear of every part of a fit."""
    return bool(getattr(machine, "_skl_callbacks", None))


class Running:
    """A fit under way: who may stop it, and whom to tell how far it is."""

    def __init__(self, machine: Any, X: Any, task: str, context: Any, by_hand: Asked):
        self.machine, self.X, self.task, self.context = machine, X, task, context
        self.by_hand, self.by_callback = by_hand, False
        seconds = getattr(machine, "time_limit", None)
        self.deadline = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def is_heard(self) -> bool:
        return has_callbacks(self.machine)

    def asked(self) -> Stop | None:
        """Why to stop, or None."""
        if stop := self.by_hand():
            return stop
        if self.by_callback:
            return Stop.CALLBACK
        return Stop.TIME_LIMIT if time.monotonic() > self.deadline else None

    def tell(self, *values: float, now: dict[str, Any] | None = None) -> Stop | None:
        """Tell the callbacks that a task is done, with what makes a fitted model now, if known; and
        say why to stop, or None."""
        if self.is_heard:
            done = self.context.subcontext(task_name=self.task)
            done.call_on_fit_task_begin(estimator=self.machine, X=self.X)
            self.by_callback |= bool(
                done.call_on_fit_task_end(
                    estimator=self.machine, X=self.X, reconstruction_attributes=now
                )
            )
        return self.asked()

    def watch(self) -> Watch:
        """The same question, for what must know before it begins how long it may take."""
        return Watch(self.asked, self.deadline - time.monotonic())

    def limits(self, tol: float) -> Limits:
        return Limits(tol, int(self.machine.max_iter), self.asked, self.tell)


@contextmanager
def running(machine: Any, X: Any, task: str, most: int | None = None) -> Iterator[Running]:
    """Around a fit, whose parts are called `task`: the first Ctrl-C is a wish to stop, and the
    callbacks hear of the beginning, of up to `most` tasks, and of the end."""
    if not (has_callbacks(machine) or hasattr(machine, "_parent_callback_ctx")):
        with ctrl_c_asks() as by_hand:
            yield Running(machine, X, task, None, by_hand)
        return
    context = machine._init_callback_context(max_subtasks=most)
    with ctrl_c_asks() as by_hand:
        context.call_on_fit_task_begin(estimator=machine, X=X)
        yield Running(machine, X, task, context, by_hand)
        context.call_on_fit_task_end(estimator=machine, X=X, reconstruction_attributes=dict)


#: Reasons to stop, those first that explain the end of several runs together.
_FIRST = (Stop.BY_HAND, Stop.CALLBACK, Stop.TIME_LIMIT, Stop.MAX_ITER, Stop.NO_PROGRESS)


def joint_stop(stops: Iterable[Stop]) -> Stop:
    """Why the runs of several outputs ended."""
    given = set(stops)
    return next((stop for stop in _FIRST if stop in given), Stop.CONVERGED)


def gap_stop(found: Sequence[Any], tol: float) -> Stop:
    """The same for outputs with a proved `gap` and a `stop` of their own: converged only where the
    gap says so, since that of a solver may be lost in the rounding that a claim pays for."""
    if all(item.gap <= tol for item in found):
        return Stop.CONVERGED
    stop = joint_stop(item.stop for item in found)
    return Stop.NO_PROGRESS if stop is Stop.CONVERGED else stop
