r"""A soft-margin dual whose Gram matrix is at hand, as exactly as float64 allows: an active set.

Problem     max_β  Σ v_t d_t − ½ dᵀKd,  d = β − β₀,   over   low ≤ β ≤ high,
            and, where the intercept is free, Σ d_t = 0
Optimal     with slopes v − Kd and a level b (0, or the multiplier of the equation): slope = b where
            β is inside its bounds, ≤ b at its lower one, ≥ b at its upper one
Step        on those inside their bounds, and some whose slope says that they should leave theirs:
            Newton's, K_FF d_F = v_F − b; where one would cross a bound, the step ends there
Start       the multipliers of a solver by pairs, which tell most of the bounds already, and which
            would need very many steps where K is nearly singular

The slopes are computed anew after every step, so that what rounding and the small number added to
the diagonal of K_FF (for ties, repetitions) changed is put right by the next one.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from certo.blas import few_threads
from certo.compiled.threads import one_thread
from certo.solvers.nearest_point import ONE_THREAD_BELOW_ROWS, RIDGE_PER_ROW
from certo.stop import Asked, go_on

DIFFERENCE_ROUNDING = 2.0**-50  # Rounding of K_ii − 2 K_ij + K_jj, relative to K_ii + K_jj.
MAX_IDLE_STEPS = 8  # Steps in vain after which no more is expected.


def box_newton(
    gram: np.ndarray,
    beta: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    slopes: np.ndarray,
    *,
    free: bool,
    eps: float = 0.0,
    most: int = 1000,
    asked: Asked = go_on,
) -> np.ndarray:
    """The best β from this one on, until no slope violates optimality by more than eps; `slopes`
    are those of the β given. `free`: Σ β_t must stay."""
    problem = _Box(gram, beta, low, high, slopes, free)
    best, highest, idle = beta, 0.0, 0
    inside = (beta > low) & (beta < high)
    with one_thread() if beta.size <= ONE_THREAD_BELOW_ROWS else nullcontext():
        for _ in range(most):
            beta, inside, whole, wrong = problem.step(beta, inside)
            gain = problem.gain(beta)
            idle = 0 if gain > highest * (1 + 1e-14) or not whole else idle + 1
            if gain > highest:
                best, highest = beta, gain
            if (whole and wrong <= eps) or idle >= MAX_IDLE_STEPS or asked():
                break
    return best


class _Box:
    def __init__(self, gram, start, low, high, slopes, free: bool):
        self.gram, self.start, self.low, self.high = gram, start, low, high
        self.first, self.free = slopes, free

    def slopes(self, beta: np.ndarray) -> np.ndarray:
        return self.first - self.gram @ (beta - self.start)

    def gain(self, beta: np.ndarray) -> float:
        """What the dual rose by."""
        return 0.5 * float((beta - self.start) @ (self.first + self.slopes(beta)))

    def step(self, beta, inside) -> tuple[np.ndarray, np.ndarray, bool, float]:
        """β after a step, which are inside, whether it was a whole one, and by how much the worst
        of the others violated optimality, if that is known."""
        slopes = self.slopes(beta)
        move, b = self._newton(beta, np.flatnonzero(inside), slopes)
        worst = np.inf
        if np.all(self._ratios(beta, move) >= 1):  # Check the other bounds.
            ahead = slopes - self.gram @ move - b
            wrong = np.where(beta <= self.low, ahead, np.where(beta >= self.high, -ahead, 0.0))
            wrong[inside | (self.low == self.high)] = 0.0
            worst = float(np.max(wrong, initial=0.0))
            inside, move = self._let_enter(beta, slopes, inside, wrong, move)
        ratios = self._ratios(beta, move)
        reach = float(np.min(ratios, initial=np.inf))
        beta = np.clip(beta + min(reach, 1.0) * move, self.low, self.high)
        if reach < 1:
            hit = ratios <= reach * (1 + 1e-12)
            beta[hit] = np.where(move[hit] < 0, self.low[hit], self.high[hit])
        return beta, inside & (beta > self.low) & (beta < self.high), reach >= 1, worst

    def _let_enter(self, beta, slopes, inside, wrong, move) -> tuple[np.ndarray, np.ndarray]:
        """Who is inside after the worst of the wrong ones may leave their bounds, and the move."""
        entering = np.flatnonzero(wrong > 0.1 * wrong.max(initial=0.0))
        entering = entering[np.argsort(-wrong[entering], kind="stable")]
        few = entering[:1]
        if self.free and not inside.any() and entering.size:  # One coordinate for each direction.
            rises = beta <= self.low
            few = np.array([np.argmax(np.where(side, wrong, -1.0)) for side in (rises, ~rises)])
        for some in (entering[: max(np.count_nonzero(inside) // 4, 8)], few):
            trial = inside.copy()
            trial[some] = True
            step, trial = self._drop_stuck(beta, slopes, trial)
            alone = self.free and np.count_nonzero(trial) == 1  # A single coordinate cannot move.
            if np.any(trial & ~inside) and not alone:
                return trial, step
        return inside, move

    def _drop_stuck(self, beta, slopes, inside) -> tuple[np.ndarray, np.ndarray]:
        """The step without those at a bound that it would carry beyond."""
        while True:
            move, _ = self._newton(beta, np.flatnonzero(inside), slopes)
            stuck = ((beta <= self.low) & (move < 0)) | ((beta >= self.high) & (move > 0))
            if not np.any(stuck):
                return move, inside
            inside = inside & ~stuck

    def _newton(self, beta, rows: np.ndarray, slopes) -> tuple[np.ndarray, float]:
        move = np.zeros(slopes.size)
        if not rows.size:
            return move, self._middle_level(beta, slopes) if self.free else 0.0
        part, aim = self.gram[np.ix_(rows, rows)], slopes[rows]
        if not self.free:
            move[rows] = _solve_with_ridge(part, aim)
            return move, 0.0
        # Only differences to one example, the base, so that the sum stays, and nothing is lost
        # where all images are far from the origin.
        base = int(np.argmax(np.minimum(beta - self.low, self.high - beta)[rows]))
        others = np.arange(rows.size) != base
        across = part[others, base]
        M = part[np.ix_(others, others)] - across[:, None] - across + part[base, base]
        change = np.zeros(rows.size)
        # What rounding leaves of these differences where images are equal is no length.
        doubt = others.size * DIFFERENCE_ROUNDING * (part.diagonal()[others] + part[base, base])
        change[others] = _solve_with_ridge(M, aim[others] - aim[base], doubt)
        change[base] = -change.sum()
        move[rows] = change
        return move, float(np.mean(aim - part @ change))

    def _middle_level(self, beta, slopes) -> float:
        """With none inside: the b between the slopes of those that can rise, and of those that can
        fall, so that some of both kinds are found wrong if any is."""
        most = float(np.max(slopes, where=beta < self.high, initial=-np.inf))
        least = float(np.min(slopes, where=beta > self.low, initial=np.inf))
        return 0.5 * (most + least) if np.isfinite(most + least) else 0.0

    def _ratios(self, beta, move) -> np.ndarray:
        """How much of the move each multiplier allows."""
        ratios = np.full(beta.size, np.inf)
        down, up = move < 0, move > 0
        with np.errstate(over="ignore"):  # The ratio of a tiny move may overflow.
            ratios[down] = (self.low - beta)[down] / move[down]
            ratios[up] = (self.high - beta)[up] / move[up]
        return ratios


def _solve_with_ridge(M: np.ndarray, aim: np.ndarray, doubt: np.ndarray | float = 0.0):
    """M⁻¹ aim, nearly, M being positive semi-definite up to rounding, which is at most √doubt_i
    √doubt_j in its entry ij, divided by the size of M."""
    if not aim.size:
        return aim
    diagonal = np.maximum(M.diagonal(), doubt)
    unit = 1 / np.sqrt(np.maximum(diagonal, 1e-30 * (float(diagonal.max()) or 1.0)))
    M, ridge = unit[:, None] * M * unit, RIDGE_PER_ROW * aim.size
    while True:
        shifted = M.copy()
        shifted.flat[:: aim.size + 1] += ridge
        try:
            with few_threads(len(shifted)):
                factor = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            ridge *= 100
        else:
            return cho_solve(factor, unit * aim, check_finite=False) * unit
