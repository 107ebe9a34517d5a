"""Classes on a line whose log-odds are linear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from scipy import special

from certo.worlds._beta import beta_axis
from certo.worlds._settings import require
from certo.worlds.base import Axis, ContinuousClassWorld, Draw


@final
@dataclass(frozen=True)
class LogisticLine(ContinuousClassWorld):
    """Points of an interval whose log-odds are linear: what logistic regression assumes.

    Draws         x of the density Beta(2, 5) on [0, 1]; y = +1 with probability η(x)
    eta           1/(1 + exp(−(slope·x + intercept)))
    Bayes         the side of x = −intercept/slope

    Parameters
    ----------
    slope, intercept : of the log-odds

    Examples
    --------
    >>> from certo import LogisticRegression
    >>> from certo.worlds import LogisticLine
    >>> world = LogisticLine()
    >>> round(world.bayes_risk, 6)
    0.245148
    >>> model = LogisticRegression().fit(*world.draw(500, rng=0))
    >>> round(world.risk(model), 3)
    0.245
    """

    slope: float = 10.0
    intercept: float = -3.0
    n_features: ClassVar[int] = 1  # type: ignore[misc]

    def __post_init__(self) -> None:
        for name in ("slope", "intercept"):
            require(self, name, getattr(self, name), -1e3, 1e3)

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        X = rng.beta(2, 5, (m, 1))
        return Draw(X, np.where(rng.random(m) < self.eta(X), 1, -1))

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        return special.expit(self.slope * x[0] + self.intercept)

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return (beta_axis(2, 5),)

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        even = -self.intercept / self.slope if self.slope else 0.0
        return np.full((line.size, 1), np.clip(even, 0.0, 1.0))
