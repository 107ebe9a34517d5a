"""KernelMistakeBound in words."""

from __future__ import annotations

from fractions import Fraction

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.runs.kernel_mistake_bound import KernelMistakeBound
from certo.numbers import exact
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.spaces.kernel_claim import of_functions, where

RIGOUR[KernelMistakeBound] = Rigour(
    exact=(
        "The number of mistakes, and the largest number that the inequality of the theorem allows."
    ),
    rounded=(
        "Sums of kernel values, by the error that the kernel states for each of them. Margin "
        "down, length and radius up."
    ),
)


@sentence.register
def _(claim: KernelMistakeBound) -> str:
    space = where(claim) + " and the constants" * claim.lifted
    made = (
        f"{claim.labels.shown} against {claim.labels.rest}: {counted(claim.updates, 'mistake')}, "
        f"on {claim.rows.size:,} of {counted(claim.examples, 'example')}, add up to this "
        f"function of {space}. "
    )
    if claim.separable:
        return made + (
            "No run of the kernel perceptron on these examples, in any order, makes more than "
            f"{claim.bound:,}: some function of length 1 has a margin of at least "
            f"{rounded_down(margin(claim))}, and no example a K(x, x) above "
            f"{rounded_up(claim.radius2)}."
        )
    return made + (
        "The mistake bound for examples that are not separated allows a run with these "
        f"mistakes no more than {claim.bound:,}; it compares it with a function that may fall "
        f"short of a margin of {rounded_up(claim.target)}."
    )


@plainly.register
def _(claim: KernelMistakeBound) -> str:
    runs = "no run on these examples" if claim.separable else "a run with these mistakes no"
    return (
        f"{counted(claim.updates, 'mistake')}, added up, make this function, and a theorem "
        f"allows {runs} more than {claim.bound:,}."
    )


def margin(claim: KernelMistakeBound) -> float:
    """ρ/‖u‖, rounded down."""
    length = exact.root_above(Fraction(claim.comparator2))
    return exact.below(Fraction(claim.target) / Fraction(length)) if length else claim.target


@assumptions.register
def _(claim: KernelMistakeBound) -> tuple[str, ...]:
    return (
        *of_functions(claim),
        "the limit is that of mistakes in exact arithmetic; the run was in float64",
    )
