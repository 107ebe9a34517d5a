"""How ClassCompressionBound finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.errors.counted_errors import all_labels
from certo.certificates.errors.predictor import LinearPredictor
from certo.certificates.risk.class_compression import ClassCompressionBound, refuse_orders
from certo.certificates.risk.risk_bound import majority
from certo.certificates.risk.set_bound import set_bounds
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.sample.labels import class_sample
from certo.issue.slack import SLACK_FACTOR


def issue_class_compression_bound(
    X,
    y,
    classes: Sequence[Any],
    runs: Sequence[PerceptronRun],
    coef,
    intercept,
    updated: Sequence[np.ndarray],
    delta: float = 0.05,
) -> ClassCompressionBound:
    """The bound, from the examples that each neuron updated on; CannotClaim with the reason why
    none can be given."""
    labels = all_labels(classes)
    refuse_orders(runs)
    union = np.unique(np.concatenate([np.asarray(rows, np.int64) for rows in updated]))
    sample = class_sample(X, y, labels.classes)
    wrong = LinearPredictor(coef, intercept).wrong(sample.X, sample.signs, SLACK_FACTOR).errors
    errors = int(np.count_nonzero(wrong)) - int(np.count_nonzero(wrong[union]))
    m = sample.m
    claim = ClassCompressionBound(
        labels=labels, delta=delta, majority=majority(sample.signs), updated=union, examples=m,
        errors=errors,
        **set_bounds(m, union.size, errors, delta), runs=tuple(runs), coef=coef,
        intercept=intercept,
    )  # fmt: skip
    return claim.of_draws(sample)
