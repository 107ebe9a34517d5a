"""Rows that are equal are found, in every storage."""

import numpy as np
import pytest
from scipy import sparse

from certo.certificates.sample import equal_rows


def same_partition(one, other):
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array, np.asfortranarray])
@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_groups_are_those_of_equal_rows(form, levels):
    random = np.random.default_rng(levels)
    X = random.integers(-levels, levels, (700, 3)) / 4.0
    X[random.random(X.shape) < 0.3] *= -0.0  # −0 is 0
    expected = np.unique(X + 0.0, axis=0, return_inverse=True)[1].ravel()
    assert same_partition(equal_rows.equal_rows(form(X)), expected)
    assert same_partition(equal_rows.equal_rows(form(X[:300]), sparse.csr_array(X[300:])), expected)
    explicit = sparse.csr_array(np.ones_like(X))
    explicit.data = X.ravel().copy()  # zeros that are stored
    assert same_partition(equal_rows.equal_rows(explicit), expected)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_with_one_key_are_compared(form, monkeypatch):
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (200, 3)).astype(float)
    monkeypatch.setattr(equal_rows, "row_keys", lambda X: np.zeros(X.shape[0], np.uint64))
    expected = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    assert same_partition(equal_rows.equal_rows(form(X)), expected)
    assert same_partition(equal_rows.equal_rows(form(X[:70]), form(X[70:])), expected)
