"""Whole numbers modulo a prime, and null spaces."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from certo.numbers.whole import independent, null_space
from tests.oracles.rationals import ROWS, dot, rank


@given(ROWS)
def test_independent_modulo_a_prime_is_independent(rows):
    places = independent(np.array(rows, dtype=object))
    some = [[Fraction(v) for v in rows[t]] for t in places]
    assert rank(some) == len(some) == rank([[Fraction(v) for v in row] for row in rows])


@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), max_size=6))
def test_the_null_space_is_all_that_is_orthogonal(rows):
    basis = null_space(rows, 4)
    assert len(basis) == 4 - rank([[Fraction(v) for v in row] for row in rows])
    assert all(dot(w, row) == 0 for w in basis for row in rows)
    assert rank([[Fraction(v) for v in w] for w in basis]) == len(basis)
