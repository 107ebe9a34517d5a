"""Rows as arrays of one length hold the rows, in every storage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo.certificates.runs.padded_rows import PaddedRows

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-2, 3, (9, 5)) * (RANDOM.random((9, 5)) < 0.4).astype(float)
X[3] = 0
SOME = np.array([3, 0, 8, 8, 2])


def spread(values, places):
    row = np.zeros(X.shape[1])
    np.add.at(row, places, values)
    return row


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, np.float32])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_blocks_and_single_rows_are_those_of_the_examples(store, as_sparse):
    rows = PaddedRows(store(X), SOME, as_sparse)
    values, places = rows.block(np.arange(len(SOME)))
    assert values.dtype == np.float64
    for k, row in enumerate(SOME):
        at = places[k] if as_sparse else places
        np.testing.assert_array_equal(spread(values[k], at), X[row])
        np.testing.assert_array_equal(spread(*rows.one(k)), X[row])


def test_rows_without_any_entry():
    rows = PaddedRows(sparse.csr_array((4, 3)), np.arange(4), True)
    values, places = rows.block(np.arange(4))
    assert not values.any()
    assert values.shape == places.shape
    assert rows.one(2)[0].size == 0
