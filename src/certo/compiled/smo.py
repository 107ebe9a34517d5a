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
in the piece where it is.
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit, loosest

EXCLUDED = np.float32(1e30)
LEAST_RELATIVE_CURVATURE = np.float32(1e-7)  # Relative to the diagonal.
LEAST_CURVATURE = np.float32(1e-37)
PIECE_LENGTH = 512


@loosest
def _move(v, row_i, row_j, step, cannot_rise, cannot_fall):
    """v ← v − step (K_i − K_j); the greatest that can rise, and the least that can fall."""
    most, least = -EXCLUDED, EXCLUDED
    for k in range(v.size):
        now = v[k] - step * (row_i[k] - row_j[k])
        v[k] = now
        most = max(most, now - cannot_rise[k])
        least = min(least, now + cannot_fall[k])
    return most, least


@loosest
def _gains(v, row_i, diagonal, cannot_fall, greatest, own):
    """The greatest (v_i − v_k)²/(K_ii + K_kk − 2K_ik) of the k that can fall, with v_k < v_i."""
    most = np.float32(0)
    for k in range(v.size):
        fall = max(greatest - v[k] - cannot_fall[k], np.float32(0))
        curve = max(
            own + diagonal[k] - row_i[k] - row_i[k],
            max(LEAST_RELATIVE_CURVATURE * own, LEAST_CURVATURE),
        )
        most = max(most, fall * fall / curve)
    return most


@jit
def smo_pairs(K, diagonal, beta, low, high, v, eps, most_steps):
    """Steps on pairs until none violates by more than eps; how many were made."""
    n = v.size
    cannot_rise = np.where(beta < high, np.float32(0), EXCLUDED)
    cannot_fall = np.where(beta > low, np.float32(0), EXCLUDED)
    i, j, step = 0, 0, v.dtype.type(0)
    for steps in range(most_steps):
        most, least, where = -EXCLUDED, EXCLUDED, 0
        for start in range(0, n, PIECE_LENGTH):
            end = min(n, start + PIECE_LENGTH)
            here, below = _move(
                v[start:end], K[i, start:end], K[j, start:end], step,
                cannot_rise[start:end], cannot_fall[start:end],
            )  # fmt: skip
            if here > most:
                most, where = here, start
            least = min(least, below)
        if not most - least > eps:
            return steps
        for k in range(where, min(n, where + PIECE_LENGTH)):
            if v[k] - cannot_rise[k] == most:
                i = k
                break
        gain, where = np.float32(0), 0
        for start in range(0, n, PIECE_LENGTH):
            end = min(n, start + PIECE_LENGTH)
            here = _gains(
                v[start:end], K[i, start:end], diagonal[start:end], cannot_fall[start:end],
                most, diagonal[i],
            )  # fmt: skip
            if here > gain:
                gain, where = here, start
        best = np.float32(-1)
        for k in range(where, min(n, where + PIECE_LENGTH)):
            fall = most - v[k] - cannot_fall[k]
            if fall > 0:
                curve = max(
                    diagonal[i] + diagonal[k] - K[i, k] - K[i, k],
                    max(LEAST_RELATIVE_CURVATURE * diagonal[i], LEAST_CURVATURE),
                )
                if fall * fall / curve > best:
                    best, j = fall * fall / curve, k
        curve = max(
            diagonal[i] + diagonal[j] - K[i, j] - K[i, j],
            max(LEAST_RELATIVE_CURVATURE * diagonal[i], LEAST_CURVATURE),
        )
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
    return most_steps


@loosest
def _move_one(v, row, step, diagonal, cannot_rise, cannot_fall):
    """v ← v − step K_i; the greatest gain of one coordinate, and the greatest slope of use."""
    gain, most = np.float32(0), np.float32(0)
    for k in range(v.size):
        now = v[k] - step * row[k]
        v[k] = now
        use = max(max(now - cannot_rise[k], -now - cannot_fall[k]), np.float32(0))
        most = max(most, use)
        gain = max(gain, use * use / max(diagonal[k], LEAST_CURVATURE))
    return gain, most


@jit
def smo_single(K, diagonal, beta, low, high, v, eps, most_steps):
    """Steps on single coordinates until none violates by more than eps; how many were made."""
    n = v.size
    cannot_rise = np.where(beta < high, np.float32(0), EXCLUDED)
    cannot_fall = np.where(beta > low, np.float32(0), EXCLUDED)
    i, step = 0, v.dtype.type(0)
    for steps in range(most_steps):
        gain, most, where = np.float32(-1), np.float32(0), 0
        for start in range(0, n, PIECE_LENGTH):
            end = min(n, start + PIECE_LENGTH)
            here, use = _move_one(
                v[start:end], K[i, start:end], step, diagonal[start:end],
                cannot_rise[start:end], cannot_fall[start:end],
            )  # fmt: skip
            if here > gain:
                gain, where = here, start
            most = max(most, use)
        if not most > eps:
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
    return most_steps
