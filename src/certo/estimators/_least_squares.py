"""What a solution of least squares proves, and from what."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates import CannotClaim, Composite, NotClaimed
from certo.certificates.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample import Sample
from certo.certificates.values import Values
from certo.solvers.least_squares import Solution

TIGHT = 1e-9  # of the risk: with more excess than this, the rows are asked
NOTHING = 1e-20  # of the spread of y: a risk that needs no bound from below
DENSE = 2000  # columns up to which blocks of sparse rows are centred
SMALL = 10_000_000  # numbers in X up to which multipliers of the rows are sought


def certified(
    labels: Values, found: Solution, X, Y: np.ndarray, weights: np.ndarray | None,
    lifted: bool, ridge: float,
) -> Composite:  # fmt: skip
    """How far the risk is at most from the smallest: from the sums that solved it, if they are good
    for that, else from the rows."""
    common: dict[str, Any] = {
        "coef": found.coef,
        "intercept": found.intercept,
        "treatment": "free" if lifted else "none",
        "ridge": ridge,
        "sample_weight": () if weights is None else weights,
    }
    try:
        claim = _by_sums(labels, found, common) or _by_rows(labels, found, Sample(X, Y), common)
    except CannotClaim as reason:
        return Composite((), (NotClaimed("LeastSquaresExcess", str(reason)),))
    return Composite((claim,))


def _by_sums(labels: Values, found: Solution, common: dict[str, Any]) -> LeastSquaresExcess | None:
    """None, where the sums are not enough."""
    sums = found.moments.sums
    if sums is None or (found.combinations and not sums.exact):
        return None
    try:
        claim = LeastSquaresExcess.of(
            sums, labels, shift=sums.shift, kept=found.kept, combinations=found.combinations or (),
            **common,
        )  # fmt: skip
    except CannotClaim:
        return None
    return claim if claim.excess <= TIGHT * claim.risk else None


def _by_rows(
    labels: Values, found: Solution, sample: Sample, common: dict[str, Any]
) -> LeastSquaresExcess:
    known, d, lifted = found.moments, sample.d, common["treatment"] == "free"
    shift, factor, kept = known.mean, found.factor, found.kept
    if sparse.issparse(sample.X) and d > DENSE:
        shift = np.append(np.zeros(d), known.mean[d:])
        if (
            factor is not None and kept is not None and lifted
        ):  # the intercept of columns that are not centred
            factor = factor.copy()
            factor[-1, :-1] = -known.mean[kept[:-1]] @ factor[:-1, :-1]
    spread = float(np.sum(np.diag(known.products)[-len(found.coef) :]))
    if not common["ridge"] and float(np.sum(found.squares)) <= NOTHING * spread:
        kept = factor = None
    deficient = found.rank is not None and found.rank < d and not common["ridge"]
    multipliers: Any = ()
    if deficient and (kept is None or found.combinations is None) and sample.m * d <= SMALL:
        multipliers = _multipliers(sample, known.mean[:d], common)
    return LeastSquaresExcess.of(
        sample, labels, shift=shift, kept=kept, factor=factor,
        combinations=() if kept is None else found.combinations or (), multipliers=multipliers,
        **common,
    )  # fmt: skip


def _multipliers(sample: Sample, mean: np.ndarray, common: dict[str, Any]) -> np.ndarray:
    """z with coef = Σ z_i (x_i − x̄): that shows it to be the shortest with its predictions."""
    X = sample.X.toarray() if sparse.issparse(sample.X) else sample.X
    z = np.zeros((len(common["coef"]), sample.m))
    there = np.flatnonzero(common["sample_weight"]) if len(common["sample_weight"]) else slice(None)
    z[:, there] = np.linalg.lstsq((X[there] - mean).T, common["coef"].T, rcond=None)[0].T
    return z
