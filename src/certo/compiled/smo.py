r"""Sequential minimal optimisation of a soft-margin dual whose Gram matrix is at hand.

Problem     max_β  Σ y_t β_t − ½ βᵀKβ   over   low_t ≤ β_t ≤ high_t,   β_t = α_t y_t
            and, where the intercept is free, Σ β_t fixed
Given       v = y − Kβ, the slopes (less any constant where Σ β is fixed, which changes nothing
            and lets float32 resolve those that matter); K and v in float32
Step        pairs: i can rise and has the greatest slope; j can fall, and β_i ← β_i + s,
            β_j ← β_j − s gains most, (v_i − v_j)²/(2(K_ii + K_jj − 2K_ij)) (second-order choice);
            single: the one that gains most, v_i²/(2K_ii)
Stop        no slope that can rise exceeds one that can fall by more than `eps`
In place    β and v
Reference   Fan, Chen, Lin (2005), Working set selection using second order information

The two passes of a step have no branches, so they become vector instructions: what cannot rise or
fall is kept out by adding a huge number, and which one was the greatest is looked up afterwards,
in the piece where it is. The greatest of floats is found as the greatest of integers that have the
same order (`_key`), since the compiler makes vectors of integer maxima only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from certo.compiled._jit import jit, loosest

EXCLUDED = np.float32(1e30)
LEAST_RELATIVE_CURVATURE = np.float32(1e-7)  # Relative to the diagonal.
LEAST_CURVATURE = np.float32(1e-37)
PIECE_LENGTH: Any = np.uint64(256)
FIRST: Any = np.uint64(0)  # Unsigned, so that no place is taken for one from the end.


def _key(x):
    """The bits of a float as an integer of the same order: of a negative number all bits but its
    sign are flipped. Of such an integer, the float."""
    raise TypeError("compiled code only")


@overload(_key)
def _key_of(x):
    single: Any = (np.float32, np.int32, 31)
    floats, bits, sign = single if x.bitwidth == 32 else (np.float64, np.int64, 63)
    others = bits(2**sign - 1)

    def key(x):
        u = floats(x).view(bits)
        return bits(u ^ bits(bits(u >> bits(sign)) & others))

    def number(x):
        return bits(x ^ bits(bits(x >> bits(sign)) & others)).view(floats)

    return key if isinstance(x, types.Float) else number


@loosest
def _move(v, start, stop, row_i, row_j, step, cannot_rise, cannot_fall):
    """v ← v − step (K_i − K_j) from start to stop; the keys of the greatest there that can rise,
    and of the least that can fall."""
    most, least = _key(v.dtype.type(-EXCLUDED)), _key(v.dtype.type(EXCLUDED))
    for k in range(start, stop):
        now = v[k] - step * (row_i[k] - row_j[k])
        v[k] = now
        most = max(most, _key(now - cannot_rise[k]))
        least = min(least, _key(now + cannot_fall[k]))
    return most, least


@loosest
def _gains(v, start, stop, row_i, diagonal, cannot_fall, greatest, own):
    """The key of the greatest (v_i − v_k)²/(K_ii + K_kk − 2K_ik) of the k that can fall, with
    v_k < v_i."""
    zero, least = v.dtype.type(0), max(LEAST_RELATIVE_CURVATURE * own, LEAST_CURVATURE)
    most = _key(zero)
    for k in range(start, stop):
        fall = max(greatest - v[k] - cannot_fall[k], zero)
        curve = max(own + diagonal[k] - row_i[k] - row_i[k], least)
        most = max(most, _key(np.divide(fall * fall, curve)))
    return most


@jit
def smo_pairs(K, diagonal, beta, low, high, v, eps, most_steps):
    """Steps on pairs until none violates by more than eps; how many were made."""
    n: Any = np.uint64(v.size)
    cannot_rise = np.where(beta < high, np.float32(0), EXCLUDED)
    cannot_fall = np.where(beta > low, np.float32(0), EXCLUDED)
    lowest, zero = _key(v.dtype.type(-EXCLUDED)), _key(v.dtype.type(0))
    i, j, step = FIRST, FIRST, v.dtype.type(0)
    for steps in range(most_steps):
        top, bottom, where = lowest, _key(v.dtype.type(EXCLUDED)), FIRST
        row_i, row_j = K[i], K[j]
        for start in range(FIRST, n, PIECE_LENGTH):
            stop = min(n, start + PIECE_LENGTH)
            here, below = _move(v, start, stop, row_i, row_j, step, cannot_rise, cannot_fall)
            if here > top:
                top, where = here, start
            bottom = min(bottom, below)
        most = _key(top)
        if not most - _key(bottom) > eps:
            return steps
        for k in range(where, min(n, where + PIECE_LENGTH)):
            if v[k] - cannot_rise[k] == most:
                i = k
                break
        gain, where = zero, FIRST
        row_i = K[i]
        for start in range(FIRST, n, PIECE_LENGTH):
            stop = min(n, start + PIECE_LENGTH)
            here = _gains(v, start, stop, row_i, diagonal, cannot_fall, most, diagonal[i])
            if here > gain:
                gain, where = here, start
        least_curve = max(LEAST_RELATIVE_CURVATURE * diagonal[i], LEAST_CURVATURE)
        best = np.float32(-1)
        for k in range(where, min(n, where + PIECE_LENGTH)):
            fall = most - v[k] - cannot_fall[k]
            if fall > 0:
                curve = max(diagonal[i] + diagonal[k] - K[i, k] - K[i, k], least_curve)
                if fall * fall / curve > best:
                    best, j = fall * fall / curve, k
        curve = max(diagonal[i] + diagonal[j] - K[i, j] - K[i, j], least_curve)
        room = min(high[i] - beta[i], beta[j] - low[j])
        size = min(float(v[i] - v[j]) / curve, room)
        if size == room and room == high[i] - beta[i]:
            beta[i] = high[i]
        else:
            beta[i] += size
        if size == room and room == beta[j] - low[j]:
            beta[j] = low[j]
        else:
            beta[j] -= size
        for k in (i, j):
            cannot_rise[k] = np.float32(0) if beta[k] < high[k] else EXCLUDED
            cannot_fall[k] = np.float32(0) if beta[k] > low[k] else EXCLUDED
        step = v.dtype.type(size)
    v -= step * (K[i] - K[j])
    return most_steps


@loosest
def _move_one(v, start, stop, row, step, diagonal, cannot_rise, cannot_fall):
    """v ← v − step K_i from start to stop; the keys of the greatest gain of one coordinate there,
    and of the greatest slope of use."""
    zero = v.dtype.type(0)
    gain, most = _key(zero), _key(zero)
    for k in range(start, stop):
        now = v[k] - step * row[k]
        v[k] = now
        use = max(max(now - cannot_rise[k], -now - cannot_fall[k]), zero)
        most = max(most, _key(use))
        gain = max(gain, _key(np.divide(use * use, max(diagonal[k], LEAST_CURVATURE))))
    return gain, most


@jit
def smo_single(K, diagonal, beta, low, high, v, eps, most_steps):
    """Steps on single coordinates until none violates by more than eps; how many were made."""
    n: Any = np.uint64(v.size)
    cannot_rise = np.where(beta < high, np.float32(0), EXCLUDED)
    cannot_fall = np.where(beta > low, np.float32(0), EXCLUDED)
    zero = _key(v.dtype.type(0))
    i, step = FIRST, v.dtype.type(0)
    for steps in range(most_steps):
        gain, most, where = zero, zero, FIRST
        row = K[i]
        for start in range(FIRST, n, PIECE_LENGTH):
            stop = min(n, start + PIECE_LENGTH)
            here, use = _move_one(v, start, stop, row, step, diagonal, cannot_rise, cannot_fall)
            if here > gain:
                gain, where = here, start
            most = max(most, use)
        if not _key(most) > eps:
            return steps
        best = np.float32(-1)
        for k in range(where, min(n, where + PIECE_LENGTH)):
            use = max(v[k] - cannot_rise[k], -v[k] - cannot_fall[k])
            if use > 0 and use * use / max(diagonal[k], LEAST_CURVATURE) > best:
                best, i = use * use / max(diagonal[k], LEAST_CURVATURE), k
        to = min(max(beta[i] + float(v[i]) / max(diagonal[i], LEAST_CURVATURE), low[i]), high[i])
        step = v.dtype.type(to - beta[i])
        beta[i] = to
        cannot_rise[i] = np.float32(0) if beta[i] < high[i] else EXCLUDED
        cannot_fall[i] = np.float32(0) if beta[i] > low[i] else EXCLUDED
    v -= step * K[i]
    return most_steps
