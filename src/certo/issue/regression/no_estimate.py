"""How NoEstimate finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.issue.slack import or_cannot_claim, with_numbers


@or_cannot_claim
def issue_no_estimate(
    sample: Sample,
    labels: Labels,
    intercept: str,
    direction: Sequence[Sequence[Fraction]],
    sample_weight: Sequence[float] | np.ndarray | None = None,
) -> NoEstimate:
    """The claim; CannotClaim if it is not true of this direction. `sample` has the places of
    the classes as signs; examples of weight 0 are ignored."""
    weights = np.ones(sample.m) if sample_weight is None else np.asarray(sample_weight)
    rows = tuple(map(tuple, direction))
    claim = NoEstimate(
        labels, intercept, sample.m, sample.d, rows, np.flatnonzero(weights == 0), rising=0
    )
    rising = claim._comparisons(sample)
    return with_numbers(claim, rising=rising)
