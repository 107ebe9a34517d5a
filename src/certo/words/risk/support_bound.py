"""SupportBound in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.risk.support_bound import SupportBound
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.risk.risk_bound import DRAWN, bounded, in_plain, untouched

RIGOUR[SupportBound] = Rigour(
    exact="The sums of a free intercept's multipliers, and what is made of bounds on numbers.",
    rounded="Margins, lengths, gaps, the ends of the intercept and the tails of the binomial, "
    "each rounded to the safe side.",
    statistical="The bound holds for a share of at least 1 − delta of all samples.",
)


@sentence.register
def _(claim: SupportBound) -> str:
    near = (
        "This machine is near an exact optimum that depends"
        if len(claim.solutions) == 1
        else "The outputs of this machine are near exact optima that depend"
    )
    words = (
        f"{near} on at most {claim.supports:,} of {counted(claim.examples, 'example')}, the "
        f"longest counted in; {claim.support_vectors:,} are support vectors, with a dual "
        "variable that is not 0. "
    )
    if claim.vacuous:
        return words + (
            "The bound on the error rate that follows is "
            f"{rounded_up(claim.best, 4)}: vacuous, since it is not below 1."
        )
    return words + bounded(claim, "the machine")


@plainly.register
def _(claim: SupportBound) -> str:
    if claim.vacuous:
        return (
            "The model depends on too many of its examples for a bound on its error rate on "
            "new data."
        )
    return in_plain(claim)


@assumptions.register
def _(claim: SupportBound) -> tuple[str, ...]:
    kernel = claim._first.space.kernel
    matrix = "the matrix holds the values of one kernel that was chosen before"
    return (
        DRAWN,
        untouched(claim),
        f"every new example is of one of the {len(claim.labels.classes)} classes",
        *((matrix,) if kernel is not None and kernel.takes == "matrix" else ()),
        *claim._first.assumes,
    )
