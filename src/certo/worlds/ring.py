"""A disc, and what is around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.worlds._hyperplanes import standard_normal
from certo.worlds._settings import require
from certo.worlds.base import Axis, ContinuousClassWorld, Draw


@final
@dataclass(frozen=True)
class Ring(ContinuousClassWorld):
    """A disc of one class in a cloud of the other: no hyperplane does well, a circle does.

    Draws         x standard normal in the plane; y = −1 in the disc ‖x‖ < radius, +1 around it,
                  and flipped with probability `noise`. With the default radius half of the
                  examples are in the disc
    eta           noise in the disc, 1 − noise around it
    Bayes         the circle, which errs with probability `noise`

    Parameters
    ----------
    noise : probability that a label is flipped, at most ½
    radius : of the disc

    Examples
    --------
    >>> from certo import SVM
    >>> from certo.kernels import Gaussian
    >>> from certo.worlds import Ring
    >>> world = Ring()
    >>> X, y = world.draw(200, rng=0)
    >>> line, curve = SVM().fit(X, y), SVM(Gaussian(1.0)).fit(X, y)
    >>> [round(world.risk(model), 2) for model in (line, curve)], round(world.bayes_risk, 6)
    ([0.41, 0.09], 0.05)
    """

    noise: float = 0.05
    radius: float = math.sqrt(2 * math.log(2))
    n_features: ClassVar[int] = 2  # type: ignore[misc]

    def __post_init__(self) -> None:
        require(self, "noise", self.noise, 0.0, 0.5)
        require(self, "radius", self.radius, 0.0)

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        X = rng.normal(size=(m, 2))
        return Draw(X, np.where(rng.random(m) < self.eta(X), 1, -1))

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        inside = np.hypot(*x) < self.radius
        return np.where(inside, self.noise, 1 - self.noise)

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return standard_normal(), standard_normal()

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        half = np.sqrt(np.maximum(self.radius**2 - line**2, 0.0))
        return np.stack([-half, half], axis=1)

    def _outer_breaks(self) -> tuple[float, ...]:
        return -self.radius, self.radius
