"""y as real numbers, and claims that need none."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from certo.certificates import Composite, Labels, Sample, encoding
from certo.certificates.sample.classes import class_sample
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.sample.values import Unlabelled, Values
from certo.issue.separation import issue_separable

X = np.eye(2)


@pytest.mark.parametrize(
    "y",
    [
        [0.5, 2], [[0.5], [2.0]], np.array([0.5, 2], dtype=np.float32), (0.5, 2),
        pd.Series([0.5, 2.0]), np.array([0.5, 2], dtype=object), [Fraction(1, 2), 2],
        sparse.csr_array([[0.5], [2.0]]),
    ],
)  # fmt: skip
def test_numbers_of_many_kinds(y):
    for labels in (Values(), Values(1)):
        values = Sample.of(X, y, labels).signs
        assert values.dtype == np.float64
        assert values.tolist() == [[0.5], [2.0]]


def test_several_columns():
    Y = np.arange(6.0).reshape(2, 3)
    assert Values.of(Y) == Values(3)
    assert Values.of(Y[:, 0]) == Values()
    assert Sample.of(X, Y, Values(3)).signs.tolist() == Y.tolist()


@pytest.mark.parametrize(
    ("y", "labels", "why"),
    [
        (None, Values(), r"shape \(\)"),
        ([1.0], Values(), "2 rows, but y has 1"),
        ([[1.0, 2.0], [3.0, 4.0]], Values(), r"shape \(2, 2\)"),
        ([1.0, 2.0], Values(2), "with 2 columns"),
        (np.zeros((2, 2, 2)), Values(2), "shape"),
        ([1.0, np.nan], Values(), "y must hold finite"),
        ([1.0, np.inf], Values(), "y must hold finite"),
        (["a", "b"], Values(), r"y\[0\] is the text 'a'"),
        ([2**53 + 1, 1], Values(), r"float64 holds exactly, but y\[0\] is 9007199254740993"),
        ([0.5, 2**53 + 1], Values(), r"float64 holds exactly, but y\[1\] is 9007199254740993"),
        ([Decimal("0.1"), 1], Values(), "exactly"),
        ([[1], [2, 3]], Values(), "table of numbers"),
        (None, Labels((0, 1)), "one label for each"),
    ],
)
def test_invalid_fields_are_refused(y, labels, why):
    with pytest.raises(SampleMismatch, match=why):
        Sample.of(X, y, labels)


def test_no_columns():
    with pytest.raises(ValueError, match="at least 1"):
        Values(0)


def test_without_y():
    for y in (None, ["whatever"]):
        assert Sample.of(X, y, Unlabelled()).signs.tolist() == [1, 1]


def test_no_rows():
    for labels, y in ((Values(), []), (Unlabelled(), None)):
        with pytest.raises(SampleMismatch, match="nothing to check"):
            Sample.of(np.zeros((0, 2)), y, labels)


def test_plain_json():
    for labels in (Values(), Values(2), Unlabelled()):
        assert encoding.from_plain(type(labels), encoding.to_plain(labels)) == labels


@pytest.mark.parametrize("data", [[[1.0], [2.0, 3.0]], [[1.0], 2.0], [[[1.0]]], [["a"]]])
def test_no_matrix(data):
    with pytest.raises(ValueError, match="values must be"):
        encoding._read(np.ndarray, data, "values")


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (2, 0)])
def test_matrices_both_ways(shape):
    table = np.arange(float(np.prod(shape))).reshape(shape) + 0.1
    again = encoding._read(np.ndarray, encoding.to_plain(table), "values")
    assert again.shape == shape
    assert again.tolist() == table.tolist()


def test_composite_holds_claims_that_read_y_differently():
    data, y = np.array([[-1.0], [0.0], [1.0]]), ["a", "b", "c"]
    labels = Labels(("a", "b", "c"), 2)
    coef, intercept = np.array([[-4.0], [0.0], [4.0]]), np.array([0.0, 1.0, 0.0])
    sample, all_classes = class_sample(data, y, labels.classes), Labels(labels.classes, None)
    joint = issue_separable(sample, all_classes, coef, intercept)
    least = issue_separable(Sample.of(data, y, labels), labels, np.ones(1), -0.5)
    for claims in ((joint, least), (least, joint)):
        assert Composite(claims).verify(data, y)
