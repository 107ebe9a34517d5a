"""RiskBound in words."""

from __future__ import annotations

from certo.certificates.encoding import rounded_up
from certo.certificates.risk.risk_bound import COMPARED, UNTOUCHED, RiskBound, rate_sentence

SEEDED = "the random seed was chosen without looking at the examples"


def in_plain(claim: RiskBound, whose: str = "", least: float | None = None) -> str:
    """The sentence about new data, and whether the majority class does as well."""
    weak = "" if claim.informative else f" The upper bound is {claim.weaker}."
    return f"{rate_sentence(claim.delta, claim.best, whose, claim.condition, least)}.{weak}"


def untouched(claim: RiskBound) -> str:
    """What is assumed of the time before the fit."""
    return UNTOUCHED if claim.tried == 1 else COMPARED.format(claim.tried)


def if_drawn(claim: RiskBound) -> str:
    """The beginning of what follows for new examples."""
    paid = "" if claim.tried == 1 else f" but the best of {claim.tried:,} settings, paid for here"
    return (
        f"If these are independent draws and nothing was fitted or tuned on them before{paid}, "
        f"then with probability at least 1 − {claim.delta!r} over their draw"
    )


def bounded(claim: RiskBound, whose: str) -> str:
    """What follows for new examples, as a claim says it."""
    return (
        f"{if_drawn(claim)} the error rate of {whose} on new examples is at most "
        f"{rounded_up(claim.best, 4)}."
    )
