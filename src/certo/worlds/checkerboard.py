"""Four squares, two of each class: exclusive or."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.worlds._settings import require
from certo.worlds.base import Axis, ContinuousClassWorld, Draw


@final
@dataclass(frozen=True)
class Checkerboard(ContinuousClassWorld):
    """The four quadrants of a square, opposite ones of one class: XOR, with noise.

    Draws         x uniform on [−1, 1]²; y = +1 where x₁x₂ < 0, −1 elsewhere, and flipped with
                  probability `noise`
    eta           1 − noise or noise
    Bayes         the sign of −x₁x₂, which errs with probability `noise`. A line errs with at
                  least noise + (1 − 2·noise)/4: it is wrong about one of any four points (±a, ±b)

    Parameters
    ----------
    noise : probability that a label is flipped, at most ½

    Examples
    --------
    >>> from certo.worlds import Checkerboard
    >>> world = Checkerboard(noise=0.1)
    >>> round(world.bayes_risk, 6), round(world.risk(lambda X: [1] * len(X)), 6)
    (0.1, 0.5)
    """

    noise: float = 0.1
    n_features: ClassVar[int] = 2  # type: ignore[misc]

    def __post_init__(self) -> None:
        require(self, "noise", self.noise, 0.0, 0.5)

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        X = rng.uniform(-1, 1, size=(m, 2))
        return Draw(X, np.where(rng.random(m) < self.eta(X), 1, -1))

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        return np.where(x[0] * x[1] < 0, 1 - self.noise, self.noise)

    @property
    def _axes(self) -> tuple[Axis, ...]:
        axis = Axis(lambda x: np.full_like(x, 0.5), -1.0, 1.0)
        return axis, axis

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        return np.zeros((line.size, 1))

    def _outer_breaks(self) -> tuple[float, ...]:
        return (0.0,)
