"""SetBound in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.risk.set_bound import SetBound
from certo.words.dispatch import plainly
from certo.words.risk.risk_bound import bounded, in_plain


@plainly.register
def _(claim: SetBound) -> str:
    k = counted(claim.updated.size, "example")
    if claim.vacuous:
        return (
            f"The rule was made of {k} of {claim.examples:,}, too many for a bound on its error "
            "rate on new data."
        )
    return (
        f"The rule was made of {k} of {claim.examples:,} and is wrong on {claim.errors:,} of the "
        f"others. {in_plain(claim)}"
    )


def follows(claim: SetBound) -> str:
    others = claim.examples - claim.updated.size
    words = f"It gets at most {claim.errors:,} of the {others:,} others wrong, ties included. "
    if claim.vacuous:
        return words + "The bound on its error rate that follows is vacuous: not below 1."
    return words + bounded(claim, "the rule")
