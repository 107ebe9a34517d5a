"""Moments and triangular factors: one table, however it is cut and stored."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.solvers.moments import Rows, Triangle, moments, triangle, with_exactness


def table(seed, n=40, d=3, q=2, offset=0.0):
    random = np.random.default_rng(seed)
    X = offset + random.standard_normal((n, d)) @ random.standard_normal((d, d))
    return X, random.standard_normal((n, q)), random.random(n) * (random.random(n) < 0.9)


def plain(X, Y, s, centred):
    Z = np.column_stack([X, Y]).astype(float)
    mean = s @ Z / s.sum() if centred else np.zeros(Z.shape[1])
    return mean, (Z - mean).T @ (s[:, None] * (Z - mean))


STORAGES = [
    np.ascontiguousarray,
    np.asfortranarray,
    sparse.csr_array,
    lambda X: X[:, ::-1][:, ::-1],
]


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("store", STORAGES)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_moments_and_factor_are_those_of_two_passes(store, centred, offset):
    X, Y, s = table(1, offset=offset if centred else 0.0)
    mean, products = plain(X, Y, s, centred)
    rows = Rows(store(X), Y, np.sqrt(s))
    size = np.sqrt(np.outer(np.diag(products), np.diag(products)))
    for found in (moments(rows, centred), triangle(rows, centred).moments):
        assert found.rows == np.count_nonzero(s)
        assert found.weight == pytest.approx(s.sum())
        np.testing.assert_allclose(found.mean, mean, rtol=1e-14)
        assert np.max(np.abs(found.products - products) / size) < 1e-7 if offset else 1e-13


@given(
    seed=st.integers(0, 99), cuts=st.lists(st.integers(0, 40), max_size=6), centred=st.booleans()
)
@settings(max_examples=40)
def test_any_cut_of_the_rows_has_the_same_sums(seed, cuts, centred):
    X, Y, s = table(seed, offset=5.0)
    ends = sorted({0, *cuts, 40})
    parts = [Rows(X[a:b], Y[a:b], np.sqrt(s[a:b])) for a, b in pairwise(ends)]
    parts = [part for part in parts if np.any(part.roots)]
    whole = moments(Rows(X, Y, np.sqrt(s)), centred)
    found = reduce(add, (triangle(part, centred) for part in parts)).moments
    assert found.rows == whole.rows
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.products, whole.products, rtol=1e-10, atol=1e-10)


def test_a_factor_from_products_has_these_products():
    X, Y, s = table(3)
    known = moments(Rows(X, Y, np.sqrt(s)), True)
    again = Triangle.of(known)
    np.testing.assert_allclose(again.moments.products, known.products, atol=1e-12)
    assert np.allclose(again.factor, np.triu(again.factor))


def test_a_column_that_is_constant_leaves_exactly_nothing():
    X, Y, _ = table(2, n=3000)
    X[:, 1] = 0.1
    found = moments(Rows(X, Y), True)
    assert not np.any(found.products[1])
    assert found.mean[1] == 0.1


def test_a_sample_that_misses_the_mean_is_made_up_for():
    X = np.zeros((100_000, 1))
    X[1::2] = 1e6 + np.random.default_rng(0).standard_normal((50_000, 1))
    X[np.unique(np.linspace(0, 99_999, 256).astype(int))] = 1e6
    found = moments(Rows(X, X.copy()), True)
    np.testing.assert_allclose(found.products[0, 0], np.sum((X - X.mean()) ** 2), rtol=1e-12)


class TestSums:
    def test_moments_stay_within_their_error_bounds(self):
        X, Y, s = table(5, n=3000, offset=3.0)
        sums = moments(Rows(X, Y, np.sqrt(s)), True).sums
        Z = np.column_stack([np.column_stack([X, Y]) - sums.shift, np.ones(3000)])
        Z, s = Z.astype(np.longdouble), s.astype(np.longdouble)
        true = Z.T @ (s[:, None] * Z)
        size = np.sqrt(np.outer(np.diag(true), np.diag(true)))
        assert np.all(np.abs(sums.gram - true) <= sums.roundings * 2.0**-53 * size)

    def test_exactness_is_seen_and_not_imagined(self):
        X = np.random.default_rng(0).integers(0, 1000, (2000, 4)).astype(float)
        Y = np.random.default_rng(1).standard_normal((2000, 1))
        for store in (np.ascontiguousarray, np.asfortranarray, sparse.csr_array):
            rows = Rows(store(X), Y)
            known = with_exactness(rows, moments(rows, True))
            assert known.sums.exact
            shifted = np.column_stack([X - known.sums.shift[:4], np.ones(2000)]).astype(np.int64)
            places = [0, 1, 2, 3, -1]
            assert np.array_equal(known.sums.gram[np.ix_(places, places)], shifted.T @ shifted)
        X[1234, 2] += 0.5
        broken = Rows(X, Y)
        assert not with_exactness(broken, moments(broken, True)).sums.exact
        large = Rows(np.rint(X) * 2.0**40, Y)
        assert not with_exactness(large, moments(large, True)).sums.exact
        weighted = Rows(np.rint(X), Y, np.full(2000, 0.3))
        assert not with_exactness(weighted, moments(weighted, True)).sums.exact


def test_empty_moments_are_neutral():
    empty = Triangle(0, 0.0, np.zeros(2), np.zeros((2, 2)))
    assert (empty + empty).rows == 0
