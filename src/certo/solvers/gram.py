"""Sums Σ_j coef_j K(x_i, z_j) over a kernel's images, block by block, on all cores.

A block of the Gram matrix is made, used and forgotten while it is in the processor's cache: to make
it again is often cheaper than to fetch it from memory. For the Gaussian the exponential and the
sum are one loop over a tile of inner products.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from certo.compiled.gaussian import exp_block, exp_dot
from certo.compiled.threads import in_pieces, one_thread, pieces
from certo.kernels import Gaussian, Kernel
from certo.kernels.base import count
from certo.kernels.vectors import squares

BLOCK = 2**22  # numbers of a block
TILE = 256, 1024  # points and centres of a tile
DENSE = 2**25  # numbers: a sparse matrix that is no larger is made dense, or if 1 in 16 is not 0
WHOLE = 2.0**24  # up to which float32 holds all whole numbers
FINE = 1e-6  # what float32 may do to an exponent


def scores(kernel: Kernel, X, centres, coef: np.ndarray) -> np.ndarray:
    """Σ_j coef_j K(x_i, z_j) for all points x_i, in float64; coef may have several columns."""
    m = count(X)
    if isinstance(kernel, Gaussian) and _is_small(X) and _is_small(centres):
        X, centres = (part.toarray() if sparse.issparse(part) else part for part in (X, centres))
        middle = centres.mean(axis=0, dtype=np.float64)
        left, right = _Rows(X - middle), _Rows(centres - middle)
        out = np.zeros((m, *coef.shape[1:]))
        _add_gaussian(out, left, right, 0.5 / kernel.variance, coef)
        return out
    step = max(1, BLOCK // max(1, len(coef)))
    parts = [
        np.asarray(kernel(X[start : start + step], centres), dtype=np.float64) @ coef
        for start in range(0, m, step)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, *coef.shape[1:]))


def images_of(kernel: Kernel, X) -> Images:
    """The images of examples (as `kernel.examples` gives them)."""
    is_gaussian = isinstance(kernel, Gaussian) and _is_small(X)
    return GaussianImages(kernel, X) if is_gaussian else Images(kernel, X)


class Images:
    """φ(x_1), …, φ(x_m), known by their inner products alone."""

    single: type = np.float64  # what is precise enough for a block that others correct

    def __init__(self, kernel: Kernel, X):
        self.kernel, self.X, self.m = kernel, X, count(X)
        self.diagonal = kernel.diagonal(X)
        if 1e-15 < self.diagonal.max(initial=0.0) < 1e15:
            self.single = np.float32

    def block(self, rows: np.ndarray, dtype) -> np.ndarray:
        """The Gram matrix of these."""
        kernel, X = self.kernel, self.X
        block = kernel(kernel.points(X, rows), kernel.take(X, rows))
        return np.ascontiguousarray(block, dtype=dtype)

    def add(self, out, rows: np.ndarray | None, columns: np.ndarray, coef: np.ndarray) -> None:
        """out_i ← out_i + Σ_j coef_j K(x_i, x_j), i in `rows` (None: all) and j in `columns`."""
        points = self.X if rows is None else self.kernel.points(self.X, rows)
        out += scores(self.kernel, points, self.kernel.take(self.X, columns), coef)


class GaussianImages(Images):
    """Those of the Gaussian kernel: a copy of the points in float64 (moved to their mean, which
    changes no distance), or in float32 where inner products are exact in it; and one in float32."""

    def __init__(self, kernel: Gaussian, X):
        X = X.toarray() if sparse.issparse(X) else X
        self.kernel, self.m, self.diagonal = kernel, X.shape[0], np.ones(X.shape[0])
        self.scale = 0.5 / kernel.variance
        exact = _exact_in_float32(X)
        moved = X if exact is not None else X - X.mean(axis=0, dtype=np.float64)
        self.rows = _Rows(moved if exact is None else exact)
        rough = exact if exact is not None else moved.astype(np.float32)
        self.rough = self.rows if exact is not None else _Rows(rough)
        error = np.sqrt(X.shape[1]) * 2.0**-23 * self.scale * self.rows.square.max(initial=0.0)
        self.single = np.float32 if exact is not None or error < FINE * 100 else np.float64

    def block(self, rows: np.ndarray, dtype) -> np.ndarray:
        of = self.rough if dtype == np.float32 else self.rows
        points, square = of.values[rows], of.square[rows].astype(dtype)
        block = (points @ points.T).astype(dtype, copy=False)
        scale = block.dtype.type(self.scale)
        in_pieces(
            pieces(rows.size, 8.0 * block.size),
            lambda _, i, k: exp_block(block[i:k], square[i:k], square, scale),
        )
        return block

    def add(self, out, rows: np.ndarray | None, columns: np.ndarray, coef: np.ndarray) -> None:
        _add_gaussian(out, self.rows, self.rows.take(columns), self.scale, coef, rows)


class _Rows:
    """Points and their squared lengths, in float64."""

    def __init__(self, values: np.ndarray, square: np.ndarray | None = None):
        self.values = values
        self.square = squares(values) if square is None else square

    def take(self, rows) -> _Rows:
        return _Rows(self.values[rows], self.square[rows])


def _add_gaussian(out, left: _Rows, right: _Rows, scale: float, coef, rows=None) -> None:
    """out_i ← out_i + Σ_j coef_j exp(−‖x_i − z_j‖² scale); only x_i in `rows`, if given."""
    height, width = TILE
    n, d = right.values.shape
    turned = np.ascontiguousarray(right.values.T)
    ends = range(0, n, width)

    def fill(_, start, stop):
        room = np.empty((height, min(width, n)), np.result_type(left.values, right.values))
        for i in range(start, stop, height):
            k = min(i + height, stop)
            some = slice(i, k) if rows is None else rows[i:k]
            points, square = left.values[some], left.square[some]
            for j in ends:
                columns = slice(j, min(j + width, n))
                tile = room[: k - i, : columns.stop - j]
                if not tile.flags.c_contiguous:
                    tile = room.reshape(-1)[: tile.size].reshape(tile.shape)
                np.matmul(points, turned[:, columns], out=tile)
                if coef.ndim == 1:
                    exp_dot(tile, square, right.square[columns], scale, coef[columns], out[i:k])
                else:
                    tile = tile.astype(np.float64, copy=False)
                    exp_block(tile, square, right.square[columns], scale)
                    out[i:k] += tile @ coef[columns]

    with one_thread():
        in_pieces(pieces(len(out), float(len(out)) * n * (d + 16)), fill)


def _is_small(X) -> bool:
    """Whether a dense copy of X can be afforded."""
    if not sparse.issparse(X):
        return True
    size = X.shape[0] * X.shape[1]
    return size <= max(DENSE, 16 * X.nnz)


def _exact_in_float32(X: np.ndarray) -> np.ndarray | None:
    """X in float32, if inner products of its rows, added in any order, are exact there: if all
    entries are whole multiples u of the same small power of two, and no Σ u² exceeds 2²⁴ (so no
    partial sum does, by Cauchy and Schwarz)."""
    first = X[: max(1, 2**14 // max(1, X.shape[1]))]
    for unit in (1.0, 0.5, 0.25, 0.125):
        for some in (first, X):
            whole = some / unit
            if not np.array_equal(whole, np.rint(whole)):
                break
        else:
            return X.astype(np.float32) if squares(whole).max(initial=0.0) <= WHOLE else None
    return None
