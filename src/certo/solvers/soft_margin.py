r"""The soft-margin linear SVM, to a gap between primal and dual.

Primal      min ½‖w‖² + Σ c_t [1 − y_t (w·x_t + b)]₊     (b free, none, or lifted: + ½b²)
Dual        max Σ α_t − ½‖Σ α_t y_t x̃_t‖²,  0 ≤ α_t ≤ c_t;  b free: Σ α_t y_t = 0
Method      few features: `primal_newton`, whose steps cost one system of linear equations as large
            as there are features. It begins with the solution for a sample or, where there are too
            few examples for that, with some epochs of descent, which cost less than a step each.
            Many features: `dual_descent`. Dense examples of some hundreds of
            features: descent, and if that has done as much work as Newton's method would, or is
            far too slow, Newton's method from there. Few examples of many features: they are turned
            so that they have as many features as examples, and nothing else changes
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from certo.compiled.threads import one_thread
from certo.numbers.exact import allowance
from certo.problems.soft_margin import SoftMargin
from certo.solvers.dual_descent import DualDescent
from certo.solvers.gap_ledger import GapTrace, Ledger
from certo.solvers.hinge_rows import HingeRows
from certo.solvers.primal_newton import COARSE_WIDTH, PrimalNewton
from certo.stop import Asked, Stop, go_on

__all__ = ["GapTrace", "SoftOutcome", "soft_margin"]

MAX_NEWTON_FEATURES = 1000  # Features up to which a Newton system is quick to solve.
# Dense examples of so many features are solved by descent first. For each digit of the gap it has
# the patience of so many passes over all examples, times the square of the number of features:
# Newton's method takes about as long.
MIN_DESCENT_FEATURES, MAX_LATE_NEWTON_FEATURES = 200, 2500
PATIENCE_PER_DIGIT = 5e-5
DESCENT_FIRST_NUMBERS = 2**17  # Problems of so many numbers begin with descent, without a sample.
DESCENT_FIRST_PASSES = 10.0  # Later epochs are of few examples, and cost less than Newton's steps.
MAX_ROTATED_ROWS = 300  # Examples, of more features than that, that are rotated into fewer.
EXACT_BELOW_NUMBERS = 2**14  # Problems of fewer numbers are solved as exactly as float64 allows.
# So are problems of fewer than so many numbers that are alone and have few features:
# Newton's method needs a step or two more, and bounds on the error rate need the exact optimum.
FINISHED_BELOW_NUMBERS = 2**18
MAX_FIRST_COST = 1e4  # Costs, in units of 1/‖x‖², that are reached by raising them step by step.
MAX_RUNS = 4  # Runs of the method: the gap it states is rounded, or of an infeasible α.
ACCEPTED_GAP = 1e-10  # A relative gap that is reported as exact.
CENTRE_ABOVE = 1.0  # Squared length of the mean, over the spread, above which rows are centred.
SMALLEST_GAP = 1e-14  # The smallest relative gap that float64 can reach.


class SoftOutcome(NamedTuple):
    w: np.ndarray  # (d,)
    b: float  # The smallest minimiser of P(w, ·), if it is free.
    alpha: np.ndarray  # (m,); 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    primal: float
    dual: float
    passes: int
    stop: Stop
    trace: GapTrace
    scores: np.ndarray | None = None  # (m,): the w·x_t, if they are known.


def soft_margin(
    X,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    start: np.ndarray | None = None,
    rng: np.random.Generator | None = None,
    asked: Asked = go_on,
    after_look: Callable[[float, float], Stop | None] = go_on,
    alone: bool = False,
) -> SoftOutcome:
    """Solve for the rows of X (C-ordered array, or CSR with increasing indices), signs being int8
    in {−1, +1} and costs non-negative, to a relative gap of `tol`.

    Stops earlier after `max_iter` passes over the examples, when `asked()` or
    `after_look(primal, dual)` says why, or when nothing improves any more. `start` are the
    multipliers of a problem much like this one. `alone`: there are no other problems of the same
    examples to solve, so that this one may be solved further than to `tol` where that is cheap.
    """
    used = np.flatnonzero(costs > 0)
    if used.size < costs.size:
        part = soft_margin(
            X[used], signs[used], costs[used], intercept, tol=tol, max_iter=max_iter,
            start=None if start is None else start[used], rng=rng, asked=asked,
            after_look=after_look, alone=alone,
        )  # fmt: skip
        alpha = np.zeros(costs.size)
        alpha[used] = part.alpha
        return part._replace(alpha=alpha, scores=None)
    rng = rng or np.random.default_rng(0)
    ledger = Ledger(tol, max_iter, asked, after_look)
    rows = HingeRows(X, signs, costs, False)
    finished = alone and X.shape[1] < MIN_DESCENT_FEATURES
    if rows.work <= (FINISHED_BELOW_NUMBERS if finished else EXACT_BELOW_NUMBERS):
        ledger.goal = min(tol, SMALLEST_GAP)
    centre = _centre(X) if intercept == "free" else None
    with one_thread():
        if centre is None:
            return _solve_by_raising_costs(rows, intercept, ledger, tol, start, rng)
        moved = HingeRows(X - centre, signs, costs, False)
        found = _solve_by_raising_costs(moved, intercept, ledger, tol, start, rng)
        pair = _pair_at(rows, intercept, found.w, 0.0)
        if pair.worst - found.dual > tol * pair.worst:
            pair = min(pair, _scale_outward(rows, intercept, pair.w, pair.b), key=lambda p: p.worst)
        return _replace_pair(found, pair, ledger)


def _solve_by_raising_costs(
    rows: HingeRows,
    intercept: str,
    ledger: Ledger,
    tol: float,
    start: np.ndarray | None,
    rng: np.random.Generator,
) -> SoftOutcome:
    """Where errors are so dear that most likely none is made, their prices are raised in steps."""
    X, signs, costs = rows.X, rows.signs, rows.costs
    size = float(np.mean(rows.lengths**2))
    cap = MAX_FIRST_COST / size if size > 0 else np.inf
    while cap < costs.max():
        capped = HingeRows(X, signs, np.minimum(costs, cap), False)
        found = _solve(capped, intercept, ledger, tol, start, rng)
        pair = _scale_outward(rows, intercept, found.w, found.b)
        found = _replace_pair(found, pair, ledger)
        if pair.worst - found.dual <= tol * pair.worst or ledger.spent:
            return found
        start, cap, ledger = found.alpha, cap * MAX_FIRST_COST, ledger.anew()
    return _solve(rows, intercept, ledger, tol, start, rng)


def _solve(
    rows: HingeRows,
    intercept: str,
    ledger: Ledger,
    tol: float,
    start: np.ndarray | None,
    rng: np.random.Generator,
) -> SoftOutcome:
    d = rows.X.shape[1]
    method, back = _method(rows, intercept, rng)
    late = isinstance(method, DualDescent) and _is_newton_late(rows)
    if start is not None:
        point = _Point.of(rows, intercept, np.clip(start, 0.0, rows.costs))
        pair = _pair_at(rows, intercept, point.w, point.b)
        method.continue_from(point.alpha, pair.w if back is None else back.T @ pair.w, pair.b)
    elif isinstance(method, PrimalNewton):
        sampled = method.begin(ledger)
        if not sampled and back is None and rows.work >= DESCENT_FIRST_NUMBERS:
            first = DualDescent(rows, intercept, rng)
            first.run(ledger, patience=DESCENT_FIRST_PASSES)
            method.taking_over(first.best, *first.best_pair, COARSE_WIDTH)
    best: tuple[_Pair, _Point] | None = None
    gap = goal = np.inf
    enough = max(ledger.goal, min(tol, ACCEPTED_GAP))
    for _ in range(MAX_RUNS):
        if isinstance(method, DualDescent):
            patience = PATIENCE_PER_DIGIT * d * d * max(1.0, -np.log10(ledger.goal))
            method.run(ledger, patience if late else np.inf)
            if late and not ledger.over:
                method = _newton(rows.X, rows, intercept, rng).taking_over(
                    method.best, *method.best_pair
                )
        if isinstance(method, PrimalNewton) and not (ledger.looks and ledger.over):
            method.run(ledger)
        point = _Point.of(rows, intercept, method.best)
        w, b = method.best_pair
        pairs = [_pair_at(rows, intercept, w if back is None else back @ w, b)]
        if pairs[0].worst - point.dual > tol * pairs[0].worst:
            pairs.append(_pair_at(rows, intercept, point.w, point.b))
            pairs += [_scale_outward(rows, intercept, pair.w, pair.b) for pair in pairs]
        pair = min(pairs, key=lambda pair: pair.worst)
        if best is None or pair.worst - point.dual < gap:
            gap, goal = pair.worst - point.dual, enough * pair.worst
            best = pair, point
        if gap <= goal or ledger.spent or not ledger.reached:
            break
        ledger.correct(best[0].primal, best[1].dual)
    assert best is not None
    pair, point = best
    ledger.found(pair.primal, point.dual)
    return SoftOutcome(
        pair.w, pair.b, point.alpha, pair.primal, point.dual, ledger.passes,
        ledger.stop(gap, tol * pair.worst), ledger.trace, pair.scores,
    )  # fmt: skip


def _replace_pair(found: SoftOutcome, pair: _Pair, ledger: Ledger) -> SoftOutcome:
    """The outcome with another pair; its trace claims no more."""
    ledger.found(pair.primal, found.dual)
    return found._replace(
        primal=pair.primal, w=pair.w, b=pair.b, trace=ledger.trace, scores=pair.scores
    )


def _centre(X) -> np.ndarray | None:
    """The mean of dense examples that are further from the origin than from each other: a free
    intercept makes it no other problem to take it away, but one that rounds much less."""
    if sparse.issparse(X):
        return None
    some = X[:: max(1, X.shape[0] // 1000)].astype(np.float64)
    mean = some.mean(axis=0)
    if float(mean @ mean) <= CENTRE_ABOVE * float(np.mean(np.sum((some - mean) ** 2, axis=1))):
        return None
    return X.mean(axis=0, dtype=np.float64)


def _method(
    rows: HingeRows, intercept: str, rng: np.random.Generator
) -> tuple[PrimalNewton | DualDescent, np.ndarray | sparse.csr_array | None]:
    """How to solve; and, where the rows were turned, what turns w back."""
    m, d = rows.X.shape
    few = m < d and m <= MAX_ROTATED_ROWS
    if not few and (d > MAX_NEWTON_FEATURES or _is_newton_late(rows)):
        return DualDescent(rows, intercept, rng), None
    X, back = _rotate(rows.X) if few else (rows.X, None)
    return _newton(X, rows, intercept, rng), back


def _is_newton_late(rows: HingeRows) -> bool:
    """Whether Newton's method is tried after descent."""
    m, d = rows.X.shape
    few = MIN_DESCENT_FEATURES <= d <= min(MAX_LATE_NEWTON_FEATURES, m)
    return few and not sparse.issparse(rows.X)


