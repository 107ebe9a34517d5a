"""Classes on a line that follow each other in waves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.worlds._settings import require
from certo.worlds.base import Axis, ContinuousClassWorld, Draw


@final
@dataclass(frozen=True)
class Waves(ContinuousClassWorld):
    """Points of an interval whose class goes up and down in waves; η is continuous.

    Draws         x uniform on [0, 1]; y = +1 with probability η(x)
    eta           ½ + (height/2) sin(2π·count·x)
    Bayes         the sign of the sine, which errs with probability ½ − height/π

    Parameters
    ----------
    count : number of waves, an integer
    height : 1 where the crest of a wave is certain, 0 where all is noise

    Examples
    --------
    >>> from certo import SVM
    >>> from certo.kernels import Gaussian
    >>> from certo.worlds import Waves
    >>> world = Waves()
    >>> model = SVM(Gaussian(0.01), C=10).fit(*world.draw(400, rng=0))
    >>> round(world.bayes_risk, 4), round(world.risk(model), 2)
    (0.2135, 0.21)
    """

    count: int = 3
    height: float = 0.9
    n_features: ClassVar[int] = 1  # type: ignore[misc]

    def __post_init__(self) -> None:
        require(self, "height", self.height, 0.0, 1.0)
        if not isinstance(self.count, int) or not 1 <= self.count <= 20:
            raise ValueError(f"Waves: count must be an integer from 1 to 20, got {self.count!r}.")

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        X = rng.uniform(size=(m, 1))
        return Draw(X, np.where(rng.random(m) < self.eta(X), 1, -1))

    def _eta(self, *x: np.ndarray) -> np.ndarray:
        return 0.5 + 0.5 * self.height * np.sin(2 * np.pi * self.count * x[0])

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return (Axis(np.ones_like, 0.0, 1.0),)

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        return np.tile(np.linspace(0, 1, 2 * self.count + 1), (line.size, 1))
