"""Values of kernels on a device, beside those of NumPy and exact ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from certo.kernels import Polynomial
from tests.scale.devices import KERNELS, NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)

from certo.scale.device_kernels import gram, tensor  # noqa: E402

CPU = torch.device("cpu")


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("far", [0.0, 1000.0])
def test_values_are_within_the_rounding_of_the_kernel(kernel, far):
    """`plain` and a device are each within `rounding` of the truth."""
    rng = np.random.default_rng(0)
    X, Z = far + rng.normal(size=(30, 4)), far + rng.normal(size=(20, 4))
    found, plain = gram(kernel, X, Z, CPU), kernel.plain(X, Z)
    relative, absolute = kernel.rounding(X, Z)
    size = np.sqrt(np.outer(kernel.diagonal(X), kernel.diagonal(Z)))
    assert np.all(np.abs(found - plain) <= 2 * (relative * size + absolute))


def test_polynomials_of_whole_numbers_are_exact():
    rng = np.random.default_rng(1)
    X, Z = rng.integers(-9, 9, (6, 3)), rng.integers(-9, 9, (5, 3))
    found = gram(Polynomial(3, scale=2.0, offset=1.0), X.astype(float), Z.astype(float), CPU)
    exact = [[(2 * sum(map(Fraction, (x * z).tolist())) + 1) ** 3 for z in Z] for x in X]
    assert np.array_equal(found, np.array(exact, dtype=float))


def test_numbers_of_any_kind_become_tensors():

    X = np.arange(6.0).reshape(2, 3)
    fixed = X.copy()
    fixed.flags.writeable = False
    for given in (X, X.astype(np.float32), np.asfortranarray(X), sparse.csr_array(X), fixed):
        found = tensor(given, CPU)
        assert str(found.dtype) == "torch.float64"
        assert np.array_equal(found.numpy(), X)
