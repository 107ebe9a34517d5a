"""How MomentMatching finds its numbers."""

from __future__ import annotations

import numpy as np

from certo.certificates.density.box_features import BoxFeatures
from certo.certificates.density.moment_matching import MomentMatching, family_of
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Unlabelled
from certo.issue.density.likelihood_gap import issued_likelihood


def issue_moment_matching(
    X, *, features: BoxFeatures, low, high, coef, factor, sample_weight=()
) -> MomentMatching:
    """The strongest such claim, or CannotClaim."""
    labels = Unlabelled()
    sample = Sample.of(X, None, labels)
    draft = MomentMatching(
        labels=labels, sample_weight=np.asarray(sample_weight), examples=sample.m, risk=0.0,
        lower=0.0, family=family_of(features), degree=features.degree, low=low, high=high,
        coef=coef, factor=factor, moment_error=0.0,
    )  # fmt: skip
    return issued_likelihood(draft, sample)
