"""What all issuers share: how many allowances they add, so that a checker who rounds otherwise
accepts the claim, and what they say where nothing is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.spaces.space import MachineMargins
from certo.numbers import exact
from certo.numbers.rounded import NotShown, Rounded

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

#: A checker may add in another order: his numbers differ from the issuer's by both allowances, and
#: he then adds his own. His are at most 1.5 times the issuer's, since both are computed alike, so
#: that 1 + 1.5 + 1.5 = 4 of the issuer's are enough.
SLACK_FACTOR = 4


CLEAR_DIGITS = 1e-8  # Relative error of a margin that needs no exact arithmetic to be told.


def clearly_wrong(margins: MachineMargins) -> int | None:
    """The example with the least margin, if that is negative and known to eight digits."""
    t = int(np.argmin(margins.value))
    return t if margins.slack[t] < -CLEAR_DIGITS * margins.value[t] else None


def or_cannot_claim(issue: Callable[P, R]) -> Callable[P, R]:
    """The same function, but what is not shown is a claim that cannot be made."""

    @wraps(issue)
    def issued(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return issue(*args, **kwargs)
        except NotShown as reason:
            raise CannotClaim(str(reason)) from reason

    return issued


def with_numbers(draft: C, **numbers: Any) -> C:
    """The draft of a claim, made for nothing else, with these numbers, or arrays that nobody else
    changes, in place of those that it began with. Its other fields were read when it was made,
    which takes longer than to find these."""
    for name, value in numbers.items():
        object.__setattr__(draft, name, value)
    return draft


def with_slack(value: Rounded) -> Fraction:
    """What a non-negative number may be claimed not to exceed."""
    return max(value.value + SLACK_FACTOR * value.within, Fraction(0))


def sum_above(*terms: float) -> float:
    """`exact.above(Σ terms)` for finite floats: `math.fsum` rounds the exact sum once."""
    try:
        near = math.fsum(terms)
        return near if math.fsum([*terms, -near]) <= 0 else math.nextafter(near, math.inf)
    except OverflowError:
        return exact.above(sum(map(Fraction, terms), Fraction(0)))
