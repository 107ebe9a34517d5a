"""Numbers around a sine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.worlds._settings import require
from certo.worlds.base import Axis, NumberWorld


@final
@dataclass(frozen=True)
class NoisySine(NumberWorld):
    """Numbers around a sine: no line does well.

    Draws         x uniform on [−1, 1]; y = sin(frequency·x) + noise·N(0, 1)
    Bayes         E[y | x] = sin(frequency·x), of squared risk noise²

    Parameters
    ----------
    frequency : of the sine
    noise : standard deviation of y around it

    Examples
    --------
    >>> from certo import LeastSquares
    >>> from certo.worlds import NoisySine
    >>> world = NoisySine()
    >>> model = LeastSquares().fit(*world.draw(400, rng=0))
    >>> round(world.bayes_risk, 6), round(world.risk(model), 2)
    (0.09, 0.59)
    """

    frequency: float = 5.0
    noise: float = 0.3

    def __post_init__(self) -> None:
        require(self, "noise", self.noise, 0.0)
        require(self, "frequency", self.frequency, 0.0, 50.0)

    def _draw_x(self, m: int, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(-1, 1, m)

    def _g(self, x: np.ndarray) -> np.ndarray:
        return np.sin(self.frequency * x)

    @property
    def _axis(self) -> Axis:
        return Axis(lambda x: np.full_like(x, 0.5), -1.0, 1.0)
