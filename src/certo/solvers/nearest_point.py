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
(4) a small number is added to the diagonal of M, so rows that are affinely dependent (ties,
repetitions) do no harm. The slopes z_i·p are computed anew after every step, so what this or
rounding changed in one step is put right by the next: it is iterative refinement.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
from scipy import sparse
from scipy.linalg import lstsq
from scipy.linalg.lapack import dpotrf, dpotrs

from certo.compiled.nearest_point import exchange, solve_differences
from certo.compiled.threads import one_thread

RIDGE_PER_ROW = 1e-15  # Added to a Gram matrix, relative to it: what rounding may have done to it.
ROUNDING_UNIT = 2.0**-53
TINY_SQUARE = 1e-300
# The active set takes over from exchanges of pairs at this gap, or after so many for each row.
EXCHANGE_GAP, MAX_EXCHANGES_PER_ROW = 0.01, 5
# Work in multiplications of a plain loop: of an exchange, for each row; of a step, at least; and
# how many times faster matrices are multiplied and factored.
EXCHANGE_WORK, STEP_WORK, MATRIX_SPEED = 5.0, 3e5, 8.0
ONE_THREAD_BELOW_ROWS = 2000  # Matrices of up to so many rows are handled in one thread.
LAPACK_ABOVE_ROWS = 100  # Up to so many rows a step needs no LAPACK.
MAX_LSTSQ_NUMBERS = 2**20  # Numbers of a least squares problem, at most.
TOUCHING_DISTANCE = 1e-13  # Hulls this near, in lengths of rows, may as well meet.


class Gram:
    """Points known by their inner products alone, as those of a kernel are."""

    careful = False  # Whether steps are computed more exactly where possible.

    def __init__(self, gram: np.ndarray):
        self.gram = gram
        self.dimension = len(gram)
        self.radius2 = self.greatest = float(gram.diagonal().max())
        self.work = float(gram.size)

    def slopes(self, weights: np.ndarray) -> np.ndarray:
        """z_i·p for all i."""
        return self.gram @ weights

    def blur(self, size: float) -> float:
        """What rounding may do to ‖p‖² = λᵀGλ, relative to it: γ_2n·max G·(Σλ)², Σλ ≤ 2."""
        return 8 * ROUNDING_UNIT * len(self.gram) * self.radius2 / size if size > 0 else np.inf

    def solve(self, i, base, weights, fall) -> np.ndarray:
        """c with M c = fall, M_kl = (z_i[k] − z_base[k])·(z_i[l] − z_base[l]), nearly."""
        ridge = RIDGE_PER_ROW * i.size * self.greatest
        for _ in range(8):
            if i.size <= LAPACK_ABOVE_ROWS:
                move, good = solve_differences(self.gram, i, base, fall, ridge)
            else:
                move, good = self._solve_by_lapack(i, base, fall, ridge)
            if good:
                return move
            ridge *= 100
        return np.zeros(i.size)

    def _solve_by_lapack(self, i, base, fall, ridge) -> tuple[np.ndarray, bool]:
        gram = self.gram
        across = gram[i[:, None], base]
        M = gram[i[:, None], i] - across - across.T + gram[base[:, None], base]
        M.flat[:: i.size + 1] += ridge
        unit = 1 / np.sqrt(np.maximum(M.diagonal(), ridge))
        M *= unit[:, None] * unit
        factor, info = dpotrf(M.T, lower=1, overwrite_a=1, clean=0)
        return dpotrs(factor, unit * fall, lower=1)[0] * unit, info == 0


class Vectors(Gram):
    """Points that are the rows of an array or a CSR matrix Z, of length about 1."""

    def __init__(self, Z, group: np.ndarray):
        if sparse.issparse(Z) and 32 * Z.nnz > Z.shape[0] * Z.shape[1]:
            Z = Z.toarray()  # Dense rows are faster and not much larger.
        self.Z = centred = Z
        if not sparse.issparse(Z):  # Centring keeps precision where a group is far from 0.
            means = [Z[group == g].mean(axis=0) for g in range(int(group.max()) + 1)]
            centred = Z - np.array(means)[group]
        gram = centred @ centred.T
        self.gram = gram.toarray() if sparse.issparse(gram) else gram
        self.dimension, self.radius2 = Z.shape[1], 1.0
        self.greatest = float(self.gram.diagonal().max()) + TINY_SQUARE
        self.work = 2.0 * (Z.nnz if sparse.issparse(Z) else Z.size)

    def slopes(self, weights: np.ndarray) -> np.ndarray:
        return self.Z @ (self.Z.T @ weights)

    def blur(self, size: float) -> float:
        """p = Σ λ z is off by γ_n Σ λ ‖z‖, hence ‖p‖² by 2‖p‖ times that."""
        return 8 * ROUNDING_UNIT * len(self.gram) / np.sqrt(size) if size > 0 else np.inf

    def solve(self, i, base, weights, fall) -> np.ndarray:
        if not self.careful or i.size * self.dimension > MAX_LSTSQ_NUMBERS:
            return super().solve(i, base, weights, fall)
        # Σ c_k (z_i[k] − z_base[k]) nearest to −p: the square of M's conditioning is avoided
        steps = self.Z[i] - self.Z[base]
        steps = steps.toarray() if sparse.issparse(steps) else steps
        unit = 1 / np.maximum(np.sqrt(np.einsum("ij,ij->i", steps, steps)), 1e-150)
        large_first = np.argsort(-np.abs(steps).max(axis=0), kind="stable")
        A = (steps * unit[:, None]).T[large_first]
        p = (self.Z.T @ weights)[large_first]
        return lstsq(A, -p, cond=1e-15, lapack_driver="gelsy", check_finite=False)[0] * unit


