"""How far a run of Pegasos was from the best weights, measured against a certified optimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from certo.certificates.composite import Composite
from certo.certificates.runs.expected_excess import guarantee
from certo.certificates.sample.labels import Labels
from certo.containers import count
from certo.estimators import _input
from certo.facts import InputError
from certo.kernels.base import Kernel
from certo.numbers.decimals import rounded_up
from certo.numbers.exact import below
from certo.problems.soft_margin import SoftMargin
from certo.solvers import gram
from certo.words import refusals


@dataclass(frozen=True, repr=False)
class Excess:
    """F of the answers in a trace, beside a number that F is nowhere below.

    Attributes
    ----------
    output, step : integer arrays
        Whose answer, and after how many steps, as in `trace_`.
    objective : array
        F of that answer.
    least : array
        A proved lower bound of min F, the same for all answers of an output.
    bound : array
        What the guarantee allows for objective − min F in expectation; infinite where there is
        no guarantee.
    certificate : certo.certificates.Composite
        The claims of the run, and a SoftMarginGap for each output, from which `least`
        follows.
    """

    output: np.ndarray
    step: np.ndarray
    objective: np.ndarray
    least: np.ndarray
    bound: np.ndarray
    certificate: Composite

    @property
    def excess(self) -> np.ndarray:
        """objective − least: what was exceeded at most, up to the rounding of objective."""
        return self.objective - self.least

    def __repr__(self) -> str:
        last = np.flatnonzero(np.diff(self.output, append=-1))
        return "\n".join(
            f"Excess after {self.step[k]:,} steps: F = {self.objective[k]:.6g}, at most "
            f"{rounded_up(self.excess[k], 3)} above its minimum ("
            + (
                f"expected: {rounded_up(self.bound[k], 3)})"
                if self.bound[k] < np.inf
                else "no guarantee)"
            )
            for k in last
        )


def excess(model, X, y, tol: float) -> Excess:
    """The excess of every answer in the trace of a fitted Pegasos."""
    from certo.estimators.svm import SVM

    kernel = model.kernel_
    X = _input.examples(model, X) if kernel is None else _input.points(model, kernel, X)
    if kernel is not None and model.trace_.weights.shape[1] != count(X) + 1:
        raise ValueError(
            "excess needs the very examples of a fit, or of the first call of partial_fit: later "
            "functions are made of older examples, too."
        )
    verdict = model.certificate_.verify(X, y)
    if not all(verdict.parts):  # There may be no claim.
        raise InputError(refusals.claims_do_not_hold, str(verdict))
    best = SVM(
        kernel=kernel, lam=model.lam, intercept=model.intercept, tol=tol, random_state=0
    ).fit(X, y)
    if not np.array_equal(best.classes_, model.classes_):
        raise InputError(refusals.other_classes, model.classes_.tolist())
    optima: dict[Labels, Any] = {claim.labels: claim for claim in best.certificate_}
    runs: dict[Labels, Any] = {claim.labels: claim for claim in model.certificate_}
    trace, lam = model.trace_, float(model.lam)
    objective, least, bound = (np.empty(len(trace)) for _ in range(3))
    scores, squares = _scores_and_squares(kernel, X, trace.weights[:, :-1])
    prices = np.full(count(X), 1 / (lam * count(X)))  # F = λP where each slack costs 1/(λm).
    for k, (output, step) in enumerate(zip(trace.output, trace.step, strict=True)):
        labels = model.outputs_[output]
        problem = SoftMargin(labels.signs(y), prices, model.intercept)
        b = trace.weights[k, -1]
        objective[k] = lam * problem.primal(squares[k], scores[:, k], b)
        least[k] = _least(optima, labels, lam)
        run = runs.get(labels)
        bound[k] = guarantee(run.radius2, lam, int(step)) if run else np.inf
    certificate = Composite(
        model.certificate_.claims + best.certificate_.claims,
        model.certificate_.not_claimed + best.certificate_.not_claimed,
    )
    return Excess(trace.output, trace.step, objective, least, bound, certificate)


def _scores_and_squares(kernel: Kernel | None, X, coef) -> tuple[np.ndarray, np.ndarray]:
    """Of each answer: its scores on all examples, and ‖w‖², both without the intercept."""
    if kernel is None:
        scores = safe_sparse_dot(X, coef.T, dense_output=True)
        squares = np.einsum("kj,kj->k", coef, coef)
    else:
        centres = kernel.take(X, np.arange(count(X)))
        scores = gram.scores(kernel, X, centres, np.ascontiguousarray(coef.T))
        squares = np.einsum("kj,jk->k", coef, scores)
    return scores, squares


def _least(optima: dict[Labels, Any], labels: Labels, lam: float) -> float:
    """min F ≥ min(1, λCm)·dual/(Cm): with λ' = 1/(Cm), which is λ up to rounding, the minimum of
    F is dual/(Cm) at least, and a penalty of λ instead is at least λ/λ' times that of λ'."""
    if labels not in optima:
        return 0.0
    claim = optima[labels]
    scale = Fraction(claim.C) * claim.examples
    return below(min(Fraction(1), Fraction(lam) * scale) * Fraction(claim.dual) / scale)
