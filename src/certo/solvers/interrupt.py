"""Ctrl-C as a wish, not as an exception in the middle of something."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ctrl_c_asks() -> Iterator[Callable[[], bool]]:
    """While inside, the first Ctrl-C is only noted, and the function given says so; a second one
    is an exception again. Elsewhere than in the main thread, or where somebody else handles the
    signal, nothing is changed."""
    asked: list[bool] = []
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
        yield lambda: bool(asked)
    finally:
        if mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)
