"""What may stand for X and y, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from certo.certificates import Labels, Sample, Separable
from certo.certificates.sample.examples import SampleMismatch
from certo.words.phrases import one_side

LABELS = Labels((0, 1))


@pytest.mark.parametrize(
    ("y", "classes", "signs"),
    [
        ([0, 1], (0, 1), [-1, 1]),
        ([True, False], (False, True), [1, -1]),
        ([True, False], (0, 1), [1, -1]),
        (["a", "b"], ("a", "b"), [-1, 1]),
        (np.array(["a", "b"], dtype=object), ("a", "b"), [-1, 1]),
        (np.array(["a", 1], dtype=object), ("a", 1), [-1, 1]),
        (np.array([1.5, 2.5], dtype=np.float32), (1.5, 2.5), [-1, 1]),
        (np.array([0.1, 0.2], dtype=np.float32), tuple(np.float32([0.1, 0.2]).tolist()), [-1, 1]),
        (np.array([[0], [1]]), (0, 1), [-1, 1]),
        # different labels, which NumPy would take for the same in the precision of y
        (np.array([2**53, 2**53 + 1]), (2**53 + 1, float(2**53)), [1, -1]),
        (np.array([0.1], dtype=np.float32), (0.1, float(np.float32(0.1))), [1]),
        (pd.Series(["a", "b"]), ("a", "b"), [-1, 1]),
        (pd.Categorical(["a", "b"]), ("a", "b"), [-1, 1]),
    ],
)
def test_labels_of_many_kinds(y, classes, signs):
    assert Labels(classes).signs(y).tolist() == signs


def test_several_classes_and_columns():
    assert Labels(("a", "b", "c"), 2).signs(list("abcc")).tolist() == [-1, -1, 1, 1]
    Y = np.array([[0, 1], [1, 1]])
    for given in (Y, Y.tolist(), sparse.csr_array(Y)):
        assert Labels((0, 1), 1, 0).signs(given).tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["a", "q"], ("a", "b")),
        (np.array(["a", "q"], dtype=object), ("a", "b")),
        (np.array(["a", None], dtype=object), ("a", "b")),
        (np.array(["a", pd.NA], dtype=object), ("a", "b")),
        ([0, 1], ("0", "1")),
        (["0", "1"], (0, 1)),
        ([0.0, np.nan], (0, 1)),
        (np.array([1, 2], dtype=np.uint8), (1, 300)),
        ([1, 2], (1, 10**30)),
        (np.array(["2020-01-01"], dtype="M8[D]"), ("a", "b")),
        (np.array([b"a", b"b"]), ("a", "b")),
        ([[1], [2, 3]], (0, 1)),
        ([[0, 1], [1, 0]], (0, 1)),
    ],
)
def test_labels_that_are_no_class_are_a_mismatch(y, classes):
    with pytest.raises(SampleMismatch):
        Labels(classes).signs(y)


@pytest.mark.parametrize(
    "given",
    [((), 0), ((0, 1), 2), ((0, 1), -1), ((1, 1), 0), ((1, True), 0), ((1, 1.0), 0),
     ((float("nan"), 1), 0), ((0, 1), 1, -1)],
)  # fmt: skip
def test_impossible_labels_are_refused(given):
    with pytest.raises(ValueError, match="must"):
        Labels(*given)


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


def test_a_key_tells_rows_apart():
    X = np.array([[0.0, 1], [1, 0], [0, 1]])
    for store in (np.asarray, sparse.csr_array):
        keys = [Sample(store(X), np.ones(3, np.int8)).key(t) for t in range(3)]
        assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, "1"], (1, "1")),
        (["a", "a\0"], ("a", "a\0")),
        ([b"a", "a"], ("a", "b")),
        (np.array([0, 2**53, 2**53 + 1]), (0.0, 2.0**53)),
        (np.array([0.0, 2.0**53]), (0, 2**53 + 1)),
        (np.array([0.0, 2.0**64]), (0, 2**64 - 1)),
        (np.array([0, 2**24], dtype=np.float32), (0.0, 2.0**24 + 1)),
        (np.ma.masked_array([0, 1], mask=[False, True]), (0, 1)),
        (np.array([0, 1]), (0, 10**400)),
    ],
)
def test_labels_that_numpy_takes_for_others(y, classes):
    with pytest.raises(SampleMismatch):
        Labels(classes).signs(y)


def test_the_same_number_in_another_type_is_the_same_label():
    assert Labels((0, 2**53)).signs(np.array([0.0, 2.0**53])).tolist() == [-1, 1]
    assert Labels((0.0, 2.0**53)).signs(np.array([0, 2**53])).tolist() == [-1, 1]
    assert Labels((0, 2**64 - 1)).signs(np.array([0, 2**64 - 1], np.uint64)).tolist() == [-1, 1]


def test_one_side_names_a_class_only_where_there_is_one():
    X, words = np.zeros((2, 1)), one_side(Labels(("a", "b", "c"), 0), False, "2 examples")
    assert words == "None of the 2 examples is 'a'."
    claim = Separable(Labels(("a", "b", "c"), 0), np.zeros(1), -1.0, 2, 1.0, 0.0)
    assert claim.verify(X, ["b", "c"])
    assert claim.claim == words
    assert one_side(Labels(("a", "b")), False, "2 examples").endswith("all 2 examples are 'a'.")
