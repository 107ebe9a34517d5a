"""Coordinate descent on the dual against the same steps in NumPy, storage by storage."""

import numpy as np
import pytest
from scipy import sparse

from certo.compiled.dual_descent import combine_at, descend, products_at, shuffle
from certo.compiled.rows import rows_of

M, D = 37, 11
KINDS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
STORES = pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix, sparse.csr_array])
RANGES = [(0, 0), (0, 8), (3, 6)]
CHOSEN = np.array([5, 0, 3, 36, 17, 5, 20, 8])


def examples(dtype, seed=0):
    random = np.random.default_rng(seed)
    X = np.where(random.random((M, D)) < 0.5, random.standard_normal((M, D)), 0.0).astype(dtype)
    X[3] = 0.0
    return X, X.astype(np.float64), np.where(random.random(M) < 0.5, 1, -1).astype(np.int8), random


def naive(rows, signs, costs, kappa, order, alpha, w, b):
    """min over α_t of the dual, one example after another; b moves by κ y_t times the change."""
    alpha, w = alpha.copy(), w.copy()
    for t in order:
        square = rows[t] @ rows[t] + kappa
        slope = signs[t] * (rows[t] @ w + b) - 1.0
        new = costs[t] if square == 0 else np.clip(alpha[t] - slope / square, 0.0, costs[t])
        w += (new - alpha[t]) * signs[t] * rows[t]
        b += kappa * (new - alpha[t]) * signs[t]
        alpha[t] = new
    return alpha, w, b


@KINDS
@STORES
@pytest.mark.parametrize("kappa", [0.0, 1.0, 3.7])
@pytest.mark.parametrize("b", [0.0, 0.4])
def test_descend(dtype, store, kappa, b):
    X, rows, signs, random = examples(dtype)
    costs = random.choice([0.0, 0.05, 1.0, 1e3], M)
    b = b if kappa else 0.0
    alpha, w = np.minimum(random.choice([0.0, 0.02, 1.0], M), costs), np.zeros(D + 1)
    w[:D] = (alpha * signs) @ rows
    w[D] = b + kappa * (alpha @ signs)
    order = np.concatenate([random.permutation(M) for _ in range(4)])
    twin = naive(rows, signs, costs, kappa, order, alpha, w[:D], w[D])
    squares = np.sum(rows**2, axis=1) + kappa
    descend(rows_of(store(X)), signs, costs, squares, kappa, order, alpha, w)
    np.testing.assert_allclose(alpha, twin[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(w, np.append(twin[1], twin[2]), rtol=1e-10, atol=1e-12)
    assert np.all(alpha >= 0)
    assert np.all(alpha <= costs)  # exactly
    np.testing.assert_allclose(w[:D], (alpha * signs) @ rows, atol=1e-9)
    np.testing.assert_allclose(w[D], b + kappa * (alpha @ signs), atol=1e-9)


def test_an_example_at_the_origin_is_paid_in_full_where_there_is_no_intercept():
    X, signs, costs = np.zeros((2, 3)), np.array([1, -1], np.int8), np.array([2.0, 0.5])
    alpha, w = np.zeros(2), np.zeros(4)
    descend(rows_of(X), signs, costs, np.zeros(2), 0.0, np.arange(2), alpha, w)
    assert np.array_equal(alpha, costs)
    assert not w.any()


@KINDS
@STORES
@pytest.mark.parametrize(("start", "stop"), RANGES)
def test_products_at(dtype, store, start, stop):
    X, rows, signs, random = examples(dtype)
    w, out = random.standard_normal(D + 1), np.full(CHOSEN.size, np.nan)
    products_at(rows_of(store(X)), signs, CHOSEN, w, start, stop, out)
    want = (signs * (rows @ w[:D] + w[D]))[CHOSEN]
    np.testing.assert_allclose(out[start:stop], want[start:stop], atol=1e-14)
    assert np.count_nonzero(~np.isnan(out)) == stop - start


@KINDS
@STORES
@pytest.mark.parametrize("kappa", [0.0, 1.0, 2.5])
@pytest.mark.parametrize(("start", "stop"), RANGES)
def test_combine_at(dtype, store, kappa, start, stop):
    X, rows, signs, random = examples(dtype)
    weights, v = random.choice([0.0, 0.5, -2.0], CHOSEN.size), np.ones(D + 1)
    combine_at(rows_of(store(X)), signs, CHOSEN, weights, kappa, start, stop, v)
    pulls, some = (weights * signs[CHOSEN])[start:stop], CHOSEN[start:stop]
    want = np.append(pulls @ rows[some], kappa * pulls.sum())
    np.testing.assert_allclose(v - 1, want, atol=1e-14)


def test_shuffle_gives_every_order_equally_often():
    state, counts = np.uint64(5), {}
    for _ in range(6000):
        order = np.arange(3)
        state = np.uint64(shuffle(order, state))
        counts[tuple(order.tolist())] = counts.get(tuple(order.tolist()), 0) + 1
    assert len(counts) == 6
    assert max(abs(count - 1000) for count in counts.values()) < 150  # five standard deviations
