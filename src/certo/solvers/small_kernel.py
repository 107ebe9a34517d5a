r"""The soft margin of few examples in a kernel's space: pairs on one Gram matrix for all outputs.

Method      `smo` on the whole matrix, to a smaller and smaller violation until the gap is small
            enough; where exactness is wanted, each time then Newton's step for the multipliers
            strictly inside their boxes, (K_FF 1; 1ᵀ 0)(Δβ_F; Δb) = (v_F − b; 0), if it helps
"""

from __future__ import annotations

import time
from math import isqrt

import numpy as np

from certo.compiled.small_soft_margin import combine
from certo.compiled.smo import smo_pairs, smo_single
from certo.kernels.base import Kernel
from certo.kernels.precomputed import Precomputed
from certo.problems.soft_margin import SoftMargin
from certo.solvers.gap_ledger import GapTrace
from certo.solvers.gram import Images
from certo.solvers.kernel_soft_margin import KernelOutcome
from certo.stop import Asked, Stop

MAX_SMALL_ROWS = 2000  # Examples whose whole Gram matrix is made: 32 MB.
SINGLE_ABOVE_ROWS = 512  # Examples from which on the steps are made in float32, to save memory.
FIRST_VIOLATION = 3e-4  # Slopes are differences of scores and ±1; LIBSVM stops at 1e-3.
VIOLATION_BEFORE_NEWTON = 3e-3  # By then it is mostly known which multipliers are in their boxes.
VIOLATION_FACTOR = 0.1
MAX_NEWTON_MULTIPLIERS = 500  # Inside their boxes, of examples with many features.
MAX_SMALL_ROUNDS = 12  # Of steps, each to a smaller violation.
FIRST_ACTIVE_ROWS = 256  # Examples of many features that steps begin with.
MAX_STEPS_PER_ROW = 20  # Beyond that Newton steps are quicker.
NO_TRACE = GapTrace(*(np.zeros(0) for _ in range(5)))
EXACT_GAP = 1e-12  # The relative gap of a solution that is exact but for rounding.


