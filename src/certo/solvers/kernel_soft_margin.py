"""The soft-margin SVM in a kernel's space, to a gap between primal and dual."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from certo.kernels import Kernel
from certo.solvers.free_intercept import balanced, smallest_b
from certo.solvers.gap_ledger import GapTrace
from certo.solvers.soft_margin import soft_margin


class KernelOutcome(NamedTuple):
    alpha: np.ndarray  # (m,); 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    b: float  # free: the smallest minimiser of P(f, ·); lifted: Σ alpha·signs
    scores: np.ndarray  # f(x_t), without b
    primal: float
    dual: float
    passes: int
    stopped: bool
    trace: GapTrace


def kernel_soft_margin(
    kernel: Kernel,
    X,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    cache_mb: float = 1000,
    start: np.ndarray | None = None,
    asked: Callable[[], bool] = lambda: False,
    after_look: Callable[[float, float], bool] = lambda primal, dual: False,
) -> KernelOutcome:
    rows = np.arange(signs.size)
    K = np.asarray(kernel(kernel.points(X, rows), kernel.take(X, rows)), dtype=np.float64)
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    Z = np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))
    found = soft_margin(
        Z, signs, costs, intercept,
        tol=tol / 100, max_iter=max_iter, start=start, asked=asked, after_look=after_look,
    )  # fmt: skip
    alpha = found.alpha
    if intercept == "free":
        alpha = balanced(alpha, signs, costs)
    coef = alpha * signs
    scores = K @ coef
    b = {"free": lambda: smallest_b(scores, signs, costs), "none": lambda: 0.0}.get(
        intercept, lambda: float(np.sum(coef))
    )()
    half = 0.5 * (float(coef @ scores) + (b * b if intercept == "lifted" else 0.0))
    primal = half + float(costs @ np.maximum(0.0, 1 - signs * (scores + b)))
    dual = float(alpha.sum()) - half
    return KernelOutcome(alpha, b, scores, primal, dual, found.passes, found.stopped, found.trace)
