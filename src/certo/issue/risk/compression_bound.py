"""How CompressionBound finds its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates.base import require
from certo.certificates.risk.compression_bound import CompressionBound, errors_outside
from certo.certificates.risk.risk_bound import majority
from certo.certificates.risk.scheme import Scheme
from certo.certificates.sample.labels import Labels
from certo.issue.risk.formulas import compression, of_draws
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim


@or_cannot_claim
def issue_compression_bound(
    sample: Any,
    labels: Labels,
    scheme: Scheme,
    updated: np.ndarray,
    delta: float = 0.05,
    *,
    wrong: np.ndarray | None = None,
    rerun: bool = True,
) -> CompressionBound:
    """The bound, or CannotClaim with the reason why none can be given.

    `sample` is as the scheme gives it. `wrong` tells what the rule gets wrong of it, where that is
    known. Without `rerun`, the caller knows that the rule is that of the run.
    """
    require(not scheme.undetermined, scheme.undetermined)
    if wrong is None:
        wrong = scheme.wrong(sample, updated, SLACK_FACTOR)
    errors = errors_outside(wrong, updated)
    claim = CompressionBound(
        labels=labels, delta=delta, majority=majority(sample.signs), scheme=scheme,
        updated=updated, examples=sample.m, errors=errors,
        **compression(scheme, sample.m, len(updated), errors, delta),
    )  # fmt: skip
    if rerun and claim.is_rerun:
        scheme.rerun(sample, claim.updated)
    return of_draws(claim, sample)
