"""How DualityGap finds its numbers."""

from __future__ import annotations

import numpy as np

from certo.certificates.margins.duality_gap import EXACT_PRODUCTS, DualityGap
from certo.certificates.margins.soft_margin_gap import HUGE
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.issue.margins.soft_margin_gap import issued_gap


def issue_duality_gap(
    sample: Sample,
    labels: Labels,
    *,
    coef: np.ndarray,
    intercept: float,
    treatment: str,
    C: float,
    class_weight=(1.0, 1.0),
    sample_weight=(),
    rows: np.ndarray,
    dual_coef: np.ndarray,
    square: float | None = None,
) -> DualityGap:
    """The strongest such claim from a hyperplane and signed multipliers α_t y_t of some rows.

    `square`, if known, is a number that no ‖x_t‖² exceeds. CannotClaim, if the multipliers are
    not feasible or numbers overflow.
    """
    draft = DualityGap(
        labels=labels, coef=coef, intercept=intercept, treatment=treatment, C=C,
        class_weight=np.asarray(class_weight), sample_weight=np.asarray(sample_weight),
        rows=rows, dual_coef=dual_coef, examples=sample.m, primal=HUGE, dual=0.0,
        allowance=HUGE,
    )  # fmt: skip
    return issued_gap(draft, draft._values_in_turn(sample, EXACT_PRODUCTS, square))
