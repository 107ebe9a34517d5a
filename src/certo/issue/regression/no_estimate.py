"""How NoEstimate finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.numbers.rounded import NotShown


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
    rows = tuple(tuple(Fraction(entry) for entry in row) for row in direction)
    claim = NoEstimate(
        labels, intercept, sample.m, sample.d, rows, np.flatnonzero(weights == 0), rising=0
    )
    try:
        rising = claim._comparisons(sample)
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    return replace(claim, rising=rising)
