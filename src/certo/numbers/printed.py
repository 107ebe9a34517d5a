"""The arithmetic of formulas of bounds that are sums of logarithms and roots, rounded up.

The statements and proofs of bounds are on the pages `docs/bounds`. Logarithms are taken in decimal
arithmetic of 60 digits, correctly rounded everywhere alike. For n ≤ 10¹⁵ no number there exceeds
10¹⁸, so that each of fewer than 100 operations is off by less than 10⁻⁴¹.
"""

from __future__ import annotations

import decimal
import functools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

MAX_EXAMPLES = 10**15  # Integers up to here are floats, and the allowance above is proved.
DIGITS = decimal.Context(60, decimal.ROUND_HALF_EVEN, -999_999, 999_999, traps=[])


def in_digits(function: Callable[P, T]) -> Callable[P, T]:
    """Decimals have 60 digits inside, whatever they have outside."""

    @functools.wraps(function)
    def precise(*args: P.args, **options: P.kwargs) -> T:
        with decimal.localcontext(DIGITS):
            return function(*args, **options)

    return precise


# The classes of one fit share m and delta, and a logarithm of 60 digits takes 30 µs.
@functools.lru_cache(4096)
def ln(x: int | float | Fraction) -> Decimal:
    if isinstance(x, Fraction):
        return DIGITS.ln(DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator)))
    return DIGITS.ln(Decimal(x))


def rounded_up(value: Decimal) -> float:
    """A float not below the number that `value` approximates to 50 digits."""
    value *= 1 + Decimal("1e-40")
    result = float(value)
    return result if Decimal(result) >= value else math.nextafter(result, math.inf)


# What may come in -------------------------------------------------------------------------------


def whole_count(value, name: str, least: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= int(value) <= MAX_EXAMPLES:
        raise ValueError(f"{name} must be an integer from {least} to 10¹⁵, got {value!r}.")
    return int(value)


def probability(value) -> float:
    value = amount(value, "delta")
    if not 0 < value < 1:
        raise ValueError(f"delta must be between 0 and 1, got {value!r}.")
    return value


def amount(value, name: str) -> float:
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number, not negative, got {value!r}.")
    return float(value)
