r"""Pegasos: stochastic subgradient steps on F(w) = (1/m) Σ [1 − y_t w·x̃_t]₊ + (λ/2)‖w‖².

Step        w_{t+1} = (1 − 1/t) w_t + (1/(λt)) v_t, where v_t = y x̃ of the example drawn if its
            hinge is positive, y w_t·x̃ < 1, and 0 otherwise;  w_1 = 0
Closed form w_{t+1} = u_t/(λt) with u_t = v_1 + … + v_t. So the hinge of step t is positive exactly
            when y u_{t−1}·x̃ < λ(t − 1) (or t = 1), and a step touches only the non-zeros of x.
Average     Σ_{t≤T} w_t = (1/λ) Σ_{k<T} u_k/k, and v_s is in u_k for k ≥ s:
            w̄_T = (H_{T−1} u_T − a_T)/(λT),  a_T = Σ_s H_{s−1} v_s,  H_n = 1 + 1/2 + … + 1/n,
            so that the average too is one more sum over the non-zeros (v_T counts 0, as it must).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from certo.compiled._jit import jit
from certo.compiled.rows import DenseRows, lone_row_dot

AHEAD = 16  # rows are drawn at random, so those of the next draws are fetched early


class Sums(NamedTuple):
    """Where a run stands, (d + 1,) each, the intercept's entry last."""

    u: np.ndarray  # Σ v_s
    a: np.ndarray  # Σ H_{s−1} v_s


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
        builder.call(fetch, [place, flag(0), flag(3), flag(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, place), codegen


def row_fetch(rows, i):
    """Ask for the numbers of xᵢ ahead of their use."""
    raise TypeError("compiled code only")


@overload(row_fetch, inline="always")
def _row_fetch(rows, i):
    if rows.instance_class is DenseRows:

        def from_dense(rows, i):
            d = rows.values.shape[1]
            line = 64 // rows.values.itemsize
            for j in range(0, min(d, 16 * line), line):
                _fetch(rows.values, i * d + j)

        return from_dense

    def from_csr(rows, i):
        start = rows.indptr[i]
        stop = min(rows.indptr[i + 1], start + 128)
        for p in range(start, stop, 8):
            _fetch(rows.data, p)
        for p in range(start, stop, 16):
            _fetch(rows.indices, p)

    return from_csr


def row_add_twice(rows, i, b, u, c, a):
    """u ← u + b·xᵢ and a ← a + c·xᵢ, in place."""
    raise TypeError("compiled code only")


@overload(row_add_twice, inline="always")
def _row_add_twice(rows, i, b, u, c, a):
    if rows.instance_class is DenseRows:

        def from_dense(rows, i, b, u, c, a):
            x = rows.values[i]
            for j in range(x.size):
                u[j] += b * x[j]
            for j in range(x.size):
                a[j] += c * x[j]

        return from_dense

    def from_csr(rows, i, b, u, c, a):
        start, stop = rows.indptr[i], rows.indptr[i + 1]
        x, at = rows.data[start:stop], rows.indices[start:stop]
        for p in range(x.size):
            j = np.uintp(at[p])
            u[j] += b * x[p]
            a[j] += c * x[p]

    return from_csr


@jit
def take_steps(rows, signs, lift, lam, draws, done, harmonic, sums):
    """One step on each example of `draws`; `done` steps came before, and H_done is `harmonic`.

    In place    `sums`
    Returns     H after the last step
    """
    u, a = sums.u, sums.a
    for k in range(draws.size):
        if k + AHEAD < draws.size:
            row_fetch(rows, draws[k + AHEAD])
        i = draws[k]
        y = signs[i]
        t = done + k + 1
        # `not >=`: a score that overflowed to NaN is no success
        if t == 1 or not y * (lone_row_dot(rows, i, u) + lift * u[-1]) >= lam * (t - 1):
            row_add_twice(rows, i, float(y), u, harmonic * y, a)
            u[-1] += lift * y
            a[-1] += lift * harmonic * y
        harmonic += 1.0 / t
    return harmonic
