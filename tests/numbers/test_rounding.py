"""Allowances for sums: gamma is not below its definition."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from certo.numbers import exact


@pytest.mark.parametrize("n", [1, 10, 10**6, 4 * 10**13])
def test_gamma_is_not_below_its_definition(n):
    nu = Fraction(n, 2**53)
    assert Fraction(exact.gamma(n)) >= nu / (1 - nu)


def test_gamma_gives_none_where_there_are_too_many_operations():
    assert exact.gamma(10**14) == math.inf
