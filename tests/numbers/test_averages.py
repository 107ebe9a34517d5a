"""Weighted means over the examples are within their allowance of the truth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.numbers.averages import AVERAGED_ROWS, ROUNDED, averages, pairwise, shares


class Column:
    def __init__(self, values):
        self.values = values

    @property
    def m(self) -> int:
        return len(self.values)

    def part(self, start, stop):
        return self.values[start:stop]


@given(st.lists(st.integers(), min_size=1, max_size=70))
def test_halves_added_to_halves_are_the_sum(terms):
    assert pairwise(terms) == sum(terms)


@pytest.mark.parametrize("count", [1, 2, 3, 64, 1000])
def test_no_term_is_in_many_additions(count):
    class Depth(int):
        def __add__(self, other):
            return Depth(max(int(self), int(other)) + 1)

    assert pairwise(Depth(0) for _ in range(count)) <= 2 * np.log2(count) + 1


@pytest.mark.parametrize("m", [1, AVERAGED_ROWS, AVERAGED_ROWS + 1, 3 * AVERAGED_ROWS + 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_are_within_their_allowance(m, weighted):
    random = np.random.default_rng(m)
    values, weights = random.standard_cauchy(m), random.exponential(size=m if weighted else 0)
    found = averages(Column(values), weights, lambda rows, p: p @ rows)
    exact = [Fraction(w) for w in (weights if weighted else np.ones(m)).tolist()]
    whole = sum(exact)
    products = [w * Fraction(v) / whole for w, v in zip(exact, values.tolist(), strict=True)]
    allowed = Fraction(ROUNDED) * sum(map(abs, products))
    assert abs(Fraction(float(found)) - sum(products)) <= allowed


def test_shares_are_those_of_the_weights():
    assert shares(np.array([1.0, 3.0]), 2).tolist() == [0.25, 0.75]
    assert shares(np.zeros(0), 4).tolist() == [0.25] * 4
