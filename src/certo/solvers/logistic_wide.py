r"""Logistic problems with many coordinates: Newton's method with inexact steps.

All K vectors are kept, in the symmetric form, whose sum stays 0; two classes have one.

Start   with a ridge: from the dual (`logistic_dual`), else at 0
Step    by conjugate gradients (`logistic_system`), the nearer to Newton's the nearer the end
        (Eisenstat and Walker 1996). It is taken so far that the risk along it has its minimum,
        nearly: a trial costs no pass over the examples, as scores move in proportion. Then the
        intercepts are set by Newton's method of their own, which needs the scores only
Stop    with a ridge when strong convexity proves (`certificates.logistic_ridge`) that no more
        than `tol` is left, else when the decrement says so
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from certo.compiled.logistic import several_classes, two_classes
from certo.compiled.logistic_wide import along_several, along_two
from certo.compiled.threads import in_pieces, pieces
from certo.solvers.logistic_dual import ascend
from certo.solvers.logistic_system import NewtonSystem
from certo.solvers.logistic_tables import table_of

LOOSEST, CAREFUL = 0.3, 0.05  # residuals of a step; the second where a minimiser is doubted
EARLY = 0.03  # the dual has served its turn when so many more visits bring less than this share
TRIALS = 16  # of a step's length
NEAR = 0.25  # share of the slope at first that may be left at the end of a step
WHOLE = 0.9  # a step that is nearly Newton's
ARMIJO, ROUNDING = 1e-4, 2.0**-50
LEFT = 0.5  # of tol may be left: the rest is for the rounding of who checks it
SPARE = 1e-2  # without a ridge: of tol
COSTLY = 32  # multiplications that an exponential is worth


class Point(NamedTuple):
    """Weights, and what is seen there."""

    W: np.ndarray  # (p, outputs)
    scores: np.ndarray  # (m, outputs)
    loss: float
    objective: float
    parts: np.ndarray  # probabilities (m, K), or s σ(f)σ(−f) (m, 1) for two classes
    gradient: np.ndarray  # (p, outputs)


class Wide:
    """The problem; `alive` (m, K) marks the classes whose scores count, None for all."""

    def __init__(self, X, codes, classes: int, shares, lift: bool, ridge: float, alive=None):
        self.table = table_of(X, lift)
        self.codes, self.classes, self.shares, self.ridge = codes, classes, shares, ridge
        self.m, self.d, self.p = self.table.m, self.table.d, self.table.p
        self.lift, self.outputs = lift, 1 if classes == 2 else classes
        self.system = NewtonSystem(self.table, shares, ridge)
        self.signs = np.where(codes == 1, 1.0, -1.0)
        self.whole = alive is None
        shape = (self.m, self.outputs)
        self.alive = np.ones(shape, bool) if alive is None else np.ascontiguousarray(alive)
        self._own = shares[:, None] * (codes[:, None] == np.arange(classes))
        self._ranges = pieces(self.m, COSTLY * self.m * self.outputs)
        self._weights = self._own.sum(axis=0)
        self._lengths = self._class_lengths() if ridge and lift else np.zeros(classes)

    def start(self, asked: Callable[[], bool]) -> np.ndarray:
        """From the dual, if it is better than nothing."""
        best = np.zeros((self.p, self.outputs))
        if not (self.ridge and self.whole and self.system.kind == np.float32):
            return best
        pi = self._weights[self._weights > 0]
        least = -float(pi @ np.log(pi)) if self.lift else np.log(self.classes)
        for W in ascend(self.table, self.codes, self.classes, self.shares, self.ridge):
            if self.outputs > 1:
                W -= W.mean(axis=1, keepdims=True)
            loss = self._seen(self.table.times(W))[0]
            value, last = loss + self._penalty(W), least
            if value < least:
                best, least = W, value
            if self.system.blocked or not value < (1 - EARLY) * last or asked():
                break
        return best

    def point(self, W: np.ndarray, scores: np.ndarray) -> Point:
        """What is seen at W, after its intercepts have been set."""
        loss, parts, slopes = self._seen(scores)
        for _ in range(2 if self.lift else 0):
            before = slopes.sum(axis=0)
            move = self._intercepts(parts, before)
            new = self._seen(scores + move)
            nearer = np.linalg.norm(new[2].sum(axis=0)) < np.linalg.norm(before)
            if not new[0] <= loss + nearer * ROUNDING * loss:  # near the end it is rounding
                break
            W, scores = W.copy(), scores + move
            W[self.d] += move
            loss, parts, slopes = new
        gradient = self.table.sums(slopes)
        gradient[: self.d] += self.ridge * W[: self.d]
        return Point(W, scores, loss, loss + self._penalty(W), parts, gradient)

    def _seen(self, scores: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The loss, its curvature and its slopes in the scores."""
        parts, slopes = np.empty_like(scores), np.empty_like(scores)

        def two(k, a, b):
            roots, some = np.empty(b - a), slice(a, b)
            loss = two_classes(
                scores[some, 0], self.signs[some], self.shares[some], slopes[some, 0], roots
            )
            np.square(roots, out=parts[some, 0])
            return loss

        def several(k, a, b):
            some = slice(a, b)
            loss = several_classes(
                scores[some], self.codes[some], self.shares[some], self.alive[some], parts[some]
            )
            np.multiply(parts[some], self.shares[some, None], out=slopes[some])
            slopes[some] -= self._own[some]
            return loss

        losses = in_pieces(self._ranges, two if self.outputs == 1 else several)
        return float(sum(losses)), parts, slopes

    def _penalty(self, W: np.ndarray) -> float:
        return 0.5 * self.ridge * float(np.sum(W[: self.d] ** 2))

    def _intercepts(self, parts: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Newton's step in the intercepts alone."""
        if self.outputs == 1:
            return -slopes / max(float(parts.sum()), np.finfo(float).tiny)
        shared = parts * self.shares[:, None]
        H = np.diag(shared.sum(axis=0)) - shared.T @ parts
        return -np.linalg.lstsq(H, slopes, rcond=1e-12)[0]

    def left(self, point: Point) -> float:
        """How far the objective can be above its minimum, as `logistic_ridge` has it."""
        if not self.ridge or not self.whole:
            return np.inf
        pull, aside = point.gradient[: self.d], 0.0
        if self.lift:
            moved, bias = point.gradient[self.d], self.outer(point.W)[1]
            pull = pull + self.table.centre[:, None] * moved
            one = self.outputs == 1
            far = np.sqrt(2 * point.objective / self.ridge) * (1.0 if one else 1.5)
            some = self._weights > 0
            most = np.max((point.objective + far * self._lengths[some]) / self._weights[some])
            here = abs(float(bias[0])) if one else float(np.ptp(bias))
            aside = (1.0 if one else 0.5) * float(np.abs(moved).sum()) * (float(most) + here)
        return float(np.sum(pull**2)) / (2 * self.ridge) + aside

    def _class_lengths(self) -> np.ndarray:
        """The length of each class's weighted sum of x."""
        sums = self.table.sums(self._own)[: self.d] + self.table.centre[:, None] * self._weights
        return np.linalg.norm(sums, axis=0)

    def inner(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """Weights of x̃ = (x − centre, 1)."""
        W = coef.T.astype(np.float64)
        return np.vstack([W, intercept + self.table.centre @ W]) if self.lift else W

    def outer(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """coef and intercept, of x."""
        coef, bias = W[: self.d].T.copy(), np.zeros(self.outputs)
        if self.lift:
            bias = W[self.d] - coef @ self.table.centre
        if self.outputs > 1:
            coef, bias = coef - coef.mean(axis=0), bias - bias.mean()
        return coef, bias

    def step(self, point: Point, share: float, enough: float) -> np.ndarray:
        step = self.system.solve(point.parts, -point.gradient, share, enough)
        return step if self.outputs == 1 else step - step.mean(axis=1, keepdims=True)

    def length(self, point: Point, step: np.ndarray, moves: np.ndarray) -> float:
        """Nearly the best t ≥ 0 for W + t·step, by Newton's method between bounds; 0 if the
        objective does not fall."""
        W, S = point.W[: self.d], step[: self.d]
        linear, square = self.ridge * float(np.sum(W * S)), self.ridge * float(np.sum(S * S))

        def at(t: float) -> tuple[float, float, float]:
            def two(k, a, b):
                some = slice(a, b)
                return along_two(
                    point.scores[some], moves[some], t, self.signs[some], self.shares[some]
                )

            def several(k, a, b):
                some = slice(a, b)
                return along_several(
                    point.scores[some], moves[some], t, self.codes[some], self.shares[some],
                    self.alive[some],
                )  # fmt: skip

            found = in_pieces(self._ranges, two if self.outputs == 1 else several)
            loss, slope, curve = np.sum(found, axis=0)
            risen = loss - point.loss + t * linear + 0.5 * t * t * square
            return float(risen), float(slope + linear + t * square), float(curve + square)

        first = float(np.sum(point.gradient * step))
        noise = ROUNDING * abs(point.objective)
        t, low, high = 1.0, 0.0, np.inf
        for _ in range(TRIALS):
            risen, slope, curve = at(t)
            if abs(slope) <= NEAR * abs(first) and risen <= ARMIJO * t * first + noise:
                return t
            if slope > 0 or not np.isfinite(risen):
                high = t
            else:
                low = t
            t = t - slope / curve if curve > 0 else np.inf
            if not low < t < high:
                t = 0.5 * (low + high) if high < np.inf else 4 * low
        return low  # convex: it falls as far as there


class End(NamedTuple):
    point: Point
    step: np.ndarray | None
    decrement: float
    steps: int


def descend_wide(problem: Wide, W: np.ndarray | None, run: Any) -> End:
    """Steps until `run` (see `logistic`) has a reason to stop."""
    if W is None:
        W = problem.start(run.asked) if run.damped else np.zeros((problem.p, problem.outputs))
    point = problem.point(W, problem.table.times(W))
    run.note(point, np.nan, 0.0)
    loosest = CAREFUL if run.doubts else LOOSEST
    end, first, slow, t = End(point, None, np.inf, 0), float(np.linalg.norm(point.gradient)), 0, 0.0
    goal = LEFT * run.tol
    enough = np.sqrt(0.4 * goal * problem.ridge) if problem.whole else 0.0
    while True:
        left = problem.left(point)
        run.stopped = _why(run, point, left <= goal, end.steps)
        if run.stopped:
            return end
        size = float(np.linalg.norm(point.gradient))
        step = problem.step(point, min(loosest, np.sqrt(size / (first or 1.0))), enough)
        square = -float(np.sum(step * point.gradient))
        decrement = float(np.sqrt(max(square, 0.0)))
        run.notes[-1] = (*run.notes[-1][:3], decrement, run.notes[-1][4])
        slow = slow + 1 if decrement > run.wild * end.decrement and t >= WHOLE else 0
        end = end._replace(step=step, decrement=decrement)
        if run.doubts and slow >= run.patience:
            run.stopped = "runs away"
            return end
        moves = problem.table.times(step)
        t = problem.length(point, step, moves) if run.damped else 1.0
        new = problem.point(point.W + t * step, point.scores + t * moves) if t > 0 else point
        still = run.damped and not new.objective < point.objective
        if still and not np.linalg.norm(new.gradient) < 0.5 * size:
            if problem.system.kind == np.float64:
                run.stopped = "no progress"
                return end
            problem.system.kind = np.dtype(np.float64)  # what float32 could not see
            continue
        point = new
        run.note(point, np.nan, t)
        end = end._replace(point=point, steps=end.steps + 1)
        if left == np.inf and 0.5 * square <= SPARE * run.tol:
            run.stopped = "optimal"
            return end


def _why(run: Any, point: Point, done: bool, steps: int) -> str:
    if not np.isfinite(point.objective):
        return "diverged"
    if point.loss <= run.threshold:
        return "threshold"
    if done:
        return "optimal"
    if steps >= run.most:
        return "iterations"
    return "interrupted" if run.asked() or run.after_step(steps, point.loss) else ""
