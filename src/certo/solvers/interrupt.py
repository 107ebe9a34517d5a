"""Ctrl-C as a wish, not as an exception in the middle of something; somebody else's wish to stop;
and a limit on time."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from certo.stop import Asked, Stop, go_on

_WISH: ContextVar[Callable[[], bool]] = ContextVar("wish", default=lambda: False)


@contextmanager
def stopped_by(wish: Callable[[], bool]) -> Iterator[None]:
    """While inside, fits of this thread stop as by Ctrl-C once `wish()` is true: for a program that
    has its fits in threads, where no signal arrives."""
    token = _WISH.set(wish)
    try:
        yield
    finally:
        _WISH.reset(token)


@contextmanager
def ctrl_c_asks() -> Iterator[Asked]:
    """While inside, the first Ctrl-C is only noted, and the function given returns `Stop.BY_HAND`
    from then on (None before); a second one is an exception again. Elsewhere than in the main
    thread, or where somebody else handles the signal, only `stopped_by` is heard."""
    asked: list[bool] = []
    wish = _WISH.get()
    mine = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )

    def note(number, frame):
        if asked:
            raise KeyboardInterrupt
        asked.append(True)

    if mine:
        signal.signal(signal.SIGINT, note)
    try:
        yield lambda: Stop.BY_HAND if asked or wish() else None
    finally:
        if mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class Stopped(Exception):
    """Asked to stop before there was an answer."""


class Watch:
    """Whether to go on: `stop()` says why not, and from then on always, once the seconds are over
    or `asked` says so. Who calls the watch itself has Stopped raised then."""

    def __init__(self, asked: Asked = go_on, seconds: float = math.inf) -> None:
        self.asked, self.began, self.limit = asked, time.monotonic(), seconds
        self._stop: Stop | None = None

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.limit - self.seconds)

    def stop(self) -> Stop | None:
        if self._stop is None:
            late = Stop.TIME_LIMIT if self.seconds_left <= 0 else None
            self._stop = self.asked() or late
        return self._stop

    def __call__(self) -> None:
        if self.stop():
            raise Stopped


NEVER = Watch()  # It never stops anybody.
