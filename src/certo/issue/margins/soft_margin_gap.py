"""How SoftMarginGap finds its numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.combinations import dense_rows, is_short_table
from certo.compiled.twofold import dual_parts, primal_parts
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim, sum_above, with_numbers
from certo.numbers import exact
from certo.numbers.rounded import Rounded
from certo.numbers.rounding import MAX_FLOAT

NEGLIGIBLE_GAP_SHARE = 1e-4  # Share of the gap below which an allowance needs no more work.


@or_cannot_claim
def issue_soft_margin_gap(
    sample,
    labels: Labels,
    *,
    coef=(),
    intercept: float,
    treatment: str,
    C: float,
    class_weight=(1.0, 1.0),
    sample_weight=(),
    rows: np.ndarray,
    dual_coef: np.ndarray,
    known=None,
    enough: float = 0.0,
    negligible: float = NEGLIGIBLE_GAP_SHARE,
) -> SoftMarginGap:
    """The strongest such claim from signed multipliers α_t y_t of some rows, and a hyperplane where
    the sample is one of vectors.

    `known` saves work, and may be left out: a number that no ‖x_t‖² exceeds, or that and the scores
    coef·x_t in float64; for a kernel the values f(x_t) in float64, without what a shift adds. Such
    values save the pass over the kernel, if some that are computed agree with them.

    P(w, b) and D(α) are computed at more and more cost, until their allowances are a negligible
    part of the gap, or a relative gap of `enough` is proved. CannotClaim, if the multipliers are
    not feasible or numbers overflow.

    A checker may add in another order: his values differ from these by his allowance and ours,
    and he then allows for his own. His are at most 1.5 times ours (they are computed alike), so
    SLACK_FACTOR of ours are enough.
    """
    draft = SoftMarginGap(
        labels=labels, space=sample.space, coef=np.asarray(coef), intercept=intercept,
        treatment=treatment, C=C, class_weight=np.asarray(class_weight),
        sample_weight=np.asarray(sample_weight), rows=rows, dual_coef=dual_coef,
        examples=sample.m, primal=MAX_FLOAT, dual=0.0, allowance=MAX_FLOAT,
    )  # fmt: skip
    draft._check_size(sample)
    sums = _twofold_sums(draft, sample)
    if sums is not None and treatment != "lifted":
        return _claim_of_floats(draft, *sums)
    looks = draft._parts_in_turn(sample, known) if sums is None else [map(_rounded, sums)]
    for parts in looks:
        floats = [_as_float(part) for part in parts] if treatment != "lifted" else [None]
        if None not in floats and _suffices(floats, enough, negligible):
            return _claim_of_floats(draft, *floats)
        primal, dual = draft._objectives(*parts)
        rounding, gap = primal.within + dual.within, primal.value - dual.value
        proved = gap + SLACK_FACTOR * rounding <= Fraction(enough) * primal.value
        if proved or rounding <= Fraction(negligible) * gap:
            break
    upper = exact.above(primal.value + SLACK_FACTOR * primal.within)
    lower = max(0.0, exact.below(dual.value - SLACK_FACTOR * dual.within))
    if upper == math.inf:
        raise CannotClaim("numbers overflow float64.")
    spread = Fraction(upper) - primal.value + dual.value - Fraction(lower) + SLACK_FACTOR * rounding
    allowance = max(0.0, exact.above(spread))
    if allowance == math.inf:
        raise CannotClaim("numbers overflow float64.")
    return with_numbers(draft, primal=upper, dual=lower, allowance=allowance)


def _twofold_sums(draft: SoftMarginGap, sample) -> list[list[float]] | None:
    """The weighted losses, ‖w‖², Σ α_t and ‖v‖² to about twice the digits of float64, as (h, l,
    bound), where a checker adds up as precisely; None elsewhere, and after overflow."""
    if not (isinstance(sample, Sample) and is_short_table(sample)):
        return None
    costs, X, sums = draft._costs(sample), dense_rows(sample), np.empty((2, 2, 3))
    primal_parts(X, sample.signs, draft.coef, draft.intercept, costs, sums[0])
    dual_parts(X, draft.rows, draft.dual_coef, sums[1])
    return sums.reshape(4, 3).tolist() if np.isfinite(sums).all() else None


def _rounded(part: list[float]) -> Rounded:
    high, low, off = part
    return Rounded(Fraction(high) + Fraction(low), Fraction(off))


def _as_float(part: Rounded) -> list[float] | None:
    """(h, 0, bound), where the value is a float."""
    value, exactly = exact.above(part.value), (part.value.numerator, part.value.denominator)
    if not math.isfinite(value) or value.as_integer_ratio() != exactly:
        return None
    return [value, 0.0, exact.above(part.within)]


def _suffices(sums: list, enough: float, negligible: float) -> bool:
    """Whether the allowances of such sums, less than what rounding takes here, are as small as
    `issue_soft_margin_gap` wants them."""
    losses, square, total, combined = sums
    primal, dual = losses[0] + 0.5 * square[0], total[0] - 0.5 * combined[0]
    rounding = losses[2] + 0.5 * square[2] + total[2] + 0.5 * combined[2]
    gap = primal - dual
    return gap + SLACK_FACTOR * rounding <= enough * primal or rounding <= negligible * gap


def _claim_of_floats(draft: SoftMarginGap, losses, square, total, combined) -> SoftMarginGap:
    """The claim from such sums where P = losses + ½ square and D = total − ½ combined, as Fractions
    would give it: halves and multiples by four are floats, too, but for half of a number below
    2⁻¹⁰²², whose bound is at least 8·2⁻¹⁰⁷⁴, which is more than that loses."""
    primal = [losses[0], losses[1], 0.5 * square[0], 0.5 * square[1]]
    negative_dual = [-total[0], -total[1], 0.5 * combined[0], 0.5 * combined[1]]
    above_primal = [SLACK_FACTOR * losses[2], 0.5 * SLACK_FACTOR * square[2]]
    below_dual = [SLACK_FACTOR * total[2], 0.5 * SLACK_FACTOR * combined[2]]
    within = [*above_primal, *below_dual]
    upper = sum_above(*primal, *above_primal) if max(within) < math.inf else math.inf
    if upper == math.inf:
        raise CannotClaim("numbers overflow float64.")
    lower = max(0.0, -sum_above(*negative_dual, *below_dual))
    gap = [-number for number in (*primal, *negative_dual)]
    allowance = sum_above(upper, -lower, *gap, *within)
    if allowance == math.inf:
        raise CannotClaim("numbers overflow float64.")
    return with_numbers(draft, primal=upper, dual=lower, allowance=max(0.0, allowance))
