"""MaximumMargin in words."""

from __future__ import annotations

from fractions import Fraction

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.numbers.digits import apart
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import percent

RIGOUR[MaximumMargin] = Rigour(
    exact="That the multipliers of both classes have the same sum, and their total.",
    rounded=(
        "The margins, and the length of the weighted sum of examples: rounded outward, or "
        "exact where that matters."
    ),
)


@sentence.register
def _(claim: MaximumMargin) -> str:
    meant, which = {
        "free": ("", "no hyperplane"),
        "none": (" of hyperplanes through the origin", "no such hyperplane"),
        "lifted": (
            " in the space with the extra feature 1",
            "no hyperplane through the origin of that space",
        ),
    }[claim.treatment]
    return (
        f"The largest margin{meant} between {claim.labels.shown} and {claim.labels.rest} is at "
        f"least {rounded_down(claim.lower)}, which this hyperplane has on all "
        f"{counted(claim.examples, 'example')}, and exceeds this by at most "
        f"{apart(claim.upper, claim.lower)}: {which} has more, already on "
        f"{counted(claim.rows.size, 'example')}. The relative gap is at most "
        f"{rounded_up(claim.relative_gap, 2)}."
    )


@plainly.register
def _(claim: MaximumMargin) -> str:
    which = {
        "free": "no other flat boundary",
        "none": "no other flat boundary through the origin",
        "lifted": "no other flat boundary, the constant 1 being counted as a feature,",
    }[claim.treatment]
    further = percent(Fraction(claim.upper) / Fraction(claim.lower) - 1)
    return (
        f"This boundary has all {counted(claim.examples, 'example')} on the right side, and "
        f"{which} could keep more than {further} further away from the nearest of them."
    )
