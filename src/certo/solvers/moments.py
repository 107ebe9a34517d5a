"""Rows of a table as sums: first and second moments, or the triangular factor, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, final

import numpy as np
from scipy import sparse

from certo.compiled.scan import all_whole, column_middles
from certo.compiled.threads import in_pieces, one_thread, pieces
from certo.problems.shifted_gram import ShiftedGram

SUM_BLOCK_NUMBERS = 2**16  # Numbers in a block of rows that stays in the cache until multiplied.
QR_BLOCK_NUMBERS = 2**17  # Numbers in a block whose QR is taken: fewer blocks, fewer factors.
SAMPLE_ROWS = 256  # Rows from which the mean is guessed before the pass.
MIN_CENTRED_SHARE = 0.01  # A column of which centring leaves less was shifted by too little.
BLAS_SPEED = 32  # Multiplications of BLAS in the time of one of a compiled loop.
PRODUCT_ROWS = 4096  # Rows multiplied at a time where they are not copied.
MAX_SPARSE_DENSITY = 0.1  # Below it a product of sparse rows beats one of dense blocks.


@final
@dataclass(frozen=True)
class Rows:
    """Rows z = (x, y) with weights, read in blocks as √s·(z − shift, 1)."""

    X: Any  # (n, d) float64, float32 or CSR
    Y: np.ndarray  # (n, q)
    roots: np.ndarray | None = None  # √s

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def width(self) -> int:
        return self.d + self.Y.shape[1]

    def pick(self, where) -> np.ndarray:
        """Some rows as they are, in float64."""
        X = self.X[where]
        parts = X.toarray() if sparse.issparse(X) else X, self.Y[where]
        return np.concatenate(parts, axis=1, dtype=np.float64)

    def block(self, start: int, stop: int, shift: np.ndarray, out: np.ndarray) -> np.ndarray:
        d, part = self.d, out[: stop - start]
        X = self.X[start:stop]
        if sparse.issparse(X):
            X = X.toarray()
        np.subtract(X, shift[:d], out=part[:, :d])
        np.subtract(self.Y[start:stop], shift[d:], out=part[:, d:-1])
        part[:, -1] = 1
        if self.roots is not None:
            part *= self.roots[start:stop, None]
        return part

    def height(self, numbers: int) -> int:
        """Rows in a block of about so many numbers; more where products are larger than blocks."""
        width = self.width + 1
        return max(numbers // width, 2 * width)

    def over_blocks(
        self, numbers: int, shift: np.ndarray, first: Any, step: Callable[[Any, np.ndarray], Any]
    ) -> list[Any]:
        """step(…step(first, block)…, block) for the blocks of each thread's share of the rows."""
        width = self.width + 1
        height = self.height(numbers)

        def loop(k: int, start: int, stop: int) -> Any:
            so_far, out = first, np.empty((min(height, stop - start), width))
            with np.errstate(over="ignore", invalid="ignore"):  # Each thread has its own state.
                for low in range(start, stop, height):
                    high = min(low + height, stop)
                    so_far = step(so_far, self.block(low, high, shift, out))
            return so_far

        with one_thread():
            return in_pieces(pieces(self.n, float(self.n) * width * width / BLAS_SPEED), loop)

    def is_near(self, mean: np.ndarray, products: np.ndarray) -> bool:
        """Whether rows in float64 are so near the origin that nothing is lost by not centring."""
        spread = np.sqrt(np.diag(products)[: self.d] / self.n)
        plain = not sparse.issparse(self.X) and self.X.dtype == np.float64 and self.roots is None
        return plain and bool(np.all(np.abs(mean[: self.d]) <= spread))

    def squared_products(self, vectors: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """Σ ((x − shift)·v)² for the columns v, without a copy of the rows."""
        moved = shift @ vectors

        def loop(k: int, start: int, stop: int) -> np.ndarray:
            squares = np.zeros(len(moved))
            for low in range(start, stop, PRODUCT_ROWS):
                part = self.X[low : min(low + PRODUCT_ROWS, stop)] @ vectors - moved
                squares += np.einsum("ij,ij->j", part, part)
            return squares

        with one_thread():
            return np.sum(in_pieces(pieces(self.n, float(self.X.size)), loop), axis=0)


@final
@dataclass(frozen=True)
class Moments:
    """What rows z = (x, y) with weights s leave behind.

    With a free intercept: n, Σ s, z̄ and Σ s (z − z̄)(z − z̄)ᵀ. Without: n, Σ s, 0 and Σ s z zᵀ.
    """

    rows: int
    weight: float
    mean: np.ndarray
    products: np.ndarray
    sums: ShiftedGram | None = None  # The sums that the moments come from, where they are known.


def moments(rows: Rows, centred: bool) -> Moments:
    """In one pass; in two where the rows of the sample told nothing about the mean."""
    if sparse.issparse(rows.X) and rows.X.nnz < MAX_SPARSE_DENSITY * rows.n * rows.d:
        found = _sparse_moments(rows, centred)
    else:
        found = _shifted_moments(rows, middle(rows, centred), centred)
    assert found.sums is not None
    least = MIN_CENTRED_SHARE * np.diag(found.sums.gram)[:-1]
    if centred and np.any(np.diag(found.products) < least):
        return _shifted_moments(rows, found.mean, centred)
    return found


def sums_of(rows: Rows, before: ShiftedGram | None, centred: bool) -> ShiftedGram:
    """Sums over these rows and those before, which are shifted by the same."""
    shift = middle(rows, centred) if before is None else before.shift
    found = _shifted_moments(rows, shift, centred).sums
    assert found is not None
    if before is None:
        return found
    most = max(before.roundings, found.roundings) + 1
    return ShiftedGram(shift, before.gram + found.gram, before.examples + found.examples, most)


def middle(rows: Rows, centred: bool) -> np.ndarray:
    """Near the mean of each column, and exactly the value of one that is constant."""
    if not centred:
        return np.zeros(rows.width)
    count = min(rows.n, SAMPLE_ROWS)
    every = np.arange(count) * (rows.n - 1) // max(count - 1, 1) if count < rows.n else slice(None)
    return column_middles(np.ascontiguousarray(rows.pick(every)))


def shifted_sums(rows: Rows, shift: np.ndarray) -> np.ndarray:
    """Σ s (z − shift, 1)(z − shift, 1)ᵀ."""

    def step(so_far: np.ndarray, block: np.ndarray) -> np.ndarray:
        return so_far + block.T @ block

    if rows.n <= rows.height(SUM_BLOCK_NUMBERS):  # One block needs no loop.
        with one_thread():
            block = rows.block(0, rows.n, shift, np.empty((rows.n, rows.width + 1)))
            return block.T @ block
    zeros = np.zeros(2 * (rows.width + 1,))
    return np.asarray(reduce(add, rows.over_blocks(SUM_BLOCK_NUMBERS, shift, zeros, step)))


def _shifted_moments(rows: Rows, shift: np.ndarray, centred: bool) -> Moments:
    gram = shifted_sums(rows, shift)
    height = rows.height(SUM_BLOCK_NUMBERS)
    return _centred(rows, shift, gram, centred, height + rows.n // height + 16)


def _sparse_moments(rows: Rows, centred: bool) -> Moments:
    """The same by products of sparse matrices: zeros cannot be shifted, but y can."""
    roots = np.ones(rows.n) if rows.roots is None else rows.roots
    X = rows.X.astype(np.float64, copy=False)
    X = X if rows.roots is None else sparse.diags_array(roots) @ X
    shift = np.zeros(rows.width)
    if centred:
        shift[rows.d :] = np.mean(rows.Y, axis=0)
    rest = np.column_stack([rows.Y - shift[rows.d :], np.ones(rows.n)]) * roots[:, None]
    cross = X.T @ rest
    gram = np.block([[(X.T @ X).toarray(), cross], [cross.T, rest.T @ rest]])
    return _centred(rows, shift, gram, centred, rows.n + 16)


def _centred(
    rows: Rows, shift: np.ndarray, gram: np.ndarray, centred: bool, roundings: int
) -> Moments:
    """From Σ s (z − shift, 1)(z − shift, 1)ᵀ."""
    found = centred_moments(shift, gram, centred)
    count = rows.n if rows.roots is None else int(np.count_nonzero(rows.roots))
    return replace(found, rows=count, sums=ShiftedGram(shift, gram, rows.n, roundings))


def centred_moments(shift: np.ndarray, gram: np.ndarray, centred: bool) -> Moments:
    """The same of rows without weights, which the last entry counts."""
    weight, products = float(gram[-1, -1]), gram[:-1, :-1]
    away = np.zeros(len(shift))
    if centred:
        away = gram[-1, :-1] / weight
        products = products - weight * np.outer(away, away)
        np.fill_diagonal(products, np.maximum(np.diag(products), 0.0))
    return Moments(round(weight), weight, shift + away, products)


def with_exactness(rows: Rows, known: Moments) -> Moments:
    """The same, having looked whether the sums of x are exact: all x are integers, and so
    small that no sum of their products was rounded."""
    sums, d = known.sums, rows.d
    if sums is None or rows.roots is not None or not np.max(np.diag(sums.gram)[:d]) < 2.0**53:
        return known
    if not np.array_equal(sums.shift[:d], np.rint(sums.shift[:d])) or not _whole(rows.X):
        return known
    return replace(known, sums=sums._replace(exact=True))


def _whole(X) -> bool:
    """Whether these are integers. (No, if X is a part of an array that would have to be
    copied.)"""
    if not sparse.issparse(X) and not (X.flags.c_contiguous or X.flags.f_contiguous):
        return False
    values = X.data.view() if sparse.issparse(X) else X.ravel(order="K")
    values.flags.writeable = False  # Only one specialisation is compiled.
    ranges = pieces(values.size, float(values.size))
    return all(in_pieces(ranges, lambda k, start, stop: all_whole(values[start:stop])))


@final
@dataclass(frozen=True)
class Triangle:
    """The same moments with a triangular R in place of the products RᵀR, which would cost half of
    the digits. Those of more rows are their sum."""

    rows: int
    weight: float
    mean: np.ndarray
    factor: np.ndarray  # (at most d + q, d + q)

    def __add__(self, other: Triangle) -> Triangle:
        weight = self.weight + other.weight
        if not weight:
            return self
        apart = other.mean - self.mean
        between = np.sqrt(self.weight * (other.weight / weight)) * apart
        mean = self.mean + apart * (other.weight / weight)
        factor = _factor([self.factor, other.factor, between[None]])
        return Triangle(self.rows + other.rows, weight, mean, factor)

    @classmethod
    def of(cls, known: Moments) -> Triangle:
        """From the products, with the digits that they have, whatever the units of the columns."""
        scale = np.sqrt(np.diag(known.products))
        scale = np.where(scale > 0, scale, 1.0)
        values, vectors = np.linalg.eigh(known.products / scale / scale[:, None])
        factor = (np.sqrt(np.maximum(values, 0.0)) * vectors).T * scale
        return cls(known.rows, known.weight, known.mean, _factor([factor]))

    @property
    def moments(self) -> Moments:
        return Moments(self.rows, self.weight, self.mean, self.factor.T @ self.factor)


def triangle(rows: Rows, centred: bool) -> Triangle:
    """QR of the rows by blocks, the factors stacked; ones are the first column, so that what is
    below and right of it is centred."""
    shift = middle(rows, centred)
    k = rows.width

    def step(so_far: np.ndarray, block: np.ndarray) -> np.ndarray:
        first = block[:, [k, *range(k)]] if centred else block[:, :k]
        return _factor([so_far, first])

    parts = rows.over_blocks(QR_BLOCK_NUMBERS, shift, np.empty((0, k + centred)), step)
    factor = _factor(parts)
    weight = float(rows.n if rows.roots is None else rows.roots @ rows.roots)
    count = rows.n if rows.roots is None else int(np.count_nonzero(rows.roots))
    if not centred:
        return Triangle(count, weight, shift, factor)
    return Triangle(count, weight, shift + factor[0, 1:] / factor[0, 0], factor[1:, 1:])


def _factor(parts: list[np.ndarray]) -> np.ndarray:
    """The triangular factor of rows one above the other."""
    return np.asarray(np.linalg.qr(np.vstack(parts), mode="r"))
