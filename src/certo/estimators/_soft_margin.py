"""One soft-margin machine: posed, solved and certified, as a hyperplane or in a kernel's space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from certo.certificates.base import (
    CannotClaim,
    Certificate,
    NotClaimed,
)
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.estimators import _input
from certo.estimators._kernel import measured, posed
from certo.estimators._prices import Prices
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.kernels.base import Kernel
from certo.numbers.exact import allowance
from certo.problems.free_intercept import balanced
from certo.solvers import gram
from certo.solvers.kernel_active_set import Finished, finished
from certo.solvers.kernel_soft_margin import KernelOutcome, kernel_soft_margin
from certo.solvers.soft_margin import GapTrace, SoftOutcome, soft_margin

FEW = 200  # examples in a kernel's space that are solved for as exactly as float64 allows,
MANY = 1000  # and those for which that is tried if nothing else reaches the goal
FIRST = 10  # passes of a quicker solver before
COPIES = 5  # of a Gram matrix, that this needs
WORTH_A_PASS = 1e-3  # of the gap: an allowance that is worth a pass over the kernel
NEARLY = 1e-10  # of its bound: a multiplier so near to it counts as being there


class Limits(NamedTuple):
    """When to stop."""

    tol: float
    max_iter: int
    asked: Callable[[], bool] = lambda: False
    after_look: Callable[[float, float], bool] = lambda primal, dual: False


class Space(Protocol):
    """Where machines are looked for; `square` bounds the squared length of an example there."""

    square: float

    def solve(self, signs, costs, start, limits: Limits) -> SoftOutcome | KernelOutcome: ...

    def scores(self, outcome) -> np.ndarray:
        """Of all examples, b left out."""

    def claim(self, signs, outcome, **witness) -> Certificate: ...

    def among(self, rows, dual_coef) -> tuple[np.ndarray, np.ndarray]:
        """Of the examples in these rows: the products with Σ dual_coef_t x_t, and squared lengths;
        a lifted intercept left out."""


class VectorSpace:
    """Hyperplanes w·x + b."""

    def __init__(self, machine, X, rng: np.random.Generator):
        self.X, self.intercept, self.rng = X, machine.intercept, rng
        square = _input.longest_example(machine, X)
        self.square = square + allowance(X.shape[1], square)

    def solve(self, signs, costs, start, limits: Limits) -> SoftOutcome:
        return soft_margin(
            self.X, signs, costs, self.intercept, start=start, rng=self.rng, **limits._asdict()
        )

    def scores(self, outcome: SoftOutcome) -> np.ndarray:
        return safe_sparse_dot(self.X, outcome.w, dense_output=True)

    def claim(self, signs, outcome: SoftOutcome, **witness) -> SoftMarginGap:
        sample = Sample(self.X, signs)
        return issue_soft_margin_gap(sample, coef=outcome.w, known=self.square, **witness)

    def among(self, rows, dual_coef) -> tuple[np.ndarray, np.ndarray]:
        part = self.X[rows]
        v = safe_sparse_dot(part.T, dual_coef, dense_output=True)
        products = safe_sparse_dot(part, v, dense_output=True)
        return products, row_norms(part, squared=True).astype(np.float64)


class KernelSpace:
    """Functions f(x) + b, f = Σ α_t y_t K(x_t, ·)."""

    def __init__(self, machine, X):
        self.kernel: Kernel = machine.kernel.fitted_to(X)
        self.intercept, self.cache_mb = machine.intercept, float(machine.cache_mb)
        self.tol = float(machine.tol)
        self.X, self.square, self.shift = measured(machine, self.kernel, X)
        self._posed: tuple[Kernel, Any] | None = None

    def solve(self, signs, costs, start, limits: Limits) -> KernelOutcome:
        m, most = signs.size, limits.max_iter
        few = m <= MANY and most > FIRST and COPIES * 8 * m**2 <= self.cache_mb * 1e6
        if start is not None and self.intercept == "free":
            start = balanced(np.clip(start, 0.0, costs), signs, costs)
        if self._posed is None:
            self._posed = posed(self.kernel, self.X, self.cache_mb, limits.asked)
        kernel, X = self._posed
        outcome = kernel_soft_margin(
            kernel, X, signs, costs, self.intercept, cache_mb=self.cache_mb,
            start=start, **limits._replace(max_iter=FIRST if few else most)._asdict(),
        )  # fmt: skip
        unfinished = outcome.gap > limits.tol * outcome.primal
        if not few or outcome.stopped or not (m <= FEW or unfinished):
            return outcome
        matrix = kernel.plain(X, kernel.take(X, slice(None)))
        better = finished(matrix, signs, costs, self.intercept, outcome.alpha, limits.asked)
        stopped = better.gap > limits.tol * better.primal and limits.asked()
        return outcome._replace(
            **better._asdict(), stopped=stopped, trace=_ending(outcome.trace, better)
        )

    def scores(self, outcome: KernelOutcome) -> np.ndarray:
        return outcome.scores

    def claim(self, signs, outcome: KernelOutcome, **witness) -> SoftMarginGap:
        sample = KernelSample(self.kernel, self.X, signs, shift=self.shift)
        return issue_soft_margin_gap(
            sample, known=outcome.scores, enough=self.tol, negligible=WORTH_A_PASS, **witness
        )

    def among(self, rows, dual_coef) -> tuple[np.ndarray, np.ndarray]:
        kernel, part = self.kernel, self.kernel.points(self.X, rows)
        return (
            gram.scores(kernel, part, kernel.take(self.X, rows), dual_coef),
            kernel.diagonal(self.X)[rows],
        )


class Machine(NamedTuple):
    """What was found for one output."""

    outcome: SoftOutcome | KernelOutcome
    rows: np.ndarray
    dual_coef: np.ndarray
    claim: Any  # SoftMarginGap or NotClaimed
    slack: np.ndarray

    @property
    def gap(self) -> float:
        return np.inf if isinstance(self.claim, NotClaimed) else self.claim.relative_gap

    @property
    def objective(self) -> float:
        """What it is proved to be at most; near the limits of float64 more than what it seems."""
        claim = self.claim
        return self.outcome.primal if isinstance(claim, NotClaimed) else claim.primal


def _ending(trace: GapTrace, found: Finished) -> GapTrace:
    """What was known after the last look is what was found then."""
    primal, dual = trace.primal.copy(), trace.dual.copy()
    primal[-1], dual[-1] = min(primal[-1], found.primal), max(dual[-1], found.dual)
    return replace(trace, primal=primal, dual=dual)


def machine_for(
    space: Space,
    labels: Labels,
    signs: np.ndarray,
    prices: Prices,
    intercept: str,
    start: np.ndarray | None,
    limits: Limits,
) -> Machine:
    """The machine that tells the examples of sign +1 from the others."""
    costs = prices.of(signs)
    outcome = space.solve(signs, costs, start, limits)
    alpha, scores = outcome.alpha, space.scores(outcome)
    kept = alpha > 0
    if intercept == "free" and not np.any(kept & (alpha < (1 - NEARLY) * costs)):
        kept[_fixing_b(scores, signs, costs, outcome)] = True
    rows = np.flatnonzero(kept)
    dual_coef = alpha[rows] * signs[rows]
    claim: Certificate | NotClaimed
    try:
        claim = space.claim(
            signs, outcome, labels=labels, intercept=outcome.b, treatment=intercept,
            rows=rows, dual_coef=dual_coef, **prices._asdict(),
        )  # fmt: skip
    except CannotClaim as reason:
        claim = NotClaimed(SoftMarginGap.__name__, f"{labels.shown}: {reason}")
    slack = np.maximum(0.0, 1 - signs * (scores + outcome.b))
    return Machine(outcome, rows, dual_coef, claim, slack)


def _fixing_b(scores, signs, costs, outcome) -> np.ndarray:
    """The example whose margin becomes 1 just at the smallest b, if it has no multiplier.

    All supports have reached their bounds. Just below b the slope of Σ c_t [1 − y_t (s_t + b)]₊
    over the supports is then Σ_{y=−1} c_t − Σ_{y=+1} c_t = −Σ α_t y_t = 0, unless one of y = −1 has
    margin 1: so what keeps a smaller b from being as good is a positive example of margin 1.
    """
    away = np.abs(1 - scores - outcome.b)
    near = away <= 1e-9 * (1 + np.abs(scores) + abs(outcome.b))
    fixing = np.flatnonzero(near & (signs > 0) & (outcome.alpha == 0) & (costs > 0))
    return fixing[np.argsort(away[fixing], kind="stable")[:1]]
