r"""Formulas of bounds that are printed sums of logarithms and roots, rounded up.

Their statements and proofs are on the pages `docs/bounds`. Logarithms are taken in decimal
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

MAX_EXAMPLES = 10**15  # examples: integers up to here are floats, and the allowance below is proved
DIGITS = decimal.Context(60, decimal.ROUND_HALF_EVEN, -999_999, 999_999, traps=[])


def in_digits(function: Callable[P, T]) -> Callable[P, T]:
    """Decimals have 60 digits inside, whatever they have outside."""

    @functools.wraps(function)
    def precise(*args: P.args, **options: P.kwargs) -> T:
        with decimal.localcontext(DIGITS):
            return function(*args, **options)

    return precise


@in_digits
def perceptron_compression(m: int, k: int, errors: int, delta: float) -> float:
    """errors/(m − k) + sqrt(((k + 1) ln m + ln(e/δ)) / m), for k ≤ m/2. It may exceed 1."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    if 2 * k > m:
        raise ValueError(
            f"the printed bound is proved for k ≤ m/2 only, but k is {k:,} of {m:,} examples; "
            "binomial_tail has no such condition."
        )
    return _printed(m, k, errors, (k + 1) * ln(m) + 1 - ln(delta))


@in_digits
def support_vector_compression(m: int, k: int, errors: int, delta: float) -> float:
    """errors/(m − k) + sqrt((k + (k + 1) ln m + ln(1/δ)) / m). It may exceed 1, and does for
    k > m/2."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    return _printed(m, k, errors, k + (k + 1) * ln(m) - ln(delta))


@in_digits
def online_to_batch(m: int, loss: float, delta: float, span: float = 1.0) -> float:
    """loss/m + span·sqrt(ln(1/δ) / (2m)), where `loss` was suffered in all over m rounds, and
    each loss lies in an interval of length `span`."""
    m, delta = whole_count(m, "m", 1), probability(delta)
    loss, span = _amount(loss, "loss"), _amount(span, "span")
    if Fraction(loss) > m * Fraction(span):
        raise ValueError(f"loss must be at most span·m = {span * m!r}, got {loss!r}.")
    root = (-ln(delta) / (2 * m)).sqrt()
    return _rounded_up(Decimal(loss) / m + Decimal(span) * root)


def _printed(m: int, k: int, errors: int, inside: Decimal) -> float:
    return _rounded_up(Decimal(errors) / max(m - k, 1) + (inside / m).sqrt())


# The classes of one fit share m and delta, and a logarithm of 60 digits takes 30 µs.
@functools.lru_cache(4096)
def ln(x: int | float | Fraction) -> Decimal:
    if isinstance(x, Fraction):
        return DIGITS.ln(DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator)))
    return DIGITS.ln(Decimal(x))


def _rounded_up(value: Decimal) -> float:
    """A float not below the number that `value` approximates to 50 digits."""
    value *= 1 + Decimal("1e-40")
    result = float(value)
    return result if Decimal(result) >= value else math.nextafter(result, math.inf)


# What may come in -------------------------------------------------------------------------------


def compression_facts(m, k, errors, delta) -> tuple[int, int, int, float]:
    m, k, errors = whole_count(m, "m", 1), whole_count(k, "k", 0), whole_count(errors, "errors", 0)
    if k > m:
        raise ValueError(f"k must be at most m = {m:,}, got {k:,}.")
    if errors > m - k:
        raise ValueError(f"errors must be at most m − k = {m - k:,}, got {errors:,}.")
    return m, k, errors, probability(delta)


def whole_count(value, name: str, least: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= int(value) <= MAX_EXAMPLES:
        raise ValueError(f"{name} must be a whole number from {least} to 10¹⁵, got {value!r}.")
    return int(value)


def probability(value) -> float:
    value = _amount(value, "delta")
    if not 0 < value < 1:
        raise ValueError(f"delta must be between 0 and 1, got {value!r}.")
    return value


def _amount(value, name: str) -> float:
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number, not negative, got {value!r}.")
    return float(value)
