"""Separating in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_down
from certo.certificates.separation.separating import Separating
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence

RIGOUR[Separating] = Rigour(
    exact=(
        "The side of every example; where rounding could decide it, in rational arithmetic. "
        "The distance is compared with a length rounded up."
    ),
    rounded="Margins that are far from the limit, by the error bound of a sum of products.",
)


@sentence.register
def _(claim: Separating) -> str:
    return (
        f"The hyperplane separates {claim.labels.shown} from {claim.labels.rest}: all "
        f"{counted(claim.examples, 'example')} are strictly on their own side, with margin at "
        f"least {rounded_down(claim.margin)}, at a distance of at least "
        f"{rounded_down(claim.geometric_margin)}."
    )


@plainly.register
def _(claim: Separating) -> str:
    return (
        f"This boundary has all {counted(claim.examples, 'example')} on the right side: "
        f"{claim.labels.shown} on one, {claim.labels.rest} on the other."
    )
