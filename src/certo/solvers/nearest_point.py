r"""The point nearest to the origin in a hull, or the shortest way between two: an active set.

Problem     min ½‖p‖²,  p = Σ λ_i z_i,  λ ≥ 0,  Σ_{i in g} λ_i = 1 for every group g
Given       the Gram matrix of the z_i (for a kernel, of their images), and the group of each
Optimal     when every z_i·p is at least s_g = Σ_{i in g} λ_i z_i·p, the level of its group;
            ‖p‖² − Σ_g min_{i in g} z_i·p ≥ 0 says how far from it (Frank–Wolfe's gap)
Step        on the rows with λ > 0 and some with z_i·p below their level, move towards the
            nearest point of their *affine* hull; where a weight would become negative, either
            stop there or cut the negative weights off, whichever comes nearer (so many rows can
            leave at once). ‖p‖ falls in every step, and there are finitely many affine hulls

Differences from Wolfe's algorithm (1976): (1) several groups; (2) rows enter and leave in blocks;
(3) only *differences* of rows within a group are factored, M_ij = (z_i − z_b)·(z_j − z_b) with one
row b of each group as its base, so nothing is lost where all rows are far from the origin;
(4) a small multiple of the diagonal is added to M, so rows that are affinely dependent (ties,
repetitions) do no harm. The slopes z_i·p are computed anew after every step, so what this or
rounding changed in one step is put right by the next: it is iterative refinement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from certo.compiled.pairs import exchange

RIDGE = 1e-14  # relative to the diagonal: far below what the next step cannot repair
ROUGH = 0.1  # the gap from which the active set takes over from exchanges of pairs,
EXCHANGES = 20  # or after so many exchanges for each row
TOUCHING = 1e-13  # hulls this near, compared with the rows, may as well meet


class NearestPoint(NamedTuple):
    weights: np.ndarray  # λ
    gap: float  # (‖p‖² − Σ min z·p) / ‖p‖², as computed


def nearest_point(
    gram: np.ndarray,
    group: np.ndarray,
    weights: np.ndarray,
    *,
    slopes: Callable[[np.ndarray], np.ndarray] | None = None,
    tol: float = 1e-12,
    dimension: int = 2**62,
    spend: Callable[[float], bool] = lambda multiplications: False,
) -> NearestPoint:
    """Improve `weights` until the relative gap is at most `tol`, or nothing improves any more.

    `group` numbers the groups 0, 1, …; `slopes(λ)` computes all z_i·p where that can be done more
    exactly than by gram @ λ, and then `gram` may be that of z_i − (any vector of the group).
    `dimension` is that of the space of the z_i: more rows than that (and one for each group) need
    not have weight together.
    `spend` is told how many multiplications were made, and may return True to stop.
    """
    slopes = slopes or (lambda weights: gram @ weights)
    n, groups = group.size, int(group.max()) + 1
    members = [np.flatnonzero(group == g) for g in range(groups)]
    zero = TOUCHING**2 * float(gram.diagonal().max())
    weights = weights.copy()
    slope = slopes(weights)
    made = exchange(
        gram, group, groups, weights, slope, float(weights @ slope), ROUGH, EXCHANGES * n
    )
    stopped = spend(2.0 * made * n)
    weights = _normalised(weights, group)
    best, best_gap, best_size, idle = weights, np.inf, np.inf, 0
    while True:
        slope = slopes(weights)
        level = np.bincount(group, weights * slope, groups)
        size = float(level.sum())
        excess = slope - level[group]
        short = -sum(float(excess[some].min()) for some in members)
        gap = short / size if size > 0 else np.inf
        idle = 0 if size < best_size * (1 - 1e-13) else idle + 1
        if size < best_size * (1 - 1e-10) or (size < best_size * (1 + 1e-10) and gap < best_gap):
            best, best_gap = weights, gap
        best_size = min(best_size, size)
        if gap <= tol or size <= zero or idle >= 4 or stopped:
            return NearestPoint(best, best_gap)
        used = np.flatnonzero(weights)
        room = max(1, min(max(8, used.size // 4), dimension + groups - used.size))
        new = np.flatnonzero((weights == 0) & (excess < -0.01 * short))
        new = new[np.argsort(excess[new], kind="stable")[:room]]
        weights, work = _step(gram, group, slope, weights, np.concatenate([used, new]))
        stopped = spend(work)


def _step(gram, group, slope, weights, rows) -> tuple[np.ndarray, float]:
    """The weights after one step on these rows, and what it cost."""
    work = 0.0
    while True:
        now = weights[rows]
        move = _towards_affine_hull(gram, rows, group[rows], slope[rows], now)
        work += rows.size**3 / 3.0 + 3.0 * rows.size**2
        stuck = (now == 0) & (move < 0)
        if not stuck.any():
            break
        rows = rows[~stuck]
    end = now + move
    if end.min() >= 0:
        return _with(weights, group, rows, end), work
    falling = move < 0
    ratio = np.full(rows.size, np.inf)
    ratio[falling] = now[falling] / -move[falling]
    reach = float(ratio.min())
    part, fall = gram[rows[:, None], rows], slope[rows]

    def change(step):
        """½‖p‖² after the step, less what it was."""
        return fall @ step + 0.5 * (step @ (part @ step))

    cut = _with(weights, group, rows, np.maximum(end, 0))
    if change(cut[rows] - now) < change(reach * move):
        return cut, work
    end = np.maximum(now + reach * move, 0)
    end[ratio <= reach] = 0
    return _with(weights, group, rows, end), work


def _towards_affine_hull(gram, rows, group, slope, weights) -> np.ndarray:
    """The move of the weights, zero in sum for each group, that leads to the nearest point of the
    affine hull: M c = −(slope − slope of the base)."""
    others = np.ones(rows.size, dtype=bool)
    base = [int(np.argmax((group == g) * (1.0 + weights))) for g in range(int(group.max()) + 1)]
    others[base] = False
    own = np.array(base)[group[others]]
    move = np.zeros(rows.size)
    if not own.size:
        return move
    i, b = rows[others], rows[own]
    across = gram[i[:, None], b]
    M = gram[i[:, None], i] - across - across.T + gram[b[:, None], b]
    diagonal = M.diagonal()
    unit = 1 / np.sqrt(np.maximum(diagonal, 1e-30 * diagonal.max() + 1e-300))
    M *= unit[:, None] * unit
    ridge = RIDGE * own.size
    info = 1
    while info:
        shifted = M.copy()
        shifted.flat[:: own.size + 1] += ridge
        factor, info = dpotrf(shifted.T, lower=1, overwrite_a=1, clean=0)
        ridge *= 100
    move[others] = dpotrs(factor, unit * (slope[own] - slope[others]), lower=1)[0] * unit
    for place, g in zip(base, range(len(base)), strict=True):
        move[place] = -move[group == g].sum()
    return move


def _with(weights, group, rows, values) -> np.ndarray:
    """Weights with these values at these rows and 0 elsewhere, adding up to 1 in each group."""
    after = np.zeros_like(weights)
    after[rows] = values
    return _normalised(after, group)


def _normalised(weights: np.ndarray, group: np.ndarray) -> np.ndarray:
    return weights / np.bincount(group, weights)[group]
