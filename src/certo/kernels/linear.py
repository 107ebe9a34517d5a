from __future__ import annotations

from dataclasses import dataclass
from typing import final

from certo.kernels.vectors import VectorKernel, least_entry, products, squares
from certo.numbers.rounding import TINY, Rounding, gamma


@final
@dataclass(frozen=True)
class Linear(VectorKernel):
    """The inner product: φ is the identity.

    Definition    K(x, z) = x·z
    Domain        vectors
    Map           φ(x) = x

    >>> Linear()([[1.0, 2.0]], [[3.0, 1.0], [0.0, 2.0]])
    array([[5., 4.]])
    """

    by_length = True

    def plain(self, X, Z):
        return products(X, Z)

    def diagonal(self, X):
        return squares(self.examples(X))

    def rounding(self, X, Z):
        """A sum of d products, in any order, is within γ_d·Σ|x_k z_k| ≤ γ_d·‖x‖‖z‖
        (Cauchy–Schwarz), and ‖x‖ = √K(x, x). Products of entries from 2⁻⁵⁰⁰ on do not underflow."""
        d = X.shape[1]
        tiny = min(least_entry(X), least_entry(Z)) < 2.0**-500
        return Rounding(gamma(d), d * TINY if tiny else 0.0)
