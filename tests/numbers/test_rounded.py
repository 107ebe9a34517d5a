"""Numbers with a bound on their error: the truth is never further away."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.numbers.rounded import SUM_LANES, NotShown, Rounded, at_most, positive_sum, total

numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
positive = st.floats(0, 1e300)
fractions = st.fractions(max_denominator=1000)


def truth(terms) -> Fraction:
    return sum(map(Fraction, terms), Fraction(0))


@given(st.lists(numbers, max_size=30))
def test_a_total_is_rounded_once(terms):
    assert total(np.array(terms)) == Fraction(float(truth(terms)))


@given(st.lists(positive, max_size=30))
def test_a_positive_sum_holds_the_truth(terms):
    found = positive_sum(np.array(terms))
    assert found.below <= truth(terms) <= found.above
    assert at_most(np.array(terms)) >= truth(terms)


@pytest.mark.parametrize("extra", [1, SUM_LANES - 1])
def test_a_long_sum_holds_the_truth_when_it_is_made_quickly(extra):
    terms = np.random.default_rng(extra).exponential(size=SUM_LANES**2 + extra) ** 9
    quick, slow = positive_sum(terms, quickly=True), positive_sum(terms)
    for found in (quick, slow):
        assert found.below <= truth(terms.tolist()) <= found.above
    assert quick.within > slow.within


@given(fractions, fractions, fractions, st.integers(-3, 3), st.integers(-1, 1), st.integers(-1, 1))
def test_errors_add_up(value, within, other, times, up, right):
    one, two = Rounded(value, abs(within)), Rounded(other, abs(within))
    both = one.plus(two, Fraction(times))
    true = value + up * abs(within) + times * (other + right * abs(within))
    assert both.below <= true <= both.above


@pytest.mark.parametrize("terms", [[1e308, 1e308], [np.inf, -np.inf]])
def test_what_overflows_shows_nothing(terms):
    with pytest.raises(NotShown, match="overflow"):
        total(np.array(terms))
