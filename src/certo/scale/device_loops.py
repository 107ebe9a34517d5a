"""Loops that run on a GPU in one launch, in Triton: sums over a Gaussian kernel whose values never
reach memory, and the quadratic program of a block."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def gaussian_sums(
    hi, lo, square, centre_hi, centre_lo, centre_square, coef, used, out, m, scale,
    D: tl.constexpr, PIECE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    SPLIT: tl.constexpr,
):  # fmt: skip
    """out_i = Σ_j coef_j 2^(scale·(2 x_i·z_j − ‖x_i‖² − ‖z_j‖²)), j below `used`.

    Points are hi + lo in float16, so that three products of the tensor cores give x·z as float32
    would; without SPLIT lo is 0 and one product is exact or enough.
    """
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, PIECE)
    inside = i < m
    own = tl.load(square + i, mask=inside, other=0.0) * scale
    sums = tl.zeros((ROWS,), tl.float32)
    count = tl.load(used)
    if D == PIECE:
        x_hi = tl.load(hi + i[:, None] * D + k[None, :], mask=inside[:, None], other=0.0)
        if SPLIT:
            x_lo = tl.load(lo + i[:, None] * D + k[None, :], mask=inside[:, None], other=0.0)
    for start in range(0, count, COLUMNS):
        j = start + tl.arange(0, COLUMNS)
        there = j < count
        products = tl.zeros((ROWS, COLUMNS), tl.float32)
        for first in range(0, D, PIECE):
            at = j[None, :] * D + (first + k)[:, None]
            z_hi = tl.load(centre_hi + at, mask=there[None, :], other=0.0)
            if D != PIECE:
                here = i[:, None] * D + (first + k)[None, :]
                x_hi = tl.load(hi + here, mask=inside[:, None], other=0.0)
                if SPLIT:
                    x_lo = tl.load(lo + here, mask=inside[:, None], other=0.0)
            products = tl.dot(x_hi, z_hi, products)
            if SPLIT:
                z_lo = tl.load(centre_lo + at, mask=there[None, :], other=0.0)
                products = tl.dot(x_hi, z_lo, products)
                products = tl.dot(x_lo, z_hi, products)
        other = tl.load(centre_square + j, mask=there, other=0.0) * scale
        weight = tl.load(coef + j, mask=there, other=0.0)
        exponent = products * (2.0 * scale) - own[:, None] - other[None, :]
        sums += tl.sum(tl.exp2(exponent) * weight[None, :], 1)
    tl.store(out + i, sums, mask=inside)


@triton.jit
def exponential_sums(
    products, square, centre_square, coef, out, m, n, scale, ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):  # fmt: skip
    """out_i += Σ_j coef_j exp(min(0, 2 products_ij − ‖x_i‖² − ‖z_j‖²)·scale), in float64."""
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inside = i < m
    own = tl.load(square + i, mask=inside, other=0.0)
    sums = tl.load(out + i, mask=inside, other=0.0)
    for start in range(0, n, COLUMNS):
        j = start + tl.arange(0, COLUMNS)
        there = inside[:, None] & (j < n)[None, :]
        value = tl.load(products + i[:, None] * n + j[None, :], mask=there, other=0.0) * 2.0
        value = value - own[:, None]
        value = value - tl.load(centre_square + j, mask=j < n, other=0.0)[None, :]
        value = tl.exp(tl.minimum(value, 0.0) * tl.load(scale))
        sums += tl.sum(value * tl.load(coef + j, mask=j < n, other=0.0)[None, :], 1)
    tl.store(out + i, sums, mask=inside)


@triton.jit
def _meet(counter, goal):
    """Wait for all programs: they run at the same time, since there are no more than processors."""
    tl.debug_barrier()
    tl.atomic_add(counter, 1, sem="acq_rel")
    while tl.atomic_add(counter, 0, sem="acquire") < goal:
        pass
    tl.debug_barrier()


@triton.jit
def _times(K, p, own, products, counter, turn, lift, Q: tl.constexpr, ROWS: tl.constexpr,
           STEP: tl.constexpr):  # fmt: skip
    """(K + lift)·p: each program makes some rows of it, and reads those of the others."""
    every = tl.arange(0, Q)
    tl.store(own + every, p)
    tl.debug_barrier()
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    sums = tl.zeros((ROWS, STEP), tl.float32)
    for start in range(0, Q, STEP):
        j = start + tl.arange(0, STEP)
        sums += tl.load(K + rows[:, None] * Q + j[None, :]) * tl.load(own + j)[None, :]
    made = products + (turn % 2) * Q  # Who still reads the last product is not disturbed.
    tl.store(made + rows, tl.sum(sums, 1))
    _meet(counter, (turn + 1) * tl.num_programs(0))
    return tl.load(made + every, cache_modifier=".cg") + lift * tl.sum(p)


@triton.jit
def solve_block(
    K, slopes, beta, low, high, target, moved, room, products, counter, lift,
    FREE: tl.constexpr, Q: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
    MAX_ROUNDS: tl.constexpr, MAX_STEPS: tl.constexpr, ENOUGH: tl.constexpr,
    NEAR: tl.constexpr, SHORTEST: tl.constexpr, HALVINGS: tl.constexpr, CLOSE: tl.constexpr,
):  # fmt: skip
    """`device_block.solve_block` in one launch: every program holds all vectors and makes the same
    decisions; only products with K are shared out."""
    every = tl.arange(0, Q)
    own = room + tl.program_id(0) * Q
    before = tl.load(beta + every)
    least, most = tl.load(low + every) - before, tl.load(high + every) - before
    near = NEAR * (most - least)
    curvature = tl.maximum(tl.load(K + every * (Q + 1)) + lift, 1e-30)
    wanted = tl.load(target)
    e = tl.zeros((Q,), tl.float32)
    h = -tl.load(slopes + every)
    turn, rounds, going = 0, 0, 1
    first_gain, level = 0.0, 0.0
    while going > 0:
        g = h - level
        can = ((e > least) | (g < 0)) & ((e < most) | (g > 0))
        ends = can & tl.where(g > 0, e - least <= near, most - e <= near)
        free = tl.where(can & (ends == 0), 1.0, 0.0)
        count = tl.maximum(tl.sum(free), 1.0)
        if FREE:
            level = tl.sum(h * free) / count
        r = (level - h) * free
        d = tl.zeros((Q,), tl.float32)
        p = r
        square = tl.sum(r * r)
        end = 1e-4 * square
        steps = 0
        while (steps < MAX_STEPS) & (square > end):
            Kp = _times(K, p, own, products, counter, turn, lift, Q, ROWS, STEP) * free
            turn += 1
            if FREE:
                Kp -= free * (tl.sum(Kp) / count)
            length = square / tl.maximum(tl.sum(p * Kp), 1e-30)
            d += length * p
            r -= length * Kp
            fresh = tl.sum(r * r)
            p = r + (fresh / square) * p
            square = fresh
            steps += 1
        d = tl.where(ends, -g / curvature, d)
        lowest, highest = tl.where(can, least, e), tl.where(can, most, e)
        part, searching, newton, gain = 1.0, 1, 1, 0.0
        while searching > 0:
            z = e + part * d
            if FREE:
                below, above = tl.min(z - highest), tl.max(z - lowest)
                shift, over, halvings = 0.0, 1.0, 0
                enough = CLOSE * tl.sum(tl.abs(z)) + 1e-30
                while (halvings < HALVINGS) & (tl.abs(over) > enough):
                    over = tl.sum(tl.minimum(tl.maximum(z - shift, lowest), highest)) - wanted
                    strictly = tl.where((z - shift > lowest) & (z - shift < highest), 1.0, 0.0)
                    below = tl.where(over > 0, shift, below)
                    above = tl.where(over > 0, above, shift)
                    guess = shift + over / tl.maximum(tl.sum(strictly), 1.0)
                    good = (guess > below) & (guess < above)
                    other = tl.where(good, guess, 0.5 * (below + above))
                    shift = tl.where(tl.abs(over) > enough, other, shift)
                    halvings += 1
                z -= shift
            s = tl.minimum(tl.maximum(z, lowest), highest) - e
            Ks = _times(K, s, own, products, counter, turn, lift, Q, ROWS, STEP)
            turn += 1
            falls, curve = tl.sum(h * s), tl.sum(s * Ks)
            theta = tl.minimum(tl.maximum(-falls / tl.maximum(curve, 1e-30), 0.0), 1.0)
            if (theta > 0.05) | ((newton == 0) & (part < SHORTEST)):
                e += theta * s
                h += theta * Ks
                gain = -theta * (falls + 0.5 * theta * curve)
                searching = 0
            part = part * 0.3
            if (newton == 1) & (part < SHORTEST):
                d = tl.where(can, (level - h) / curvature, 0.0)
                part = 1.0
                newton = 0
        rounds += 1
        first_gain = tl.where(rounds == 1, gain, first_gain)
        going = ((rounds < MAX_ROUNDS) & (gain > ENOUGH * first_gain)).to(tl.int32)
    if tl.program_id(0) == 0:
        tl.store(moved + every, e)
