r"""The soft margin of few examples in a kernel's space, finished as exactly as float64 allows.

Dual        min ½αᵀQα − Σ α_t,  Q_st = y_s y_t K(x_s, x_t),  0 ≤ α_t ≤ c_t;  b free: Σ α_t y_t = 0;
            lifted: K + 1
Optimal     with the slopes s = Qα − 1 + b y: s_t = 0 inside the bounds, s_t ≥ 0 where α_t = 0,
            s_t ≤ 0 where α_t = c_t. (b is the multiplier of the equation, or 0)
Step        on the examples inside their bounds, and some whose slope says that they should leave
            theirs: Newton's, Q_FF d + b y_F = 1 − (Qα)_F, Σ d_t y_t = 0; where one would cross a
            bound, the step ends there
Start       the multipliers of a solver of many examples, which tell most of the bounds already

The slopes are computed anew after every step, so that what rounding and the small number added to
the diagonal of Q_FF (for ties, repetitions) changed is put right by the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from certo.solvers.free_intercept import balanced, smallest_b

RIDGE = 1e-15  # for each row, relative to the Gram matrix: what rounding may have done to it
IDLE = 8  # steps in vain after which no more is expected
EXACT = 1e-15  # a relative gap as small as it gets


class Finished(NamedTuple):
    alpha: np.ndarray  # 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    b: float
    scores: np.ndarray
    primal: float
    dual: float


def finished(
    gram: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    alpha: np.ndarray,
    asked: Callable[[], bool] = lambda: False,
) -> Finished:
    """The best multipliers from these on, given the Gram matrix of all examples."""
    problem = _Problem(gram, signs.astype(np.float64), costs, intercept)
    best, idle = problem.valued(alpha), 0
    highest = best.dual
    alpha, inside = best.alpha, (best.alpha > 0) & (best.alpha < costs)
    for _ in range(100 + 10 * costs.size):
        alpha, inside, whole = problem.step(alpha, inside)
        found = problem.valued(alpha)
        gap, least = found.primal - found.dual, best.primal - best.dual
        better = gap < least or found.dual > highest + EXACT * abs(highest)
        idle = 0 if better or not whole else idle + 1
        highest = max(highest, found.dual)
        best = found if gap < least else best
        if least <= EXACT * best.primal or idle >= IDLE or asked():
            break
    return best


class _Problem:
    def __init__(self, gram: np.ndarray, signs: np.ndarray, costs: np.ndarray, intercept: str):
        self.gram, self.signs, self.costs, self.intercept = gram, signs, costs, intercept
        self.Q = signs[:, None] * (gram + float(intercept == "lifted")) * signs

    def valued(self, alpha: np.ndarray) -> Finished:
        """The multipliers, feasible exactly, and what they are worth."""
        alpha = np.clip(alpha, 0.0, self.costs)
        if self.intercept == "free":
            alpha = balanced(alpha, self.signs.astype(np.int8), self.costs)
        coef = alpha * self.signs
        scores, b = self.gram @ coef, 0.0
        if self.intercept == "free":
            b = smallest_b(scores, self.signs, self.costs)
        elif self.intercept == "lifted":
            b = float(coef.sum())
        half = 0.5 * (float(coef @ scores) + (b * b if self.intercept == "lifted" else 0.0))
        losses = float(self.costs @ np.maximum(0.0, 1 - self.signs * (scores + b)))
        return Finished(alpha, b, scores, half + losses, float(alpha.sum()) - half)

    def step(self, alpha, inside) -> tuple[np.ndarray, np.ndarray, bool]:
        """The multipliers after a step, which are inside, and whether it was a whole one."""
        slopes = self.Q @ alpha - 1.0
        move, b = self._newton(alpha, np.flatnonzero(inside), slopes)
        if np.all(
            self._ratios(alpha, move) >= 1
        ):  # the bounds reached so far are right: which are not?
            ahead = slopes + self.Q @ move + b * self.signs
            wrong = np.where(alpha <= 0, -ahead, np.where(alpha >= self.costs, ahead, 0.0))
            wrong[inside | (self.costs == 0)] = 0.0
            entering = self._worst(wrong, int(inside.sum()))
            for some in (entering, self._fewest(alpha, entering, wrong, inside)):
                trial = inside.copy()
                trial[some] = True
                move, b, trial = self._without_stuck(alpha, slopes, trial)
                alone = self.intercept == "free" and trial.sum() == 1  # which cannot move
                if np.any(trial & ~inside) and not alone:
                    break
            inside = trial
        ratios = self._ratios(alpha, move)
        reach = float(np.min(ratios, initial=np.inf))
        alpha = np.clip(alpha + min(reach, 1.0) * move, 0.0, self.costs)
        if reach < 1:
            hit = ratios <= reach * (1 + 1e-12)
            alpha[hit] = np.where(move[hit] < 0, 0.0, self.costs[hit])
        inside = inside & (alpha > 0) & (alpha < self.costs)
        return alpha, inside, reach >= 1

    def _worst(self, wrong: np.ndarray, count: int) -> np.ndarray:
        """Those that should leave their bounds most, the worst first."""
        some = np.flatnonzero(wrong > 0.1 * wrong.max(initial=0.0))
        return some[np.argsort(-wrong[some], kind="stable")][: max(count // 4, 8)]

    def _fewest(self, alpha, entering, wrong, inside) -> np.ndarray:
        """The worst one alone; with none inside and an equation to hold, one for each direction."""
        if self.intercept != "free" or inside.any() or not entering.size:
            return entering[:1]
        rises = (self.signs > 0) == (alpha <= 0)
        worst = [np.argmax(np.where(side, wrong, -1.0)) for side in (rises, ~rises)]
        return np.array(worst)

    def _without_stuck(self, alpha, slopes, inside):
        """The step without those at a bound that it would carry beyond."""
        while True:
            move, b = self._newton(alpha, np.flatnonzero(inside), slopes)
            stuck = ((alpha <= 0) & (move < 0)) | ((alpha >= self.costs) & (move > 0))
            if not np.any(stuck):
                return move, b, inside
            inside = inside & ~stuck

    def _newton(self, alpha, rows: np.ndarray, slopes) -> tuple[np.ndarray, float]:
        move = np.zeros(slopes.size)
        free = self.intercept == "free"
        if not rows.size:
            return move, self._level(alpha, slopes) if free else 0.0
        y, part, aim = self.signs[rows], self.Q[np.ix_(rows, rows)], -slopes[rows]
        if not free:
            move[rows] = _solved(part, aim)
            return move, 0.0
        # in β = α y: only differences to one example, the base, so that the sum stays, and nothing
        # is lost where all images are far from the origin
        part, aim = y[:, None] * part * y, y * aim
        base = int(np.argmax(np.minimum(alpha, self.costs - alpha)[rows]))
        others = np.arange(rows.size) != base
        across = part[others, base]
        M = part[np.ix_(others, others)] - across[:, None] - across + part[base, base]
        missing = -float(self.signs @ alpha)  # what rounding left of the sum goes to the base
        beta = np.zeros(rows.size)
        beta[others] = _solved(M, aim[others] - aim[base])
        beta[base] = missing - beta.sum()
        move[rows] = y * beta
        return move, float(np.mean(aim - part @ beta))

    def _level(self, alpha, slopes) -> float:
        """With none inside: the b between what those want whose α·y can rise, and those whose can
        fall, so that some of both kinds are found wrong if any is."""
        wanted, used = -self.signs * slopes, self.costs > 0
        can_grow, can_shrink = used & (alpha < self.costs), used & (alpha > 0)
        rise = np.where(self.signs > 0, can_grow, can_shrink)
        fall = np.where(self.signs > 0, can_shrink, can_grow)
        if not (rise.any() and fall.any()):
            return 0.0
        return 0.5 * float(wanted[rise].max() + wanted[fall].min())

    def _ratios(self, alpha, move) -> np.ndarray:
        """How much of the move each multiplier allows."""
        ratios = np.full(alpha.size, np.inf)
        down, up = move < 0, move > 0
        ratios[down] = alpha[down] / -move[down]
        ratios[up] = (self.costs - alpha)[up] / move[up]
        return ratios


def _solved(M: np.ndarray, aim: np.ndarray) -> np.ndarray:
    """M⁻¹ aim, M being positive semi-definite up to rounding, nearly."""
    if not aim.size:
        return aim
    ridge = RIDGE * aim.size * (float(np.max(M.diagonal())) or 1.0)
    while True:
        shifted = M.copy()
        shifted.flat[:: aim.size + 1] += ridge
        try:
            factor = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            ridge *= 100
        else:
            return cho_solve(factor, aim, check_finite=False)
