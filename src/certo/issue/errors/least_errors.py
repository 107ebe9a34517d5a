"""How ErrorCount finds its numbers."""

from __future__ import annotations

import math

from certo.certificates.base import CannotClaim
from certo.certificates.errors.error_count import ErrorCount, is_error, weight_of
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.numbers import exact


def issue_error_count(sample: Sample, labels: Labels, coef, intercept, sample_weight) -> ErrorCount:
    errors = exact.above(weight_of(is_error(sample, coef, intercept), sample_weight))
    if not math.isfinite(errors):
        raise CannotClaim("the weights of the errors add up to more than a float can hold.")
    return ErrorCount(labels, coef, intercept, sample.m, sample_weight, errors)
