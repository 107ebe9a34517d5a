from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import final

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from certo.losses.base import MarginLoss, SmoothLoss, real


@final
@dataclass(frozen=True)
class Logistic(MarginLoss, SmoothLoss):
    """The logistic loss: −log of the probability σ(z) = 1/(1 + e⁻ᶻ) given to the right class.

    Definition    ℓ(z)  = log_b(1 + e⁻ᶻ), with b the `base` and L = ln b
    Slope         ℓ′(z) = −σ(−z)/L
    Conjugate     ℓ*(s) = (p ln p + (1 − p) ln(1 − p))/L, p = −L·s, for p in [0, 1], +inf elsewhere
    Curvature     ℓ″(z) = σ(z)σ(−z)/L ≤ 1/(4L)
    Bounds        in base 2 (or less) ℓ(z) ≥ 1[z ≤ 0], so its risk bounds the error rate;
                  in the natural base it does not: ℓ(0) = ln 2 < 1

    >>> Logistic(base=2).of([+1, -1], [0.0, -1e6])
    array([1., 0.])
    """

    least = 0.0
    base: float = math.e

    def __post_init__(self) -> None:
        if not isinstance(self.base, Real) or not 1.0 < self.base < math.inf:
            raise ValueError(
                f"Logistic: base must be a finite number above 1, got {self.base!r}. "
                "Leave it out for natural logarithms, or take 2 to bound the 0-1 loss."
            )
        object.__setattr__(self, "base", float(self.base))

    def __repr__(self) -> str:
        return "Logistic()" if self.base == math.e else f"Logistic(base={self.base:.17g})"

    def value(self, z):
        return np.logaddexp(0.0, -real(z)) / math.log(self.base)

    def slope(self, z):
        return -expit(-real(z)) / math.log(self.base)

    def conjugate(self, slope):
        s = real(slope)
        # The end of the domain is the slope at −∞, with its rounding: p may exceed 1 by an ulp.
        lowest = self.slope(np.array(-np.inf, s.dtype))
        p = np.clip(-math.log(self.base) * s, 0.0, 1.0)
        inside = (xlogy(p, p) + xlog1py(1.0 - p, -p)) / math.log(self.base)
        return np.where((lowest <= s) & (s <= 0.0), inside, np.inf)[()]

    def curvature(self, z):
        z = real(z)
        return expit(z) * expit(-z) / math.log(self.base)
