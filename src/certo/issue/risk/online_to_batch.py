"""How OnlineToBatch finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from certo.certificates.base import CannotClaim
from certo.certificates.errors.predictor import LinearPredictor
from certo.certificates.risk.online_to_batch import OnlineToBatch, _no_pass
from certo.certificates.risk.risk_bound import majority
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.sample.labels import class_sample
from certo.issue.labels import all_labels
from certo.numbers.rounded import NotShown


def issue_online_to_batch(
    X,
    y,
    classes: Sequence[Any],
    runs: Sequence[PerceptronRun],
    coef,
    intercept,
    delta: float = 0.05,
) -> OnlineToBatch:
    """The bound for a pass that ended with these weights; CannotClaim with the reason why none
    can be given."""
    labels = all_labels(classes)
    if reason := _no_pass(runs):
        raise CannotClaim(reason)
    sample = class_sample(X, y, labels.classes)
    m, rule = sample.m, LinearPredictor(coef, intercept)
    draft = OnlineToBatch(
        labels, delta, tuple(runs), rule.coef, rule.intercept, m, m, 1.0,
        majority=majority(sample.signs),
    )  # fmt: skip
    try:
        mistakes = draft._mistakes(sample)
    except NotShown as refuted:
        raise CannotClaim(str(refuted)) from refuted
    return replace(draft, mistakes=mistakes).at(delta).of_draws(sample)
