"""Triangular witnesses, norms that are not understated, and pieces that cover all rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates.regression import factors


@given(st.integers(0, 10**5), st.integers(0, 10**4))
def test_pieces_cover_every_row_once(m, width):
    found = list(factors.pieces(m, width))
    assert [row for start, stop in found for row in (start, stop)] == sorted(
        row for start, stop in found for row in (start, stop)
    )
    assert sum(stop - start for start, stop in found) == m
    if found:
        most = max(stop - start for start, stop in found)
        assert factors.roundings(m, width) >= most + len(found) - 1


@given(st.lists(st.floats(-1e150, 1e150), max_size=20))
def test_a_norm_is_not_understated(entries):
    above = factors.norm_above(np.array(entries))
    assert Fraction(above) ** 2 >= sum(Fraction(v) ** 2 for v in entries)


@pytest.mark.parametrize("scales", [[1, 1, 1], [1e-6, 1, 1e8]])
def test_the_inverse_factor_makes_the_gram_matrix_one(scales):
    X = np.random.default_rng(0).standard_normal((20, 3)) * scales
    L = factors.inverse_factor(X.T @ X)
    np.testing.assert_allclose(L.T @ (X.T @ X) @ L, np.eye(3), atol=1e-12)
    factors.check_triangle(L, 3)


@pytest.mark.parametrize(
    "gram",
    [
        np.zeros((0, 0)),
        np.zeros((2, 2)),
        np.array([[1.0, 2], [2, 1]]),
        np.array([[np.inf, 0], [0, 1]]),
    ],
)
def test_what_is_not_positive_has_no_factor(gram):
    assert factors.inverse_factor(gram) is None


@pytest.mark.parametrize("matrix", [np.eye(2), np.ones((3, 3)), np.diag([1.0, 0, 1])])
def test_what_is_no_witness_is_refused(matrix):
    with pytest.raises(ValueError, match="factor must be"):
        factors.check_triangle(matrix, 3)


@pytest.mark.parametrize(("kept", "lifted"), [([0, 3], False), ([0, 1], True), ([], True)])
def test_columns_that_are_none(kept, lifted):
    with pytest.raises(ValueError, match="kept must be some of the 3 columns"):
        factors.check_kept(np.array(kept, int), 3, lifted)
    factors.check_kept(np.array([0, 3]), 3, True)
