"""Sums Σ_j coef_j K(x_i, z_j) over a kernel's images, block by block, on all cores.

A block of the Gram matrix is made, used and forgotten while it is in the processor's cache: to make
it again is often cheaper than to fetch it from memory. For the Gaussian the exponential and the
sum are one loop over a tile of inner products.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.compiled.gaussian import add_rows, exp_block, exp_dot, gather_rows, sparse_products
from certo.compiled.threads import in_pieces, one_thread, pieces
from certo.containers import count
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.precomputed import Precomputed
from certo.kernels.vectors import squares

BLOCK_VALUES = 2**20  # Kernel values of a block.
STRIP_VALUES = 2**17  # Values of a strip that stays in the processor's cache.
TILE_SHAPE = 256, 1024  # Points and centres of a tile, or more points of fewer centres.
MAX_TILE_HEIGHT = 4096
SPARSE_BELOW = 0.15  # Share of entries other than 0 below which products are made entry by entry.
MAX_PART_FEATURES = 256  # Features up to which half of a part's products are not worth tiles.
MAX_CENTRE_NUMBERS = 2**22  # Numbers of a tile of centres, at most.
FLOAT32_INTEGERS = 2.0**24  # Up to which float32 holds all integers.
DENOMINATORS = 1, 2, 4, 8, 255  # Of features that are looked upon as fractions; 255: of images.
KEEP_ABOVE_NANOSECONDS = 12.0  # Kernel values that take longer to make are kept.
MULTIPLY_ADD_NANOSECONDS = 0.023  # A multiplication and addition in float32.
FLOAT32_EXPONENT_ERROR = 1e-4  # What float32 may do to an exponent.
FLOAT64_EXPONENT_ERROR = 1e-8  # What float64 may do before differences replace inner products.


class Sums(NamedTuple):
    values: np.ndarray  # Σ_j coef_j K(x_i, z_j)
    #: |K(x_i, z_j) as used − K(x_i, z_j)| for each point x_i, where the Gaussian was taken by inner
    #: products; None: `Kernel.rounding` holds
    off: np.ndarray | None


def scores(kernel: Kernel, X, centres, coef: np.ndarray) -> np.ndarray:
    """Σ_j coef_j K(x_i, z_j) for all points x_i, in float64; coef may have several columns."""
    return sums(kernel, X, centres, coef).values


def sums(
    kernel: Kernel, X, centres, coef: np.ndarray, groups: Sequence[slice] | None = None
) -> Sums:
    """The same, and how far the values of the kernel may be off; of `groups` of centres, which
    together are all of them, each has sums of its own: (m, groups, columns of coef)."""
    m = count(X)
    out = np.zeros((m, *coef.shape[1:]) if groups is None else (m, len(groups), coef.shape[1]))
    if isinstance(kernel, Gaussian):
        left, right = _Points.both(X, centres)
        scale = 0.5 / float(kernel.variance)
        if _tells_distances(left, right, scale):
            _add_gaussian(out, left, right, scale, coef, groups=groups)
            longest = right.square.max(initial=0.0)
            return Sums(out, kernel.off_by_norms(X.shape[1], left.square, longest))
    if kernel.takes == "vectors":
        X, centres = (part.astype(np.float64, copy=False) for part in (X, centres))
    if isinstance(kernel, Precomputed):  # The columns of a given matrix are not copied.
        each = np.zeros((X.shape[1], *coef.shape[1:]))
        np.add.at(each, centres, coef)
        return Sums(X @ each, None)
    at_once = STRIP_VALUES if _in_strips(kernel, centres) else BLOCK_VALUES
    step = max(1, at_once // max(1, len(coef)))
    for start in range(0, m, step):
        some = slice(start, start + step)
        block = np.asarray(kernel._block(X[some], centres), dtype=np.float64)
        _add_products(out[some], block, coef, slice(0, len(coef)), groups)
    return Sums(out, None)


def _add_products(out, block, coef: np.ndarray, columns: slice, groups) -> None:
    """Add to `out` what these columns of the Gram matrix are in `sums`."""
    if groups is None:
        out += block @ coef[columns]
        return
    for k, group in enumerate(groups):
        first, last = max(group.start, columns.start), min(group.stop, columns.stop)
        if first < last:
            mine = block[:, first - columns.start : last - columns.start]
            out[:, k] += mine @ coef[first:last]


def _in_strips(kernel: Kernel, X) -> bool:
    """Whether small blocks are quicker: those of sparse vectors are prepared again each time."""
    return kernel.takes == "vectors" and isinstance(X, np.ndarray)


def images_of(kernel: Kernel, X, cache_mb: float) -> Images:
    """The images of examples (as `kernel.examples` gives them)."""
    if isinstance(kernel, Gaussian):
        points, scale = _Points.of(X), 0.5 / float(kernel.variance)
        if _tells_distances(points, points, scale):
            return GaussianImages(kernel, points, cache_mb)
    return Images(kernel, X)


class Images:
    """φ(x_1), …, φ(x_m), known by their inner products alone."""

    single: type = np.float64  # Precise enough for a block that later blocks correct.
    _whole: np.ndarray | None = None
    _room: np.ndarray = np.empty(0)  # The memory of blocks.

    def __init__(self, kernel: Kernel, X):
        if kernel.takes == "vectors":  # Values of float32 vectors would be in float32.
            X = X.astype(np.float64, copy=False)
        self.kernel, self.X, self.m = kernel, X, count(X)
        self.diagonal = kernel.diagonal(X)
        if 1e-15 < self.diagonal.max(initial=0.0) < 1e15:
            self.single = np.float32

    def block(self, rows: np.ndarray, dtype) -> np.ndarray:
        """The Gram matrix of these; the memory of the last one may be used again."""
        kernel, X = self.kernel, self.X
        if isinstance(kernel, Precomputed):
            return X[np.ix_(rows, rows)].astype(dtype, copy=False)
        if not _in_strips(kernel, X):
            return np.ascontiguousarray(
                kernel._block(kernel.points(X, rows), kernel.take(X, rows)), dtype=dtype
            )
        block, points = self._memory(rows.size, dtype), X[rows]
        step = max(1, STRIP_VALUES // max(1, rows.size))
        for i in range(0, rows.size, step):
            strip = kernel._block(points[i : i + step], points[i:])
            block[i : i + step, i:] = strip
            block[i:, i : i + step] = strip.T
        return block

    def _memory(self, n: int, dtype) -> np.ndarray:
        """An n × n matrix, in the memory of the last one if that is enough: new memory is slow."""
        if self._room.nbytes < n**2 * np.dtype(dtype).itemsize:
            self._room = np.empty(2 * n**2, dtype)  # Memory that is never touched costs nothing.
        return self._room.view(dtype)[: n**2].reshape(n, n)

    def part(self, rows: np.ndarray, dtype) -> np.ndarray:
        """The same where rows are few and parts many."""
        return self.block(rows, dtype)

    def part_scores(self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Σ_j coef_j K(x_i, x_j) for i in `rows`, and j at these places among them."""
        out = np.zeros(rows.size)
        self.add(out, rows, rows[columns], coef)
        return out

    def whole(self, lift: float) -> np.ndarray:
        """The Gram matrix of all in precision `single`, made once, with `lift` added to it."""
        if self._whole is None:
            self._whole = self.block(np.arange(self.m), self.single)
            self._room = np.empty(0)  # Later blocks use other memory.
            self._whole += lift
        return self._whole

    def add(self, out, rows: np.ndarray | None, columns: np.ndarray, coef: np.ndarray) -> None:
        """out_i ← out_i + Σ_j coef_j K(x_i, x_j), i in `rows` (None: all) and j in `columns`."""
        points = self.X if rows is None else self.kernel.points(self.X, rows)
        out += scores(self.kernel, points, self.kernel.take(self.X, columns), coef)


