"""BLAS in one thread, where the work is shared out in another way or is too small to share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

MAX_ONE_THREAD_ROWS = 2000  # Rows of a matrix that one thread factorises in a third of a second.


@cache
def _libraries() -> list[Any]:
    """What sets the numbers of threads; nothing without threadpoolctl, which claims can do
    without."""
    try:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
    except ImportError:
        return []
    return ThreadpoolController().select(user_api="blas").lib_controllers


class _OneThread:
    """The limit is one of the whole process: the first to come sets it, the last to go lifts it."""

    def __init__(self) -> None:
        self.lock, self.inside = threading.Lock(), 0
        self.before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self.lock:
            if not self.inside:
                self.before = [(library, library.get_num_threads()) for library in _libraries()]
                for library, _ in self.before:
                    library.set_num_threads(1)
            self.inside += 1

    def __exit__(self, *error) -> None:
        with self.lock:
            self.inside -= 1
            for library, threads in () if self.inside else self.before:
                library.set_num_threads(threads)


_ONE_THREAD = _OneThread()


def one_thread() -> _OneThread:
    """While this lasts, BLAS uses the thread that calls it and no others."""
    return _ONE_THREAD


def few_threads(size: int) -> AbstractContextManager[None]:
    """The same for the linear algebra of a matrix of so many rows, unless they are many: the
    threads of BLAS wait for each other in a loop, which costs more than they gain where the matrix
    is small or other programs use the processor."""
    return _ONE_THREAD if size <= MAX_ONE_THREAD_ROWS else nullcontext()


def map_in_threads(work: Callable[[Any], Any], places: Iterable, threads: int) -> list[Any]:
    """work(place) for every place, in so many threads, in each of which BLAS has one: NumPy works
    without the GIL. A single place, or one thread, needs no other."""
    places = list(places)
    if len(places) <= 1 or threads == 1:
        return [work(place) for place in places]
    with one_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, places))
