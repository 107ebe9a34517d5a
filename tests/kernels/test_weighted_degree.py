"""The same symbols at the same places."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import WeightedDegree
from tests.oracles.sequences import COLLECTIONS


def naive(kernel, x, z):
    total, d = Fraction(0), kernel.degree
    x, z = tuple(x), tuple(z)
    for k in range(1, d + 1):
        for s in range(-kernel.shift, kernel.shift + 1):
            weight = Fraction(2 * (d - k + 1), d * (d + 1)) * (
                Fraction(1, 2 * (1 + abs(s))) if s else 1
            )
            for place in range(max(0, -s), len(z)):
                if place + k <= len(z) and place + s + k <= len(x):
                    total += weight * (x[place + s : place + s + k] == z[place : place + k])
    return total


@settings(max_examples=60)
@given(X=COLLECTIONS, degree=st.integers(1, 5), shift=st.integers(0, 7))
def test_agrees_with_its_definition_up_to_rounding(X, degree, shift):
    kernel = WeightedDegree(degree, shift)
    relative, absolute = (Fraction(bound) for bound in kernel.rounding(X, X))
    plain, fast = kernel.plain(X, X), kernel(X)
    np.testing.assert_allclose(fast, plain, rtol=1e-14)
    for i, x in enumerate(X):
        for j, z in enumerate(X):
            truth = naive(kernel, x, z)
            assert abs(Fraction(float(plain[i, j])) - truth) <= relative * truth + absolute


def test_groups_of_many_lengths_and_any_block():
    random = np.random.default_rng(2)
    X = ["".join(random.choice([*"ab"], size)) for size in random.integers(0, 30, 70)]
    for kernel in (WeightedDegree(4), WeightedDegree(20, 3), WeightedDegree(2, 10_000)):
        K = kernel(X)
        np.testing.assert_allclose(K, kernel.plain(X, X), rtol=1e-14)
        np.testing.assert_allclose(kernel(X[:5], X[3:]), K[:5, 3:], rtol=1e-14)
        assert np.array_equal(K, K.T)
        assert np.linalg.eigvalsh(K)[0] > -1e-12 * np.max(K)
    np.testing.assert_allclose(kernel(X, X[:3]), K[:, :3], rtol=1e-14)
    assert kernel([], X).shape == (0, 70)


def test_bad_settings():
    with pytest.raises(ValueError, match="degree must be an integer from 1"):
        WeightedDegree(0)
    with pytest.raises(ValueError, match="shift must be an integer from 0"):
        WeightedDegree(3, shift=-1)
