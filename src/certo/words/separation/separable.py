"""Separable in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.encoding import counted, rounded_down
from certo.certificates.separation.separable import Separable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence

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
    if not np.any(claim.coef):
        return claim.labels.one_side(claim.intercept > 0, m)
    through = "" if claim.intercept else " through the origin"
    return (
        f"A hyperplane{through} separates {claim.labels.shown} from {claim.labels.rest}: all {m} "
        "are strictly on their own side, at a distance of at least "
        f"{rounded_down(claim.margin)}."
    )


@plainly.register
def _(claim: Separable) -> str:
    m = counted(claim.examples, "example")
    if not np.any(claim.coef):
        return f"{claim.claim} So there is nothing to tell apart."
    return (
        f"A flat boundary has all {m} on the right side: {claim.labels.shown} on one, "
        f"{claim.labels.rest} on the other."
    )
