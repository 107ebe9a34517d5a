"""How claims about errors find their numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.errors.error_count import ErrorCount, is_error, weight_of
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.predictor import Predictor
from certo.certificates.errors.training_errors import ErrorClaim, TrainingErrors
from certo.certificates.risk.risk_bound import majority
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.issue.labels import all_labels
from certo.issue.risk import interval, of_draws
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim
from certo.numbers import exact


def issue_training_errors(
    X, y, classes: Sequence[Any], predictor: Predictor, *, column: int | None = None
) -> TrainingErrors:
    """The claim; CannotClaim with the reason if there is none, ValueError for other data."""
    found, _ = _counts(TrainingErrors, X, y, classes, predictor, column)
    return TrainingErrors(**found)


def issue_test_errors(
    X,
    y,
    classes: Sequence[Any],
    predictor: Predictor,
    delta: float = 0.05,
    *,
    column: int | None = None,
) -> TestErrors:
    """The claim; CannotClaim with the reason if there is none, ValueError for other data."""
    found, codes = _counts(TestErrors, X, y, classes, predictor, column)
    unknown = int(np.count_nonzero(codes < 0))
    if unknown == codes.size:
        raise CannotClaim(f"no label in y is one of the classes {list(classes)} of the rule.")
    claim = TestErrors(
        **found, delta=delta, unknown=unknown,
        **interval(found["examples"], found["errors"], found["ties"], delta),
        majority=majority(codes[codes >= 0]),
    )  # fmt: skip
    return of_draws(claim, claim._sample(claim._read(X), y))


@or_cannot_claim
def _counts(
    kind: type[ErrorClaim], X, y, classes: Sequence[Any], predictor: Predictor, column: int | None
) -> tuple[dict[str, Any], np.ndarray]:
    """The fields of an ErrorClaim, of the user's own data; and the places of the labels."""
    labels = all_labels(classes, column)
    draft = TrainingErrors(labels, predictor, 1, 0, 0)  # Checks that the rule suits these examples.
    sample = kind._examples(draft._read(X), labels, y)
    wrong = predictor.wrong(sample.X, sample.codes, SLACK_FACTOR)
    errors, ties = (int(np.count_nonzero(which)) for which in wrong)
    found = {
        "labels": labels, "predictor": predictor, "examples": sample.codes.size, "errors": errors,
        "ties": ties,
    }  # fmt: skip
    return found, sample.codes


def issue_error_count(sample: Sample, labels: Labels, coef, intercept, sample_weight) -> ErrorCount:
    errors = exact.above(weight_of(is_error(sample, coef, intercept), sample_weight))
    if not math.isfinite(errors):
        raise CannotClaim("the weights of the errors add up to more than a float can hold.")
    return ErrorCount(labels, coef, intercept, sample.m, sample_weight, errors)
