"""Bounds are rounded outward."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from certo.numbers.decimals import apart, rounded_down, rounded_up

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, st.integers(1, 12))
def test_bounds_are_rounded_outward(value, digits):
    assert Fraction(rounded_down(value, digits)) <= Fraction(value)
    assert Fraction(rounded_up(value, digits)) >= Fraction(value)


@given(numbers, numbers)
def test_distances_are_rounded_up(value, bound):
    if abs(value) < 1e300 > abs(bound):
        assert Fraction(apart(value, bound)) >= abs(Fraction(value) - Fraction(bound))
