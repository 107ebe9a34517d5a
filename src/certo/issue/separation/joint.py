"""How JointlySeparable and JointlyInseparable finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.joint import JointlyInseparable, JointlySeparable, jointly_wrong
from certo.numbers.rounded import NotShown


def issue_jointly_separable(sample: Sample, labels: Labels, coef, intercept) -> JointlySeparable:
    wrong = jointly_wrong(sample, coef, intercept)
    if wrong is not None:
        raise CannotClaim(f"example {wrong[0]} does not have the highest score in its class.")
    return JointlySeparable(labels, tuple(coef), intercept, sample.m)


def issue_jointly_inseparable(
    sample: Sample,
    labels: Labels,
    intercept: str,
    pairs: Sequence[tuple[int, int]],
    weights: Sequence[int | Fraction],
) -> JointlyInseparable:
    total = sum(weights)
    order = sorted(range(len(pairs)), key=lambda k: pairs[k])
    shares = tuple(Fraction(weights[k]) / total for k in order)
    rows, against = np.array([pairs[k] for k in order]).T
    claim = JointlyInseparable(labels, intercept, sample.m, sample.d, rows, against, shares)
    try:
        claim._check(sample)
    except NotShown as wrong:
        raise CannotClaim(str(wrong)) from wrong
    return claim
