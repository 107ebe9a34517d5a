from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.kernels.base import number, whole
from certo.kernels.vectors import VectorKernel, products, squares
from certo.numbers.rounding import OVERFLOW_LIMIT, TINY, UNBOUNDED, Rounding, gamma


@final
@dataclass(frozen=True)
class Polynomial(VectorKernel):
    """The polynomial kernel: linear in all products of up to `degree` coordinates.

    Definition    K(x, z) = (offset + scale·x·z)^degree; by default (1 + x·z)^degree
    Domain        vectors
    Map           `certo.features.Monomials`, of C(degree + d, degree) coordinates

    Parameters
    ----------
    degree : int, at least 1
    scale : float, above 0
    offset : float, at least 0
        With 0, only products of exactly `degree` coordinates remain.

    Examples
    --------
    >>> Polynomial(2)([[1.0, 2.0]], [[3.0, 1.0]])
    array([[36.]])
    """

    degree: int
    scale: float = 1.0
    offset: float = 1.0
    by_length = True
    renamed: ClassVar = {"gamma": "scale = gamma", "coef0": "offset = coef0"}

    def __post_init__(self):
        object.__setattr__(self, "degree", whole(self.degree, "degree", 1, 10_000))
        object.__setattr__(self, "scale", number(self.scale, "scale"))
        object.__setattr__(self, "offset", number(self.offset, "offset", included=True))

    def plain(self, X, Z):
        return self._raise(products(X, Z))

    def _raise(self, base: np.ndarray) -> np.ndarray:
        """(offset + scale·base)^degree, by squaring and multiplying."""
        base *= self.scale
        base += self.offset
        power = base.copy() if self.degree > 1 else base
        for bit in bin(self.degree)[3:]:
            power *= power
            if bit == "1":
                power *= base
        return power

    def diagonal(self, X):
        return self._raise(squares(self.examples(X)))

    def rounding(self, X, Z):
        """Write B for the product of the lengths of (√offset, √scale·x) and (√offset, √scale·z),
        so that B^degree = √K(x,x)·√K(z,z). The base b = offset + scale·x·z has |b| ≤ B and is
        computed within γ_{d+2}·B, by Cauchy–Schwarz; its power, in at most degree − 1
        multiplications counted with multiplicity, is then within
        ((1 + γ_{d+2})^degree·(1 + γ_{degree−1}) − 1)·B^degree ≤ γ_{degree·(d+3)}·B^degree.
        Underflow of at most e = (d·scale + 2)·2⁻¹⁰⁷⁴ in the base adds, where B < 1, at most
        2·degree·e, and elsewhere at most 2·degree·e·B^degree.
        Nothing is known once a value overflows.
        """
        n, d = self.degree, X.shape[1]
        longest = max(np.max(squares(part), initial=0.0) for part in (X, Z))
        with np.errstate(over="ignore"):
            greatest = np.power(self.offset + self.scale * longest, float(n))
        if not greatest < OVERFLOW_LIMIT:
            return UNBOUNDED
        least = 2.0 * n * (d * max(self.scale, 1.0) + 2) * TINY
        return Rounding(gamma(n * (d + 3)) + least, least + 2 * n * TINY)
