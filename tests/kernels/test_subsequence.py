"""Common subsequences, against all of them written down."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import Spectrum, Subsequence
from tests.oracles.sequences import COLLECTIONS


def naive(kernel, x, z):
    """In fractions."""
    lengths = range(1, kernel.length + 1) if kernel.upto else [kernel.length]
    decay = Fraction(kernel.decay)
    total = Fraction(0)
    for length in lengths:
        for i in combinations(range(len(x)), length):
            for j in combinations(range(len(z)), length):
                if all(x[a] == z[b] for a, b in zip(i, j, strict=True)):
                    total += decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
    return total


def dynamic(kernel, x, z):
    """In fractions as well, by the recursion K'' of Lodhi and others."""
    decay = Fraction(kernel.decay)
    before = [[Fraction(1)] * (len(z) + 1) for _ in range(len(x) + 1)]
    for _ in range(kernel.length - 1):
        after = [[Fraction(0)] * (len(z) + 1) for _ in range(len(x) + 1)]
        for i in range(1, len(x) + 1):
            inner = Fraction(0)
            for j in range(1, len(z) + 1):
                inner = decay * (inner + decay * before[i - 1][j - 1] * (x[i - 1] == z[j - 1]))
                after[i][j] = decay * after[i - 1][j] + inner
        before = after
    pairs = ((i, j) for i in range(len(x)) for j in range(len(z)) if x[i] == z[j])
    return sum((decay**2 * before[i][j] for i, j in pairs), Fraction(0))


def check(kernel, X, truth):
    relative, absolute = (Fraction(bound) for bound in kernel.rounding(X, X))
    expected = [[truth(kernel, x, z) for z in X] for x in X]
    for K, slack in ((kernel.plain(X, X), 1), (kernel(X), 2)):
        for i, row in enumerate(K.tolist()):
            for j, value in enumerate(row):
                assert abs(Fraction(value) - expected[i][j]) <= slack * (
                    relative * expected[i][j] + absolute
                )


@settings(max_examples=30)
@given(
    X=COLLECTIONS,
    length=st.integers(1, 4),
    decay=st.sampled_from([1.0, 0.7, 0.1, 1e-60, 1e-160]),
    upto=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:.*the longest sequence")
def test_agrees_with_its_definition_up_to_rounding(X, length, decay, upto):
    check(Subsequence(length, decay, upto), X, naive)


@pytest.mark.parametrize("decay", [1.0, 0.3])
def test_long_ones_are_within_their_rounding(decay):
    random = np.random.default_rng(1)
    X = ["".join(random.choice([*"ab"], size)) for size in (40, 3, 21)]
    check(Subsequence(5, decay), X, dynamic)
    assert dynamic(Subsequence(3), "banana", "ananas") == naive(Subsequence(3), "banana", "ananas")


def test_groups_of_many_lengths_and_any_block():
    random = np.random.default_rng(2)
    X = ["".join(random.choice([*"abcd"], size)) for size in random.integers(0, 30, 70)]
    for kernel in (Subsequence(3, 0.8), Subsequence(1), Subsequence(2, 0.6, upto=True)):
        K = kernel(X)
        np.testing.assert_allclose(K, kernel.plain(X, X), rtol=1e-13)
        np.testing.assert_allclose(kernel(X[:5], X[3:]), K[:5, 3:], rtol=1e-13)
        np.testing.assert_allclose(kernel(X[40:], X[:2]), K[40:, :2], rtol=1e-13)
        assert np.array_equal(K, K.T)
    assert kernel([], X).shape == (0, 70)
    assert kernel(X, []).shape == (70, 0)


def test_the_rounding_covers_the_diagonals_of_both():
    kernel, long = Subsequence(1, 1.55e-162), ["a" * 1000]
    exact = 1000**2 * Fraction(kernel.decay) ** 2
    for bound in (kernel.rounding(long, ["a"]), kernel.rounding(["a"], long)):
        off = abs(Fraction(kernel.diagonal(long)[0]) - exact)
        assert 0 < off <= bound.relative * exact + Fraction(bound.absolute)


@pytest.mark.slow
def test_its_limits():
    X = ["gattaca", "tacagat", "gataca"]
    np.testing.assert_allclose(Subsequence(3, 1e-4)(X), 1e-24 * Spectrum(3)(X), rtol=0, atol=1e-27)
    assert Subsequence(2, 1.0)(["aab"], ["aab"]) == 1 + 4  # aa; ab, twice in each
    with pytest.raises(ValueError, match=r"overflow.* up to 600 symbols.* smaller decay"):
        Subsequence(180, 1.0)(["a" * 600])
    assert np.isinf(Subsequence(180, 1.0).rounding(["a" * 600], ["a" * 600]).relative)


def test_bad_settings():
    for decay in (0, -1, 1.5, np.nan, "x"):
        with pytest.raises(ValueError, match="decay must be"):
            Subsequence(2, decay)
    with pytest.raises(ValueError, match="length must be an integer from 1"):
        Subsequence(0)
