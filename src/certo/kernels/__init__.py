"""Kernels: values one can call, add, multiply, compare, and write down.

`kernel(X, Z)` is the Gram block, `kernel.diagonal(X)` its diagonal. To add a kernel, write its
class in a file of its own: `plain` gives the block in NumPy, and `rounding` how far that may be
from the truth; the laws of the test suite find it by themselves.
"""

from certo.kernels.algebra import Normalised, Product, Scaled, Sum
from certo.kernels.base import Kernel
from certo.kernels.function import Function
from certo.kernels.gaussian import Gaussian
from certo.kernels.linear import Linear
from certo.kernels.polynomial import Polynomial
from certo.kernels.precomputed import Precomputed
from certo.kernels.semidefinite import NotPositive

__all__ = [
    "Function",
    "Gaussian",
    "Kernel",
    "Linear",
    "Normalised",
    "NotPositive",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "Sum",
]
