"""Scores with what they are off by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates.spaces.scores import Scores

NUMBERS = st.floats(-1e300, 1e300)


@given(st.lists(NUMBERS, min_size=1, max_size=8), NUMBERS)
def test_an_intercept_costs_one_rounding(values, intercept):
    plain = Scores(np.array(values), np.zeros(len(values)))
    moved = plain.plus(intercept)
    for value, found, slack in zip(values, *moved, strict=True):
        assert abs(Fraction(value) + Fraction(intercept) - Fraction(found)) <= Fraction(slack)


def test_no_intercept_costs_nothing():
    plain = Scores(np.array([1.0]), np.array([0.0]))
    assert plain.plus(0.0) is plain
