"""Confidence, shares and rates as they are printed: few digits, and never 0 or all by rounding."""

from __future__ import annotations

import decimal
import math

from certo.numbers.decimals import rounded_up

LEAST_SHOWN_DELTA = decimal.Decimal("1e-9")
MAX_DECIMALS = 20  # No float64 share below 1 needs more decimals.


def confidence(delta: float | decimal.Decimal) -> str:
    """100·(1 − δ), not above it and never 100: δ, as the decimal number that it is written as, is
    rounded up to three digits.

    >>> confidence(0.05), confidence(0.05 / 3)
    ('95', '98.33')
    """
    digits = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    share = digits.create_decimal(str(delta))
    return f"{100 - 100 * max(share, LEAST_SHOWN_DELTA):f}".rstrip("0").rstrip(".")


def share_text(share: float, decimals: int = 2) -> str:
    """A share in per cent, rounded to the nearest; 0 and 100 only where it is all or nothing.

    >>> share_text(0.5), share_text(1.0), share_text(1 - 1e-5)
    ('50.00', '100.00', '99.999')
    """
    if share in (0, 1) or not math.isfinite(share):
        return f"{100 * share:.{decimals}f}"
    per_cent = 100 * decimal.Decimal(share)
    while decimals < MAX_DECIMALS and round(per_cent, decimals) in (0, 100):
        decimals += 1
    return f"{per_cent:.{decimals}f}"


def three_digits(value: float) -> str:
    """A number to read, not to compute with: three significant digits, or all before the point.

    >>> [three_digits(x) for x in (0.0123456, -1234.56, 98.765, 3e-7, 2.0, 1.2e9)]
    ['0.0123', '-1,235', '98.8', '3e-07', '2', '1.2e+09']
    """
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"


def at_most_text(value: float) -> str:
    """A number to read, of three digits, not below the value.

    >>> at_most_text(0.12345), at_most_text(101_383.2)
    ('0.124', '102,000')
    """
    text = rounded_up(value, 3)
    return f"{float(text):,.0f}" if 1000 <= value < 1e15 else text


def rate_text(rate: float) -> str:
    """A rate from 0 to 1 with three digits; 1 only where it is 1.

    >>> rate_text(0.98765), rate_text(0.99996), rate_text(1.0)
    ('0.988', 'above 0.999', '1')
    """
    text = f"{rate:.3g}"
    return "above 0.999" if text == "1" and rate < 1 else text
