"""How KernelMistakeBound finds its numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.kernel_mistake_bound import (
    KernelMistakeBound,
    _lowest,
    greatest_square,
)
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample, Scores
from certo.issue.slack import SLACK_FACTOR
from certo.numbers import exact
from certo.numbers.rounded import NotShown, Rounded


def issue_kernel_mistake_bound(
    sample: KernelSample,
    labels: Labels,
    *,
    lifted: bool,
    rows: np.ndarray,
    dual_coef: np.ndarray,
    comparator_rows: np.ndarray,
    comparator_coef: np.ndarray,
    comparator_intercept: float = 0.0,
    target: float | None = None,
    scores: Scores | None = None,
) -> KernelMistakeBound:
    """The claim for a comparator u: as a separator if it is one, else with its shortfall from
    the `target` (default: a typical margin of the mistakes).

    `scores` are those of u without its intercept, if known. CannotClaim, where numbers overflow
    or more mistakes are listed than the theorem allows.
    """
    huge = np.finfo(np.float64).max
    draft = KernelMistakeBound(
        labels, sample.kernel, sample.shift, lifted, rows, dual_coef, comparator_rows,
        comparator_coef, comparator_intercept, sample.m, int(np.abs(dual_coef).sum()),
        False, 0.0, 0.0, huge, 0.0, 0,
    )  # fmt: skip
    try:
        scores = scores or sample.scores(draft.comparator_rows, draft.comparator_coef)
        margins = draft._margins(sample, scores)
        least = float(np.min(_lowest(margins, SLACK_FACTOR)))
        length2 = draft._length2(sample, scores)
        radius2 = greatest_square(sample, SLACK_FACTOR) + lifted
        shortfall = Rounded(Fraction(0))
        if least > 0:
            draft = replace(draft, separable=True, target=least)
        else:
            draft = replace(draft, target=target or _typical(margins.value[draft.rows]))
            shortfall = draft._falls_short(margins)
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    missing = exact.above(shortfall.value + SLACK_FACTOR * shortfall.within)
    square = max(0.0, exact.above(length2.value + SLACK_FACTOR * length2.within))
    greatest = exact.above(radius2)
    if math.inf in (missing, square, greatest):
        raise CannotClaim("numbers overflow float64.")
    draft = replace(draft, shortfall=missing, comparator2=square, radius2=greatest)
    bound = draft._most_updates()
    if bound < draft.updates:
        raise CannotClaim(
            f"{draft.updates:,} mistakes are more than the {bound:,} that the theorem allows "
            "in exact arithmetic: rounding decided some, or the examples are not those of the "
            "run."
        )
    return replace(draft, bound=bound)


def _typical(margins: np.ndarray) -> float:
    """The scale of a comparator is free; far beyond its margins every mistake falls short, and the
    bound is their number, which says nothing."""
    with np.errstate(over="ignore", invalid="ignore"):
        scale = float(np.mean(np.abs(margins))) if margins.size else 1.0
    return scale if 0 < scale < math.inf else 1.0


def against(
    claim: KernelMistakeBound,
    sample: KernelSample,
    rows,
    coef,
    intercept: float = 0.0,
    target: float | None = None,
) -> KernelMistakeBound:
    """The same run against another comparator Σ coef_i K(x_rows_i, ·) + intercept."""
    return issue_kernel_mistake_bound(
        sample,
        claim.labels,
        lifted=claim.lifted,
        rows=claim.rows,
        dual_coef=claim.dual_coef,
        comparator_rows=rows,
        comparator_coef=coef,
        comparator_intercept=intercept,
        target=target,
    )
