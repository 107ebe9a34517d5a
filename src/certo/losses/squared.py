from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.losses.base import ResidualLoss, SmoothLoss, real


@final
@dataclass(frozen=True)
class Squared(ResidualLoss, SmoothLoss):
    """The squared loss of regression; its risk is minimised by f(x) = E[y|x].

    Definition    ℓ(z)  = z², with no half
    Slope         ℓ′(z) = 2z
    Conjugate     ℓ*(s) = s²/4
    Curvature     ℓ″(z) = 2
    Bounds        for y = ±1 it is (1 − m)² of the margin m = y·f(x), and (1 − m)² ≥ 1[m ≤ 0],
                  so its risk bounds the error rate

    >>> Squared().of([1.0, 2.0], [1.5, 0.0])
    array([0.25, 4.  ])
    """

    least = 0.0

    def value(self, z):
        return np.square(real(z))

    def slope(self, z):
        return 2.0 * real(z)

    def conjugate(self, slope):
        return np.square(real(slope) / 2.0)

    def curvature(self, z):
        return np.full_like(real(z), 2.0)[()]
