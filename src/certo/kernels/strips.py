"""Gram matrices that take long: some rows at a time, telling how far they are."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from certo.containers import count

if TYPE_CHECKING:
    from certo.kernels.base import Kernel

FIRST_STRIP_VALUES = 1000  # How long a value takes is not known before the first strip.
STRIP_SECONDS = 0.2
SECONDS_BEFORE_PROGRESS = 1.0


def nobody(done: int, total: int) -> None:
    """Nobody is told."""


# It is told the values made and the values in all, and returns True to stop.
Tell = Callable[[int, int], Any]


def block_in_strips(kernel: Kernel, X, Z, tell: Tell) -> np.ndarray | None:
    """The block of points X and centres Z; None, if `tell` asked to stop before its end."""
    m, n = count(X), count(Z)
    parts: list[np.ndarray] = []

    def make(i: int, k: int) -> int:
        parts.append(kernel._block(kernel.points(X, np.arange(i, k)), Z))
        return parts[-1].size

    if not in_strips(make, m, n, m * n, tell):
        return None
    return np.concatenate(parts) if parts else kernel._block(X, Z)


def gram_in_strips(kernel: Kernel, X, tell: Tell) -> np.ndarray | None:
    """The Gram matrix of X, of which one half is computed; None, if `tell` asked to stop."""
    m = count(X)
    gram = np.empty((m, m))

    def make(i: int, k: int) -> int:
        here, beyond = np.arange(i, k), np.arange(i, m)
        gram[i:k, i:] = kernel._block(kernel.points(X, here), kernel.take(X, beyond))
        gram[k:, i:k] = gram[i:k, k:].T
        gram[i:k, i:k] = np.triu(gram[i:k, i:k]) + np.triu(gram[i:k, i:k], 1).T
        return (k - i) * (m - i)

    return gram if in_strips(make, m, m, m * (m + 1) // 2, tell) else None


def in_strips(
    make: Callable[[int, int], int], rows: int, width: int, total: int, tell: Tell
) -> bool:
    """make(i, k) for strips of rows that take some tenths of a second each; it returns how many of
    `total` values it made. Whether `tell` let it come to the end."""
    i, made, height = 0, 0, max(1, FIRST_STRIP_VALUES // max(1, width))
    while i < rows:
        start, k = time.perf_counter(), min(rows, i + height)
        made, i = made + make(i, k), k
        taken = time.perf_counter() - start
        height = max(1, int(height * min(8.0, STRIP_SECONDS / max(taken, 1e-6))))
        if tell(min(made, total), total) is True and i < rows:
            return False
    return True


class Printed:
    """Progress in words on standard error, where it takes longer than a second."""

    def __init__(self, what: str):
        self.what, self.start = what, time.monotonic()
        self.next, self.begun = self.start + SECONDS_BEFORE_PROGRESS, False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= self.next or (self.begun and done == total):
            left = (now - self.start) * (total - done) / max(1, done)
            end = "\n" if done == total else "\r"
            text = f"{self.what}: {done / total:4.0%} of {total:,} values, {left:.0f} s left "
            print(text, end=end, file=sys.stderr, flush=True)
            self.next, self.begun = now + STRIP_SECONDS, True
