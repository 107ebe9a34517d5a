"""MaximumMargin in words."""

from __future__ import annotations

from fractions import Fraction

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.numbers.decimals import apart
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import percent
from certo.words.spaces.space import where

RIGOUR[MaximumMargin] = Rigour(
    exact="That the multipliers of both classes have the same sum, and their total.",
    rounded=(
        "The margins, and the length of the weighted sum of examples: rounded outward, or "
        "exact where that matters. With a kernel: by the error that it states for each of its "
        "values."
    ),
)


@sentence.register
def _(claim: MaximumMargin) -> str:
    of, inside, which, none = "", "", "hyperplane", "no hyperplane"
    if claim.space.kernel is not None:
        inside = (
            f" in {where(claim.space)}"
            + {
                "free": "",
                "none": " without an intercept",
                "lifted": ", the intercept being part of the length,",
            }[claim.treatment]
        )
        which, none = "function", "no function there"
    elif claim.treatment == "none":
        of, none = " of hyperplanes through the origin", "no such hyperplane"
    elif claim.treatment == "lifted":
        of = " in the space with the extra feature 1"
        none = "no hyperplane through the origin of that space"
    return (
        f"The largest margin{of} between {claim.labels.shown} and {claim.labels.rest}{inside} is "
        f"at least {rounded_down(claim.lower)}, which this {which} has on all "
        f"{counted(claim.examples, 'example')}, and exceeds that of this {which} by at most "
        f"{apart(claim.upper, claim.lower)}: {none} has more, already on "
        f"{counted(claim.rows.size, 'example')}. The relative gap is at most "
        f"{rounded_up(claim.relative_gap, 2)}."
    )


@plainly.register
def _(claim: MaximumMargin) -> str:
    others, measured = (
        {
            "free": "no other flat boundary",
            "none": "no other flat boundary through the origin",
            "lifted": "no other flat boundary, the constant 1 being counted as a feature,",
        }[claim.treatment],
        "the nearest of them",
    )
    if claim.space.kernel is not None:
        others, measured = "no other of its kind", "the nearest, as the kernel measures distance"
    further = percent(Fraction(claim.upper) / Fraction(claim.lower) - 1)
    return (
        f"This boundary has all {counted(claim.examples, 'example')} on the right side, and "
        f"{others} could keep more than {further} further away from {measured}."
    )
