"""The largest number of updates that an inequality allows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certo.certificates import UpdateSums
from certo.certificates.runs.update_sums import Inequality, most_updates
from certo.rates import Constant, Geometric, Power

law = settings(max_examples=50, deadline=None)


def brute_force(eta, law: Inequality, most=700) -> int:
    """The largest M below `most` that the inequality allows, by trying all."""
    return max(
        M for M in range(most)
        if (left := eta * M * law.target + law.offset) <= 0
        or left**2 <= law.comparator2 * (law.start2 + law.radius2 * eta**2 * M)
    )  # fmt: skip


rationals = st.fractions(min_value=Fraction(1, 10), max_value=10, max_denominator=20)


@settings(max_examples=80, deadline=None)
@given(
    rationals, rationals, st.fractions(-1, 1, max_denominator=30), rationals, rationals, st.data()
)
def test_constant_rate_general_start_is_the_floor_of_the_larger_root(a, eta, cosine, u2, w2, data):
    eta = Fraction(float(eta))
    offset = cosine * Fraction(math.isqrt(int(u2 * w2 * 10**12)), 10**6)  # |w₀·u| ≤ ‖u‖‖w₀‖
    radius2 = data.draw(rationals) / 10
    bounds = Inequality(a, offset, u2, w2, radius2)
    expected = brute_force(eta, bounds)
    assume(expected < 600)
    assert most_updates(UpdateSums(Constant(float(eta))), bounds, 0) == expected


@pytest.mark.parametrize(
    "rate", [Power(1.0, 0.5), Power(2.0, 0.1), Geometric(1.0, 1.0), Geometric(0.5, 1.001)]
)
@pytest.mark.parametrize("offset", [Fraction(0), Fraction(-7), Fraction(1, 2)])
def test_schedules_give_one_less_than_the_first_number_that_breaks(rate, offset):
    for before in (0, 5):
        bounds = Inequality(Fraction(1), offset, Fraction(2), Fraction(1, 2), Fraction(2))
        first = second = Fraction(0)
        expected = None
        for M, eta in enumerate(rate(before + np.arange(1, 1000)), start=1):
            first, second = first + Fraction(eta), second + Fraction(eta) ** 2
            if first + offset > 0 and (first + offset) ** 2 > 2 * (Fraction(1, 2) + 2 * second):
                expected = M - 1
                break
        assert most_updates(UpdateSums(rate, before), bounds, 0) == expected
