"""How TestDistances finds its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from certo import bounds
from certo.certificates.base import CannotClaim
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.sample.draws import why_copied
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Values
from certo.issue.slack import SLACK_FACTOR


def issue_test_distances(
    X, y, coef: np.ndarray, intercept: float, delta: float = 0.05
) -> TestDistances:
    """The claim; CannotClaim with the reason if there is none, ValueError for other data."""
    if delta >= 0.5:
        raise CannotClaim(f"its delta must be below 1/2, got {delta!r}.")
    sample = Sample.of(X, y, Values())
    draft = TestDistances(Values(), coef, float(intercept), sample.m, 0.0, delta, 1.0)
    if why := why_copied(sample.X, draft.labels.places(sample.signs)):
        raise CannotClaim(why)
    distance = np.sort(draft.distances(sample, SLACK_FACTOR))[draft.within - 1]
    if not np.isfinite(distance):
        raise CannotClaim("the predictions are too large for their rounding to be bounded.")
    n, k = draft.examples, draft.within
    beyond = bounds.clopper_pearson(n, n - k, 2 * delta).upper
    return replace(draft, distance=float(distance), beyond=beyond)
