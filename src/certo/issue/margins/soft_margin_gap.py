"""How SoftMarginGap finds its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from certo.certificates.base import CannotClaim
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.issue.slack import SLACK_FACTOR
from certo.numbers import exact
from certo.numbers.rounded import NotShown, Rounded

Gap = TypeVar("Gap", bound=SoftMarginGap)
NEGLIGIBLE = 1e-4  # of the gap: an allowance that is not worth more work


def issued_gap(
    claim: Gap,
    values: Iterable[tuple[Rounded, Rounded]],
    negligible: float = NEGLIGIBLE,
    enough: float = 0.0,
) -> Gap:
    """This claim with its numbers, from P(w, b) and D(α) at more and more cost: those whose
    allowances are a negligible part of the gap, or that prove a relative gap of `enough`, or
    the last. CannotClaim, if there are none.

    A checker may add in another order: his values differ from these by his allowance and ours,
    and he then allows for his own. His are at most 1.5 times ours (they are computed alike), so
    SLACK_FACTOR of ours are enough.
    """
    try:
        for primal, dual in values:
            rounding, gap = primal.within + dual.within, primal.value - dual.value
            proved = gap + SLACK_FACTOR * rounding <= Fraction(enough) * primal.value
            if proved or rounding <= Fraction(negligible) * gap:
                break
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    upper = exact.above(primal.value + SLACK_FACTOR * primal.within)
    lower = max(0.0, exact.below(dual.value - SLACK_FACTOR * dual.within))
    if upper == math.inf:
        raise CannotClaim("numbers overflow float64.")
    spread = Fraction(upper) - primal.value + dual.value - Fraction(lower) + SLACK_FACTOR * rounding
    allowance = max(0.0, exact.above(spread))
    if allowance == math.inf:
        raise CannotClaim("numbers overflow float64.")
    return replace(claim, primal=upper, dual=lower, allowance=allowance)
