"""GaussianLikelihood, NoGaussianDensity in words."""

from __future__ import annotations

from certo.certificates.density.gaussian_likelihood import GaussianLikelihood, NoGaussianDensity
from certo.certificates.encoding import counted, rounded_up
from certo.words.density.likelihood_gap import those_counting
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import weighted

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
