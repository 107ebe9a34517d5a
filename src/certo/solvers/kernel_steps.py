"""Functions that grow by y K(x, ·) at the examples they fail on: what the kernel perceptron and
kernel Pegasos have in common.

Both visit examples in an order that does not depend on what they find. So visits are taken in
blocks: the scores of a block are known before it, its own Gram matrix carries the steps made inside
it to the visits after them, and then all steps of the block reach the other examples at once, as
one matrix product. The steps are those of visiting one by one, up to the rounding of the scores.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg.blas import daxpy

from certo.compiled.kernel_steps import Edges, visit
from certo.kernels.base import Kernel
from certo.solvers import gram

BLOCK_VISITS = {"vectors": 512, "matrix": 512, "objects": 32}  # Values of objects are dear.
MAX_PIECE_NUMBERS = 2**22  # Kernel values computed at a time.


def blocks(order: np.ndarray, size: int) -> Iterator[np.ndarray]:
    return (order[start : start + size] for start in range(0, order.size, size))


class GramRows:
    """Rows K(x_s, ·) of the Gram matrix of X.

    Of kernels of objects, whose values are dear, at most `cache_mb` megabytes of rows are kept; to
    compute those of vectors again takes less time than to read them from memory. Of vectors square
    blocks of consecutive examples are kept, which a cyclic order needs in every epoch and for every
    output.
    """

    def __init__(self, kernel: Kernel, X, m: int, cache_mb: float = 0):
        self.kernel, self.X, self.m = kernel, X, m
        self.images = gram.images_of(kernel, X, 0.0) if kernel.takes == "vectors" else None
        room = int(cache_mb * 2**20) // (8 * m) if kernel.takes == "objects" else 0
        self._kept, self._used = np.empty((min(room, m), m)), 0
        self._place = np.full(m, -1)
        self._squares: dict[tuple[int, int], np.ndarray] = {}
        self._squares_left = int(cache_mb * 2**20) // 8 if self.images is not None else 0

    def square_block(self, rows: np.ndarray) -> np.ndarray:
        """The Gram matrix of these; the memory of the last one may be used again."""
        if self.images is None:
            return self.block(rows, rows)
        key = int(rows[0]), rows.size
        if not np.array_equal(rows, np.arange(key[0], sum(key))):
            return self.images.block(rows, np.float64)
        if key not in self._squares:
            made = self.images.block(rows, np.float64)
            if made.size > self._squares_left:
                return made
            self._squares_left -= made.size
            self._squares[key] = made.copy()
        return self._squares[key]

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        kernel, X = self.kernel, self.X
        return np.ascontiguousarray(kernel._block(kernel.points(X, rows), kernel.take(X, columns)))

    def add(self, scores: np.ndarray, rows: np.ndarray, coef: np.ndarray, needed=None) -> None:
        """scores ← scores + Σ coef_s K(x_s, ·); if it saves work, only where it is `needed`."""
        self._keep(np.unique(rows[self._place[rows] < 0]))
        kept = self._place[rows] >= 0
        for place, c in zip(self._place[rows[kept]].tolist(), coef[kept].tolist(), strict=True):
            daxpy(self._kept[place], scores, a=c)
        rows, coef = rows[~kept], coef[~kept]
        if rows.size and self.kernel.takes == "matrix":  # The rows of a given matrix are in memory.
            for some in blocks(np.arange(rows.size), max(1, MAX_PIECE_NUMBERS // self.m)):
                scores += coef[some] @ self.block(rows[some], np.arange(self.m))
        elif rows.size and self.images is not None:
            part = scores if needed is None else scores[needed]
            self.images.add(part, needed, rows, coef)
            if needed is not None:
                scores[needed] = part
        elif rows.size:
            needed = slice(None) if needed is None else needed
            points = self.kernel.points(self.X, needed)
            scores[needed] += gram.scores(self.kernel, points, self.kernel.take(self.X, rows), coef)

    def _keep(self, rows: np.ndarray) -> None:
        """Compute and keep these, as far as there is room."""
        rows = rows[: len(self._kept) - self._used]
        for some in blocks(rows, max(1, MAX_PIECE_NUMBERS // self.m)):
            places = np.arange(self._used, self._used + some.size)
            self._kept[places] = self.block(some, np.arange(self.m))
            self._place[some] = places
            self._used += some.size


class Growing:
    """u = Σ coef_s K̃(x_s, ·), K̃ = K + lift, and its scores on the examples still to be visited."""

    def __init__(self, rows: GramRows, signs: np.ndarray, lift: float, coef: np.ndarray):
        self.rows, self.signs, self.lift, self.coef = rows, signs, lift, coef
        self.scores = np.zeros(rows.m)

    def start(self, needed: np.ndarray) -> None:
        """The scores of terms that are there before the first visit."""
        terms = np.flatnonzero(self.coef)
        self._spread(terms, self.coef[terms], needed)

    def visit(self, block: np.ndarray, edges: Edges, needed=None) -> tuple[np.ndarray, ...]:
        """Visit the examples of the block in turn; the scores of `needed` (None: all) then are as
        they should be.

        Returns which visits led to a step, and the margins y u(x) and squares K̃(x, x) there.
        """
        signs, scores = self.signs[block], self.scores[block]
        margins = signs * scores
        fails = ~(margins > edges.value) & ((margins != edges.value) | edges.counts)
        if not fails.any():
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        own, steps = self.rows.square_block(block), np.empty(block.size, np.int64)
        steps = steps[: visit(own, self.lift, signs, edges, scores, steps)]
        made, y = block[steps], signs[steps].astype(np.float64)
        squares = own[steps, steps] + self.lift
        np.add.at(self.coef, made, y)
        self._spread(made, y, needed)
        return steps, y * scores[steps], squares

    def _spread(self, rows: np.ndarray, coef: np.ndarray, needed) -> None:
        if rows.size and (needed is None or needed.size):
            self.rows.add(self.scores, rows, coef, needed)
            self.scores += self.lift * float(coef.sum())
