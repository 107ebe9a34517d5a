"""The passes over the examples in the primal against NumPy, storage by storage."""

import numpy as np
import pytest
from scipy import sparse

from certo.compiled.rows import rows_of
from certo.compiled.soft_margin import add_squares, lengths, pull, signed_products, slope_along

M, D = 41, 13
KINDS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
STORES = pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix, sparse.csr_array])
LIFTS = pytest.mark.parametrize("lift", [0.0, 1.0])
RANGES = [(0, 0), (0, M), (7, 29)]


def examples(dtype, lift, seed=0):
    """Rows as stored, the same in float64 with the feature 1 where it is meant, and signs."""
    random = np.random.default_rng(seed)
    X = np.where(random.random((M, D)) < 0.5, random.standard_normal((M, D)), 0.0).astype(dtype)
    X[3] = 0.0
    rows = np.c_[X.astype(np.float64), np.ones(M)] if lift else X.astype(np.float64)
    return X, rows, np.where(random.random(M) < 0.5, 1, -1).astype(np.int8), random


@KINDS
@STORES
@LIFTS
@pytest.mark.parametrize(("start", "stop"), RANGES)
def test_lengths_and_products(dtype, store, lift, start, stop):
    X, rows, signs, random = examples(dtype, lift)
    w, out = random.standard_normal(rows.shape[1]), np.full(M, np.nan)
    lengths(rows_of(store(X)), lift, start, stop, out)
    np.testing.assert_allclose(out[start:stop], np.linalg.norm(rows[start:stop], axis=1))
    assert np.count_nonzero(~np.isnan(out)) == stop - start
    out[:] = np.nan
    signed_products(rows_of(store(X)), signs, w, lift, start, stop, out)
    np.testing.assert_allclose(out[start:stop], (signs * (rows @ w))[start:stop], atol=1e-14)
    assert np.count_nonzero(~np.isnan(out)) == stop - start


@KINDS
@STORES
@LIFTS
@pytest.mark.parametrize(("start", "stop"), RANGES)
@pytest.mark.parametrize("tau", [0.0, 0.7, 1e6])
def test_pull(dtype, store, lift, start, stop, tau):
    X, rows, signs, random = examples(dtype, lift)
    costs, r = random.random(M) + 0.1, random.standard_normal(M)
    beta = random.choice([0.0, 0.3, 1.0], M)
    v, sums = np.ones(rows.shape[1]), np.ones(3)  # added to, not set
    opened = np.full(M, -1)
    count = pull(
        rows_of(store(X)), signs, costs, beta, tau, r, lift, start, stop, v, sums, opened
    )  # fmt: skip
    some = slice(start, stop)
    weights = np.clip(beta + tau * r, 0.0, 1.0)[some]
    alpha = costs[some] * weights
    np.testing.assert_allclose(v - 1, (alpha * signs[some]) @ rows[some], atol=1e-13)
    hinge = costs[some] @ np.maximum(r[some], 0.0)
    np.testing.assert_allclose(sums - 1, [hinge, alpha @ r[some], alpha.sum()], atol=1e-13)
    inside = start + np.flatnonzero((weights > 0) & (weights < 1))
    assert np.array_equal(opened[start : start + count], inside)
    assert np.all(opened[:start] == -1)
    assert np.all(opened[start + count :] == -1)


@pytest.mark.parametrize(("start", "stop"), RANGES)
@pytest.mark.parametrize("step", [0.0, 0.3, 50.0])
def test_slope_along(start, stop, step):
    random = np.random.default_rng(1)
    costs, beta, r, q = random.random(M), random.random(M), *random.standard_normal((2, M))
    got = slope_along(costs, beta, 2.0, r, q, step, start, stop)
    want = np.clip(beta + 2.0 * (r - step * q), 0, 1) * costs * q
    assert got == pytest.approx(want[start:stop].sum(), abs=1e-13)


@KINDS
@pytest.mark.parametrize("index", [np.int32, np.int64])
@LIFTS
@pytest.mark.parametrize(("start", "stop"), [(0, 0), (0, 9), (2, 5)])
def test_add_squares(dtype, index, lift, start, stop):
    X, rows, _, random = examples(dtype, lift)
    S = sparse.csr_array(X)
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    costs, opened = random.random(M), np.array([0, 3, 4, 11, 12, 30, 31, 39, 40])
    H = np.ones((rows.shape[1], rows.shape[1]))
    add_squares(rows_of(S), costs, opened, 3.0, lift, start, stop, H)
    some = opened[start:stop]
    want = (3.0 * costs[some][:, None] * rows[some]).T @ rows[some]
    np.testing.assert_allclose(np.tril(H - 1), np.tril(want), atol=1e-13)
    assert np.all(H[np.triu_indices_from(H, 1)] == 1)
