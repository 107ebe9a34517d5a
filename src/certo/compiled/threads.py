"""Loops shared between the cores, in threads, since compiled ones need no GIL; and BLAS in one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from certo.blas import one_thread

__all__ = ["even_pieces", "in_pieces", "one_thread", "pieces"]

MIN_WORK_PER_THREAD = 2**17  # With fewer multiplications a second thread costs more than it saves.
MAX_THREADS = 8
THREAD_PREFIX = "certo"  # The names of our threads begin like this.


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_cores() - 1 or 1, thread_name_prefix=THREAD_PREFIX)


@cache
def _cores() -> int:
    return min(MAX_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def pieces(count: int, work: float) -> list[tuple[int, int]]:
    """Ranges that cover 0 … count, one for each thread that is worth it."""
    parts = max(1, min(_cores(), int(work / MIN_WORK_PER_THREAD), count))
    ends = [count * k // parts for k in range(parts + 1)]
    return list(pairwise(ends))


def even_pieces(costs: np.ndarray) -> list[tuple[int, int]]:
    """The same for places that cost so many multiplications each: ranges of about equal cost."""
    total = np.concatenate([[0.0], np.cumsum(costs)])
    parts = len(pieces(costs.size, float(total[-1])))
    inner = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts)
    return list(pairwise([0, *inner.tolist(), costs.size]))


def in_pieces(ranges: list[tuple[int, int]], loop: Callable[[int, int, int], Any]) -> list[Any]:
    """loop(k, start, stop) for the k-th range, all at the same time; the results in order."""
    if len(ranges) == 1 or threading.current_thread().name.startswith(THREAD_PREFIX):
        return [loop(k, *part) for k, part in enumerate(ranges)]  # A thread of ours waits for none.
    pool = _pool(os.getpid())  # A forked process has none of its parent's threads.
    others = [pool.submit(loop, k, *part) for k, part in enumerate(ranges) if k]
    first = loop(0, *ranges[0])
    return [first, *(other.result() for other in others)]
