r"""The soft margin of few examples in a kernel's space: pairs on one Gram matrix for all outputs.

Method      `smo` on the whole matrix, to a smaller and smaller violation until the gap is small
            enough; where exactness is wanted, each time then Newton's step for the multipliers
            strictly inside their boxes, (K_FF 1; 1ᵀ 0)(Δβ_F; Δb) = (v_F − b; 0), if it helps
"""

from __future__ import annotations

import time

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
VIOLATION_FACTOR = 0.1
MAX_ROUNDS = 12
MAX_STEPS_PER_ROW = 20  # Beyond that Newton steps are quicker.
NO_TRACE = GapTrace(*(np.zeros(0) for _ in range(5)))
EXACT_GAP = 1e-12  # The relative gap of a solution that is exact but for rounding.


class SmallGram:
    """The Gram matrix of the examples, and the problems solved on it."""

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
        beta, slopes = np.zeros(m), signs.astype(np.float64)
        eps, kind = FIRST_VIOLATION, self.steps.dtype.type
        goal = EXACT_GAP if exactly else tol
        for _ in range(MAX_ROUNDS):
            # A constant taken from all slopes changes no pair, and leaves float32 more digits.
            centred = self.intercept == "free" and kind is np.float32
            shift = np.median(slopes) if centred and looks else 0.0
            v = (slopes - shift).astype(kind)
            most = MAX_STEPS_PER_ROW * m
            made = smo(self.steps, self.diagonal, beta, low, high, v, kind(eps), most)
            moved = self._polished(beta, v, low, high) if exactly else beta
            found = self._evaluated(problem, moved * signs)
            if exactly and found.gap > goal * found.primal:
                plain = self._evaluated(problem, beta * signs)
                found = plain if plain.gap < found.gap else found
            looks.append((time.perf_counter() - began, found.primal, found.dual))
            if asked():
                break
            if found.gap <= goal * found.primal:
                return self._with_trace(found, looks)
            if made >= most:
                break
            beta, slopes = found.alpha * signs, self._slopes(found, signs)
            eps *= VIOLATION_FACTOR
        return None

    def _slopes(self, found: KernelOutcome, signs: np.ndarray) -> np.ndarray:
        """y − Kβ, with K + 1 for K where the intercept is lifted."""
        lift = float(found.alpha @ signs) if self.intercept == "lifted" else 0.0
        return signs - found.scores - lift

    def _polished(self, beta, v, low, high) -> np.ndarray:
        """Newton's step for the multipliers inside their boxes, v being y − Kβ, but for a constant
        where the intercept is free; the same ones, if it fails."""
        inside = np.flatnonzero((beta > low) & (beta < high))
        n, free = inside.size, int(self.intercept == "free")
        system = np.zeros((n + free, n + free))
        system[:n, :n] = self.matrix[np.ix_(inside, inside)]
        if free:
            system[:n, n] = system[n, :n] = 1.0
        try:
            step = np.linalg.solve(system, np.append(v[inside], np.zeros(free)))[:n]
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
    """The inner products of few examples with many features, in the memory that the last part had;
    scores in float64 are those of w = Σ β_t x_t."""

    def __init__(self, X: np.ndarray, intercept: str, room: np.ndarray):
        self.intercept, self.X, m = intercept, X.astype(np.float64, copy=False), len(X)
        rough = X.astype(np.float32, copy=False)
        self.steps = np.matmul(rough, rough.T, out=room[: m * m].reshape(m, m))
        if intercept == "lifted":
            self.steps += 1
        self.diagonal = np.ascontiguousarray(self.steps.diagonal())

    def _scores(self, coef: np.ndarray) -> np.ndarray:
        some = np.flatnonzero(coef)
        return self.X @ (coef[some] @ self.X[some])
