"""How MaximumMargin finds its numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.sample.labels import Labels
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim, with_numbers, with_slack
from certo.numbers import exact
from certo.numbers.rounding import MAX_FLOAT

NEGLIGIBLE_SQUARE_SHARE = 1e-11  # Share of ‖v‖² below which an allowance needs no exact sums.


@or_cannot_claim
def issue_maximum_margin(
    sample,
    labels: Labels,
    *,
    coef=(),
    intercept: float,
    treatment: str,
    rows: np.ndarray,
    dual_coef: np.ndarray,
    margins: Any = None,
) -> MaximumMargin:
    """The strongest such claim from signed multipliers a_t y_t of some rows, and a separator where
    the sample is one of vectors; `margins` are those of the machine, if known.

    CannotClaim, if it separates nothing or the multipliers bound nothing.
    """
    draft = MaximumMargin(
        labels=labels, space=sample.space, examples=sample.m, coef=np.asarray(coef),
        intercept=intercept, rows=rows, dual_coef=dual_coef, treatment=treatment,
        lower=exact.TINY, upper=MAX_FLOAT,
    )  # fmt: skip
    draft._check_size(sample)
    total = draft._multipliers(sample)
    margins = margins or draft.space.margins(sample, draft.machine)
    least, where = margins.least(SLACK_FACTOR)
    length = exact.root_above(with_slack(draft._square(margins)))
    if least <= 0 or not 0 < length < np.inf:
        raise CannotClaim(f"example {where} is not strictly on its own side.")
    lower = exact.below(least / Fraction(length))
    for combined in draft._combined_in_turn(margins):
        if combined.within <= Fraction(NEGLIGIBLE_SQUARE_SHARE) * combined.value:
            break
    upper = exact.root_above(with_slack(combined) / total**2)
    if lower <= 0:
        raise CannotClaim(f"the margin of example {where} is too small for a float.")
    if not upper < np.inf:
        raise CannotClaim("numbers over- or underflow float64.")
    return with_numbers(draft, lower=lower, upper=upper)
