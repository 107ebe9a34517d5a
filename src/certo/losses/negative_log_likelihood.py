from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.losses.base import Loss, SmoothLoss, real


class LogDensityLoss(Loss):
    """A loss of the log-density z = f(x) = log p(x); there is no y, pass None."""

    def argument(self, y, score):
        return real(score)[()]

    def argument_slope(self, y):
        return 1.0


@final
@dataclass(frozen=True)
class NegativeLogLikelihood(LogDensityLoss, SmoothLoss):
    """The loss of density estimation: its risk is least at the true density.

    Definition    ℓ(z)  = −z, with z = log p(x)
    Slope         ℓ′(z) = −1
    Conjugate     ℓ*(s) = 0 at s = −1, +inf elsewhere
    Curvature     ℓ″(z) = 0: the curvature of the risk is all in z as a function of the parameters

    >>> NegativeLogLikelihood().of(None, [-1.5, 2.0])
    array([ 1.5, -2. ])
    """

    def value(self, z):
        return -real(z)

    def slope(self, z):
        return np.full_like(real(z), -1.0)[()]

    def conjugate(self, slope):
        s = real(slope)
        return np.where(s == -1.0, np.zeros_like(s), np.inf)[()]

    def curvature(self, z):
        return np.zeros_like(real(z))[()]
