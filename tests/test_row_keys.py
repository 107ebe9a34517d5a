"""Equal rows have equal keys, in every container and precision; others hardly ever."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import row_keys as module
from certo.certificates.sample.examples import Sample
from certo.row_keys import exact_key, row_keys

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, (300, 5)) * (RANDOM.random((300, 5)) < 0.6)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, np.asfortranarray])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
def test_keys_do_not_depend_on_the_container(store, dtype):
    np.testing.assert_array_equal(row_keys(store(X.astype(dtype))), row_keys(X.astype(float)))


def test_keys_are_equal_exactly_where_rows_are():
    keys = row_keys(X.astype(float))
    _, groups = np.unique(X, axis=0, return_inverse=True)
    same = groups.reshape(-1)[:, None] == groups.reshape(-1)
    np.testing.assert_array_equal(keys[:, None] == keys, same)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_blocks_of_rows_change_nothing(store, monkeypatch):
    keys = row_keys(store(X.astype(float)))
    monkeypatch.setattr(module, "block_rows", lambda X: 7)
    np.testing.assert_array_equal(row_keys(store(X.astype(float))), keys)


def test_signs_of_zeros_do_not_count_and_the_order_of_columns_does():
    assert row_keys(np.array([[0.0, 1]])) == row_keys(np.array([[-0.0, 1]]))
    assert row_keys(np.array([[0.0, 1]])) != row_keys(np.array([[1.0, 0]]))
    assert row_keys(np.array([[1.0, 2]])) != row_keys(np.array([[1.0, np.nextafter(2, 3)]]))


def test_an_exact_key_tells_rows_apart():
    X = np.array([[0.0, 1], [1, 0], [0, 1]])
    for store in (np.asarray, sparse.csr_array):
        sample = Sample(store(X), np.ones(3, np.int8))
        keys = [exact_key(*sample.row(t)) for t in range(3)]
        assert keys[0] == keys[2] != keys[1]
