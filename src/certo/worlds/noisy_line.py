"""Numbers around a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.worlds._beta import beta_axis
from certo.worlds._settings import require
from certo.worlds.base import Axis, NumberWorld


@final
@dataclass(frozen=True)
class NoisyLine(NumberWorld):
    """Numbers around a line: what least squares assume.

    Draws         x of the density Beta(2, 5) on [0, 1]; y = slope·x + intercept + noise·N(0, 1)
    Bayes         E[y | x] = slope·x + intercept, of squared risk noise²

    Parameters
    ----------
    slope, intercept : of the line
    noise : standard deviation of y around it

    Examples
    --------
    >>> from certo import LeastSquares
    >>> from certo.worlds import NoisyLine
    >>> world = NoisyLine()
    >>> model = LeastSquares().fit(*world.draw(400, rng=0))
    >>> world.bayes_risk, round(world.risk(model), 3)
    (0.25, 0.253)
    """

    slope: float = 4.0
    intercept: float = 1.0
    noise: float = 0.5

    def __post_init__(self) -> None:
        require(self, "noise", self.noise, 0.0)

    def _draw_x(self, m: int, rng: np.random.Generator) -> np.ndarray:
        return rng.beta(2, 5, m)

    def _g(self, x: np.ndarray) -> np.ndarray:
        return self.slope * x + self.intercept

    @property
    def _axis(self) -> Axis:
        return beta_axis(2, 5)
