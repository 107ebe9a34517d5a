"""How CompressionBound finds its numbers."""

from __future__ import annotations

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.risk.compression_bound import (
    PREPROCESSED,
    CompressionBound,
    _formulas,
    _refuse,
)
from certo.certificates.risk.risk_bound import majority
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins


def issue_compression_bound(
    sample: Sample,
    labels: Labels,
    run: PerceptronRun,
    coef,
    intercept: float,
    updated,
    *,
    zero_sign: int = 1,
    delta: float = 0.05,
    preprocessing_fitted_here: bool = False,
    margins: Margins | None = None,
) -> CompressionBound:
    """The bound, or CannotClaim with the reason why none can be given."""
    _refuse(run, sample.m, len(updated))
    if preprocessing_fitted_here:
        raise CannotClaim(PREPROCESSED)
    margins = margins or Margins.of(sample, coef, intercept)
    wrong = margins.is_mispredicted(zero_sign)
    errors = int(np.count_nonzero(wrong)) - int(np.count_nonzero(wrong[updated]))
    claim = CompressionBound(
        labels=labels,
        run=run,
        coef=coef,
        intercept=intercept,
        zero_sign=zero_sign,
        updated=updated,
        examples=sample.m,
        errors=errors,
        delta=delta,
        majority=majority(sample.signs),
        **_formulas(run, sample.m, len(updated), errors, delta),
    )
    return claim.of_draws(sample)
