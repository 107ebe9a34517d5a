"""Loops shared between the cores, in threads, since compiled ones need no GIL; and BLAS in one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

WORTH = 2**17  # multiplications below which a second thread costs more than it saves
MOST = 8
NAME = "certo"  # of our threads


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_cores() - 1 or 1, thread_name_prefix=NAME)


@cache
def _cores() -> int:
    return min(MOST, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def pieces(count: int, work: float) -> list[tuple[int, int]]:
    """Ranges that cover 0 … count, one for each thread that is worth it."""
    parts = max(1, min(_cores(), int(work / WORTH), count))
    ends = [count * k // parts for k in range(parts + 1)]
    return list(pairwise(ends))


def in_pieces(ranges: list[tuple[int, int]], loop: Callable[[int, int, int], Any]) -> list[Any]:
    """loop(k, start, stop) for the k-th range, all at the same time; the results in order."""
    if len(ranges) == 1 or threading.current_thread().name.startswith(NAME):
        return [loop(k, *part) for k, part in enumerate(ranges)]  # a thread of ours waits for none
    pool = _pool(os.getpid())  # a forked process has none of its parent's threads
    others = [pool.submit(loop, k, *part) for k, part in enumerate(ranges) if k]
    first = loop(0, *ranges[0])
    return [first, *(other.result() for other in others)]


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


class _OneThread:
    """The limit is one of the whole process: the first to come sets it, the last to go lifts it."""

    def __init__(self) -> None:
        self.lock, self.inside, self.limit = threading.Lock(), 0, None

    def __enter__(self) -> None:
        with self.lock:
            if not self.inside:
                self.limit = _libraries().limit(limits=1, user_api="blas")
            self.inside += 1

    def __exit__(self, *error) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside and self.limit is not None:
                self.limit.restore_original_limits()


_ONE_THREAD = _OneThread()


def one_thread() -> _OneThread:
    """For matrices so small that threads would mostly wait for each other."""
    return _ONE_THREAD
