"""How AverageToBatch finds its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.encoding import rounded_up
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.risk.risk_bound import majority
from certo.certificates.runs.gradient_run import GradientRun
from certo.certificates.sample.examples import Sample
from certo.issue.labels import all_labels
from certo.issue.risk.formulas import of_draws
from certo.issue.slack import or_cannot_claim
from certo.numbers import exact
from certo.numbers.exact import norm

# For a checker whose inner products round otherwise.
LOSS_SLACK_FACTOR = 1 + 2.0**-30


@or_cannot_claim
def issue_average_to_batch(
    X,
    y,
    classes: Sequence[Any],
    run: GradientRun,
    coef,
    intercept: float,
    delta: float = 0.05,
) -> AverageToBatch:
    """The bound, the reach being the length of the longest example, to six digits; CannotClaim
    with the reason why none can be given."""
    labels = all_labels(classes)
    if len(labels.classes) != 2:
        raise CannotClaim(
            "with more than two classes an error may be due to any output, and the sum of all "
            "their losses bounds little: the claim is made for two."
        )
    if not run.average:
        raise CannotClaim(
            "the bound is about the average of the iterates, not the last. Use average=True."
        )
    sample = Sample.of(X, y, labels)
    square = sample.square_bound()
    if not square < math.inf:
        raise CannotClaim("the squares of the features overflow float64.")
    reach = float(rounded_up(exact.root_above(Fraction(square))))  # Rounded up to few digits.
    draft = AverageToBatch(
        labels, delta, run, coef, intercept, sample.m, reach, 0.0, 0.0, 1.0,
        majority=majority(sample.signs),
    )  # fmt: skip
    loss, off = draft._repeated(sample)
    loss, off = loss * LOSS_SLACK_FACTOR, off * 2 + 2.0**-40 * norm(np.append(coef, intercept))
    claim = replace(draft, loss=loss, off=off).at(delta)
    return of_draws(claim, sample)
