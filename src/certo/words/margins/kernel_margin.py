"""KernelMargin in words."""

from __future__ import annotations

from fractions import Fraction

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.margins.kernel_margin import KernelMargin
from certo.numbers.digits import apart
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import percent
from certo.words.spaces.kernel_claim import where

RIGOUR[KernelMargin] = Rigour(
    exact="That the multipliers of both classes have the same sum, and their total.",
    rounded="Sums of kernel values, by the error that the kernel states for each of them.",
)


@sentence.register
def _(claim: KernelMargin) -> str:
    meant = {
        "free": "",
        "none": " without an intercept",
        "lifted": ", the intercept being part of the length,",
    }[claim.treatment]
    return (
        f"The largest margin between {claim.labels.shown} and {claim.labels.rest} in "
        f"{where(claim)}{meant} is at least {rounded_down(claim.lower)}, which this function has "
        f"on all {counted(claim.examples, 'example')}, and exceeds this by at most "
        f"{apart(claim.upper, claim.lower)}: no function there has more, already on "
        f"{counted(claim.rows.size, 'example')}. The relative gap is at most "
        f"{rounded_up(claim.relative_gap, 2)}."
    )


@plainly.register
def _(claim: KernelMargin) -> str:
    further = percent(Fraction(claim.upper) / Fraction(claim.lower) - 1)
    return (
        f"This boundary has all {counted(claim.examples, 'example')} on the right side, and no "
        f"other of its kind could keep more than {further} further away from the nearest, as "
        "the kernel measures distance."
    )
