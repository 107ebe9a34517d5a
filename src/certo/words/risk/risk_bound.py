"""RiskBound in words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from certo.certificates.encoding import rounded_down, rounded_up
from certo.certificates.risk.risk_bound import RiskBound
from certo.numbers import exact
from certo.numbers.digits import confidence
from certo.words.dispatch import condition

DRAWN = "the examples are independent draws from one distribution, and new ones are too"
IN_ORDER = "they are visited in the order of their draw, or in one that does not depend on them"
UNTOUCHED = "nothing was fitted on them before (scaling, selection, tuning, choice of settings)"
COMPARED = (
    "nothing was fitted on them before, but that {:,} settings, which had been fixed before, were "
    "compared on them: that is paid for, delta being shared by all of them"
)

SEEDED = "the random seed was chosen without looking at the examples"


def in_plain(claim: RiskBound, whose: str = "", least: float | None = None) -> str:
    """The sentence about new data, and whether the majority class does as well."""
    weak = "" if claim.informative else f" The upper bound is {weaker(claim)}."
    return f"{rate_sentence(claim.delta, claim.best, whose, condition(claim), least)}.{weak}"


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


def weaker(claim: RiskBound) -> str:
    """What an uninformative bound is weaker than."""
    return (
        "weaker than always answering the majority class, which is wrong on "
        f"{float(100 * claim.majority_error):.3g} % of these examples"
    )


def rate_sentence(
    delta: float, most: float, whose: str = "", where: str = "", least: float | None = None
) -> str:
    """What is said of new data, everywhere in these words: the error rate is bounded, not the
    number of errors among so many new examples; the confidence is that of the draw of the examples.

    >>> rate_sentence(0.05, 0.1105)
    'With 95 % confidence, the error rate on new data from the same population is at most 11.1 %'
    """
    low = "" if least is None else f", and at least {percentage(least, rounded_down)} %"
    return (
        f"With {confidence(delta)} % confidence, the error rate{whose} on new data from the same "
        f"population{where} is at most {percentage(most, rounded_up)} %{low}"
    )


def percentage(rate: float, rounded: Callable[[float, int], str]) -> str:
    """A rate in percent, to three digits, rounded as wanted."""
    exactly = 100 * Fraction(rate)
    return rounded(exact.above(exactly) if rounded is rounded_up else exact.below(exactly), 3)
