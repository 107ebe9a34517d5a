"""_Joint, JointlySeparable, JointlyInseparable in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.encoding import counted
from certo.certificates.separation.joint import JointlyInseparable, JointlySeparable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence

RIGOUR[JointlySeparable] = Rigour(
    exact="Every comparison of scores that rounding could decide, in rational arithmetic.",
    rounded="The comparisons that are far from a tie, by the error bound of a sum of products.",
)


@sentence.register
def _(claim: JointlySeparable) -> str:
    without = "" if np.any(claim.intercept) else " without intercept"
    return (
        f"One linear score{without} for each of the {len(claim.weights)} classes: all "
        f"{counted(claim.examples, 'example')} have the highest score in their own class alone."
    )


@plainly.register
def _(claim: JointlySeparable) -> str:
    return (
        f"With one score for each of the {len(claim.weights)} classes, all "
        f"{counted(claim.examples, 'example')} score highest in their own."
    )


RIGOUR[JointlyInseparable] = Rigour(
    exact="All of it: the weighted comparisons cancel in rational arithmetic.",
)


@sentence.register
def _(claim: JointlyInseparable) -> str:
    without = "" if claim.intercept == "free" else " without intercepts"
    why = (
        f"for {len(set(claim.rows.tolist()))} of them the {claim.rows.size} comparisons named "
        "cannot all be won, since with positive weights they cancel exactly."
    )
    if claim.rows.size == 1:
        why = f"example {claim.rows[0]} (counting from 0) is the origin itself."
    return (
        f"No linear scores{without} put each of the {counted(claim.examples, 'example')} "
        f"highest in its own class alone: {why}"
    )


@plainly.register
def _(claim: JointlyInseparable) -> str:
    without = "" if claim.intercept == "free" else " without a constant part"
    return (
        f"No linear scores{without}, one for each of the {len(claim.labels.classes)} classes, "
        f"are highest in the own class of all {counted(claim.examples, 'example')}."
    )
