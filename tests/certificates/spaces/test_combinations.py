from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.combinations import (
    EXACT_PRODUCTS,
    dense_rows,
    is_short_table,
    squared_combination,
)


def sample_of(m: int, d: int) -> Sample:
    X = np.random.default_rng(0).standard_normal((m, d))
    return Sample(X, np.ones(m, np.int8))


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_every_effort_is_within_its_bound_of_the_exact_square(store):
    sample = sample_of(40, 3)
    rows, weights = np.arange(0, 40, 2), np.linspace(-1, 1, 20)
    stored = Sample(store(sample.X), sample.signs)
    exact = squared_combination(sample, rows, weights, EXACT_PRODUCTS)
    assert exact.within == 0
    bounds = []
    for effort in (0, 1):
        found = squared_combination(stored, rows, weights, effort)
        assert abs(found.value - exact.value) <= found.within
        bounds.append(found.within)
    assert bounds[1] < bounds[0] * Fraction(1, 2**40)


def test_a_short_table_is_small_in_both_directions():
    assert is_short_table(sample_of(100, 10))
    assert not is_short_table(sample_of(5000, 3))
    assert not is_short_table(sample_of(2, 300))


def test_dense_rows_are_the_rows():
    X = sparse.csr_array(np.eye(4, dtype=np.float32))
    assert np.array_equal(dense_rows(Sample(X, np.ones(4)), np.array([2])), [[0, 0, 1, 0]])
