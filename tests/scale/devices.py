"""Kernels that devices compute, for the tests of them."""

from __future__ import annotations

from certo.kernels import Gaussian, Linear, Polynomial

NO_TORCH = "PyTorch is not installed: pip install 'certo[gpu]'"
KERNELS = (
    Linear(),
    Polynomial(3, scale=0.5, offset=2.0),
    Gaussian(2.0),
    Gaussian(1e-3),
    Gaussian(2.0) + Linear(),
    3.0 * (Polynomial(2) * Gaussian(5.0)),
    Polynomial(2).normalised(),
)
