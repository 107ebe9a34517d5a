from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.losses.base import MarginLoss, real


@final
@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """The 0-1 loss: its risk is the error rate.

    Definition    ℓ(z) = 1[z ≤ 0]: a zero counts as an error, and so does a NaN
    Convex        no; `Hinge`, `Squared` and `Logistic(base=2)` are convex bounds of it

    >>> ZeroOne().of([+1, -1, +1], [0.2, 0.2, 0.0])
    array([0., 1., 1.])
    """

    least = 0.0

    def value(self, z):
        z = real(z)
        return np.where(z > 0.0, 0.0, np.ones_like(z))[()]
