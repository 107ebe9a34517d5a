from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.losses.base import ConvexLoss, MarginLoss, real


@final
@dataclass(frozen=True)
class Hinge(MarginLoss, ConvexLoss):
    """The hinge loss, the surrogate of the soft-margin SVM.

    Definition    ℓ(z)  = max(0, 1 − z)
    Slope         ℓ′(z) = −1 for z < 1, 0 from there on: −1[ℓ(z) > 0]
    Conjugate     ℓ*(s) = s for s in [−1, 0], +inf elsewhere
    Bounds        ℓ(z) ≥ 1[z ≤ 0], so its risk bounds the error rate

    >>> Hinge().of([+1, +1, -1], [3.0, 0.5, 2.0])
    array([0. , 0.5, 3. ])
    """

    least = 0.0

    def value(self, z):
        return np.maximum(0.0, 1.0 - real(z))

    def slope(self, z):
        z = real(z)
        return np.where(z >= 1.0, 0.0, np.full_like(z, -1.0))[()]

    def conjugate(self, slope):
        s = real(slope)
        return np.where((s >= -1.0) & (s <= 0.0), s, np.inf)[()]
