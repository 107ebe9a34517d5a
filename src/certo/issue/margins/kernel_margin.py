"""How KernelMargin finds its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.margins.kernel_margin import KernelMargin
from certo.certificates.margins.soft_margin_gap import HUGE
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.issue.slack import SLACK_FACTOR
from certo.numbers import exact
from certo.numbers.rounded import NotShown


def issue_kernel_margin(
    sample: KernelSample,
    labels: Labels,
    *,
    intercept: float,
    treatment: str,
    rows: np.ndarray,
    dual_coef: np.ndarray,
) -> KernelMargin:
    """The strongest such claim from signed multipliers a_t y_t of some rows.

    CannotClaim, if their function separates nothing, or they bound nothing.
    """
    draft = KernelMargin(
        labels=labels, kernel=sample.kernel, shift=sample.shift, intercept=intercept,
        treatment=treatment, rows=rows, dual_coef=dual_coef, examples=sample.m,
        lower=exact.TINY, upper=HUGE,
    )  # fmt: skip
    try:
        draft._multipliers(sample)
        scores = sample.scores(draft.rows, draft.dual_coef)
        below, where = draft._lower(sample, scores, SLACK_FACTOR)
        above = draft._upper(sample, scores, SLACK_FACTOR)
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    if below <= 0:
        raise CannotClaim(f"example {where} is not strictly on its own side.")
    if above == np.inf:
        raise CannotClaim("numbers overflow float64.")
    return replace(draft, lower=below, upper=above)
