"""What a solution of least squares proves, and from what."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.base import CannotClaim
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.regression.dependence import exact_columns
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Values
from certo.issue.regression.least_squares_excess import issue_least_squares_excess
from certo.problems.shifted_gram import ShiftedGram
from certo.solvers.least_squares import Solution

MAX_LOOSE_EXCESS = 1e-9  # Of the risk: with more excess than this, the rows are asked.
MIN_RISK_SHARE = 1e-20  # Of the spread of y: a smaller risk needs no bound from below.
EXACTNESS_ROWS = 64  # Rows that tell whether combinations of columns can be exact.
MAX_CENTRED_DIM = 2000  # Columns up to which blocks of sparse rows are centred.
MAX_MULTIPLIER_NUMBERS = 10_000_000  # Numbers in X up to which multipliers of the rows are sought.


def certified(
    found: Solution, labels: Values, X=None, Y=None, sample_weight: np.ndarray | None = None, *,
    treatment: str, ridge: float,
) -> Composite:  # fmt: skip
    """How far the risk is at most from the smallest: from the sums that solved it, if they are good
    for that, else from the rows. X is None where the rows, which had no weights, are gone."""
    problem = {
        "coef": found.coef,
        "intercept": found.intercept,
        "treatment": treatment,
        "ridge": ridge,
        "sample_weight": () if sample_weight is None else sample_weight,
    }
    claim: Any = None
    sums = found.moments.sums
    if sums is not None:
        seem = not sums.exact and X is not None and _seem_exact(found, X, treatment == "free")
        exact = seem and _are_exact(found, X, treatment == "free", sample_weight)
        claim = _by_sums(found, sums, labels, problem, exact) if exact or not seem else None
    if X is None and sums is None:
        return not_claimed(
            "partial_fit keeps neither the examples nor their weights, nor sums from a fit."
        )
    if X is None and claim is None:
        return not_claimed("the sums that partial_fit keeps have too few digits for a claim.")
    # A reach is chosen so that it costs about as much as the excess.
    loose = claim is None or (claim.excess > MAX_LOOSE_EXCESS * claim.risk and claim.reach is None)
    if loose and X is not None:
        try:
            claim = _by_rows(found, labels, Sample(X, Y), problem)
        except CannotClaim as reason:
            return not_claimed(str(reason))
    return Composite((claim,))


def _seem_exact(found: Solution, X, lifted: bool) -> bool:
    """Whether columns are combinations of others to the last digit, in the first rows: then a look
    at all rows, which rounded sums cannot replace, may show it."""
    return _are_exact(found, X[:EXACTNESS_ROWS], lifted)


def _are_exact(found: Solution, X, lifted: bool, weights: np.ndarray | None = None) -> bool:
    """The same in all of these rows that count."""
    if not found.combinations or found.kept is None:
        return False
    rows, counts = Sample(X, np.ones(X.shape[0], np.int8)), None if weights is None else weights > 0
    return bool(np.all(exact_columns(rows, found.kept, found.combinations, lifted, counts)))


def not_claimed(reason: str) -> Composite:
    return Composite((), (NotClaimed("LeastSquaresExcess", reason),))


def _by_sums(
    found: Solution, sums: ShiftedGram, labels: Values, problem: dict[str, Any], exact: bool
) -> LeastSquaresExcess | None:
    """None, where the sums are not enough; `exact` says that the rows show the combinations."""
    try:
        return issue_least_squares_excess(
            sums, labels, shift=sums.shift, kept=found.kept, combinations=found.combinations or (),
            seen_exact=exact, **problem,
        )  # fmt: skip
    except CannotClaim:
        return None


def _by_rows(
    found: Solution, labels: Values, sample: Sample, problem: dict[str, Any]
) -> LeastSquaresExcess:
    known, d, ridge = found.moments, sample.d, problem["ridge"]
    shift, factor, kept, combined = known.mean, found.factor, found.kept, found.combinations or ()
    if sparse.issparse(sample.X) and d > MAX_CENTRED_DIM:
        shift = np.append(np.zeros(d), known.mean[d:])
        if factor is not None and kept is not None and problem["treatment"] == "free":
            factor = factor.copy()  # The factor of columns that are not centred.
            factor[-1, :-1] = -known.mean[kept[:-1]] @ factor[:-1, :-1]
    spread = float(np.sum(np.diag(known.products)[-len(found.coef) :]))
    if not ridge and float(np.sum(found.squares)) <= MIN_RISK_SHARE * spread:
        kept, factor, combined = None, None, ()
    multipliers: Any = ()
    short = found.rank is not None and found.rank < d and not ridge
    if short and not combined and sample.m * d <= MAX_MULTIPLIER_NUMBERS:
        multipliers = _multipliers(sample, known.mean[:d], found.coef, problem["sample_weight"])
    return issue_least_squares_excess(
        sample, labels, shift=shift, kept=kept, factor=factor, combinations=combined,
        multipliers=multipliers, **problem,
    )  # fmt: skip


def _multipliers(sample: Sample, mean: np.ndarray, coef: np.ndarray, weights) -> np.ndarray:
    """z with coef = Σ z_i (x_i − x̄): that shows it to be the shortest with its predictions."""
    X = sample.X.toarray() if sparse.issparse(sample.X) else sample.X
    there = np.flatnonzero(weights) if len(weights) else np.arange(sample.m)
    z = np.zeros((len(coef), sample.m))
    z[:, there] = np.linalg.lstsq((X[there] - mean).T, coef.T, rcond=None)[0].T
    return z
