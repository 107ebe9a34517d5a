"""Decimal numbers to read: few digits, rounded so that 'at most' and 'at least' stay true."""

from __future__ import annotations

import decimal
from fractions import Fraction
from typing import Any

from certo.numbers.exact import above

MIN_DECIMAL, MAX_DECIMAL = 1e-300, 1e300


def rounded_down(value: float, digits: int = 6) -> str:
    """A number to read, not above the value: for 'at least …'."""
    return _to_digits(value, digits, decimal.ROUND_FLOOR)


def rounded_up(value: float, digits: int = 6) -> str:
    """A number to read, not below the value: for 'at most …'."""
    return _to_digits(value, digits, decimal.ROUND_CEILING)


def apart(value: float, bound: float) -> str:
    """The distance of two numbers to read, not below it: for '… by at most'.

    >>> apart(836.3731, 836.3731 - 3e-13)
    '3.5e-13'
    """
    return rounded_up(above(abs(Fraction(value) - Fraction(bound))), 2)


def readable(value: Any) -> str:
    """A number as a person would like to read it, rounded to the nearest."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if type(value) is int else str(value)


def _to_digits(value: float, digits: int, rounding: str) -> str:
    short = decimal.Context(prec=digits, rounding=rounding).create_decimal(value)
    # Near the ends of its range float64 does not hold the decimal number to all its digits.
    kept = short if value and not MIN_DECIMAL < abs(value) < MAX_DECIMAL else float(short)
    return f"{kept:.{digits}g}"
