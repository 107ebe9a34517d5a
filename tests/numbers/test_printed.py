"""Printed formulas are taken to many digits and rounded up."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.numbers.printed import in_digits, ln, probability, rounded_up, whole_count


@given(st.decimals(min_value="1e-200", max_value="1e200", allow_nan=False))
def test_what_is_rounded_up_is_not_below(value):
    assert Decimal(rounded_up(value)) >= value
    assert Decimal(rounded_up(value)) <= value * (1 + Decimal(2) ** -51)


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6))
def test_logarithms_have_sixty_digits(value):
    with decimal.localcontext(prec=90):
        true = (Decimal(value.numerator) / Decimal(value.denominator)).ln()
        assert abs(ln(value) - true) <= Decimal("1e-57")


def test_digits_inside_do_not_depend_on_those_outside():
    @in_digits
    def third() -> Decimal:
        return Decimal(1) / 3

    with decimal.localcontext(prec=5):
        assert len(str(third())) == 62
        assert len(str(Decimal(1) / 3)) == 7


@pytest.mark.parametrize("value", [True, 2.0, "3", -1, 10**15 + 1])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(ValueError, match="m must be an integer from 0 to 10¹⁵"):
        whole_count(value, "m", 0)


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, True, "0.5", float("nan"), float("inf")])
def test_what_is_no_probability_is_refused(value):
    with pytest.raises(ValueError, match="delta must be"):
        probability(value)


def test_numbers_of_numpy_become_plain():
    assert type(whole_count(np.int8(3), "m", 1)) is int
    assert type(probability(np.float32(0.5))) is float
