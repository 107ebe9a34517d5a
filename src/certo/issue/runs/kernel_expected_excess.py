"""How KernelExpectedExcess finds its numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.kernel_expected_excess import (
    KernelExpectedExcess,
    risk,
    squared_length,
)
from certo.certificates.runs.kernel_mistake_bound import greatest_square
from certo.certificates.runs.pegasos_excess import guarantee
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample, Scores
from certo.issue.slack import SLACK_FACTOR
from certo.numbers import exact
from certo.numbers.rounded import NotShown, Rounded


def issue_kernel_expected_excess(
    sample: KernelSample,
    labels: Labels,
    *,
    lifted: bool,
    rows: np.ndarray,
    dual_coef: np.ndarray,
    intercept: float,
    lam: float,
    steps: int,
    scores: Scores | None = None,
) -> KernelExpectedExcess:
    """The claim for the average of a run; `scores` are those of f, if known.

    CannotClaim, where numbers overflow or the function is longer than any run's.
    """
    draft = KernelExpectedExcess(
        labels, sample.kernel, sample.shift, intercept, lifted, lam, steps, sample.m,
        0.0, 0.0, 0.0, rows, dual_coef,
    )  # fmt: skip
    try:
        scores = scores or sample.scores(draft.rows, draft.dual_coef)
        radius2 = exact.above(greatest_square(sample, SLACK_FACTOR) + lifted)
        length2 = squared_length(sample, draft.rows, draft.dual_coef, intercept, scores)
        objective = to_claim(risk(sample.signs, scores, intercept, lam, length2))
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    bound = guarantee(radius2, lam, steps) if radius2 < math.inf else math.inf
    if not (objective < math.inf and bound < math.inf):
        raise CannotClaim("numbers overflow float64.")
    claim = replace(draft, radius2=radius2, objective=objective, bound=bound)
    if length2.value + SLACK_FACTOR * length2.within > claim._reach2:
        raise CannotClaim("the function is not shown to be as short as those of all runs: X/λ.")
    return claim


def to_claim(value: Rounded) -> float:
    """A float that a non-negative number does not exceed, with room for a checker who rounds
    otherwise; +inf after overflow."""
    return max(0.0, exact.above(value.value + SLACK_FACTOR * value.within))
