"""Margins, in words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.certificates.encoding import counted
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.numbers.decimals import apart, rounded_down, rounded_up
from certo.words.dispatch import Words, writes
from certo.words.labels import rest_of, shown_of, sides_of
from certo.words.phrases import (
    examples_of,
    functions_are_kernels,
    no_better,
    percent,
    space_of,
)


@writes(
    SoftMarginGap,
    exact="That the multipliers are feasible; short sums of products.",
    rounded="Losses, norms and long sums, by the error bound of a sum of products, and with a "
    "kernel by the error that it states for each of its values; the claim names the allowance.",
)
def _soft_margin_gap(claim: SoftMarginGap) -> Words:
    w, score, which, others, there = "w", "w·x", "hyperplane", "flat boundary", ""
    if claim.treatment == "none":
        which, others = f"{which} through the origin", f"{others} through the origin"
    if claim.space.kernel is not None:
        w, score, which = "f", "f(x)", f"function of {space_of(claim.space)}"
        others, there = "function of its kind", " there"
    objective = {
        "free": f"½‖{w}‖² + Σ c [1 − y ({score} + b)]₊",
        "none": f"½‖{w}‖² + Σ c [1 − y {score}]₊",
        "lifted": f"½(‖{w}‖² + b²) + Σ c [1 − y ({score} + b)]₊",
    }[claim.treatment]
    weighted = claim.sample_weight.size or np.any(claim.class_weight != 1)
    costs = f"c = {claim.C!r}" + (" times the weight of the example" if weighted else "")
    return Words(
        f"Telling {sides_of(claim.labels)} on {examples_of(claim)}, this "
        f"{which} has an objective {objective} of at most {rounded_up(claim.primal)}, where "
        f"{costs}. None{there} has one lower by more than {rounded_up(claim.gap, 2)}: the relative "
        f"gap is at most {rounded_up(claim.relative_gap, 2)}.",
        no_better(others, claim.examples, claim.relative_gap),
        functions_are_kernels(claim),
    )


@writes(
    MaximumMargin,
    exact="That the multipliers of both classes have the same sum, and their total.",
    rounded="The margins, and the length of the weighted sum of examples: rounded outward, or "
    "exact where that matters. With a kernel: by the error that it states for each of its values.",
)
def _maximum_margin(claim: MaximumMargin) -> Words:
    of, inside, which, none = "", "", "hyperplane", "no hyperplane"
    others, measured = "no other flat boundary", "the nearest of them"
    if claim.space.kernel is not None:
        inside = f" in {space_of(claim.space)}"
        if claim.treatment == "none":
            inside += " without an intercept"
        elif claim.treatment == "lifted":
            inside += ", the intercept being part of the length,"
        which, none = "function", "no function there"
        others, measured = "no other of its kind", "the nearest, as the kernel measures distance"
    elif claim.treatment == "none":
        of, none = " of hyperplanes through the origin", "no such hyperplane"
        others += " through the origin"
    elif claim.treatment == "lifted":
        of = " in the space with the extra feature 1"
        none = "no hyperplane through the origin of that space"
        others += ", the constant 1 being counted as a feature,"
    further = percent(Fraction(claim.upper) / Fraction(claim.lower) - 1)
    return Words(
        f"The largest margin{of} between {shown_of(claim.labels)} and {rest_of(claim.labels)}"
        f"{inside} is at least {rounded_down(claim.lower)}, which this {which} has on all "
        f"{examples_of(claim)}, and exceeds that of this {which} by at most "
        f"{apart(claim.upper, claim.lower)}: {none} has more, already on "
        f"{counted(claim.rows.size, 'example')}. The relative gap is at most "
        f"{rounded_up(claim.relative_gap, 2)}.",
        f"This boundary has all {examples_of(claim)} on the right side, and {others} could keep "
        f"more than {further} further away from {measured}.",
        functions_are_kernels(claim),
    )
