"""How claims about densities find their numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from certo.certificates.density.box_features import BoxFeatures
from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.certificates.density.likelihood_gap import LikelihoodGap
from certo.certificates.density.moment_matching import MomentMatching
from certo.certificates.density.no_density import NoGaussianDensity, NoLogLinearDensity
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Unlabelled
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim

Gap = TypeVar("Gap", bound=LikelihoodGap)


@or_cannot_claim
def _issued(form: type[Gap], X, sample_weight, **fields) -> Gap:
    """The strongest claim of this form, or CannotClaim."""
    labels = Unlabelled()
    sample = Sample.of(X, None, labels)
    claim = form(
        labels=labels, sample_weight=np.asarray(sample_weight), examples=sample.m, risk=0.0,
        lower=0.0, **fields,
    )  # fmt: skip
    shown = claim._shown(sample, SLACK_FACTOR)
    return replace(claim, risk=shown.risk, lower=shown.lower, **shown.errors)  # type: ignore[arg-type]


def issue_gaussian_likelihood(
    X, *, mean, covariance, factor, kind: str = "full", sample_weight=()
) -> GaussianLikelihood:
    """The strongest such claim, or CannotClaim: where float64 does not show that the
    covariance of the examples is not singular."""
    return _issued(
        GaussianLikelihood, X, sample_weight, mean=mean, covariance=covariance, factor=factor,
        kind=kind, mean_error=0.0, covariance_error=0.0,
    )  # fmt: skip


def issue_moment_matching(
    X, *, features: BoxFeatures, low, high, coef, factor, sample_weight=()
) -> MomentMatching:
    """The strongest such claim, or CannotClaim."""
    return _issued(
        MomentMatching, X, sample_weight, family=features.family, degree=features.degree,
        low=low, high=high, coef=coef, factor=factor, moment_error=0.0,
    )  # fmt: skip


def issue_no_gaussian_density(
    X, coef=(), level: Fraction | int = 0, *, kind: str = "full", sample_weight=()
) -> NoGaussianDensity:
    """The claim, not yet verified."""
    m, d = np.shape(X)
    fractions = tuple(map(Fraction, coef))
    return NoGaussianDensity(
        Unlabelled(), np.asarray(sample_weight), m, d, kind, fractions, Fraction(level)
    )


def find_no_log_linear_density(
    X, *, features: BoxFeatures, low, high, sample_weight=(), hyperplanes=()
) -> NoLogLinearDensity | None:
    """The claim, if it can be made; `hyperplanes` (coef, level) are tried, too."""
    d, family, weights = np.shape(X)[1], features.family, np.asarray(sample_weight)
    ways: list[tuple] = [(axis, (), Fraction(0)) for axis in (*range(d), None)]
    if family == "polynomials" and features.degree > 1:
        ways += [(None, tuple(coef), level) for coef, level in hyperplanes]
    for way in ways:
        claim = NoLogLinearDensity(
            Unlabelled(), weights, len(X), family, features.degree, low, high, *way
        )
        if claim.verify(X):
            return claim
    return None
