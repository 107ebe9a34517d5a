"""How claims by blocks find their numbers: from the sums that their checks are made of.

A checker may cut the rows into other blocks. Whatever his cut, the number of blocks and the rows of
the largest are together at most m + 1, so that no term of his sums passes through more than m + 1
roundings beyond those of the term itself: allowances are computed for that depth here, and with the
longest row of all blocks. As elsewhere, SLACK_FACTOR of them are enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.blocks import gaussian, least_squares, logistic, soft_margin
from certo.certificates.blocks.check import check_of
from certo.certificates.blocks.sums import BlockSum, Sums
from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.predictor import Predictor
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.margins.soft_margin_gap import SoftMarginGap, costs_of
from certo.certificates.regression.least_squares_evidence import Evidence
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Unlabelled, Values
from certo.certificates.spaces.vectors import Vectors
from certo.issue.labels import all_labels
from certo.issue.risk import interval
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim, with_numbers
from certo.numbers import exact
from certo.numbers.rounded import Rounded
from certo.numbers.rounding import MAX_FLOAT

EXCESS_ROOM = 16.0  # A checker may look at other rows for the curvature: up to 8 times less of it.
MAX_BLOCKS = 2**16  # Blocks of a checker for whom a claim about a density has room.
NO_ROWS = np.zeros(0, np.int64)


def terms_of(block: Any, claims: Sequence[Certificate], attempt: int = 0) -> Sums:
    """What one block adds to the checks of claims; each reads the block as its check does."""
    found = []
    for claim in claims:
        sample = claim._sample(claim._read(block[0]), block[1])
        terms = check_of(claim.name).terms(claim, sample, block[2], attempt)
        if isinstance(claim, SoftMarginGap):
            terms.parts["moves"] = multiplier_moves(claim, sample, terms["square"])
        found.append(terms)
    return Sums(found)


def multiplier_moves(claim: SoftMarginGap, sample: Sample, square: float) -> float:
    """How much all multipliers of these rows together may differ between two checkers.

    Their margins of a row differ by at most twice its slack σ, so that multipliers differ by
    2σ c_t/τ and a few roundings of c_t where a margin may be in the window, and elsewhere not at
    all: there they are 0 or c_t.
    """
    width = soft_margin.width_of(claim)
    length = exact.norm(claim.coef) * exact.root_above(Fraction(square)) * exact.ROUND_UP
    slack = exact.allowance(claim.coef.size, length + abs(claim.intercept))
    r = 1.0 - sample.signs * (sample.part(0, sample.m) @ claim.coef + claim.intercept)
    near = np.abs(r) <= (0.5 * width + 2 * slack) * (1 + 2.0**-30)
    costs = costs_of(claim.C, claim.class_weight, sample.signs)[near]
    return float(costs.sum() * (2 * slack / width + 8 * exact.UNIT))


def totals_of(blocks: Any, claims: Sequence[Certificate], attempt: int = 0) -> list[BlockSum]:
    """The sums for several claims, from one pass over blocks (anything with `total`, or an
    iterable)."""
    if hasattr(blocks, "total"):
        return list(blocks.total(terms_of, list(claims), attempt))
    return list(reduce(add, (terms_of(block, claims, attempt) for block in blocks)))


def for_any_cut(total: BlockSum) -> BlockSum:
    """The same with allowances for every way to cut the rows."""
    return replace(total, roundings=total.rows, blocks=1)


def soft_margin_draft(
    labels: Labels,
    rows: int,
    coef: np.ndarray,
    intercept: float,
    *,
    treatment: str,
    C: float,
    class_weight: Sequence[float],
    width: float,
) -> SoftMarginGap:
    """A claim without its numbers, from which its terms can be computed."""
    return SoftMarginGap(
        labels=labels, space=Vectors(), coef=coef, intercept=intercept, treatment=treatment, C=C,
        class_weight=np.asarray(class_weight), sample_weight=np.zeros(0), rows=NO_ROWS,
        dual_coef=np.zeros(0), examples=rows, primal=MAX_FLOAT, dual=0.0, allowance=MAX_FLOAT,
        width=width,
    )  # fmt: skip


@or_cannot_claim
def issue_soft_margin(draft: SoftMarginGap, total: BlockSum) -> SoftMarginGap:
    """The strongest claim that anyone who sums over blocks can check.

    Where another checker's multipliers differ from ours (see `multiplier_moves`), the bound moves
    by Σ|Δα|·(1 + R‖v‖ + B).
    """
    assert draft.width is not None
    whole = for_any_cut(total)
    d, size = draft.coef.size, soft_margin.longest(total)
    slack = exact.allowance(
        d, size * exact.norm(draft.coef) * exact.ROUND_UP + abs(draft.intercept)
    )
    costs = float(np.sum(total["costs"]))
    losses: Rounded = total["losses"]
    whole.parts["losses"] = Rounded(losses.value, losses.within + Fraction(4 * slack * costs))
    primal, dual = soft_margin.objectives(draft, whole)
    length = exact.norm(total["v"]) * (1 + 2.0**-20)
    B = float(soft_margin.intercept_price(draft, whole, primal.above, length))
    moves = Fraction(2 * total["moves"] * (1 + size * length + B))
    dual = Rounded(dual.value, dual.within + moves)
    upper = exact.above(primal.value + SLACK_FACTOR * primal.within)
    lower = max(0.0, exact.below(dual.value - SLACK_FACTOR * dual.within))
    rounding = primal.within + dual.within
    spread = Fraction(upper) - primal.value + dual.value - Fraction(lower) + SLACK_FACTOR * rounding
    allowance = max(0.0, exact.above(spread))
    if upper == math.inf or allowance == math.inf:
        raise CannotClaim("numbers overflow float64.")
    return with_numbers(draft, primal=upper, dual=lower, allowance=allowance)


def least_squares_draft(
    labels: Values,
    rows: int,
    *,
    coef: np.ndarray,
    intercept: np.ndarray,
    treatment: str,
    ridge: float,
    shift: np.ndarray,
    factor: np.ndarray,
) -> LeastSquaresExcess:
    """A claim with all columns kept, without its numbers; `factor` is upper triangular over x̃."""
    return LeastSquaresExcess(
        labels=labels, treatment=treatment, ridge=ridge, sample_weight=np.zeros(0), coef=coef,
        intercept=intercept, shift=shift, kept=np.arange(len(factor)), combinations=(),
        factor=factor, multipliers=np.zeros(0), reach=None, examples=rows, risk=MAX_FLOAT,
        lower=0.0, excess=MAX_FLOAT, distance=None,
    )  # fmt: skip


@or_cannot_claim
def issue_least_squares(
    draft: LeastSquaresExcess, total: BlockSum
) -> tuple[LeastSquaresExcess, Evidence]:
    """The strongest claim that anyone who sums over blocks can check, and its evidence."""
    evidence = least_squares.evidence(draft, for_any_cut(total))
    F = evidence.objective
    risk = exact.above(F.value + SLACK_FACTOR * F.within)
    if not risk < MAX_FLOAT:
        raise CannotClaim("numbers overflow float64.")
    excess = min(EXCESS_ROOM * evidence.excess(SLACK_FACTOR, None), risk)
    lower = max(0.0, exact.below(F.value - SLACK_FACTOR * F.within - Fraction(excess)))
    return with_numbers(draft, risk=risk, lower=lower, excess=float(excess)), evidence


def logistic_draft(
    labels: Labels,
    rows: int,
    *,
    coef: np.ndarray,
    intercept: np.ndarray,
    treatment: str,
    ridge: float,
    factors: tuple[np.ndarray, ...] = (),
) -> LogisticExcess:
    """A claim with all columns kept, without its numbers; without factors, one without a proof from
    below."""
    return LogisticExcess(
        labels=labels, treatment=treatment, ridge=ridge, class_weight=np.zeros(0),
        sample_weight=np.zeros(0), coef=coef, intercept=intercept, dropped=NO_ROWS,
        kept=np.arange(len(factors[0])) if factors else NO_ROWS, combinations=(), fixed=NO_ROWS,
        ties=(), nearly=NO_ROWS, factors=factors, reach=None,
        proof="curvature" if factors else "none", examples=rows, risk=MAX_FLOAT, lower=0.0,
    )  # fmt: skip


@or_cannot_claim
def issue_logistic(draft: LogisticExcess, total: BlockSum) -> LogisticExcess:
    """The strongest claim that anyone who sums over blocks can check."""
    whole = for_any_cut(total)
    risk, left, excess = logistic.bounds(draft, whole, SLACK_FACTOR)
    if excess == math.inf:
        draft = replace(
            draft, proof="none", kept=NO_ROWS, factors=(), combinations=(), fixed=NO_ROWS, ties=()
        )
        excess = float(left)
    upper = exact.above(risk)
    lower = max(0.0, exact.below(left - Fraction(EXCESS_ROOM) * Fraction(excess)))
    if not upper < MAX_FLOAT:
        raise CannotClaim("numbers overflow float64.")
    return with_numbers(draft, risk=upper, lower=lower if draft.proof != "none" else 0.0)


def gaussian_draft(
    rows: int, *, mean: np.ndarray, covariance: np.ndarray, factor: np.ndarray, kind: str
) -> GaussianLikelihood:
    """A claim without its numbers."""
    return GaussianLikelihood(
        labels=Unlabelled(), sample_weight=np.zeros(0), examples=rows, risk=0.0, lower=0.0,
        mean=mean, covariance=covariance, factor=factor, kind=kind, mean_error=0.0,
        covariance_error=0.0,
    )  # fmt: skip


@or_cannot_claim
def issue_gaussian(draft: GaussianLikelihood, total: BlockSum) -> GaussianLikelihood:
    """The strongest claim that anyone can check who cuts the rows into up to MAX_BLOCKS blocks."""
    most = min(total.rows, max(MAX_BLOCKS, total.blocks))
    shown = gaussian.shown_numbers(draft, total, SLACK_FACTOR, most)
    return replace(draft, risk=shown.risk, lower=shown.lower, **shown.errors)  # type: ignore[arg-type]


def error_counts(block: Any, rule: Predictor, labels: Labels, test: bool) -> BlockSum:
    """What a rule gets wrong of a block, with room for another checker."""
    kind = TestErrors if test else TrainingErrors
    codes = labels.places(block[1], kind._unknown_allowed)
    wrong, ties = rule.wrong(rule.read(block[0]), codes, SLACK_FACTOR)
    known = codes[codes >= 0]
    counts = {
        "errors": int(np.count_nonzero(wrong)),
        "ties": int(np.count_nonzero(ties)),
        "unknown": int(codes.size - known.size),
        "classes": np.bincount(known, minlength=len(labels.classes)),
    }
    return BlockSum(codes.size, 0, counts)


@or_cannot_claim
def issue_errors(
    blocks: Any, classes: Sequence[Any], rule: Predictor, delta: float | None = None
) -> TrainingErrors | TestErrors:
    """How many of the rows a rule gets wrong; with a delta, what that says of new rows, these
    having had no part in the fit. One pass."""
    labels = all_labels(classes)
    total = blocks.total(error_counts, rule, labels, delta is not None)
    counts = {"examples": total.rows, "errors": total["errors"], "ties": total["ties"]}
    if delta is None:
        return TrainingErrors(labels, rule, **counts)
    return TestErrors(
        labels=labels, predictor=rule, **counts, delta=delta, tried=1, unknown=total["unknown"],
        **interval(total.rows, total["errors"], total["ties"], delta),
        majority=int(np.max(total["classes"])),
    )  # fmt: skip
