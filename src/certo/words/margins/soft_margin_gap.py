"""SoftMarginGap in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import no_better
from certo.words.spaces.space import where

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
