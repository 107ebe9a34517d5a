"""Sums, products and cosines of kernels are those of the values."""

import numpy as np
import pytest
from hypothesis import given, settings

from certo.kernels import Gaussian, Linear, Normalised, Polynomial, Product, Scaled, Sum
from tests.kernels.points import points


@settings(max_examples=25, deadline=None)
@given(X=points(), Z=points())
def test_the_algebra_is_that_of_the_values(X, Z):
    first, second = Polynomial(2), Gaussian(variance=2.0)
    A, B = first(X, Z), second(X, Z)
    np.testing.assert_allclose((first + second)(X, Z), A + B)
    np.testing.assert_allclose((first * second)(X, Z), A * B)
    np.testing.assert_allclose((2.5 * first)(X, Z), 2.5 * A)
    np.testing.assert_allclose((first * 2.5)(X, Z), 2.5 * A)
    roots = np.sqrt(np.outer(first.diagonal(X), first.diagonal(Z)))
    np.testing.assert_allclose(first.normalised()(X, Z), A / roots)
    np.testing.assert_allclose(Polynomial(1, offset=0.0)(X, Z), Linear()(X, Z))
    np.testing.assert_allclose(second.normalised()(X, Z), B)


def test_what_composes_is_kept_flat_and_readable():
    a, b, c = Linear(), Polynomial(2), Gaussian(3)
    assert (a + b) + c == a + (b + c) == Sum((a, b, c))
    assert (a * b) * c == Product((a, b, c))
    assert 2 * (3 * a) == Scaled(a, 6.0)
    assert a.normalised().normalised() == Normalised(a)
    assert repr(2 * (a + c) * b) == (
        "2.0 * (Linear() + Gaussian(variance=3.0)) * Polynomial(degree=2, scale=1.0, offset=1.0)"
    )


def test_a_zero_image_has_cosine_zero():
    kernel = Linear().normalised()
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_array_equal(kernel(X), [[0.0, 0.0], [0.0, kernel(X)[1, 1]]])
    np.testing.assert_array_equal(kernel.diagonal(X), [0.0, 1.0])


@pytest.mark.parametrize(
    ("kernel", "size"), [(Linear(), 1e-157), (Polynomial(3, offset=0.0), 1e-53)]
)
def test_cosines_of_images_whose_squares_are_subnormal(kernel, size):
    X = size * np.array([[1.0, 2.0], [-2.0, 1.0], [3.0, 0.5]])
    found = kernel.normalised()(X)
    assert np.all(np.abs(found) <= 1.001)
    np.testing.assert_array_equal(found, found.T)
    assert np.max(np.abs(found - kernel.normalised()(X / size))) < 1e-2


def test_cosines_of_images_that_overflow_are_no_numbers():
    kernel = Polynomial(3).normalised()
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(kernel.diagonal([[1e60], [1.0]])).tolist() == [True, False]
