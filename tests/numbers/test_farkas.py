"""Exact sums of weighted examples."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from certo.certificates import Certificate, Labels, Separable
from certo.certificates.separation.cancelling import check_convex
from certo.numbers.farkas import cancels, common_denominator, whole_numbers


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


def test_denominators_without_end_are_refused():
    """A hostile file may not keep a reader busy: honest weights have one denominator."""
    hostile = [Fraction(1, 2**250_000 + k) for k in (1, 3, 5)]
    assert common_denominator(hostile) is None
    assert not cancels([[1], [1], [-1]], hostile)
    with pytest.raises(ValueError, match="add up to 1"):
        check_convex(hostile, 3)


@pytest.mark.parametrize("functional_margin", [0.0, 1.0])
def test_margins_beyond_floats_are_refuted_in_words(functional_margin):
    claim = Separable(Labels((0, 1)), np.array([1e308]), 0.0, 2, functional_margin, 0.0)
    assert not claim.verify([[10.0], [-10.0]], [0, 1])
    assert Certificate.from_dict(claim.to_dict()) == claim
