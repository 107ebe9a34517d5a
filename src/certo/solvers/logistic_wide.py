r"""Logistic problems with many coordinates: Newton's method with inexact steps.

All K vectors are kept, in the symmetric form, whose sum stays 0; two classes have one.

Start   with a ridge: from the dual (`ascend`), else at 0
Step    by conjugate gradients (`logistic_system`), the nearer to Newton's the nearer the end
        (Eisenstat and Walker 1996). It is taken so far that the risk along it has its minimum,
        nearly: a trial costs no pass over the examples, as scores move in proportion. Then the
        intercepts are set by Newton's method of their own, which needs the scores only
Stop    with a ridge when strong convexity proves (`certificates.logistic_ridge`) that no more
        than `tol` is left, else when the decrement says so
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from certo.compiled.logistic import several_classes, two_classes
from certo.compiled.logistic_wide import along_several, along_two, ascend_several, ascend_two
from certo.compiled.threads import in_pieces, pieces
from certo.problems.logistic import Weights
from certo.solvers.logistic_rows import centred_weights, plain_weights
from certo.solvers.logistic_system import NewtonSystem
from certo.solvers.logistic_tables import DenseTable, SparseTable, table_of
from certo.solvers.newton import ARMIJO_SHARE, LAST_STEP_SHARE, ROUNDING, NewtonRun
from certo.stop import Asked, Stop

MAX_RESIDUAL = 0.3  # The share of the gradient that a step may leave;
MAX_RESIDUAL_IN_DOUBT = 0.05  # Where a minimiser is doubted, this share.
MIN_DUAL_GAIN = 0.03  # The dual is left once its next visits bring less than this share.
MAX_TRIALS = 16  # Trials of a step's length.
MAX_SLOPE_LEFT = 0.25  # The share of its first slope that may be left at the end of a step.
PROVED_SHARE = 0.5  # With a ridge, the share of `tol` that may be left: a check adds its rounding.
EXPONENTIAL_COST = 8  # Multiplications that an exponential is worth.
OTHERS_SHARE = 1e-3  # What classes other than its own have of an example when the dual begins.
INTERCEPT_SHARE = 0.1  # Of the squared length of examples: the square of the intercepts' column.
DUAL_VISITS = (5, 5, 10, 20)  # Visits to every example between two looks at what was reached;
BLOCKED_DUAL_VISITS = (2,)  # so many where each class has a preconditioner of its own.


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
        self._ranges = pieces(self.m, EXPONENTIAL_COST * self.m * self.outputs)
        self._weights = self._own.sum(axis=0)
        self._lengths = self._class_lengths() if ridge and lift else np.zeros(classes)

    def start(self, asked: Asked) -> np.ndarray:
        """From the dual, if it is better than nothing."""
        best = np.zeros((self.p, self.outputs))
        if not (self.ridge and self.whole and self.system.kind == np.float32):
            return best
        pi = self._weights[self._weights > 0]
        least = -float(pi @ np.log(pi)) if self.lift else np.log(self.classes)
        visits = BLOCKED_DUAL_VISITS if self.system.blocked else DUAL_VISITS
        for W in ascend(self.table, self.codes, self.classes, self.shares, self.ridge, visits):
            if self.outputs > 1:
                W -= W.mean(axis=1, keepdims=True)
            loss = self._seen(self.table.times(W))[0]
            value, last = loss + self._penalty(W), least
            if value < least:
                best, least = W, value
            if not value < (1 - MIN_DUAL_GAIN) * last or asked():
                break
        return best

    def point(self, W: np.ndarray, scores: np.ndarray) -> Point:
        """What is seen at W, after its intercepts have been set."""
        loss, parts, slopes = self._seen(scores)
        for _ in range((1 if self.ridge and self.system.blocked else 2) if self.lift else 0):
            before = slopes.sum(axis=0)
            move = self._intercepts(parts, before)
            new = self._seen(scores + move)
            nearer = np.linalg.norm(new[2].sum(axis=0)) < np.linalg.norm(before)
            if not new[0] <= loss + nearer * ROUNDING * loss:  # The rest is rounding.
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

    def inner(self, weights: Weights) -> np.ndarray:
        """Weights (p, outputs) of x̃ = (x − centre, 1)."""
        return centred_weights(weights, self.table.centre, self.lift).T

    def outer(self, W: np.ndarray) -> Weights:
        """coef and intercept, of x."""
        return plain_weights(W.T.copy(), self.table.centre, self.lift).symmetric

    def step(self, point: Point, share: float, enough: float, asked: Asked) -> np.ndarray:
        step = self.system.solve(point.parts, -point.gradient, share, enough, asked)
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
        for _ in range(MAX_TRIALS):
            risen, slope, curve = at(t)
            if (
                abs(slope) <= MAX_SLOPE_LEFT * abs(first)
                and risen <= ARMIJO_SHARE * t * first + noise
            ):
                return t
            if slope > 0 or not np.isfinite(risen):
                high = t
            else:
                low = t
            t = t - slope / curve if curve > 0 else np.inf
            if not low < t < high:
                t = 0.5 * (low + high) if high < np.inf else 4 * low
        return low  # By convexity the function falls up to there.


def descend_wide(problem: Wide, W: np.ndarray | None, run: NewtonRun) -> Point:
    """Steps until `run` has a reason to stop."""
    if W is None:
        W = (
            problem.start(run.limits.asked)
            if run.limits.damped
            else np.zeros((problem.p, problem.outputs))
        )
    point = problem.point(W, problem.table.times(W))
    run.note(point.loss, point.objective, 0.0)
    first = float(np.linalg.norm(point.gradient)) or 1.0
    max_residual = MAX_RESIDUAL_IN_DOUBT if run.doubts else MAX_RESIDUAL
    goal = PROVED_SHARE * run.limits.tol
    enough = np.sqrt(0.4 * goal * problem.ridge) if problem.whole else 0.0
    while True:
        left = problem.left(point)
        run.stop = run.reason(point.loss, point.objective, left <= goal)
        if run.stop is not None:
            return point
        size = float(np.linalg.norm(point.gradient))
        share = min(max_residual, np.sqrt(size / first))
        step = problem.step(point, share, enough, run.limits.asked)
        square = -float(np.sum(step * point.gradient))
        run.note_next(step, square)
        if run.runs_away:
            run.stop = Stop.RUNS_AWAY
            return point
        moves = problem.table.times(step)
        t = problem.length(point, step, moves) if run.limits.damped else 1.0
        new = problem.point(point.W + t * step, point.scores + t * moves) if t > 0 else point
        still = run.limits.damped and not new.objective < point.objective
        if still and not np.linalg.norm(new.gradient) < 0.5 * size:
            if problem.system.kind == np.float64:
                run.stop = run.limits.asked() or Stop.NO_PROGRESS
                return point
            problem.system.kind = np.dtype(np.float64)  # It shows what float32 did not.
            continue
        point = new
        run.note(point.loss, point.objective, t)
        run.steps += 1
        near = left == np.inf and 0.5 * square <= LAST_STEP_SHARE * run.limits.tol
        if near and not run.limits.asked():  # A step that was broken off says little.
            run.stop = Stop.CONVERGED
            return point


def ascend(
    table: DenseTable | SparseTable, codes: np.ndarray, classes: int, shares: np.ndarray,
    ridge: float, rounds: Sequence[int] = DUAL_VISITS,
) -> Iterator[np.ndarray]:  # fmt: skip
    """Weights (p, outputs) with a ridge, again and again: the dual, one example after the other.

    With factors c_t = s_t/ridge the minimiser is w_k = Σ_t c_t (Y_tk − q_tk) x_t, q_t the
    probabilities that it gives. The dual is a function of the q, and is maximised over one q_t at a
    time (Yu, Huang and Lin 2011; Shalev-Shwartz and Zhang 2013). An example a thousand times as
    long as others spoils Newton's first steps; here it costs what the others cost. The intercepts
    take part as weights of a short column with the ridge: they are set right afterwards.
    """
    rng = np.random.default_rng(0)
    seen = np.flatnonzero(shares > 0)
    factors, squares = shares / ridge, table.squares
    extra = INTERCEPT_SHARE * float(np.median(squares[seen])) if table.lift else 0.0
    if classes == 2:
        signs = np.where(codes == 1, 1.0, -1.0)
        logits = np.full(table.m, np.log(OTHERS_SHARE))
        R = (factors * signs * OTHERS_SHARE / (1 + OTHERS_SHARE))[:, None]
    else:
        parts = np.full((table.m, classes), OTHERS_SHARE / classes)
        parts[np.arange(table.m), codes] += 1 - OTHERS_SHARE
        R = -factors[:, None] * parts
        R[np.arange(table.m), codes] += factors
    V, bias = table.sums(R)[: table.d], extra * R.sum(axis=0)
    V = V if classes == 2 else V.astype(np.float32)
    for visits in rounds:
        for _ in range(visits):
            order = rng.permutation(seen)
            if classes == 2:
                ascend_two(table.rows, squares, signs, factors, order, V[:, 0], bias, extra, logits)
            else:
                ascend_several(table.rows, squares, factors, order, V, bias, extra, parts)
        yield np.vstack([V, bias]).astype(np.float64) if table.lift else V.astype(np.float64)