def _newton(X, rows: HingeRows, intercept: str, rng: np.random.Generator) -> PrimalNewton:
    lifted = HingeRows(X, rows.signs, rows.costs, intercept != "none")
    regular = np.ones(lifted.dimension)
    if intercept == "free":
        regular[-1] = 0.0
    return PrimalNewton(lifted, regular, rng)


def _rotate(X) -> tuple[np.ndarray, np.ndarray | sparse.csr_array]:
    """Rows with the same inner products and no more features than rows, and what turns a vector
    of these back: X = RᵀQᵀ with orthonormal columns in Q, so Rᵀ and Q."""
    some, embed = X, None
    if sparse.issparse(X):
        columns = np.unique(np.append(X.indices, 0))  # Keep at least one column.
        some = X[:, columns].toarray()
        ones = np.ones(columns.size)
        embed = sparse.csr_array(
            (ones, (columns, np.arange(columns.size))), shape=(X.shape[1], columns.size)
        )
    Q, R = qr(some.T.astype(np.float64), mode="economic", check_finite=False)
    return np.ascontiguousarray(R.T), Q if embed is None else embed @ Q


class _Point(NamedTuple):
    """Feasible multipliers, and what they make."""

    alpha: np.ndarray
    w: np.ndarray  # Σ α_t y_t x_t
    b: float  # Σ α_t y_t, if it is lifted.
    dual: float

    @classmethod
    def of(cls, rows: HingeRows, intercept: str, alpha: np.ndarray) -> _Point:
        """If less of each would be better, as after few steps, so much of each as is best."""
        problem = SoftMargin(rows.signs, rows.costs, intercept)
        alpha = problem.feasible(alpha)
        w = rows.combination(alpha)
        b = float(alpha @ rows.signs) if intercept == "lifted" else 0.0
        total, square = float(np.sum(alpha)), problem.square(float(w @ w), b)
        if total < 0.9 * square:
            return cls.of(rows, intercept, alpha * (total / square))
        return cls(alpha, w, b, problem.dual(float(w @ w), alpha))


