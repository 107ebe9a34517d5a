"""The quadratic program of a block of examples, all others being what they are.

Problem     min ½ eᵀKe − vᵀe  over low ≤ β + e ≤ high, and Σ e given where the intercept is free
Step        conjugate gradients on the multipliers that are free to move, those about to reach a
            bound excepted, which move there; the sum is cut at the box, shortened until it
            descends, then taken as far as is best. Where none descends, the gradient does
Reference   Bertsekas (1982), Projected Newton methods, for those about to reach a bound
Returns     e, in float32: the caller takes the step as far as the scores in float64 say
"""

from __future__ import annotations

import torch

MAX_ROUNDS, MAX_STEPS = 10, 10  # Of choosing who may move, and of conjugate gradients in each.
ENOUGH = 1e-3  # A round that gains less than this share of the first is the last.
SHORTEST_PART = 1e-3  # Of a step that is cut at the box.
NEAR_BOUND = 1e-3  # Distance from a bound, relative to the box, that is about to be reached.
SMALL_RESIDUAL = 1e-4  # Share of the squared residual at which conjugate gradients end.
HALVINGS, CLOSE = 20, 1e-6  # Of a shift; share of Σ|β| that a sum may be off.


def solve_block(
    K: torch.Tensor,
    slopes: torch.Tensor,
    beta: torch.Tensor,
    low: torch.Tensor,
    high: torch.Tensor,
    target: torch.Tensor | None,
    lift: float,
    *,
    max_rounds: int = MAX_ROUNDS,
    max_steps: int = MAX_STEPS,
) -> torch.Tensor:
    """e for the Gram matrix K + lift of the block, slopes v; Σ e = `target` where that is given."""
    least, most, near = low - beta, high - beta, NEAR_BOUND * (high - low)
    curvature = (K.diagonal() + lift).clamp(min=1e-30)
    e, h = torch.zeros_like(beta), -slopes
    first_gain, level = None, torch.zeros_like(h[:1]).sum()
    for _ in range(max_rounds):
        g = h - level
        can = ((e > least) | (g < 0)) & ((e < most) | (g > 0))
        ends = can & torch.where(g > 0, e - least <= near, most - e <= near)
        free = (can & ~ends).to(K.dtype)
        count = free.sum().clamp(min=1.0)
        if target is not None:
            level = (h * free).sum() / count
        d = _conjugate_gradients(K, (level - h) * free, free, count, target, lift, max_steps)
        d = torch.where(ends, -g / curvature, d)
        lowest, highest = torch.where(can, least, e), torch.where(can, most, e)
        part, newton = 1.0, True
        while True:
            s = _cut(e + part * d, lowest, highest, target) - e
            Ks = K @ s + lift * s.sum()
            falls, curve = h @ s, s @ Ks
            theta = (-falls / curve.clamp(min=1e-30)).clamp(0.0, 1.0)
            if theta > 0.05 or not (newton or part >= SHORTEST_PART):
                break
            part *= 0.3
            if newton and part < SHORTEST_PART:
                d, part, newton = torch.where(can, (level - h) / curvature, 0.0), 1.0, False
        e, h = e + theta * s, h + theta * Ks
        gain = float(-theta * (falls + 0.5 * theta * curve))
        first_gain = gain if first_gain is None else first_gain
        if not gain > ENOUGH * first_gain:
            break
    return e


def _conjugate_gradients(K, r, free, count, target, lift: float, most: int) -> torch.Tensor:
    """d with (K + lift) d near r among those that are free; Σ d = 0 where a target is given."""
    d, p, square = torch.zeros_like(r), r, r @ r
    end = SMALL_RESIDUAL * square
    for _ in range(most):
        if not square > end:
            break
        Kp = (K @ p + lift * p.sum()) * free
        if target is not None:
            Kp = Kp - free * (Kp.sum() / count)
        length = square / (p @ Kp).clamp(min=1e-30)
        d, r = d + length * p, r - length * Kp
        fresh = r @ r
        p, square = r + (fresh / square) * p, fresh
    return d


def _cut(z, least, most, target) -> torch.Tensor:
    """The nearest point of the box; of those with Σ = target, if that is given, by a shift that is
    found by Newton's method within halvings."""
    if target is None:
        return torch.minimum(torch.maximum(z, least), most)
    below, above, shift = (z - most).min(), (z - least).max(), torch.zeros((), dtype=z.dtype)
    shift = shift.to(z.device)
    enough = CLOSE * z.abs().sum()
    for _ in range(HALVINGS):
        over = torch.minimum(torch.maximum(z - shift, least), most).sum() - target
        if over.abs() <= enough:
            break
        below, above = torch.where(over > 0, shift, below), torch.where(over > 0, above, shift)
        inside = ((z - shift > least) & (z - shift < most)).sum()
        newton = shift + over / inside.clamp(min=1)
        good = (newton > below) & (newton < above)
        shift = torch.where(good, newton, 0.5 * (below + above))
    return torch.minimum(torch.maximum(z - shift, least), most)
