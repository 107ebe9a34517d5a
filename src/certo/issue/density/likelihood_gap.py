"""How LikelihoodGap finds its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from certo.certificates.base import CannotClaim
from certo.certificates.density.likelihood_gap import LikelihoodGap
from certo.certificates.sample.examples import Sample
from certo.issue.slack import SLACK_FACTOR
from certo.numbers.rounded import NotShown

Gap = TypeVar("Gap", bound=LikelihoodGap)


def issued_likelihood(claim: Gap, sample: Sample) -> Gap:
    """This claim with its numbers, or CannotClaim."""
    try:
        shown = claim._shown(sample, SLACK_FACTOR)
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    return replace(claim, risk=shown.risk, lower=shown.lower, **shown.errors)  # type: ignore[arg-type]
