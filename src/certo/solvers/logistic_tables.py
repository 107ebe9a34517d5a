"""Examples as two linear maps: scores x̃·V of weights V (p, outputs), and sums Σ_t r_t x̃_t back.

x̃ = (x − centre, 1) with a free intercept, else x; sparse examples have centre 0. Both maps come in
float64 and, where a share of the digits will do, in float32, which takes half the time: the type is
that of what is mapped. Work is shared between the cores by rows, or by columns on the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

from certo.compiled.logistic_wide import times
from certo.compiled.rows import CsrRows, DenseRows, rows_of
from certo.compiled.threads import in_pieces, one_thread, pieces
from certo.solvers.logistic_rows import centre_of

MIN_TABLE_BLOCK_ROWS, BLOCK_NUMBERS = 512, 2**17  # Of a dense block, which stays in the cache.
MAX_KEPT_NUMBERS = 2**20  # Numbers of a table that is kept in float64, less its centre.
MULTIPLICATIONS_AT_ONCE = 8  # A matrix product makes so many in the time of one.

Bend = Callable[[np.ndarray, slice], None]  # Changes the scores of these rows, in place.


def table_of(X, lift: bool) -> DenseTable | SparseTable:
    return SparseTable(X, lift) if sparse.issparse(X) else DenseTable(X, lift)


class Table:
    def __init__(self, X, lift: bool):
        self.X, self.lift = X, lift
        self.m, self.d = X.shape
        self.p = self.d + int(lift)
        self.centre = centre_of(X, lift)


class DenseTable(Table):
    @cached_property
    def short(self) -> np.ndarray:
        """x − centre in float32."""
        out = np.empty(self.X.shape, np.float32)
        with np.errstate(over="ignore"):
            for some in self._ranges(0, self.m):
                np.subtract(self.X[some], self.centre, out=out[some], casting="same_kind")
        return out

    @cached_property
    def _long(self) -> np.ndarray:
        return self.X - self.centre

    def times(self, V: np.ndarray) -> np.ndarray:
        """Scores."""
        out = np.empty((self.m, V.shape[1]), V.dtype)
        self._blocks(V, lambda Z, some: self._scores(Z, V, out[some]))
        return out

    def sums(self, R: np.ndarray) -> np.ndarray:
        return sum(self._blocks(R, lambda Z, some: self._sums(Z, R[some])))

    def through(self, V: np.ndarray, bend: Bend) -> np.ndarray:
        """Scores, bent, and back: the examples are read once."""

        def there_and_back(Z, some):
            U = np.empty((len(Z), V.shape[1]), V.dtype)
            self._scores(Z, V, U)
            bend(U, some)
            return self._sums(Z, U)

        return sum(self._blocks(V, there_and_back))

    def _scores(self, Z, V, out) -> int:
        np.matmul(Z, V[: self.d], out=out)
        if self.lift:
            out += V[self.d]
        return 0  # `_blocks` adds up what its visits return.

    def _sums(self, Z, R) -> np.ndarray:
        part = np.empty((self.p, R.shape[1]), R.dtype)
        np.matmul(Z.T, R, out=part[: self.d])
        if self.lift:
            np.matmul(np.ones(len(R), R.dtype), R, out=part[self.d])
        return part

    def _ranges(self, first: int, last: int) -> Iterator[slice]:
        rows = max(MIN_TABLE_BLOCK_ROWS, BLOCK_NUMBERS // max(self.d, 1))
        for start in range(first, last, rows):
            yield slice(start, min(start + rows, last))

    def _blocks(self, like: np.ndarray, visit) -> list:
        """The sum of what `visit` returns, for each piece."""
        single = like.dtype == np.float32
        centred = self.short if single else self._long if self.X.size <= MAX_KEPT_NUMBERS else None

        def piece(k, first, last):
            total = 0
            for some in self._ranges(first, last):
                Z = self.X[some] - self.centre if centred is None else centred[some]
                total = total + visit(Z, some)
            return total

        with one_thread():
            work = self.m * self.p * like.shape[1] / MULTIPLICATIONS_AT_ONCE
            return in_pieces(pieces(self.m, work), piece)

    @cached_property
    def squares(self) -> np.ndarray:
        """‖x − centre‖²"""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.einsum("ij,ij->i", self.short, self.short).astype(np.float64)

    def squared_sums(self, weights: np.ndarray) -> np.ndarray:
        """Σ_t weight_t x̃_t²"""
        return sum(self._blocks(weights, lambda Z, some: self._sums(Z * Z, weights[some])))

    @property
    def rows(self) -> DenseRows | CsrRows:
        return rows_of(self.short)

    @property
    def fits_float32(self) -> bool:
        return bool(np.isfinite(self.squares).all())


class SparseTable(Table):
    @cached_property
    def _maps(self) -> dict:
        """For each type: the rows and the columns."""
        X = sparse.csr_array(self.X)
        if max(X.shape) < 2**31 and X.nnz < 2**31:
            X = sparse.csr_array(
                (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
            )
        pair = X, X.T.tocsr()
        with np.errstate(over="ignore"):
            return {
                np.dtype(kind): tuple(
                    CsrRows(A.data.astype(kind, copy=False), A.indices, A.indptr) for A in pair
                )
                for kind in (np.float32, np.float64)
            }

    def _scores(self, V: np.ndarray, bend: Bend | None) -> np.ndarray:
        out = np.empty((self.m, V.shape[1]), V.dtype)
        rows, V = self._maps[V.dtype][0], np.ascontiguousarray(V)

        def piece(k, first, last):
            times(rows, V, out, first, last)
            if self.lift:
                out[first:last] += V[self.d]
            if bend is not None:
                bend(out[first:last], slice(first, last))

        in_pieces(_even(rows, V.shape[1]), piece)
        return out

    def times(self, V: np.ndarray) -> np.ndarray:
        return self._scores(V, None)

    def sums(self, R: np.ndarray) -> np.ndarray:
        return self._sums(self._maps[R.dtype][1], R)

    def _sums(self, columns: CsrRows, R: np.ndarray) -> np.ndarray:
        out, R = np.empty((self.p, R.shape[1]), R.dtype), np.ascontiguousarray(R)
        ranges = _even(columns, R.shape[1])
        in_pieces(ranges, lambda k, first, last: times(columns, R, out, first, last))
        if self.lift:
            out[self.d] = R.sum(axis=0)
        return out

    def through(self, V: np.ndarray, bend: Bend) -> np.ndarray:
        return self.sums(self._scores(V, bend))

    @cached_property
    def squares(self) -> np.ndarray:
        return np.asarray(self.X.multiply(self.X).sum(axis=1), np.float64).ravel()

    def squared_sums(self, weights: np.ndarray) -> np.ndarray:
        columns = self._maps[weights.dtype][1]
        return self._sums(columns._replace(data=columns.data * columns.data), weights)

    @property
    def rows(self) -> CsrRows:
        return self._maps[np.dtype(np.float32)][0]

    @property
    def fits_float32(self) -> bool:
        return bool(np.all(self.squares < np.finfo(np.float32).max))


def _even(rows: CsrRows, outputs: int) -> list[tuple[int, int]]:
    """Ranges of rows, each with as many entries."""
    entries = rows.data.size
    ends = np.array(pieces(entries, entries * outputs), dtype=np.int64).reshape(-1, 2)[1:, 0]
    cuts = [0, *np.searchsorted(rows.indptr, ends).tolist(), rows.indptr.size - 1]
    return list(pairwise(cuts))