def nearest_point(
    points: Gram,
    group: np.ndarray,
    weights: np.ndarray,
    *,
    tol: float = 1e-12,
    spend: Callable[[float], bool] = lambda multiplications: False,
) -> np.ndarray:
    """The weights λ of the nearest point, from `weights` on, until the relative gap
    (‖p‖² − Σ min z·p)/‖p‖² is at most `tol`, or nothing improves any more.

    `group` numbers the groups 0, 1, …. `spend` is told how many multiplications were made, and may
    return True to stop.
    """
    with one_thread() if group.size <= ONE_THREAD_BELOW_ROWS else nullcontext():
        return _nearest_point(points, group, weights, tol, spend)


def _nearest_point(points, group, weights, tol, spend) -> np.ndarray:
    n, groups = group.size, int(group.max()) + 1
    members = [np.flatnonzero(group == g) for g in range(groups)]
    weights, stopped = _exchange_pairs(points, group, weights, spend)
    best, best_gap, best_size, idle = weights, np.inf, np.inf, 0
    whole, before = False, 0.0
    for _ in range(200 + 20 * n):
        slope = points.slopes(weights)
        level = np.bincount(group, weights * slope, groups)
        size = float(level.sum())
        excess = slope - level[group]
        short = -sum(float(excess[some].min()) for some in members)
        gap = short / size if size > 0 else np.inf
        idle = 0 if size < best_size * (1 - 1e-13) else idle + 1
        # Of sizes that rounding does not tell apart, the gap says which is better.
        same = 1e-10 + points.blur(size)
        if size < best_size * (1 - same) or (size < best_size * (1 + same) and gap < best_gap):
            best, best_gap = weights, gap
        best_size = min(best_size, size)
        if gap <= tol or size <= TOUCHING_DISTANCE**2 * points.radius2 or idle >= 4 or stopped:
            break
        used = np.flatnonzero(weights)
        # After a whole step all slopes of a group are the same, but for rounding.
        if whole and np.abs(excess[used]).max() > 0.1 * before:
            idle += points.careful
            points.careful = True
        room = max(1, min(max(8, used.size // 4), points.dimension + groups - used.size))
        new = np.flatnonzero((weights == 0) & (excess < -0.01 * short))
        new = new[np.argsort(excess[new], kind="stable")[:room]]
        rows, before = np.concatenate([used, new]), short
        weights, whole, work = _step(points, group, slope, weights, rows)
        stopped = spend(work + points.work)
    return best


def _exchange_pairs(points, group, weights, spend) -> tuple[np.ndarray, bool]:
    """The weights after exchanges between pairs, until that is slow; and whether to stop."""
    n, weights = group.size, weights.copy()
    chunk = 100 + 2**18 // n
    stopped, groups = False, int(group.max()) + 1
    for _ in range(1 + MAX_EXCHANGES_PER_ROW * n // chunk):
        slope = points.slopes(weights)
        size = float(weights @ slope)
        made = exchange(points.gram, group, groups, weights, slope, size, EXCHANGE_GAP, chunk)
        stopped = spend(EXCHANGE_WORK * made * n + points.work)
        if made < chunk or stopped:
            break
    return _normalise(weights, group), stopped


def _step(points, group, slope, weights, rows) -> tuple[np.ndarray, bool, float]:
    """The weights after one step on these rows, whether it was a whole one, and what it cost."""
    work = 0.0
    while True:
        now = weights[rows]
        move = _towards_affine_hull(points, rows, group[rows], slope[rows], weights)
        work += STEP_WORK + rows.size**3 / MATRIX_SPEED + 6.0 * rows.size**2
        stuck = (now == 0) & (move < 0)
        if not stuck.any():
            break
        rows = rows[~stuck]
    end = now + move
    if end.min() >= 0:
        return _set_weights(weights, group, rows, end), True, work
    falling = move < 0
    ratio = np.full(rows.size, np.inf)
    ratio[falling] = now[falling] / -move[falling]
    reach = float(ratio.min())
    part, fall = points.gram[rows[:, None], rows], slope[rows]

    def change(step):
        """½‖p‖² after the step, less what it was."""
        return fall @ step + 0.5 * (step @ (part @ step))

    cut = _set_weights(weights, group, rows, np.maximum(end, 0))
    if change(cut[rows] - now) < change(reach * move):
        return cut, False, work
    end = np.maximum(now + reach * move, 0)
    end[ratio <= reach] = 0
    return _set_weights(weights, group, rows, end), False, work


def _towards_affine_hull(points, rows, group, slope, weights) -> np.ndarray:
    """The move of the weights, zero in sum for each group, that leads to the nearest point of the
    affine hull: M c = −(slope − slope of the base)."""
    now = weights[rows]
    bases = [int(np.argmax((group == g) * (1.0 + now))) for g in range(int(group.max()) + 1)]
    others = np.ones(rows.size, dtype=bool)
    others[bases] = False
    own = np.array(bases)[group[others]]
    move = np.zeros(rows.size)
    if own.size:
        fall = slope[own] - slope[others]
        move[others] = points.solve(rows[others], rows[own], weights, fall)
        for g, place in enumerate(bases):
            move[place] = -move[group == g].sum()
    return move


def _set_weights(weights, group, rows, values) -> np.ndarray:
    """Weights with these values at these rows and 0 elsewhere, adding up to 1 in each group."""
    after = np.zeros_like(weights)
    after[rows] = values
    return _normalise(after, group)


def _normalise(weights: np.ndarray, group: np.ndarray) -> np.ndarray:
    return weights / np.bincount(group, weights)[group]
