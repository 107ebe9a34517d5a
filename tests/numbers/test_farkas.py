"""Exact sums of weighted examples."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.numbers.farkas import cancels, whole_numbers


def test_whole_numbers_are_the_floats_times_a_power_of_two():
    dense = np.array([[0.5, -3.0, 0.0], [2.0**-1074, 1e300, 0.1]])
    whole = whole_numbers(dense)
    unit = Fraction(dense[0, 0]) / whole[0][0]
    assert [[entry * unit for entry in row] for row in whole] == [
        [Fraction(entry) for entry in row] for row in dense.tolist()
    ]


def test_weights_cancel_exactly_or_not():
    assert cancels([[1, 2], [-2, -4]], [Fraction(2, 3), Fraction(1, 3)])
    assert not cancels([[1, 2], [-2, -4]], [Fraction(2, 3), Fraction(1, 3) + Fraction(1, 10**30)])
