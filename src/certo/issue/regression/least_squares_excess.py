"""How LeastSquaresExcess finds its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import linalg

from certo.blas import one_thread
from certo.certificates.base import CannotClaim
from certo.certificates.regression.factors import inverse_factor
from certo.certificates.regression.least_squares_evidence import (
    Evidence,
    by_rows,
)
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Values
from certo.issue.regression.least_squares_sums import by_gram, shown_exact
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim, with_numbers
from certo.numbers import exact
from certo.numbers.rounding import MAX_FLOAT
from certo.problems.shifted_gram import ShiftedGram

NO_INDICES = np.zeros(0, dtype=np.int64)
DEFAULT_REACH_COST = 1e-9  # Share of the risk that a default reach may add to the excess.


@or_cannot_claim
def issue_least_squares_excess(
    data: Sample | ShiftedGram,
    labels: Values,
    *,
    coef: np.ndarray,
    intercept: np.ndarray,
    treatment: str,
    ridge: float = 0.0,
    sample_weight=(),
    shift=None,
    kept=None,
    factor: np.ndarray | None = None,
    combinations: Sequence[Sequence[Fraction]] = (),
    multipliers=(),
    reach: float | None = None,
    seen_exact: bool = False,
) -> LeastSquaresExcess:
    """The strongest such claim for coefficients (q, d) and intercepts (q,), from the examples,
    or, without another look at them, from sums over them.

    `shift` (d + q) is near the mean of x and y; exactly 0 without intercept and, to keep them
    sparse, for the x of sparse examples; sums have their own. `kept` are independent columns of
    (x, 1), number d being the intercept, in any order (None: all). `factor` is any square
    matrix B over them, for shifted x, with BᵀAB ≈ I; it is made triangular here. Without one it
    is found from the sums; from the examples it must be given, or there is a ridge, or the
    claim has a reach. `combinations` has a row over `kept` for each other column; if they are
    not shown to be exact (sums do that only if they were not rounded), a `reach` is taken in
    place of them, unless given one that costs about 1e-9 of the risk. With sums,
    `seen_exact` says that they were seen to be exact in the examples. `multipliers` (q, m)
    are z for a `distance`.

    CannotClaim, if numbers overflow, or sums have lost too many digits.
    """
    q, d = np.shape(coef)
    if isinstance(data, ShiftedGram):
        shift = data.shift
    draft = LeastSquaresExcess(
        labels=labels, treatment=treatment, ridge=ridge, sample_weight=sample_weight,
        coef=coef, intercept=intercept, shift=np.zeros(d + q) if shift is None else shift,
        kept=NO_INDICES, combinations=(), factor=NO_INDICES, multipliers=multipliers, reach=None,
        examples=data.m if isinstance(data, Sample) else data.examples,
        risk=MAX_FLOAT, lower=0.0, excess=MAX_FLOAT, distance=None,
    )  # fmt: skip
    columns = np.arange(d + draft.lifted) if kept is None else np.asarray(kept)
    if ridge and columns.size < d + draft.lifted:
        # No combination is left out of ‖W‖². A ridge that rounding hides in the sums of squares
        # still shows how strongly F curves.
        columns, factor, combinations = np.arange(d + draft.lifted), None, ()
    if isinstance(data, Sample):
        return _from_rows(draft, data, columns, factor, combinations, reach)
    with one_thread():  # The matrices are small.
        return _from_sums(draft, data, columns, factor, combinations, reach, seen_exact)


def _from_rows(
    claim: LeastSquaresExcess, sample: Sample, columns, factor, combinations, reach
) -> LeastSquaresExcess:
    drafts = [claim]
    if not claim.ridge:  # The intercept alone may suffice near the minimum.
        drafts.insert(
            0, _with_basis(claim, columns[columns == sample.d], np.eye(int(claim.lifted)))
        )
    if factor is not None:
        draft = _with_basis(claim, columns, factor, combinations)
        drafts.insert(0, draft if draft._is_exact(sample) else _limited(draft))
    for draft in drafts:
        evidence = by_rows(draft, sample)
        claim = _issued_excess(draft, evidence, reach, draft._distance(sample, SLACK_FACTOR))
        stands = evidence.excess(SLACK_FACTOR, None) < math.inf
        if stands and (claim.reach is None or claim.excess < claim.risk):
            break
    return claim


def _from_sums(
    claim: LeastSquaresExcess, known: ShiftedGram, columns, factor, combinations, reach, seen_exact
) -> LeastSquaresExcess:
    if factor is None:
        factor = inverse_factor(_normal_matrix(known, columns, claim))
        if factor is None:
            raise CannotClaim("the matrix of the normal equations is not positive.")
    draft = with_numbers(claim, **_basis(claim, columns, factor, combinations))
    if draft.combinations and not (seen_exact or shown_exact(draft, known)):
        draft = _limited(draft)
    evidence = by_gram(draft, known)
    if not evidence.curved + SLACK_FACTOR * evidence.curved_off < 0.5:
        raise CannotClaim("the sums of squares have lost too many digits.")
    return _issued_excess(draft, evidence, reach, draft._distance(None, SLACK_FACTOR))


def _with_basis(
    claim: LeastSquaresExcess, columns: np.ndarray, factor: np.ndarray, combinations=()
) -> LeastSquaresExcess:
    return with_numbers(copy(claim), **_basis(claim, columns, factor, combinations))


def _basis(
    claim: LeastSquaresExcess, columns: np.ndarray, factor: np.ndarray, combinations=()
) -> dict[str, Any]:
    """This witness in its proper form, as fields of the claim."""
    order = np.argsort(columns)
    d = claim.coef.shape[1]
    some_left = columns.size < d + claim.lifted
    lines = tuple(tuple(line[k] for k in order.tolist()) for line in combinations)
    witness = {"kept": columns[order], "factor": _triangular(np.asarray(factor)[order])}
    for part in witness.values():
        part.flags.writeable = False
    reach = 0.0 if some_left and not lines else None
    return witness | {"combinations": lines if some_left else (), "reach": reach}


def _limited(claim: LeastSquaresExcess) -> LeastSquaresExcess:
    return with_numbers(claim, combinations=(), reach=0.0)


def _issued_excess(
    claim: LeastSquaresExcess, evidence: Evidence, reach: float | None, distance: float | None
) -> LeastSquaresExcess:
    """This claim with its numbers. A checker may add in another order: his values differ from
    these by his allowances and ours, and he then allows for his own. His are at most 1.5 times
    ours (they are computed alike), so SLACK_FACTOR of ours are enough."""
    F = evidence.objective
    risk = exact.above(F.value + SLACK_FACTOR * F.within)
    if not risk < MAX_FLOAT:
        raise CannotClaim("numbers overflow float64.")
    if claim.reach is None:
        reach = None
    elif reach is None:
        reach = _affordable(evidence, DEFAULT_REACH_COST * risk)
    excess = min(evidence.excess(SLACK_FACTOR, reach), risk)
    lower = max(0.0, exact.below(F.value - SLACK_FACTOR * F.within - Fraction(excess)))
    numbers = {"risk": risk, "lower": lower, "excess": float(excess)}
    return with_numbers(claim, **numbers, reach=reach, distance=distance)


def _triangular(factor: np.ndarray) -> np.ndarray:
    """An upper triangular T with TᵀAT orthogonally similar to BᵀAB, for a square B = TQ."""
    return np.triu(linalg.rq(factor)[0]) if np.any(np.tril(factor, -1)) else factor


def _normal_matrix(
    known: ShiftedGram, columns: np.ndarray, claim: LeastSquaresExcess
) -> np.ndarray:
    """A over these columns, that of the ones being the last of the sums."""
    slopes = columns < claim.coef.shape[1]
    places = np.where(slopes, columns, len(known.gram) - 1)
    matrix = known.gram[places[:, None], places] / known.gram[-1, -1]
    return matrix + claim.ridge * np.diag(slopes) if claim.ridge else matrix


def _affordable(evidence: Evidence, cost: float) -> float:
    """A power of ten: the reach that adds about so much to the excess, but at least 1."""
    one = evidence.excess(SLACK_FACTOR, 1.0) - evidence.excess(SLACK_FACTOR, None)
    if not (0 < one < math.inf and cost > 0):
        return 1.0
    return 10.0 ** min(300, max(0, math.floor(math.log10(cost) - math.log10(one))))
