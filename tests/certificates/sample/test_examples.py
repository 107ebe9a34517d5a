"""What may stand for X and y, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from certo.certificates import Labels, Sample
from certo.certificates.sample.examples import SampleMismatch

LABELS = Labels((0, 1))


X = np.array([[1, 2], [3, 0]])


@pytest.mark.parametrize(
    "store",
    [
        np.asarray, np.float32, np.float16, np.longdouble, np.asfortranarray, np.int8, np.uint64,
        np.ndarray.tolist, pd.DataFrame, sparse.csr_array, sparse.csr_matrix,
        sparse.csc_array, sparse.coo_matrix, lambda X: X.astype(object), lambda X: X.astype(">f8"),
        lambda X: sparse.csr_array(X.astype(np.longdouble)), lambda X: X % 2 == 1,
        lambda X: np.array([[Fraction(1, 2), Decimal("0.25")], [3, 0]], dtype=object),
    ],
)  # fmt: skip
def test_every_storage_of_exact_numbers_is_taken(store):
    given = store(X)
    sample = Sample.of(given, [0, 1], LABELS)
    expected = np.asarray(given.toarray() if sparse.issparse(given) else given, dtype=object)
    for t in range(2):
        assert sample.square(t) == sum(Fraction(float(v)) ** 2 for v in expected[t])


def test_floats_are_not_copied():
    for X in (np.ones((3, 2)), np.ones((3, 2), np.float32)):
        assert np.shares_memory(Sample.of(X, [0, 1, 1], LABELS).X, X)
        rows = sparse.csr_array(X)
        assert np.shares_memory(Sample.of(rows, [0, 1, 1], LABELS).X.data, rows.data)


@pytest.mark.parametrize(
    "X",
    [
        [[2**53 + 1]], [[-(2**53) - 1]], np.array([[2**64 - 1]], dtype=np.uint64),
        np.array([[10**400]], dtype=object), np.array([["1.5"]]), np.array([["1.5"]], dtype=object),
        np.array([[1 + 2j]]), np.array([[None]]), np.array([[np.longdouble("0.1")]]),
        np.array([[np.longdouble("1e4000")]]), np.array([["2020-01-01"]], dtype="M8[D]"),
        np.array([[Fraction(1, 3)]]), [[np.nan]], [[np.inf]], np.array([[-np.inf]], np.float32),
        sparse.csr_array([[np.nan]]), sparse.csr_array([[2**53 + 1]]), [1.0], [[[1.0]]], 3.0,
        sparse.coo_array(([1.0], ([0],)), shape=(1,)), "text", None,
    ],
)  # fmt: skip
def test_values_beyond_float64_are_a_mismatch(X):
    with pytest.raises(SampleMismatch):
        Sample.of(X, [1], LABELS)


def test_integers_at_the_edge_of_float64_are_exact():
    values = [2**53, -(2**53), 2**53 + 2, 2**60]
    sample = Sample.of(np.array([values]), [1], LABELS)
    assert sample.square(0) == sum(v * v for v in values)


def test_sizes_must_agree_and_be_positive():
    for X, y in (([[1.0]], [0, 1]), (np.zeros((0, 2)), [])):
        with pytest.raises(SampleMismatch):
            Sample.of(X, y, LABELS)


def test_sparse_rows_with_duplicates_zeros_and_gaps():
    data, at, ends = [1.0, 2.0, 0.0, 5.0], [2, 2, 0, 1], [0, 2, 2, 4]
    for kind in (np.int32, np.int64):
        rows = sparse.csr_array((data, np.array(at, kind), np.array(ends, kind)), shape=(3, 3))
        sample = Sample.of(rows, [0, 1, 1], LABELS)
        assert [sample.square(t) for t in range(3)] == [9, 0, 25]
        assert rows.data.tolist() == data  # the user's own are left alone


@pytest.mark.parametrize("scale", [1.0, 1e150, 1e-170, 5e-324, 1e300])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_longest_examples_are_bounded_exactly(scale, store):
    X = np.random.default_rng(0).integers(-9, 9, (20, 5)) * scale
    sample = Sample.of(store(X), [1] * 20, LABELS)
    truth = max(sample.square(t) for t in range(20))
    bound = sample.square_bound()
    assert bound == np.inf or Fraction(bound) >= truth
    assert sample.longer_than(truth) is None
    if truth:
        longer = sample.longer_than(truth * (1 - Fraction(1, 10**30)))
        assert longer is not None
        assert sample.square(longer) == truth
