"""How far a run of Pegasos was from the best weights, measured against a certified optimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from certo.certificates import Composite, DualityGap, ExpectedExcess, Labels
from certo.certificates.exact import below
from certo.certificates.expected_excess import guarantee
from certo.estimators import _input


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
        The claims of the run, and a DualityGap for each output, from which `least` follows.
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
            f"{self.excess[k]:.3g} above its minimum ("
            + (f"expected: {self.bound[k]:.3g})" if self.bound[k] < np.inf else "no guarantee)")
            for k in last
        )


def excess(model, X, y, tol: float) -> Excess:
    """The excess of every answer in the trace of a fitted Pegasos."""
    from certo.estimators.svm import SVM

    X = _input.examples(model, X)
    verdict = model.certificate_.verify(X, y)
    if not verdict:
        raise ValueError(
            f"excess needs the very examples of the last fit, but the claims of that fit do not "
            f"hold of X and y: {verdict}"
        )
    best = SVM(lam=model.lam, intercept=model.intercept, tol=tol, random_state=0).fit(X, y)
    if not np.array_equal(best.classes_, model.classes_):
        raise ValueError(f"y must hold the classes {model.classes_.tolist()} of the fit.")
    optima = {claim.labels: claim for claim in best.certificate_.of_kind(DualityGap)}
    runs = {claim.labels: claim for claim in model.certificate_.of_kind(ExpectedExcess)}
    trace, lam = model.trace_, float(model.lam)
    objective, least, bound = (np.empty(len(trace)) for _ in range(3))
    for k, (output, step) in enumerate(zip(trace.output, trace.step, strict=True)):
        labels = model.outputs_[output]
        objective[k] = _objective(X, labels.signs(y), trace.weights[k], lam)
        least[k] = _least(optima, labels, lam)
        run = runs.get(labels)
        bound[k] = guarantee(run.radius2, lam, int(step)) if run else np.inf
    certificate = Composite(
        model.certificate_.claims + best.certificate_.claims,
        model.certificate_.not_claimed + best.certificate_.not_claimed,
    )
    return Excess(trace.output, trace.step, objective, least, bound, certificate)


def _objective(X, signs: np.ndarray, w: np.ndarray, lam: float) -> float:
    scores = safe_sparse_dot(X, w[:-1]) + w[-1]
    return float(np.mean(np.maximum(1 - signs * scores, 0.0)) + lam / 2 * (w @ w))


def _least(optima: dict[Labels, DualityGap], labels: Labels, lam: float) -> float:
    """min F ≥ min(1, λCm)·dual/(Cm): with λ' = 1/(Cm), which is λ up to rounding, the minimum of
    F is dual/(Cm) at least, and a penalty of λ instead is at least λ/λ' times that of λ'."""
    if labels not in optima:
        return 0.0
    claim = optima[labels]
    scale = Fraction(claim.C) * claim.examples
    return below(min(Fraction(1), Fraction(lam) * scale) * Fraction(claim.dual) / scale)
