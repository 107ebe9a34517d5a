"""Twenty-five points, and labels that are flipped now and then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.worlds._settings import require
from certo.worlds.base import ClassWorld, Draw

GRID = np.array([(i, j) for i in range(-2, 3) for j in range(-2, 3)], dtype=np.float64)


@final
@dataclass(frozen=True)
class NoisyGrid(ClassWorld):
    """Twenty-five points that occur again and again: duplicates, ties and contradictions.

    Draws         x uniform on {−2, −1, 0, 1, 2}²; y = +1 where x₁ + x₂ ≥ 0, −1 elsewhere, and
                  flipped with probability `noise`
    eta           1 − noise or noise; 0 at points that do not occur
    Bayes         the side of x₁ + x₂ = −½, which errs with probability `noise`

    Parameters
    ----------
    noise : probability that a label is flipped, at most ½

    Examples
    --------
    >>> from certo.worlds import NoisyGrid
    >>> world = NoisyGrid(noise=0.1)
    >>> round(world.bayes_risk, 6)
    0.1
    >>> round(world.risk(lambda X: [1] * len(X)), 6)  # one answer: 10 of the 25 points are wrong
    0.42
    """

    noise: float = 0.1
    n_features: ClassVar[int] = 2  # type: ignore[misc]
    discrete: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require(self, "noise", self.noise, 0.0, 0.5)

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        X = GRID[rng.integers(len(GRID), size=m)]
        flip = np.where(rng.random(m) < self.noise, -1, 1)
        return Draw(X, np.where(X.sum(axis=1) >= 0, 1, -1) * flip)

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        first, second = x
        occurs = np.isin(first, GRID[:, 1]) & np.isin(second, GRID[:, 1])
        likely = np.where(first + second >= 0, 1 - self.noise, self.noise)
        return np.where(occurs, likely, 0.0)

    @property
    def bayes_risk(self) -> float:
        """The mean of min(η, 1 − η) over the points, a finite sum."""
        eta = self.eta(GRID)
        return float(np.mean(np.minimum(eta, 1 - eta)))

    def _excess(self, rule: Callable[[np.ndarray], np.ndarray]) -> float:
        eta = self.eta(GRID)
        return float(np.mean(np.abs(2 * eta - 1) * (rule(GRID) != (eta >= 0.5))))

    def short_margins(self, coef, intercept: float = 0.0, margin: float = 1.0) -> float:
        """Pr(y·(w·x + b) < margin), for a hyperplane with w = `coef` and b = `intercept`."""
        w, b = self._weights(coef, intercept)
        scores, eta = GRID @ w + b, self.eta(GRID)
        return float(np.mean(eta * (scores < margin) + (1 - eta) * (-scores < margin)))