class SmallGram:
    """The Gram matrix of the examples, and the problems solved on it."""

    # Whether so few multipliers are inside their boxes that Newton's step for them saves time.
    has_few_free = False
    first_violation = FIRST_VIOLATION

    def __init__(self, K: np.ndarray, intercept: str):
        self.K, self.intercept = np.ascontiguousarray(K, dtype=np.float64), intercept
        lifted = self.K + 1.0 if intercept == "lifted" else self.K
        self.matrix = lifted
        self.steps = lifted.astype(np.float32) if len(lifted) > SINGLE_ABOVE_ROWS else lifted
        self.diagonal = np.ascontiguousarray(self.steps.diagonal())

    @classmethod
    def of(cls, kernel: Kernel, X, intercept: str) -> SmallGram:
        if isinstance(kernel, Precomputed):
            return cls(X, intercept)
        X = X.astype(np.float64, copy=False) if kernel.takes == "vectors" else X
        return cls(kernel._block(X, kernel.take(X, slice(None))), intercept)

    def part(self, rows: np.ndarray) -> SmallGram:
        """That of some of the examples."""
        return SmallGram(self.K[rows][:, rows], self.intercept)

    def soft_margin(
        self, signs: np.ndarray, costs: np.ndarray, tol: float, exactly: bool, asked: Asked
    ) -> KernelOutcome | None:
        """The outcome with a relative gap of tol, or if wanted one that is exact but for rounding;
        None, if it is not reached before `asked` says why to stop."""
        began, m = time.perf_counter(), signs.size
        low, high = np.where(signs > 0, 0.0, -costs), np.where(signs > 0, costs, 0.0)
        smo = smo_pairs if self.intercept == "free" else smo_single
        problem = SoftMargin(signs, costs, self.intercept)
        looks: list[tuple[float, float, float]] = []
        beta, slopes, b = np.zeros(m), signs.astype(np.float64), 0.0
        eps, kind = self.first_violation, self.kind
        goal = EXACT_GAP if exactly else tol
        for _ in range(MAX_SMALL_ROUNDS):
            # The same number taken from all slopes changes no pair, and leaves float32 more digits.
            centred = self.intercept == "free" and kind is np.float32
            v = (slopes - (b if centred else 0.0)).astype(kind)
            most = MAX_STEPS_PER_ROW * m
            made = self._descend(smo, beta, low, high, v, kind(eps), most)
            polishes = exactly or self.has_few_free
            moved = self._polished(beta, v, low, high) if polishes else beta
            found = self._evaluated(problem, moved * signs)
            if polishes and found.gap > goal * found.primal:
                plain = self._evaluated(problem, beta * signs)
                found = plain if plain.gap < found.gap else found
            looks.append((time.perf_counter() - began, found.primal, found.dual))
            if asked():
                break
            if found.gap <= goal * found.primal:
                return self._with_trace(found, looks)
            if made >= most:
                break
            beta, slopes, b = found.alpha * signs, self._slopes(found, signs), found.b
            eps *= VIOLATION_FACTOR
        return None

    @property
    def kind(self) -> type[np.floating]:
        """The type of numbers that steps are made with."""
        return self.steps.dtype.type

    def _descend(self, smo, beta, low, high, v, eps, most: int) -> int:
        """Steps until no pair violates by more than eps; how many were made."""
        return smo(self.steps, self.diagonal, beta, low, high, v, eps, most)

    def _slopes(self, found: KernelOutcome, signs: np.ndarray) -> np.ndarray:
        """y − Kβ, with K + 1 for K where the intercept is lifted."""
        lift = float(found.alpha @ signs) if self.intercept == "lifted" else 0.0
        return signs - found.scores - lift

    def _polished(self, beta, v, low, high) -> np.ndarray:
        """Newton's step for the multipliers inside their boxes, v being y − Kβ, but for a constant
        where the intercept is free; the same ones, if it fails."""
        inside = np.flatnonzero((beta > low) & (beta < high))
        return self._newton(inside, self.matrix[np.ix_(inside, inside)], v[inside], beta, low, high)

    def _newton(self, inside, matrix, v, beta, low, high) -> np.ndarray:
        n, free = inside.size, int(self.intercept == "free")
        system = np.zeros((n + free, n + free))
        system[:n, :n] = matrix
        if free:
            system[:n, n] = system[n, :n] = 1.0
        try:
            step = np.linalg.solve(system, np.append(v, np.zeros(free)))[:n]
        except np.linalg.LinAlgError:
            return beta
        moved = beta.copy()
        moved[inside] += step
        return np.clip(moved, low, high)

    def _evaluated(self, problem: SoftMargin, alpha: np.ndarray) -> KernelOutcome:
        """The multipliers, feasible exactly, and their objective values."""
        alpha = problem.feasible(alpha)
        coef = alpha * problem.signs
        scores = self._scores(coef)
        b, square = problem.best_intercept(scores, float(coef.sum())), float(coef @ scores)
        primal, dual = problem.primal(square, scores, b), problem.dual(square, alpha)
        return KernelOutcome(alpha, b, scores, primal, dual, 0, Stop.CONVERGED, NO_TRACE)

    def _scores(self, coef: np.ndarray) -> np.ndarray:
        """Kβ in float64."""
        few = 2 * np.count_nonzero(coef) < coef.size  # A column of K is a row of it.
        return combine(coef, self.K) if few else self.K @ coef

    def _with_trace(self, found: KernelOutcome, looks) -> KernelOutcome:
        """What was known after the last look is what was found then."""
        looks[-1] = (looks[-1][0], found.primal, found.dual)
        seconds, primal, dual = np.array(looks).T
        n = seconds.size
        if n > 1:
            primal, dual = np.minimum.accumulate(primal), np.maximum.accumulate(dual)
        trace = GapTrace(np.zeros(n, np.int64), seconds, np.arange(1, n + 1), primal, dual)
        return found._replace(passes=n, trace=trace)


class PartOfGram(SmallGram):
    """The Gram matrix of some of many examples, in the memory that the last part had; scores in
    float64 are made of kernel values as they are needed."""

    def __init__(self, images: Images, rows: np.ndarray, intercept: str):
        self.images, self.rows, self.intercept = images, rows, intercept
        self.steps = images.part(rows, images.single)
        if intercept == "lifted":
            self.steps += 1
        self.diagonal = np.ascontiguousarray(self.steps.diagonal())

    def _scores(self, coef: np.ndarray) -> np.ndarray:
        some = np.flatnonzero(coef)
        return self.images.part_scores(self.rows, some, coef[some])


