"""Claims about densities, in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.certificates.density.likelihood_gap import DensityClaim, LikelihoodGap
from certo.certificates.density.moment_matching import MomentMatching
from certo.certificates.density.no_density import NoGaussianDensity, NoLogLinearDensity
from certo.certificates.encoding import counted
from certo.numbers.decimals import rounded_up
from certo.words.dispatch import Words, writes
from certo.words.phrases import counting, examples_of, weighted
from certo.words.reader import example


def _has_risk(claim: LikelihoodGap, density: str, others: str) -> str:
    return (
        f"On {weighted(claim.examples, claim.sample_weight)} this {density} has a mean −log p of "
        f"at most {rounded_up(claim.risk)}; there is a likeliest{others}, and none has one smaller "
        f"by more than {rounded_up(claim.excess, 2)}."
    )


def _fits_best(claim: LikelihoodGap, others: str) -> str:
    return (
        f"No other {others} fits these {examples_of(claim)} better by more than "
        f"{rounded_up(claim.excess, 2)} for each {example()}, on a logarithmic scale."
    )


@writes(
    GaussianLikelihood,
    rounded="Means, second moments and the risk, by the error bounds of sums, and of NumPy's "
    "logarithm.",
)
def _gaussian_likelihood(claim: GaussianLikelihood) -> Words:
    diagonal = claim.kind == "diagonal"
    return Words(
        _has_risk(claim, "Gaussian density", " of those with independent columns" * diagonal)
        + f" Its mean is that of the examples to within {rounded_up(claim.mean_error, 2)} standard "
        f"deviations, its covariance to within {rounded_up(claim.covariance_error, 2)} of their "
        "products.",
        _fits_best(claim, "bell-shaped distribution" + " with independent columns" * diagonal),
    )


@writes(
    MomentMatching,
    exact="That the examples lie in the box.",
    rounded="Integrals, by a proved bound of their quadrature error, and means, by the error "
    "bounds of sums.",
)
def _moment_matching(claim: MomentMatching) -> Words:
    what = f"density, the exponential of {claim.family} of degree {claim.degree} on a box,"
    return Words(
        f"{_has_risk(claim, what, ' of this form')} Its moments are those of the examples to "
        f"within {rounded_up(claim.moment_error, 2)}.",
        _fits_best(claim, "density of its form"),
    )


def _those_counting(claim: DensityClaim) -> str:
    """The examples of positive weight, counted."""
    weights, m = claim.sample_weight, claim.examples
    return counting(int(np.count_nonzero(weights)) if weights.size else m, m)


@writes(
    NoGaussianDensity,
    exact="All of it: that the examples lie on the hyperplane, or how many differ.",
)
def _no_gaussian_density(claim: NoGaussianDensity) -> Words:
    m = _those_counting(claim)
    used = [j for j, number in enumerate(claim.coef) if number]
    if not claim.coef:
        most = claim.features if claim.kind == "full" else 1
        why = (
            f"Of the {m} at most {most:,} {'are' if most > 1 else 'is'} different, with "
            f"{counted(claim.features, 'feature')}: they lie on a hyperplane"
        )
    elif len(used) == 1:
        why = f"Column {used[0]} (from 0) has one value in all {m}"
    else:
        shown = ", ".join(map(str, used[:5])) + (", …" if len(used) > 5 else "")
        why = f"The columns {shown} (from 0) of all {m} lie on one hyperplane"
    return Words(
        f"{why}, so no Gaussian density is the likeliest: flatter ones always are.",
        f"No bell-shaped distribution fits the {m} best: they lie on a flat surface, and narrower "
        "ones around it fit better and better.",
    )


@writes(
    NoLogLinearDensity,
    exact="All of it: different values are counted, or lie on a hyperplane.",
)
def _no_log_linear_density(claim: NoLogLinearDensity) -> Words:
    m, where = _those_counting(claim), "have so few different values"
    if claim.coef:
        where = "lie on one hyperplane, so"
    elif claim.axis is not None and claim.low.size > 1:
        where = f"have so few different values in column {claim.axis} (from 0)"
    return Words(
        f"The {m} {where} that no density exp(w·φ) of {claim.family} of degree {claim.degree} on "
        "this box is the likeliest: sharper ones always are.",
        f"No density of this form fits the {m} best: sharper ones fit better and better.",
    )
