"""Vectors are looked at, and sparse rows multiplied, before any kernel sees them."""

import numpy as np
import pytest
from scipy import sparse

from certo.kernels import Gaussian, Linear, Polynomial


def test_sparse_rows_are_multiplied_the_same_however_full():
    rng = np.random.default_rng(3)
    for filled in (0.002, 0.1, 0.5):
        X = sparse.random_array((60, 200), density=filled, format="csr", rng=rng)
        for kernel in (Linear(), Gaussian(4.0)):
            np.testing.assert_allclose(kernel(X), kernel(X.toarray()), atol=1e-13)


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([1.0, 2.0], "two dimensions"),
        ([[1.0, np.nan]], r"there is nan at X\[0, 1\]"),
        ([[1.0], [np.inf]], r"there is inf at X\[1, 0\]"),
        ([[1e200]], "below 1e\\+140"),
        ([["a", "b"]], r"needs numbers .* X\[0, 0\] is the text 'a'"),
        (np.array([["a", 1.0]], dtype=object), r"X\[0, 0\] is the text 'a'"),
        ([[1.0, 2.0], [3.0]], "table of numbers"),
        ([[2**60 + 1]], r"float64 holds exactly, but X\[0, 0\] is 1152921504606846977"),
        ([[2**60 + 1, 0.5]], r"float64 holds exactly, but X\[0, 0\] is 1152921504606846977"),
        (sparse.csr_array([[np.nan, 1.0]]), "there is nan"),
        ([[1j]], "takes numbers"),
    ],
)
def test_vectors_are_looked_at(X, says):
    for kernel in (Gaussian(1.0), Linear() + Gaussian(1.0)):
        with pytest.raises(ValueError, match=says):
            kernel(X)
        with pytest.raises(ValueError, match=says):
            kernel.diagonal(X)


def test_points_and_centres_must_have_the_same_features():
    for kernel in (Linear(), Gaussian(1.0), Polynomial(2), Linear() + Gaussian(1.0)):
        with pytest.raises(ValueError, match="got 2 and 3"):
            kernel(np.ones((4, 2)), np.ones((4, 3)))


def test_nothing_but_numbers_may_be_missing():
    assert TypeError is type(_raises(lambda: Linear() + 1))
    assert TypeError is type(_raises(lambda: Linear() * "a"))


def _raises(act):
    try:
        act()
    except Exception as error:
        return error
    return None
