"""The loops of the Gaussian kernel against NumPy, in both precisions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo.compiled.gaussian import add_rows, exp_block, exp_dot, sparse_products

KINDS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
SHAPES = pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0), (1, 1), (7, 33), (40, 257)])
CLOSE = {np.float32: 5e-7, np.float64: 2e-15}  # relative, for exponents down to −1
LEAST = {np.float32: 2e-38, np.float64: 4e-308}  # what stands for 0


def tile(shape, dtype, spread=1.0, seed=0):
    """Inner products, squared lengths, as if of points; and a scale."""
    random = np.random.default_rng(seed)
    left, right = random.random(shape[0]) * spread, random.random(shape[1]) * spread
    G = random.uniform(-1, 1, shape) * np.sqrt(np.outer(left, right))
    return *(part.astype(dtype) for part in (G, left, right)), dtype(0.4)


def truth(G, left, right, scale):
    G, left, right = (np.asarray(part, np.float64) for part in (G, left, right))
    return np.exp(np.minimum(0.0, (2 * G - left[:, None] - right) * float(scale)))


@KINDS
@SHAPES
def test_exp_block_is_the_exponential(dtype, shape):
    G, left, right, scale = tile(shape, dtype)
    want = truth(G, left, right, scale)
    exp_block(G, left, right, scale)
    assert G.dtype == dtype
    np.testing.assert_allclose(G, want, rtol=CLOSE[dtype])


@KINDS
@given(exponents=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=40))
def test_any_exponent(dtype, exponents):
    """The exponent itself is rounded, so the error grows with it; above 0 it is cut."""
    u = np.array([exponents], dtype)
    G, nothing = u / 2, np.zeros(u.size, dtype)
    exp_block(G, nothing[:1], nothing, dtype(1))
    want = np.exp(np.minimum(u.astype(np.float64), 0.0))
    error = np.abs(G.astype(np.float64) - want)
    assert np.all(error <= CLOSE[dtype] * (1 + np.abs(u)) * want + LEAST[dtype])
    assert np.all(G[u >= 0] == pytest.approx(1, rel=CLOSE[dtype]))


@KINDS
def test_huge_distances_give_nothing_and_no_distance_one(dtype):
    huge = np.finfo(dtype).max / 8
    G = np.array([[-huge, 0.0, -1e30, 5.0, -750.0]], dtype)
    nothing = np.zeros(5, dtype)
    exp_block(G, nothing[:1], nothing, dtype(1))
    np.testing.assert_allclose(G, [[0, 1, 0, 1, 0]], rtol=CLOSE[dtype], atol=LEAST[dtype])


@KINDS
def test_exponential_is_monotone_across_powers_of_two(dtype):
    u = np.linspace(-60, 0, 100_001).astype(dtype)[None]
    G = u / 2
    exp_block(G, np.zeros(1, dtype), np.zeros(u.size, dtype), dtype(1))
    assert np.all(np.diff(G[0]) >= -2 * CLOSE[dtype] * G[0, 1:])
    np.testing.assert_allclose(G, np.exp(u.astype(np.float64)), rtol=60 * CLOSE[dtype])


@KINDS
@SHAPES
def test_exp_dot_adds_weighted_sums_in_float64(dtype, shape):
    """Lengths, scale and coefficients are float64 also where inner products are not."""
    G, left, right, scale = tile(shape, dtype, spread=30.0)
    left, right, scale = left.astype(float), right.astype(float), float(scale)
    random = np.random.default_rng(1)
    coef, before = random.standard_normal(shape[1]), random.standard_normal(shape[0])
    out, kept = before.copy(), G.copy()
    exp_dot(G, left, right, scale, coef, out)
    np.testing.assert_allclose(out - before, truth(G, left, right, scale) @ coef, atol=1e-13)
    assert np.array_equal(G, kept)


@KINDS
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("density", [0.0, 0.05, 0.4, 1.0])
def test_sparse_products(dtype, index, density):
    random = np.random.default_rng(2)
    X = np.where(random.random((23, 17)) < density, random.standard_normal((23, 17)), 0)
    S = sparse.csr_array(X.astype(dtype))
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    turned = random.standard_normal((17, 31)).astype(dtype)
    for rows in (np.arange(23), np.array([5, 5, 0, 22]), np.arange(0)):
        out = np.full((rows.size, 31), np.nan, dtype)
        sparse_products(S.data, S.indices, S.indptr, rows, turned, out)
        want = S.toarray().astype(np.float64)[rows] @ turned
        np.testing.assert_allclose(out, want, atol=20 * np.finfo(dtype).eps)


def test_sparse_products_with_nothing_on_the_right():
    S, out = sparse.csr_array(np.eye(3)), np.empty((3, 0))
    sparse_products(S.data, S.indices, S.indptr, np.arange(3), np.empty((3, 0)), out)


@pytest.mark.parametrize("everyone", [True, False])
@pytest.mark.parametrize(("start", "stop"), [(0, 0), (0, 11), (4, 9)])
@pytest.mark.parametrize("places", [[], [2], [3, 0, 3]])
def test_add_rows(everyone, start, stop, places):
    random = np.random.default_rng(3)
    kept, places = random.standard_normal((4, 11)), np.array(places, np.intp)
    coef, rows = random.standard_normal(places.size), random.permutation(11)
    before = random.standard_normal(11)
    out = before.copy()
    add_rows(kept, places, coef, rows, everyone, start, stop, out)
    want = coef @ kept[places]
    want = before + (want if everyone else want[rows])
    np.testing.assert_allclose(out[start:stop], want[start:stop], atol=1e-14)
    outside = np.r_[0:start, stop:11]
    assert np.array_equal(out[outside], before[outside])
