r"""The Gaussian kernel of a block of inner products, at the speed of memory.

    K_ij = exp(−‖x_i − z_j‖² s),      ‖x_i − z_j‖² = ‖x_i‖² + ‖z_j‖² − 2 x_i·z_j,   s = 1/(2γ)

BLAS makes the inner products; what is left is the exponential, which must not cost more than
they do. exp(u) = 2ᵏ 2ᶠ with k = round(u log₂e) and f in [−½, ½]: 2ᶠ is a polynomial that
interpolates it at Chebyshev's points, and 2ᵏ is put together from bits. There is no branch, so
the compiler makes vectors of it. Relative errors: 1e-7 (float32, degree 5) and 3e-16 (float64,
degree 10), besides the rounding of u.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from certo.compiled._jit import jit, loose


def _exp(u):
    """e to the power of u ≤ 0."""
    raise TypeError("compiled code only")


@overload(_exp, jit_options={"fastmath": {"contract"}})
def _exp_of(u):
    if u.bitwidth == 32:

        def single(u):
            t = max(u * np.float32(1.4426950408889634), np.float32(-126.0))
            shifted = t + np.float32(12582912.0)  # 1.5·2²³: the last bits are round(t)
            f = t - (shifted - np.float32(12582912.0))
            p = np.float32(0.0013390863364671234)
            p = p * f + np.float32(0.009676031918322054)
            p = p * f + np.float32(0.05550357114219078)
            p = p * f + np.float32(0.2402210748530834)
            p = p * f + np.float32(0.6931471880262288)
            p = p * f + np.float32(1.0000000754548972)
            bits = (np.float32(shifted).view(np.int32) + np.int32(127)) << np.int32(23)
            return p * np.int32(bits).view(np.float32)

        return single

    def double(u):
        t = max(u * 1.4426950408889634, -1022.0)
        shifted = t + 6755399441055744.0  # 1.5·2⁵²
        f = t - (shifted - 6755399441055744.0)
        p = 7.072585949269223e-09
        p = p * f + 1.0208690299958306e-07
        p = p * f + 1.321544258792169e-06
        p = p * f + 1.5252657260200837e-05
        p = p * f + 0.0001540353044173605
        p = p * f + 0.0013333558230164974
        p = p * f + 0.009618129107606888
        p = p * f + 0.05550410866444772
        p = p * f + 0.24022650695910097
        p = p * f + 0.69314718055995
        p = p * f + 1.0
        bits = (np.float64(shifted).view(np.int64) + 1023) << 52
        return p * np.int64(bits).view(np.float64)

    return double


@loose
def _exp_row(row, own, right, scale):
    for j in range(row.size):
        u = (row[j] + row[j] - own - right[j]) * scale
        row[j] = _exp(min(u, u - u))


@jit
def exp_block(G, left, right, scale):
    """G_ij ← exp(min(0, (2 G_ij − left_i − right_j)·scale)), in place; all of one dtype."""
    for i in range(G.shape[0]):
        _exp_row(G[i], left[i], right, scale)


@loose
def _weighted(row, own, right, scale, coef):
    total = 0.0
    for j in range(row.size):
        u = (row[j] + row[j] - own - right[j]) * scale
        total += coef[j] * _exp(min(u, u - u))
    return total


@jit
def exp_dot(G, left, right, scale, coef, out):
    """out_i ← out_i + Σ_j coef_j exp(min(0, (2 G_ij − left_i − right_j)·scale))."""
    for i in range(G.shape[0]):
        out[i] += _weighted(G[i], left[i], right, scale, coef)


@jit
def add_rows(kept, places, coef, rows, everyone, start, stop, out):
    """out_i ← out_i + Σ_j coef_j kept[places_j, rows_i] for i from start to stop."""
    for j in range(places.size):
        row, c = kept[places[j]], coef[j]
        if everyone:
            for i in range(start, stop):
                out[i] += c * row[i]
        else:
            for i in range(start, stop):
                out[i] += c * row[rows[i]]


@jit
def gather_rows(kept, places, known, new, rows, block):
    """The part of a Gram matrix, that of `rows`, in which rows are `known` (kept at `places`), and
    its transpose in `new` rows."""
    for k in range(places.size):
        row, i = kept[places[k]], known[k]
        for j in range(rows.size):
            block[i, j] = row[rows[j]]
        for j in new:
            block[j, i] = row[rows[j]]


@loose
def _add_four(out, a, b, c, d, x, y, z, w):
    for k in range(out.size):
        out[k] += a * x[k] + b * y[k] + c * z[k] + d * w[k]


@loose
def _add_one(out, a, x):
    for k in range(out.size):
        out[k] += a * x[k]


@jit
def sparse_products(data, indices, indptr, rows, turned, out):
    """out_ij ← x_i·z_j, x_i being CSR rows, z_j the columns of a dense matrix."""
    for i in range(rows.size):
        row = out[i]
        row[:] = 0
        start, stop = indptr[rows[i]], indptr[rows[i] + 1]
        fours = start + (stop - start) // 4 * 4
        for p in range(start, fours, 4):
            _add_four(
                row, data[p], data[p + 1], data[p + 2], data[p + 3],
                turned[indices[p]], turned[indices[p + 1]],
                turned[indices[p + 2]], turned[indices[p + 3]],
            )  # fmt: skip
        for p in range(fours, stop):
            _add_one(row, data[p], turned[indices[p]])
