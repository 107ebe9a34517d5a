"""Storage of the examples as a type, so that each loop is written once.

A loop takes `rows`, which is `DenseRows` or `CsrRows`, and touches example i only through
the functions below. Nothing is copied: the arrays are those of the user, seen read-only
(which also keeps writable and read-only input from being compiled twice).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from scipy import sparse

from certo.compiled._jit import jit
from certo.compiled._lanes import lane_dot, lane_dot_at, lone_lane_dot, lone_lane_dot_at

PREFETCH_VISITS = (
    4  # Rows visited at random are asked for so many visits ahead; more would displace w.
)


class DenseRows(NamedTuple):
    values: np.ndarray  # (m, d), C order


class CsrRows(NamedTuple):
    data: np.ndarray  # (nnz,)
    indices: np.ndarray  # (nnz,)
    indptr: np.ndarray  # (m + 1,)


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def rows_of(X) -> DenseRows | CsrRows:
    """The rows of a C-ordered array or of a CSR matrix or array, without a copy."""
    if sparse.issparse(X):
        return CsrRows(_read_only(X.data), _read_only(X.indices), _read_only(X.indptr))
    return DenseRows(_read_only(X))


def by_storage(dense, csr):
    """A function of rows for compiled code, which becomes `dense` or `csr` where it is called."""

    def stub(*arguments):
        raise TypeError("compiled code only")

    def chosen(rows, *others):
        return dense if rows.instance_class is DenseRows else csr

    overload(stub, inline="always", strict=False)(chosen)
    return stub


def _dot_by(lane_dot, lane_dot_at):
    def dense_dot(rows, i, w):
        d = rows.values.shape[1]
        return lane_dot(rows.values, i * d, w, 0, d)

    def csr_dot(rows, i, w):
        start = rows.indptr[i]
        return lane_dot_at(rows.data, rows.indices, start, w, rows.indptr[i + 1] - start)

    return by_storage(dense_dot, csr_dot)


#: ⟨xᵢ, w⟩ with the rounding specified in `_lanes`; w may be longer than xᵢ
row_dot = _dot_by(lane_dot, lane_dot_at)
#: The same number for rows visited in random order: what follows xᵢ is not fetched, which would
#: only take the memory's time.
lone_row_dot = _dot_by(lone_lane_dot, lone_lane_dot_at)


def _dense_square(rows, i):
    d = rows.values.shape[1]
    return lane_dot(rows.values, i * d, rows.values, i * d, d)


def _csr_square(rows, i):
    start = rows.indptr[i]
    return lane_dot(rows.data, start, rows.data, start, rows.indptr[i + 1] - start)


#: ‖xᵢ‖², rounded as `row_dot` is
row_square = by_storage(_dense_square, _csr_square)


def _dense_add(rows, i, c, w):
    x = rows.values[i]
    for j in range(x.size):
        w[j] += c * x[j]


def _csr_add(rows, i, c, w):
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    x, at = rows.data[start:stop], rows.indices[start:stop]
    for p in range(x.size):
        w[np.uintp(at[p])] += c * x[p]


#: w ← w + c·xᵢ, in place: one product and one sum, each rounded once.
row_add = by_storage(_dense_add, _csr_add)


@intrinsic
def _fetch(typingctx, array, place):
    """Ask for the cache line of array[place] (as if flat); nothing waits for it."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        where = context.cast(builder, args[1], signature.args[1], types.intp)
        byte = ir.IntType(8).as_pointer()
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        place = builder.bitcast(builder.gep(data, [where]), byte)
        builder.call(fetch, [place, flag(0), flag(3), flag(1)])  # To read, to keep, data.
        return context.get_dummy_value()

    return types.void(array, place), codegen


def _dense_fetch(rows, i):
    d = rows.values.shape[1]
    line = 64 // rows.values.itemsize
    for j in range(0, min(d, 16 * line), line):
        _fetch(rows.values, i * d + j)


def _csr_fetch(rows, i):
    start = rows.indptr[i]
    stop = min(rows.indptr[i + 1], start + 128)
    for p in range(start, stop, 8):
        _fetch(rows.data, p)
    for p in range(start, stop, 16):
        _fetch(rows.indices, p)


#: Ask for the numbers of xᵢ ahead of their use.
row_fetch = by_storage(_dense_fetch, _csr_fetch)


@jit
def add_square(rows, t, weight, lift, H):
    """The lower triangle of H += weight·x̃ₜx̃ₜᵀ for a CSR row whose indices increase."""
    data, indices = rows.data, rows.indices
    begin, end, last = rows.indptr[t], rows.indptr[t + 1], H.shape[0] - 1
    for i in range(begin, end):
        value = weight * data[i]
        row = indices[i]
        for j in range(begin, i + 1):
            H[row, indices[j]] += value * data[j]
        if lift > 0.0:
            H[last, row] += value
    if lift > 0.0:
        H[last, last] += weight
