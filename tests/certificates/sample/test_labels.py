"""Which labels mean which class, and what is no label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from certo.certificates import Labels
from certo.certificates.sample.examples import SampleMismatch


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
