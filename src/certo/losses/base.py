"""What a loss is, and what is known of it.

A loss is a function ℓ(z) of one real number z, and z is an affine function of the score f(x).
Two questions, hence two small families of abstract classes; a loss inherits one of each:

what z is            `MarginLoss` y·f(x)  ·  `ResidualLoss` y − f(x)  ·  `LogDensityLoss` log p(x)
what is known of ℓ   `Loss` values  ·  `ConvexLoss` slope, conjugate  ·  `SmoothLoss` curvature

Every method takes numbers or arrays, works elementwise, keeps float32 and allows infinities.
"""

from __future__ import annotations

import abc
import math
from typing import ClassVar

import numpy as np


def real(z):
    """z as floating point: float32 stays float32, integers become float64."""
    z = np.asarray(z)
    return z if z.dtype.kind == "f" else z.astype(np.float64)


class Loss(abc.ABC):
    """L(y, f(x)) = ℓ(z), where z = argument(y, f(x)); nowhere below `least`."""

    least: ClassVar[float] = -math.inf

    @abc.abstractmethod
    def value(self, z):
        """ℓ(z)."""

    @abc.abstractmethod
    def argument(self, y, score):
        """The number z that the loss looks at, from the answer y and the score f(x)."""

    @abc.abstractmethod
    def argument_slope(self, y):
        """∂z/∂f(x), which does not depend on f(x)."""

    def of(self, y, score):
        """L(y, f(x)) for each example."""
        return self.value(self.argument(y, score))


class ConvexLoss(Loss):
    """A loss with ℓ convex.

    At a kink, `slope` is the right derivative: an example exactly on the margin, whose hinge loss
    is 0, takes no step (I{h > 0}, as in Shalev-Shwartz et al. 2011). Compiled loops and array
    code both follow this rule.
    """

    @abc.abstractmethod
    def slope(self, z):
        """ℓ′(z), the right derivative."""

    @abc.abstractmethod
    def conjugate(self, slope):
        """ℓ*(s) = sup_z (s·z − ℓ(z)); +inf outside its domain."""

    def gradient(self, y, score):
        """∂L/∂f(x) for each example: a subgradient of L(y, ·) at the score."""
        slope = self.slope(self.argument(y, score))
        return slope * np.asarray(self.argument_slope(y), slope.dtype)


class SmoothLoss(ConvexLoss):
    """A convex loss with a second derivative everywhere: what Newton and IRLS ask for."""

    @abc.abstractmethod
    def curvature(self, z):
        """ℓ″(z)."""


class MarginLoss(Loss):
    """A loss of the margin z = y·f(x), where y is −1 or +1."""

    def argument(self, y, score):
        score = real(score)
        return np.asarray(y, score.dtype) * score

    def argument_slope(self, y):
        return y


class ResidualLoss(Loss):
    """A loss of the residual z = y − f(x), where y is any number."""

    def argument(self, y, score):
        return np.subtract(y, real(score))

    def argument_slope(self, y):
        return -1.0
