"""A density on an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.worlds._beta import beta_axis, log_beta_density
from certo.worlds._settings import require
from certo.worlds.base import Axis, DensityWorld, Draw


@final
@dataclass(frozen=True)
class BetaDensity(DensityWorld):
    """Points of an interval, to estimate their density.

    Draws         x of the density x^(a−1) (1−x)^(b−1) / B(a, b) on [0, 1]
    Bayes         this density, whose risk under −log q is its entropy

    Parameters
    ----------
    a, b : exponents of the density, at least 1

    Examples
    --------
    >>> from certo import LogLinearDensity
    >>> from certo.features import BoxPolynomials
    >>> from certo.worlds import BetaDensity
    >>> world = BetaDensity()
    >>> model = LogLinearDensity(features=BoxPolynomials(4), box=(0, 1))
    >>> model = model.fit(*world.draw(400, rng=0))
    >>> round(world.bayes_risk, 4), round(world.risk(model), 3)
    (-0.4845, -0.475)
    """

    a: float = 2.0
    b: float = 5.0

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            require(self, name, getattr(self, name), 1.0, 1e3)

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        return Draw(rng.beta(self.a, self.b, (m, 1)), None)

    def _log_density(self, x: np.ndarray) -> np.ndarray:
        return log_beta_density(x, self.a, self.b)

    @property
    def _axis(self) -> Axis:
        return beta_axis(self.a, self.b)