class GaussianImages(Images):
    """Those of the Gaussian kernel: a copy of the points in float64 (moved to their mean, which
    changes no distance), or in float32 where inner products are exact in it; and one in float32.
    Rows of the Gram matrix are kept where they are dearer to make than to read."""

    def __init__(self, kernel: Gaussian, points: _Points, cache_mb: float):
        self.m, d = points.values.shape
        self.kernel, self.diagonal = kernel, np.ones(self.m)
        self.scale = 0.5 / float(kernel.variance) / points.factor**2
        self.points, self.single = points, np.float32
        if points.dtype != np.float32:
            size = self.scale * points.square.max(initial=0.0)
            if np.sqrt(d) * 2.0**-23 * size > FLOAT32_EXPONENT_ERROR:
                self.single = np.float64
        products = points.entries / max(1, self.m) * (points.dtype.itemsize // 4)
        price = MULTIPLY_ADD_NANOSECONDS * products
        room = int(cache_mb * 2**20) // (8 * self.m) if price > KEEP_ABOVE_NANOSECONDS else 0
        self._kept, self._used = np.empty((min(room, self.m), self.m)), 0
        self._place = np.full(self.m, -1)

    @cached_property
    def rough(self) -> _Points:
        """The points in float32."""
        return self.points.in_float32()

    def block(self, rows: np.ndarray, dtype) -> np.ndarray:
        block = self._memory(rows.size, dtype)
        place = self._place[rows]
        known, new = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        of = (self.rough if dtype == np.float32 else self.points).take(rows[new])
        square, scale = of.square.astype(dtype), block.dtype.type(self.scale)

        def fill(turned, columns, i, k, room):
            tile = of.products(slice(i, k), turned, room).astype(dtype, copy=False)
            exp_block(tile, square[i:k], square[columns], scale)
            if known.size:
                block[np.ix_(new[i:k], new[columns])] = tile
                block[np.ix_(new[columns], new[i:k])] = tile.T
            else:
                block[i:k, columns] = tile
                block[columns, i:k] = tile.T

        _tiles(of, of, new.size, fill, half=True)
        gather_rows(self._kept, place[known], known, new, rows, block)
        return block

    @property
    def _is_short(self) -> bool:
        """Whether inner products of a part are quicker made at once than in tiles."""
        X = self.points.values
        return not sparse.issparse(X) and X.shape[1] <= MAX_PART_FEATURES

    def part(self, rows: np.ndarray, dtype) -> np.ndarray:
        if not self._is_short:
            return self.block(rows, dtype)
        of = self.rough if dtype == np.float32 else self.points
        some, square = of.values[rows], of.square[rows].astype(dtype)
        block = self._memory(rows.size, dtype)
        if some.dtype == dtype:
            np.matmul(some, some.T, out=block)
        else:
            block[:] = some @ some.T
        exp_block(block, square, square, block.dtype.type(self.scale))
        return block

    def part_scores(self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray) -> np.ndarray:
        if not self._is_short:
            return super().part_scores(rows, columns, coef)
        some, square, out = self.points.values[rows], self.points.square[rows], np.zeros(rows.size)
        centres = np.ascontiguousarray(some[columns].T)
        step = max(1, STRIP_VALUES // max(1, columns.size))
        for i in range(0, rows.size, step):
            strip = (some[i : i + step] @ centres).astype(np.float64, copy=False)
            exp_dot(
                strip, square[i : i + step], square[columns], self.scale, coef, out[i : i + step]
            )
        return out

    def add(self, out, rows: np.ndarray | None, columns: np.ndarray, coef: np.ndarray) -> None:
        place = self._place[columns]
        known = place >= 0
        if known.any():
            everyone = rows is None
            some = np.arange(0) if rows is None else rows
            in_pieces(
                pieces(len(out), float(len(out)) * np.count_nonzero(known)),
                lambda _, i, k: add_rows(
                    self._kept, place[known], coef[known], some, everyone, i, k, out
                ),
            )
        columns, coef = columns[~known], coef[~known]
        if rows is None and columns.size:
            new = columns[: len(self._kept) - self._used]
            if new.size:
                self._keep(out, new, coef[: new.size])
            columns, coef = columns[new.size :], coef[new.size :]
        if columns.size:
            _add_gaussian(out, self.points, self.points.take(columns), self.scale, coef, rows)

    def _keep(self, out, columns: np.ndarray, coef: np.ndarray) -> None:
        """`add` for all points, and keep what was made for it."""
        kept = self._kept[self._used : self._used + columns.size]
        self._place[columns] = np.arange(self._used, self._used + columns.size)
        self._used += columns.size
        centres = self.points.take(columns)

        def fill(turned, columns, i, k, room):
            tile = np.asarray(self.points.products(slice(i, k), turned, room), np.float64)
            exp_block(tile, self.points.square[i:k], centres.square[columns], self.scale)
            kept[columns, i:k] = tile.T
            out[i:k] += tile @ coef[columns]

        _tiles(self.points, centres, self.m, fill)


class _Points:
    """Vectors, dense or CSR, and their squared lengths in float64; distances are `factor` times
    those of the examples."""

    def __init__(self, values, square: np.ndarray | None = None, factor: float = 1.0):
        self.values, self.factor = values, factor
        self.square = squares(values) if square is None else square
        self.dtype = values.dtype

    @classmethod
    def of(cls, X) -> _Points:
        """Examples: few entries other than 0 are kept as such; others are moved to their mean, or
        multiplied by a number that makes their inner products exact in float32."""
        X = _as_sparse(X)
        whole = _whole_numbers(X)
        if whole is not None:
            return cls(whole[0], factor=whole[1])
        if sparse.issparse(X):
            return cls(X.astype(np.float64))
        return cls(X - X.mean(axis=0, dtype=np.float64))

    @classmethod
    def both(cls, X, Z) -> tuple[_Points, _Points]:
        """The same for two sets."""
        X, Z = _as_sparse(X), _as_sparse(Z)
        if not (sparse.issparse(X) or sparse.issparse(Z)):
            middle = Z.mean(axis=0, dtype=np.float64)
            X, Z = X - middle, Z - middle
        return cls(X.astype(np.float64, copy=False)), cls(Z.astype(np.float64, copy=False))

    @property
    def entries(self) -> int:
        return self.values.nnz if sparse.issparse(self.values) else self.values.size

    def in_float32(self) -> _Points:
        if self.dtype == np.float32:
            return self
        return _Points(self.values.astype(np.float32), self.square)

    def take(self, rows) -> _Points:
        return _Points(self.values[rows], self.square[rows])

    def turned(self, columns: slice) -> np.ndarray:
        """Features by points, dense."""
        part = self.values[columns].T
        return part.tocsr().toarray() if sparse.issparse(part) else np.ascontiguousarray(part)

    def products(self, rows, turned: np.ndarray, out: np.ndarray) -> np.ndarray:
        """out_ij ← x_i·z_j for some rows, and z_j the columns of `turned`."""
        if not sparse.issparse(self.values):
            return np.matmul(self.values[rows], turned, out=out)
        X = self.values
        some = np.arange(X.shape[0])[rows]
        sparse_products(X.data, X.indices, X.indptr, some, turned, out)
        return out


def _tiles(left: _Points, right: _Points, count: int, fill, half: bool = False) -> None:
    """fill(turned, columns, i, k, room) for all tiles of points i … k of the left and columns of
    the right, on all cores; or `half` of them, those on and above the diagonal."""
    height, width = TILE_SHAPE
    n, d = right.values.shape
    tile = height * width
    width = height if half else max(16, min(width, MAX_CENTRE_NUMBERS // max(1, d), n))
    height = height if half else min(tile // width, MAX_TILE_HEIGHT)
    work = 16 + left.entries / max(1, left.values.shape[0])

    def down(turned, columns, _, first, last):
        room = np.empty((min(height, count), turned.shape[1]), np.result_type(left.dtype, turned))
        for i in range(first * height, min(last * height, count), height):
            k = min(i + height, count)
            fill(turned, columns, i, k, room[: k - i])

    with one_thread():
        for j in range(0, n, width):
            columns = slice(j, min(j + width, n))
            below = partial(down, right.turned(columns), columns)
            rows = min(count, columns.stop) if half else count
            in_pieces(pieces(-(-rows // height), work * rows * (columns.stop - j)), below)


def _add_gaussian(
    out, left: _Points, right: _Points, scale: float, coef, rows=None, groups=None
) -> None:
    """out_i ← out_i + Σ_j coef_j exp(−‖x_i − z_j‖² scale); only x_i in `rows`, if given, and by
    `groups` of z_j, if given (see `sums`)."""

    def fill(turned, columns, i, k, room):
        some = slice(i, k) if rows is None else rows[i:k]
        tile = left.products(some, turned, room)
        if coef.ndim == 1:
            exp_dot(tile, left.square[some], right.square[columns], scale, coef[columns], out[i:k])
        else:
            tile = tile.astype(np.float64, copy=False)
            exp_block(tile, left.square[some], right.square[columns], scale)
            _add_products(out[i:k], tile, coef, columns, groups)

    _tiles(left, right, len(out), fill)


def _tells_distances(left: _Points, right: _Points, scale: float) -> bool:
    """Whether inner products tell distances well: those in float32 are exact."""
    longest = left.square.max(initial=0.0) + right.square.max(initial=0.0)
    return left.dtype == np.float32 or 2.0**-52 * scale * float(longest) <= FLOAT64_EXPONENT_ERROR


def _as_sparse(X):
    """X as it is, or as CSR if few of its entries are other than 0."""
    if sparse.issparse(X):
        return X.toarray() if X.nnz > SPARSE_BELOW * X.shape[0] * X.shape[1] else X
    if np.count_nonzero(X[:: max(1, len(X) // 256)]) > SPARSE_BELOW * min(len(X), 256) * X.shape[1]:
        return X
    return sparse.csr_array(X) if np.count_nonzero(X) <= SPARSE_BELOW * X.size else X


def _whole_numbers(X) -> tuple[Any, float] | None:
    """Whole numbers k in float32, and n with X = k/n (of a dense X, moved by whole numbers), if
    inner products of such rows, added in any order, are exact there: if no Σ k² exceeds 2²⁴ (so no
    partial sum does, by Cauchy and Schwarz). Quotients that are rounded, as with n = 255, change an
    inner product by a relative 2⁻⁵² of Σ|x_i z_i|, which is less than its own sum in float64."""
    entries = X.data if sparse.issparse(X) else X
    first = entries[: max(1, 2**14 // max(1, entries[:1].size))]
    for n in DENOMINATORS:
        if all(np.array_equal(np.rint(some * n) / n, some) for some in (first, entries)):
            whole = X * n
            entries = whole.data if sparse.issparse(X) else whole
            np.rint(entries, out=entries)
            if entries is whole:
                whole -= np.rint(whole.mean(axis=0))
            small = squares(whole).max(initial=0.0) <= FLOAT32_INTEGERS
            return (whole.astype(np.float32), float(n)) if small else None
    return None
