"""Loops of logistic problems with many coordinates: weights are stored coordinate by coordinate,
(p, outputs), so that the innermost loops run over classes, which lie side by side."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from certo.compiled._jit import loose, loosest
from certo.compiled._lanes import LANES, _first_lanes, _index, _Loader, _name
from certo.compiled.logistic import several_classes
from certo.compiled.rows import by_storage, row_add, row_dot


@intrinsic
def _add(typingctx, out, i, factor, x, j, count):
    """out[i + k] += factor·x[j + k] for k < count (as if flat), eight at a time: a loop over so few
    numbers would not become vector instructions by itself. A flat `out` has room for whole groups
    of eight, which are written whole: a group that is read soon must have been written at once."""

    def codegen(context, builder, signature, args):
        kinds = signature.args
        start, other, n = (_index(context, builder, kinds[k], args[k]) for k in (1, 4, 5))
        here = _Loader(context, builder, kinds[0], args[0], start)
        there = _Loader(context, builder, kinds[3], args[3], other)
        kind, index = here.vector, n.type
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), args[2], ir.IntType(32)(0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        every = builder.shuffle_vector(one, one, zeros)
        full = builder.and_(n, ir.Constant(index, -LANES))
        fused = ("contract",)

        def added(x, y):
            return builder.fadd(builder.fmul(every, x, flags=fused), y, flags=fused)

        with cgutils.for_range_slice(builder, index(0), full, index(LANES), index) as (at, _):
            builder.store(added(there.whole(at), here.whole(at)), here._at(at), align=here.align)
        with builder.if_then(builder.icmp_signed("<", full, n)):
            mask = _first_lanes(builder, builder.sub(n, full))
            some, place = there.masked(full, mask), here._at(full)
            if roomy:
                builder.store(added(some, here.whole(full)), place, align=here.align)
            else:
                i32 = ir.IntType(32)
                store = cgutils.get_or_insert_function(
                    builder.module,
                    ir.FunctionType(ir.VoidType(), [kind, place.type, i32, mask.type]),
                    f"llvm.masked.store.v{LANES}{_name(kind.element)}.p0",
                )
                new = added(some, here.masked(full, mask))
                builder.call(store, [new, place, i32(here.align), mask])
        return context.get_dummy_value()

    same, roomy = out.dtype, out.ndim == 1
    return types.void(out, types.intp, same, x, types.intp, types.intp), codegen


def _dense_gather(rows, t, V, f):
    x = rows.values[t]
    for j in range(x.size):
        _add(f, 0, x[j], V, j * V.shape[1], V.shape[1])


def _csr_gather(rows, t, V, f):
    start, stop = rows.indptr[t], rows.indptr[t + 1]
    x, at = rows.data[start:stop], rows.indices[start:stop]
    for i in range(x.size):
        _add(f, 0, x[i], V, np.intp(at[i]) * V.shape[1], V.shape[1])


#: f += Σ_j x_tj V_j; f has room for whole groups of lanes.
_gather = by_storage(_dense_gather, _csr_gather)


def _dense_scatter(rows, t, f, V):
    x = rows.values[t]
    for j in range(x.size):
        _add(V, j * V.shape[1], x[j], f, 0, V.shape[1])


def _csr_scatter(rows, t, f, V):
    start, stop = rows.indptr[t], rows.indptr[t + 1]
    x, at = rows.data[start:stop], rows.indices[start:stop]
    for i in range(x.size):
        _add(V, np.intp(at[i]) * V.shape[1], x[i], f, 0, V.shape[1])


#: V_j += x_tj f
_scatter = by_storage(_dense_scatter, _csr_scatter)


@loose
def times(rows, V, out, start, stop):
    """out_t = Σ_j x_tj V_j for these rows."""
    if V.shape[1] == 1:
        column = V[:, 0]
        for t in range(start, stop):
            total = V.dtype.type(0)
            for i in range(rows.indptr[t], rows.indptr[t + 1]):
                total += rows.data[i] * column[np.uintp(rows.indices[i])]
            out[t, 0] = total
        return
    f = np.empty(V.shape[1] + LANES, V.dtype)
    for t in range(start, stop):
        f[:] = 0
        _gather(rows, t, V, f)
        out[t] = f[: V.shape[1]]


@loose
def bend_several(U, parts, shares):
    """u_k ← s p_k (u_k − Σ_l p_l u_l), row by row."""
    for t in range(len(U)):
        u, p = U[t], parts[t]
        mean = U.dtype.type(0)
        for k in range(u.size):
            mean += p[k] * u[k]
        for k in range(u.size):
            u[k] = shares[t] * p[k] * (u[k] - mean)


@loose
def along_two(scores, moves, t, signs, shares):
    """Σ s log(1 + e^{−y(f + tu)}) and its first two derivatives in t."""
    loss = slope = curve = 0.0
    for i in range(signs.size):
        margin = signs[i] * (scores[i, 0] + t * moves[i, 0])
        small = np.exp(-abs(margin))
        off = (small if margin > 0.0 else 1.0) / (1.0 + small)
        loss += shares[i] * (max(-margin, 0.0) + np.log1p(small))
        slope -= shares[i] * signs[i] * off * moves[i, 0]
        curve += shares[i] * off * (1.0 - off) * moves[i, 0] ** 2
    return loss, slope, curve


def along_several(scores, moves, t, codes, shares, alive):
    """Σ s (log Σ_k e^{f_k + tu_k} − f_y − tu_y) and its first two derivatives in t."""
    there, parts = scores + t * moves, np.empty_like(scores)
    loss = several_classes(there, codes, shares, alive, parts)
    return loss, *_derivatives(parts, moves, codes, shares)


@loose
def _derivatives(parts, moves, codes, shares):
    slope = curve = 0.0
    for i in range(codes.size):
        first = second = 0.0
        for k in range(parts.shape[1]):
            u = moves[i, k] - moves[i, codes[i]]
            first += parts[i, k] * u
            second += parts[i, k] * u * u
        slope += shares[i] * first
        curve += shares[i] * (second - first * first)
    return slope, curve


@loose
def ascend_two(rows, squares, signs, factors, order, w, bias, extra, logits):
    """One visit to each row in order: its dual variable a = σ(v) is set to where, all others being
    what they are, the dual is greatest, v = −y f. w = Σ factor y a x; the intercept's column is
    worth √extra. `logits` are the v."""
    for n in range(order.size):
        t = order[n]
        step = factors[t] * (squares[t] + extra)
        v = logits[t]
        before = 1.0 / (1.0 + np.exp(-v))
        goal = step * before - signs[t] * (row_dot(rows, t, w) + bias[0])
        low, high = goal - step, goal  # The root of v + step·σ(v) = goal lies between.
        v = min(max(v, low), high)
        for _ in range(50):
            part = 1.0 / (1.0 + np.exp(-v))
            off = v + step * part - goal
            if off > 0.0:
                high = v
            else:
                low = v
            new = v - off / (1.0 + step * part * (1.0 - part))
            v, last = new if low <= new <= high else 0.5 * (low + high), v
            if abs(v - last) <= 1e-3:
                break
        logits[t] = v
        move = factors[t] * signs[t] * (1.0 / (1.0 + np.exp(-v)) - before)
        row_add(rows, t, move, w)
        bias[0] += extra * move


@loosest
def ascend_several(rows, squares, factors, order, V, bias, extra, parts):
    """One visit to each row in order: its dual variables q (in the simplex) are set to where,
    all others being what they are, the dual is greatest, q = softmax(f). V = Σ factor (y − q) x.

    With A = factor·‖x̃‖² and z = f + A q_before this is log q_k + A q_k = z_k − μ, Σ_k q_k = 1:
    Newton's method in log q and μ.
    """
    count = V.shape[1]
    f = np.empty(count + LANES, V.dtype)
    z, u, q = np.empty(count), np.empty(count), np.empty(count)
    for n in range(order.size):
        t = order[n]
        for k in range(count):
            f[k] = bias[k]
        _gather(rows, t, V, f)
        A = factors[t] * (squares[t] + extra)
        before = parts[t]
        for k in range(count):
            q[k] = before[k]
            u[k] = np.log(q[k])
            z[k] = f[k] + A * q[k]
        for _ in range(20):
            total, pull, push = -1.0, 0.0, 0.0
            for k in range(count):
                weight = q[k] / (1.0 + A * q[k])
                total += q[k]
                pull += weight * (z[k] - u[k] - A * q[k])
                push += weight
            mu = (pull + total) / push
            most = 0.0
            for k in range(count):
                move = (z[k] - mu - u[k] - A * q[k]) / (1.0 + A * q[k])
                u[k] = max(min(u[k] + min(move, 2.0), 0.0), -600.0)
                part = np.exp(u[k])
                most = max(most, abs(part - q[k]))
                q[k] = part
            if most < 1e-3:
                break
        total = 0.0
        for k in range(count):
            total += q[k]
        for k in range(count):
            part = max(q[k] / total, 1e-200)
            f[k] = factors[t] * (before[k] - part)
            before[k] = part
            bias[k] += extra * f[k]
        _scatter(rows, t, f, V)
