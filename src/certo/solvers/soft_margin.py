r"""The soft-margin linear SVM, to a gap between primal and dual.

Primal      min ½‖w‖² + Σ c_t [1 − y_t (w·x_t + b)]₊     (b free, none, or lifted: + ½b²)
Dual        max Σ α_t − ½‖Σ α_t y_t x̃_t‖²,  0 ≤ α_t ≤ c_t;  b free: Σ α_t y_t = 0
Method      few features: `primal_newton`, whose steps cost one system of linear equations as large
            as there are features. Many features: `dual_descent`. Few examples of many features:
            they are turned so that they have as many features as examples, and nothing else changes
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from certo.solvers.dual_descent import DualDescent
from certo.solvers.free_intercept import balanced, smallest_b
from certo.solvers.gap_ledger import GapTrace, Ledger
from certo.solvers.hinge_rows import HingeRows
from certo.solvers.nearest_point import one_thread
from certo.solvers.primal_newton import PrimalNewton

__all__ = ["GapTrace", "SoftOutcome", "smallest_b", "soft_margin"]

FEW_FEATURES = 1000  # up to so many, a system of linear equations is quick to solve
FEW_EXAMPLES = 300  # up to so many, of more features, are turned
SMALL = 2**17  # problems with so many numbers are solved as exactly as float64 allows
EXACT = 1e-14  # a relative gap as small as it gets


class SoftOutcome(NamedTuple):
    w: np.ndarray  # (d,)
    b: float  # free: the smallest minimiser of P(w, ·)
    alpha: np.ndarray  # (m,); 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    primal: float
    dual: float
    passes: int
    stopped: bool  # because it was asked to
    trace: GapTrace


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
    asked: Callable[[], bool] = lambda: False,
    after_look: Callable[[float, float], bool] = lambda primal, dual: False,
) -> SoftOutcome:
    """Solve for the rows of X (C-ordered array, or CSR with increasing indices), signs being int8
    in {−1, +1} and costs non-negative, to a relative gap of `tol`.

    Stops earlier after `max_iter` passes over the examples, when `asked()` or
    `after_look(primal, dual)` returns True, or when nothing improves any more. `start` are the
    multipliers of a problem much like this one.
    """
    used = np.flatnonzero(costs > 0)
    if used.size < costs.size:
        part = soft_margin(
            X[used], signs[used], costs[used], intercept, tol=tol, max_iter=max_iter,
            start=None if start is None else start[used], rng=rng, asked=asked,
            after_look=after_look,
        )  # fmt: skip
        alpha = np.zeros(costs.size)
        alpha[used] = part.alpha
        return part._replace(alpha=alpha)
    rows = HingeRows(X, signs, costs, False)
    goal = min(tol, EXACT) if rows.work <= SMALL else tol
    ledger = Ledger(goal, max_iter, asked, after_look)
    with one_thread():
        return _solve(rows, intercept, ledger, tol, start, rng or np.random.default_rng(0))


def _solve(
    rows: HingeRows,
    intercept: str,
    ledger: Ledger,
    tol: float,
    start: np.ndarray | None,
    rng: np.random.Generator,
) -> SoftOutcome:
    method, turned = _method(rows, intercept, rng)
    if start is not None:
        point = _Point.of(rows, intercept, np.clip(start, 0.0, rows.costs))
        _, w, b = _primal(rows, intercept, point.w, point.b)
        method.continue_from(point.alpha, w, b)
    elif isinstance(method, PrimalNewton):
        method.begin(ledger)
    best: SoftOutcome | None = None
    while True:
        method.run(ledger)
        point = _Point.of(rows, intercept, method.best)
        values = [_primal(rows, intercept, point.w, point.b)]
        if not turned:
            values.append(_primal(rows, intercept, *method.best_pair))
        primal, w, b = min(values, key=lambda value: value[0])
        if best is None or primal - point.dual < best.primal - best.dual:
            best = SoftOutcome(w, b, point.alpha, primal, point.dual, 0, False, ledger.trace)
        if best.primal - best.dual <= tol * best.primal or not ledger.reached:
            break
        ledger.goal /= 10  # what the method believed was rounded
    return best._replace(passes=ledger.passes, stopped=ledger.stopped, trace=ledger.trace)


def _method(
    rows: HingeRows, intercept: str, rng: np.random.Generator
) -> tuple[PrimalNewton | DualDescent, bool]:
    """How to solve, and whether for rows that were turned."""
    m, d = rows.X.shape
    turned = d > m and m <= FEW_EXAMPLES
    if d > FEW_FEATURES and not turned:
        return DualDescent(rows, intercept, rng), False
    X = _turned(rows.X) if turned else rows.X
    lifted = HingeRows(X, rows.signs, rows.costs, intercept != "none")
    regular = np.ones(lifted.dimension)
    if intercept == "free":
        regular[-1] = 0.0
    return PrimalNewton(lifted, regular, rng), turned


def _turned(X) -> np.ndarray:
    """Rows with the same inner products and no more features than rows: X = RᵀQᵀ, so Rᵀ."""
    if sparse.issparse(X):
        X = X[:, np.unique(X.indices)].toarray()
    (R,) = qr(X.T.astype(np.float64), mode="r", check_finite=False)
    return np.ascontiguousarray(R[: X.shape[0]].T)


class _Point(NamedTuple):
    """Feasible multipliers, and what they make."""

    alpha: np.ndarray
    w: np.ndarray  # Σ α_t y_t x_t
    b: float  # lifted: Σ α_t y_t
    dual: float

    @classmethod
    def of(cls, rows: HingeRows, intercept: str, alpha: np.ndarray) -> _Point:
        if intercept == "free":
            alpha = balanced(alpha, rows.signs, rows.costs)
        w = rows.combination(alpha)
        b = float(alpha @ rows.signs) if intercept == "lifted" else 0.0
        return cls(alpha, w, b, float(np.sum(alpha)) - 0.5 * (float(w @ w) + b * b))


def _primal(
    rows: HingeRows, intercept: str, w: np.ndarray, b: float
) -> tuple[float, np.ndarray, float]:
    """P, w and b; a free b is chosen here."""
    margins = rows.products(w, np.empty(rows.m))
    if intercept == "free":
        b = smallest_b(rows.signs * margins, rows.signs, rows.costs)
    half = 0.5 * (float(w @ w) + (b * b if intercept == "lifted" else 0.0))
    margins += b * rows.signs
    return half + float(rows.costs @ np.maximum(1.0 - margins, 0.0)), w, b
