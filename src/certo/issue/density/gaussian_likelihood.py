"""How GaussianLikelihood and NoGaussianDensity finds its numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.certificates.density.gaussian_likelihood import GaussianLikelihood, NoGaussianDensity
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Unlabelled
from certo.issue.density.likelihood_gap import issued_likelihood


def issue_gaussian_likelihood(
    X, *, mean, covariance, factor, kind: str = "full", sample_weight=()
) -> GaussianLikelihood:
    """The strongest such claim, or CannotClaim: where float64 does not show that the
    covariance of the examples is not singular."""
    labels = Unlabelled()
    sample = Sample.of(X, None, labels)
    draft = GaussianLikelihood(
        labels=labels, sample_weight=np.asarray(sample_weight), examples=sample.m, risk=0.0,
        lower=0.0, mean=mean, covariance=covariance, factor=factor, kind=kind, mean_error=0.0,
        covariance_error=0.0,
    )  # fmt: skip
    return issued_likelihood(draft, sample)


def issue_no_gaussian_density(
    X, coef=(), level: Fraction | int = 0, *, kind: str = "full", sample_weight=()
) -> NoGaussianDensity:
    """The claim, not yet verified."""
    m, d = np.shape(X)
    fractions = tuple(map(Fraction, coef))
    return NoGaussianDensity(
        Unlabelled(), np.asarray(sample_weight), m, d, kind, fractions, Fraction(level)
    )
