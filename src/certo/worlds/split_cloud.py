"""A cloud that a hyperplane splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import special

from certo.worlds._hyperplanes import HyperplaneWorld, standard_normal
from certo.worlds._settings import require, require_dimension
from certo.worlds.base import Axis, Draw
from certo.worlds.quadrature import integral


@final
@dataclass(frozen=True)
class SplitCloud(HyperplaneWorld):
    """A Gaussian cloud, split by a hyperplane and pulled apart: every sample is separable.

    Draws         x standard normal in R^d; y = +1 where x₁ > 0, −1 elsewhere; then x₁ moves by
                  gap·y, so that no example is nearer to the hyperplane x₁ = 0 than `gap`
    eta           1 where x₁ ≥ 0, else 0: there is no noise
    Bayes         the hyperplane x₁ = 0, which never errs

    Parameters
    ----------
    gap : half the width of the empty strip between the classes
    d : number of features

    Examples
    --------
    >>> from certo import HardMarginSVM
    >>> from certo.worlds import SplitCloud
    >>> world = SplitCloud(gap=0.25)
    >>> model = HardMarginSVM().fit(*world.draw(50, rng=0))
    >>> bool(model.margin_[0] > 0.25), bool(world.risk(model) < 0.05)
    (True, True)
    """

    gap: float = 0.25
    d: int = 2

    def __post_init__(self) -> None:
        require(self, "gap", self.gap, 0.0)
        require_dimension(self, self.d)

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return self.d

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        X = rng.normal(size=(m, self.d))
        y = np.where(X[:, 0] > 0, 1, -1)
        X[:, 0] += self.gap * y
        return Draw(X, y)

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        return (x[0] >= 0).astype(np.float64)

    @property
    def _axes(self) -> tuple[Axis, ...]:
        normal = standard_normal()

        def density(x: np.ndarray) -> np.ndarray:
            return np.where(np.abs(x) >= self.gap, normal.density(np.abs(x) - self.gap), 0.0)

        first = Axis(density, normal.low - self.gap, normal.high + self.gap)
        return (first, normal)[: min(self.d, 2)]

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        return np.tile([-self.gap, 0.0, self.gap], (line.size, 1))

    def short_margins(self, coef, intercept: float = 0.0, margin: float = 1.0) -> float:
        w, b = self._weights(coef, intercept)
        first = self._axes[0]
        across = float(np.linalg.norm(w[1:]))

        def short(x: np.ndarray) -> np.ndarray:
            missing = margin - np.sign(x) * (w[0] * x + b)
            if across == 0.0:
                return first.density(x) * (missing > 0)
            return first.density(x) * special.ndtr(missing / across)

        breaks = [-self.gap, 0.0, self.gap]
        if w[0] != 0.0:  # Where the margin at the axis is short, or begins to be.
            places = (np.array([margin, -margin]) - b) / w[0]
            spread = np.concatenate([[0.0], *(s * 0.5 ** np.arange(45) for s in (-9, 9))])
            width = across / abs(w[0])
            breaks = [*breaks, *np.add.outer(places, width * spread).ravel()]
        edges = first.panels(np.clip(breaks, first.low, first.high))
        return float(integral(short, edges))
