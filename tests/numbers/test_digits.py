"""What is printed of confidence, shares and rates is never more than is true."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from certo.numbers.digits import at_most_text, confidence, rate_text, share_text, three_digits


@given(st.floats(1e-300, 0.999))
def test_confidence_is_not_overstated(delta):
    shown = Fraction(confidence(delta))
    assert shown < 100
    assert shown <= 100 * (1 - Fraction(Decimal(repr(delta)))) or delta < 1e-9


@given(st.floats(0, 1))
def test_all_and_nothing_are_said_of_these_alone(share):
    shown = share_text(share)
    assert (float(shown) == 0) == (share == 0) or share < 1e-22
    assert (float(shown) == 100) == (share == 1)
    assert (rate_text(share) == "1") == (share == 1)


@given(st.floats(1e-9, 1e12))
def test_at_most_is_not_below(value):
    assert Fraction(at_most_text(value).replace(",", "")) >= Fraction(value)


def test_whole_numbers_have_all_their_digits():
    assert three_digits(12_345) == "12,345"
    assert three_digits(12_345.6) == "12,346"