class PartOfProducts(SmallGram):
    """Few examples with many features. Most of them are often far beyond the margin: steps are made
    on some, by their inner products in the memory that the last part had, and those that violate
    then are added. Scores of all, in float64, are those of w = Σ β_t x_t. No more multipliers than
    there are features are inside their boxes, but for ties: Newton's step for these is the end."""

    kind = np.float32
    has_few_free = True
    first_violation = VIOLATION_BEFORE_NEWTON

    def __init__(self, X: np.ndarray, intercept: str, room: np.ndarray):
        self.intercept, self.X = intercept, X.astype(np.float64, copy=False)
        self.rough, self.room = X.astype(np.float32, copy=False), room
        self.active = np.zeros(0, np.intp)

    def _descend(self, smo, beta, low, high, v, eps, most: int) -> int:
        m, made, signs = v.size, 0, np.where(high > 0, 1.0, -1.0)
        if not self.active.size:
            few = m <= 2 * FIRST_ACTIVE_ROWS
            self._add(np.arange(m) if few else _innermost(self.X, signs, FIRST_ACTIVE_ROWS))
        while True:
            some = self.active
            steps = self.room[: some.size**2].reshape(some.size, -1)
            part, slopes = beta[some], v[some]
            budget = (most - made) * isqrt(self.room.size) // some.size
            made_here = smo(
                steps, steps.diagonal().copy(), part, low[some], high[some], slopes, eps, budget
            )
            made += -(-made_here * some.size // isqrt(self.room.size))
            beta[some] = part
            if some.size == m or made >= most:
                return made
            now = signs - self._scores(beta)
            now -= float(beta.sum()) if self.intercept == "lifted" else 0.0
            v[:] = now - self._middle(now[some], part, low[some], high[some])
            violation = np.maximum(np.where(beta < high, v, 0), np.where(beta > low, -v, 0))
            violation[some] = 0
            worse = np.flatnonzero(violation > eps)
            if not worse.size:
                return made
            more = isqrt(self.room.size) - some.size
            if worse.size > more:
                return most  # So many matter that there may be no memory for all.
            more = min(some.size, more)
            if worse.size > more:
                worse = worse[np.argpartition(violation[worse], -more)[-more:]]
            self._add(worse)

    def _polished(self, beta, v, low, high) -> np.ndarray:
        """By inner products and slopes in float64."""
        inside = np.flatnonzero((beta > low) & (beta < high))
        if inside.size > min(self.X.shape[1] + 1, MAX_NEWTON_MULTIPLIERS):
            return beta
        some, X = np.flatnonzero(beta), self.X[inside]
        lift = self.intercept == "lifted"
        slopes = np.sign(high + low)[inside] - X @ (beta[some] @ self.X[some])
        slopes -= float(beta.sum()) if lift else 0.0
        return self._newton(inside, X @ X.T + float(lift), slopes, beta, low, high)

    def _middle(self, slopes, beta, low, high) -> float:
        """Between the slopes that can rise and those that can fall."""
        rise, fall = slopes[beta < high], slopes[beta > low]
        if self.intercept != "free" or not (rise.size and fall.size):
            return 0.0
        return float(rise.max() + fall.min()) / 2

    def _add(self, new: np.ndarray) -> None:
        """Make these examples active, too."""
        old = self.active.size
        before = self.room[: old * old].reshape(old, old).copy()
        self.active = some = np.append(self.active, new)
        steps = self.room[: some.size**2].reshape(some.size, -1)
        steps[:old, :old] = before
        part = self.rough[some]
        np.matmul(part[old:], part.T, out=steps[old:])
        if self.intercept == "lifted":
            steps[old:] += 1
        steps[:old, old:] = steps[old:, :old].T

    def _scores(self, coef: np.ndarray) -> np.ndarray:
        some = np.flatnonzero(coef)
        return self.X @ (coef[some] @ self.X[some])


def _innermost(X: np.ndarray, signs: np.ndarray, count: int) -> np.ndarray:
    """Of each class the examples that are nearest to the mean of the other, half as many."""
    first, second = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
    if not (first.size and second.size):
        return np.arange(count)
    direction = X[first].mean(axis=0) - X[second].mean(axis=0)
    toward = X @ direction
    chosen = [
        rows[np.argsort(side * toward[rows])[: count // 2]]
        for rows, side in ((first, 1), (second, -1))
    ]
    return np.concatenate(chosen)
