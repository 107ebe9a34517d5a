"""Exact arithmetic, and allowances that cover what float64 loses."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.numbers import exact

law = settings(max_examples=60, deadline=None)
floats = st.floats(allow_nan=False, allow_infinity=False)
vectors = st.lists(st.tuples(floats, floats), max_size=12)


def truth(pairs) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))


def columns(pairs):
    return tuple(np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))


@law
@given(vectors.filter(bool))
def test_dot_is_exact_for_all_floats(pairs):
    assert exact.dot(*columns(pairs)) == truth(pairs)


@law
@given(vectors.filter(bool))
def test_dot_within_holds_the_truth(pairs):
    low, high = exact.dot_within(*columns(pairs))
    assert low <= truth(pairs) <= high


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150, 1e-320])
@pytest.mark.parametrize("cancel", [False, True])
def test_dot_within_holds_the_truth_of_long_vectors(scale, cancel):
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 2 * exact.SHORT)) * 10.0 ** rng.integers(-8, 8, 2 * exact.SHORT)
    a = a * scale
    if cancel:  # large terms whose sum is almost nothing
        a[1::2], b[1::2] = a[::2], -np.nextafter(b[::2], 0)
    low, high = exact.dot_within(a, b)
    assert low <= truth(zip(a, b, strict=True)) <= high


def orders(products: np.ndarray):
    """The sum in several orders, as one library or another might compute it."""
    yield math.fsum(products)
    yield float(np.sum(products))
    yield sum(products.tolist())
    yield sum(products.tolist()[::-1])
    yield float(np.cumsum(products[np.argsort(-np.abs(products))])[-1])
    yield float(np.cumsum(products[np.argsort(np.abs(products))])[-1])


@law
@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from([0, 30, 300]))
def test_the_allowance_covers_every_order_of_summation(seed, n, spread):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n)) * 2.0 ** rng.integers(-spread, spread + 1, (2, n))
    if n > 2:  # cancellation: the sum is tiny beside its terms
        a[n // 2 :], b[n // 2 :] = a[: n - n // 2], -b[: n - n // 2] * (1 + 2.0**-50)
    products = a * b
    slack = exact.allowance(n, float(np.sum(np.abs(products))))
    for total in orders(products):
        assert abs(Fraction(total) - exact.dot(a, b)) <= Fraction(slack)


@law
@given(st.integers(0, 10**6), st.integers(1, 30))
def test_the_allowance_covers_underflow(seed, n):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n)) * 2.0 ** rng.integers(-545, -530, (2, n))
    slack = exact.allowance(n, float(np.sum(np.abs(a * b))))
    for total in orders(a * b):
        assert abs(Fraction(total) - exact.dot(a, b)) <= Fraction(slack)


@law
@given(st.fractions(), st.integers(-1100, 1100))
def test_above_and_below_enclose(value, exponent):
    value *= Fraction(2) ** exponent
    low, high = exact.below(value), exact.above(value)
    assert low == -math.inf or Fraction(low) <= value
    assert high == math.inf or Fraction(high) >= value
    if math.isfinite(low) and math.isfinite(high):
        assert high <= math.nextafter(low, math.inf)


@law
@given(st.fractions(min_value=0), st.integers(-600, 600))
def test_root_above_is_above_and_near(value, exponent):
    value *= Fraction(4) ** exponent
    root = exact.root_above(value)
    assert Fraction(root) ** 2 >= value
    if 1e-300 < root < 1e300:
        assert Fraction(root) ** 2 <= value * (1 + Fraction(8, 2**52))


def test_roots_of_squares_are_exact():
    assert exact.root_above(Fraction(9, 4)) == 1.5
    assert exact.root_above(Fraction(1)) == 1.0
