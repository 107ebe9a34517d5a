"""How KernelGap finds its numbers."""

from __future__ import annotations

import numpy as np

from certo.certificates.margins.kernel_gap import KernelGap
from certo.certificates.margins.soft_margin_gap import HUGE
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.issue.margins.soft_margin_gap import issued_gap

NEGLIGIBLE = 1e-3  # of the gap: an allowance that is not worth a pass over the kernel


def issue_kernel_gap(
    sample: KernelSample,
    labels: Labels,
    *,
    intercept: float,
    treatment: str,
    C: float,
    class_weight=(1.0, 1.0),
    sample_weight=(),
    rows: np.ndarray,
    dual_coef: np.ndarray,
    scores: np.ndarray | None = None,
    enough: float = 0.0,
) -> KernelGap:
    """The strongest such claim from signed multipliers α_t y_t of some rows.

    `scores`, if known, are the values f(x_t) in float64 (without what `sample.shift` adds).
    They save the pass over the kernel, if some that are computed agree with them, unless what
    they may be off by is too much of the gap, and the claim would not be a relative gap of
    `enough`. CannotClaim, if the multipliers are not feasible or numbers overflow.
    """
    draft = KernelGap(
        labels=labels, kernel=sample.kernel, shift=sample.shift, intercept=intercept,
        treatment=treatment, C=C, class_weight=np.asarray(class_weight),
        sample_weight=np.asarray(sample_weight), rows=rows, dual_coef=dual_coef,
        examples=sample.m, primal=HUGE, dual=0.0, allowance=HUGE,
    )  # fmt: skip
    return issued_gap(draft, draft._values_in_turn(sample, scores), NEGLIGIBLE, enough)
