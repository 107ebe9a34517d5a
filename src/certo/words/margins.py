"""Margins, in words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.numbers.decimals import apart
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import no_better, percent
from certo.words.spaces import where

RIGOUR[SoftMarginGap] = Rigour(
    exact="That the multipliers are feasible; short sums of products.",
    rounded=(
        "Losses, norms and long sums, by the error bound of a sum of products, and with a kernel "
        "by the error that it states for each of its values; the claim names the allowance."
    ),
)


@sentence.register
def _(claim: SoftMarginGap) -> str:
    w, score, which = "w", "w·x", "hyperplane"
    if claim.treatment == "none":
        which += " through the origin"
    if claim.space.kernel is not None:
        w, score, which = "f", "f(x)", f"function of {where(claim.space)}"
    objective = {
        "free": f"½‖{w}‖² + Σ c [1 − y ({score} + b)]₊",
        "none": f"½‖{w}‖² + Σ c [1 − y {score}]₊",
        "lifted": f"½(‖{w}‖² + b²) + Σ c [1 − y ({score} + b)]₊",
    }[claim.treatment]
    weighted = claim.sample_weight.size or np.any(claim.class_weight != 1)
    costs = f"c = {claim.C!r}" + (" times the weight of the example" if weighted else "")
    there = "" if claim.space.kernel is None else " there"
    return (
        f"Telling {claim.labels.shown} from {claim.labels.rest} on "
        f"{counted(claim.examples, 'example')}, this {which} has an objective {objective} of at "
        f"most {rounded_up(claim.primal)}, where {costs}. None{there} has one "
        f"lower by more than {rounded_up(claim.gap, 2)}: the relative gap is at most "
        f"{rounded_up(claim.relative_gap, 2)}."
    )


@plainly.register
def _(claim: SoftMarginGap) -> str:
    which = "flat boundary through the origin" if claim.treatment == "none" else "flat boundary"
    if claim.space.kernel is not None:
        which = "function of its kind"
    return no_better(which, claim.examples, claim.relative_gap)


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