class _Pair(NamedTuple):
    primal: float
    worst: float  # P, if every margin is as much smaller as rounding may have made it larger
    w: np.ndarray
    b: float
    scores: np.ndarray | None  # w·x_t, unless they are rounded once more.

    @classmethod
    def of(cls, rows: HingeRows, problem: SoftMargin, w: np.ndarray, b: float, scores) -> _Pair:
        square, slack = float(w @ w), rows.signs * _slack(rows, w, b)
        primal, worst = (problem.primal(square, s, b) for s in (scores, scores - slack))
        return cls(primal, worst, w, b, scores)


def _slack(rows: HingeRows, w: np.ndarray, b: float) -> np.ndarray:
    """What a certificate may allow for the rounding of each margin."""
    X = rows.X
    most = int(np.max(np.diff(X.indptr), initial=0)) if sparse.issparse(X) else w.size
    return allowance(most, rows.lengths * float(np.linalg.norm(w)) + abs(b))


def _pair_at(rows: HingeRows, intercept: str, w: np.ndarray, b: float) -> _Pair:
    """A free b is chosen here."""
    problem = SoftMargin(rows.signs, rows.costs, intercept)
    scores = rows.signs * rows.products(w, np.empty(rows.m))
    return _Pair.of(rows, problem, w, problem.best_intercept(scores, b), scores)


def _scale_outward(rows: HingeRows, intercept: str, w: np.ndarray, b: float) -> _Pair:
    """The pair times what brings all margins above 1, if they nearly are: where examples are
    separable and errors dear, what rounding may leave of a slack would be most of P."""
    margins = rows.products(w, np.empty(rows.m))
    least = float(np.min(margins + b * rows.signs - 4 * _slack(rows, w, b)))
    factor = 1 / least if 0.9 < least < 1 else 1.0
    problem = SoftMargin(rows.signs, rows.costs, intercept)
    pair = _Pair.of(rows, problem, w * factor, b * factor, rows.signs * margins * factor)
    return pair._replace(scores=None) if factor != 1 else pair
