"""MomentMatching, NoLogLinearDensity in words."""

from __future__ import annotations

from certo.certificates.density.moment_matching import MomentMatching, NoLogLinearDensity
from certo.certificates.encoding import counted, rounded_up
from certo.words.density.likelihood_gap import those_counting
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import weighted

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
