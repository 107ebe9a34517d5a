"""How SupportBound finds its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from certo.certificates.base import CannotClaim
from certo.certificates.risk.support_bound import SupportBound, _all_classes, _objection
from certo.issue.risk.formulas import of_draws
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim
from certo.numbers.rounding import MAX_FLOAT


@or_cannot_claim
def issue_support_bound(X, y, solutions: Iterable[Any], delta: float = 0.05) -> SupportBound:
    """The bound for the machine of these solutions, each a `SoftMarginGap` or
    `MaximumMargin`: one for two classes, else one for each class against the rest, in their order.
    CannotClaim, if there is none or the solutions do not hold of X, y."""
    solutions = tuple(solutions)
    objection = _objection(solutions)
    if objection:
        raise CannotClaim(objection)
    m = solutions[0].examples
    draft = SupportBound(
        _all_classes(solutions), delta, solutions, m, m, MAX_FLOAT, 1.0, 1.0, majority=m
    )
    samples = draft._sample(draft._read(X), y)
    supports = draft._count(samples, SLACK_FACTOR)
    claim = replace(draft, supports=supports, majority=draft._majority_of(samples)).at(delta)
    return of_draws(claim, samples)
