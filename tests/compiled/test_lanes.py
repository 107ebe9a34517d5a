"""Inner products have one specified rounding, in compiled code and in NumPy alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.compiled._jit import jit
from certo.compiled.rows import lone_row_dot, row_add, row_dot, row_square, rows_of
from certo.numbers.lanes import lane_scores


@jit
def all_dots(rows, w, out):
    for i in range(out.size):
        out[i] = row_dot(rows, i, w)


@jit
def all_lone_dots(rows, w, out):
    for i in range(out.size):
        out[i] = lone_row_dot(rows, i, w)


@jit
def all_squares(rows, out):
    for i in range(out.size):
        out[i] = row_square(rows, i)


@jit
def add_all(rows, c, w, m):
    for i in range(m):
        row_add(rows, i, c, w)


def csr(X, index=np.int32):
    S = sparse.csr_matrix(X)
    return sparse.csr_matrix(
        (S.data, S.indices.astype(index), S.indptr.astype(index)), shape=S.shape
    )


STORAGES = {
    "dense": lambda X: X,
    "csr32": csr,
    "csr64": lambda X: csr(X, np.int64),
    "csr_array": lambda X: sparse.csr_array(X),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(d=st.integers(1, 40), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_dense_dot_is_the_numpy_twin_bit_for_bit(dtype, d, seed):
    random = np.random.default_rng(seed)
    X = (random.standard_normal((7, d)) * 10.0 ** random.integers(-6, 6, (7, d))).astype(dtype)
    w = random.standard_normal(d + 1)
    got = np.empty(7)
    all_dots(rows_of(X), w, got)
    assert np.array_equal(got, lane_scores(X.astype(np.float64), w[:d]))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_csr_dot_is_the_numpy_twin_on_its_entries(dtype, index):
    random = np.random.default_rng(1)
    X = random.standard_normal((60, 50)) * (random.random((60, 50)) < random.random((60, 1)))
    S = csr(X.astype(dtype), index)
    w = random.standard_normal(51)
    got = np.empty(60)
    all_dots(rows_of(S), w, got)
    for i in range(60):
        part = slice(S.indptr[i], S.indptr[i + 1])
        twin = lane_scores(S.data[None, part].astype(np.float64), w[S.indices[part]])
        assert got[i] == twin[0]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_square_and_add_agree_with_numpy(storage, dtype):
    random = np.random.default_rng(2)
    X = np.where(random.random((30, 19)) < 0.4, random.integers(-9, 9, (30, 19)), 0).astype(dtype)
    rows, squares, w = rows_of(STORAGES[storage](X)), np.empty(30), np.zeros(20)
    all_squares(rows, squares)
    assert np.array_equal(squares, (X.astype(float) ** 2).sum(axis=1))
    add_all(rows, -2.0, w, 30)
    assert np.array_equal(w[:-1], -2.0 * X.astype(float).sum(axis=0))
    assert w[-1] == 0


def test_empty_rows_have_dot_zero():
    S = sparse.csr_matrix((3, 5))
    got = np.full(3, np.nan)
    all_dots(rows_of(S), np.ones(6), got)
    assert np.array_equal(got, np.zeros(3))


def test_rows_are_the_users_own_memory():
    X = np.ones((4, 3))
    assert np.shares_memory(rows_of(X).values, X)
    S = sparse.csr_matrix(X)
    rows = rows_of(S)
    assert all(
        np.shares_memory(a, b) for a, b in zip(rows, (S.data, S.indices, S.indptr), strict=True)
    )
    assert X.flags.writeable
    assert S.data.flags.writeable


@pytest.mark.parametrize("store", STORAGES.values(), ids=STORAGES)
@given(d=st.integers(1, 40), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_lone_row_gives_the_same_number(store, d, seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((7, d)) * (random.random((7, d)) < 0.7)
    w, together, alone = random.standard_normal(d + 1), np.empty(7), np.empty(7)
    all_dots(rows_of(store(X)), w, together)
    all_lone_dots(rows_of(store(X)), w, alone)
    assert np.array_equal(together, alone)
