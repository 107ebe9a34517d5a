"""Separable in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.encoding import counted, rounded_down
from certo.certificates.separation.separable import Separable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import one_side

RIGOUR[Separable] = Rigour(
    exact=(
        "The side of every example; where rounding could decide it, in rational arithmetic. "
        "The distance is compared with a length rounded up."
    ),
    rounded="Margins that are far from the limit, by the error bound of a sum of products.",
)


@sentence.register
def _(claim: Separable) -> str:
    m = counted(claim.examples, "example")
    if claim.labels.positive is None:
        without = "" if np.any(claim.intercept) else " without intercept"
        return (
            f"One linear score{without} for each of the {len(claim.coef)} classes: all {m} have "
            f"the highest score in their own class alone{_by(claim)}."
        )
    if not np.any(claim.coef):
        return one_side(claim.labels, float(claim.intercept) > 0, m)
    through = "" if claim.intercept else " through the origin"
    distance = f", at a distance of at least {rounded_down(claim.margin)}" if claim.margin else ""
    return (
        f"A hyperplane{through} separates {claim.labels.shown} from {claim.labels.rest}: all {m} "
        f"are strictly on their own side{_by(claim)}{distance}."
    )


def _by(claim: Separable) -> str:
    least = claim.functional_margin
    return f", with margin at least {rounded_down(least)}" if least else ""


@plainly.register
def _(claim: Separable) -> str:
    m = counted(claim.examples, "example")
    if claim.labels.positive is None:
        return (
            f"With one score for each of the {len(claim.coef)} classes, all {m} score highest in "
            "their own."
        )
    if not np.any(claim.coef):
        return f"{claim.claim} So there is nothing to tell apart."
    return (
        f"A flat boundary has all {m} on the right side: {claim.labels.shown} on one, "
        f"{claim.labels.rest} on the other."
    )
