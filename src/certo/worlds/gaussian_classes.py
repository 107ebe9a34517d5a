"""Two Gaussian classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import special

from certo.worlds._hyperplanes import HyperplaneWorld, standard_normal
from certo.worlds._settings import require, require_dimension
from certo.worlds.base import Axis, Draw


@final
@dataclass(frozen=True)
class GaussianClasses(HyperplaneWorld):
    """Two Gaussian classes with unit covariance, on either side of the origin.

    Draws         y = ±1 with probability ½ each; x = distance·y·e₁ + standard normal noise in R^d
    eta           1/(1 + exp(−2·distance·x₁)): the log-odds are linear in x
    Bayes         the hyperplane x₁ = 0, which errs with probability Φ(−distance)

    Parameters
    ----------
    distance : how far the mean of each class is from the origin
    d : number of features

    Examples
    --------
    >>> from certo import Perceptron
    >>> from certo.worlds import GaussianClasses
    >>> world = GaussianClasses(distance=1.0)
    >>> round(world.bayes_risk, 6)
    0.158655
    >>> model = Perceptron(epochs=1).fit(*world.draw(500, rng=0))
    >>> bool(world.risk(model) > world.bayes_risk)
    True
    """

    distance: float = 1.0
    d: int = 2

    def __post_init__(self) -> None:
        require(self, "distance", self.distance, 0.0)
        require_dimension(self, self.d)

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return self.d

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        y = rng.choice([-1, 1], m)
        X = rng.normal(size=(m, self.d))
        X[:, 0] += self.distance * y
        return Draw(X, y)

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        return special.expit(2 * self.distance * x[0])

    @property
    def _axes(self) -> tuple[Axis, ...]:
        def density(x: np.ndarray) -> np.ndarray:
            # The mean of two normal densities: an overflow of the second factor is underflow.
            with np.errstate(over="ignore"):
                side = np.exp(-np.abs(x) * self.distance * 2)
            peak = np.exp(-0.5 * (np.abs(x) - self.distance) ** 2) / np.sqrt(2 * np.pi)
            return peak * (1 + side) / 2

        reach = self.distance + 9.0
        first = Axis(density, -reach, reach)
        return (first, standard_normal())[: min(self.d, 2)]

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        return np.zeros((line.size, 1))

    def short_margins(self, coef, intercept: float = 0.0, margin: float = 1.0) -> float:
        w, b = self._weights(coef, intercept)
        length = float(np.linalg.norm(w))
        short = np.array([margin - self.distance * w[0] - sign * b for sign in (-1, 1)])
        if length == 0.0:
            return float(np.mean(short > 0))
        return float(np.mean(special.ndtr(short / length)))
