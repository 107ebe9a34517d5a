"""Claims about densities, in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.certificates.density.likelihood_gap import DensityClaim
from certo.certificates.density.moment_matching import MomentMatching
from certo.certificates.density.no_density import NoGaussianDensity, NoLogLinearDensity
from certo.certificates.encoding import counted, rounded_up
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import counting, weighted


def those_counting(claim: DensityClaim) -> str:
    """The examples of positive weight, counted."""
    weights, m = claim.sample_weight, claim.examples
    return counting(int(np.count_nonzero(weights)) if weights.size else m, m)


RIGOUR[GaussianLikelihood] = Rigour(
    rounded=(
        "Means, second moments and the risk, by the error bounds of sums, and of NumPy's logarithm."
    ),
)


@sentence.register
def _(claim: GaussianLikelihood) -> str:
    among = " of those with independent columns" if claim.kind == "diagonal" else ""
    return (
        f"On {weighted(claim.examples, claim.sample_weight)} this Gaussian density has a mean "
        f"−log p of at most {rounded_up(claim.risk)}; there is a likeliest{among}, and none has "
        f"one smaller by more than {rounded_up(claim.excess, 2)}. Its mean is that of the "
        "examples to within "
        f"{rounded_up(claim.mean_error, 2)} standard deviations, its covariance to within "
        f"{rounded_up(claim.covariance_error, 2)} of their products."
    )


@plainly.register
def _(claim: GaussianLikelihood) -> str:
    among = " with independent columns" if claim.kind == "diagonal" else ""
    return (
        f"No other bell-shaped distribution{among} fits these "
        f"{counted(claim.examples, 'example')} better by more than {rounded_up(claim.excess, 2)} "
        "an example, on a logarithmic scale."
    )


RIGOUR[NoGaussianDensity] = Rigour(
    exact="All of it: that the examples lie on the hyperplane, or how many differ.",
)


@sentence.register
def _(claim: NoGaussianDensity) -> str:
    m = those_counting(claim)
    end = "so no Gaussian density is the likeliest: flatter ones always are."
    used = [j for j, number in enumerate(claim.coef) if number]
    if not claim.coef:
        most = claim.features if claim.kind == "full" else 1
        return (
            f"Of the {m} at most {most:,} {'are' if most > 1 else 'is'} different, with "
            f"{counted(claim.features, 'feature')}: they lie on a hyperplane, {end}"
        )
    if len(used) == 1:
        return f"Column {used[0]} (from 0) has one value in all {m}, {end}"
    shown = ", ".join(map(str, used[:5])) + (", …" if len(used) > 5 else "")
    return f"The columns {shown} (from 0) of all {m} lie on one hyperplane, {end}"


@plainly.register
def _(claim: NoGaussianDensity) -> str:
    return (
        f"No bell-shaped distribution fits the {those_counting(claim)} best: they lie on a flat "
        "surface, and narrower ones around it fit better and better."
    )


RIGOUR[MomentMatching] = Rigour(
    exact="That the examples lie in the box.",
    rounded=(
        "Integrals, by a proved bound of their quadrature error, and means, by the error "
        "bounds of sums."
    ),
)


@sentence.register
def _(claim: MomentMatching) -> str:
    what = f"the exponential of {claim.family} of degree {claim.degree}"
    return (
        f"On {weighted(claim.examples, claim.sample_weight)} this density, {what} on a box, has "
        f"a mean −log p of at most {rounded_up(claim.risk)}; there is a likeliest of this form, "
        f"and none has one smaller by more than {rounded_up(claim.excess, 2)}. Its moments are "
        "those of the "
        f"examples to within {rounded_up(claim.moment_error, 2)}."
    )


@plainly.register
def _(claim: MomentMatching) -> str:
    return (
        f"No other density of its form fits these {counted(claim.examples, 'example')} better "
        f"by more than {rounded_up(claim.excess, 2)} an example, on a logarithmic scale."
    )


RIGOUR[NoLogLinearDensity] = Rigour(
    exact="All of it: different values are counted, or lie on a hyperplane.",
)


@sentence.register
def _(claim: NoLogLinearDensity) -> str:
    where = "have so few different values"
    if claim.coef:
        where = "lie on one hyperplane, so"
    elif claim.axis is not None and claim.low.size > 1:
        where = f"have so few different values in column {claim.axis} (from 0)"
    return (
        f"The {those_counting(claim)} {where} that no density exp(w·φ) of {claim.family} of "
        f"degree {claim.degree} on this box is the likeliest: sharper ones always are."
    )


@plainly.register
def _(claim: NoLogLinearDensity) -> str:
    return (
        f"No density of this form fits the {those_counting(claim)} best: sharper ones fit "
        "better and better."
    )
