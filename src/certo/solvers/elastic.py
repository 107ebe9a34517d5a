"""Weights with few errors by linear programming: examples may fall short of a margin, at a price.

The program min Σ p_t s_t, w·z_t + s_t ≥ 1, s ≥ 0 counts nothing, but where the price of being short
falls with how short one was before, p_t = c_t/(s_t + ε), it soon gives up a few examples altogether
and has all others right (Candès, Wakin and Boyd, 2008).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from certo.solvers.linear_program import LinearProgram

PRICE_ROUNDS = 8


class Elastic:
    """The program for vectors z that cost `costs`; its simplex bases are kept between prices."""

    def __init__(self, vectors: np.ndarray, costs: np.ndarray):
        n, self.dimension = vectors.shape
        self.costs, self._free = costs / costs.mean(), np.zeros(self.dimension)
        lower = np.append(self._free - np.inf, np.zeros(n))
        prices = np.append(self._free, self.costs)
        # simplex_strategy 4 is the primal simplex method: only the prices change.
        self._program = LinearProgram(
            lower, np.full(lower.size, np.inf), prices, simplex_strategy=4
        )
        rows = sparse.hstack([sparse.csr_array(vectors), sparse.eye_array(n)], format="csr")
        self._program.add_rows(rows, 1.0, np.inf)

    def search(
        self, rng: np.random.Generator, noise: float, left: Callable[[], float]
    ) -> np.ndarray | None:
        """Weights with few errors, others for every draw of the noise on the prices; None if the
        solver fails in the seconds left."""
        n = self.costs.size
        prices = self.costs * np.exp(3 * noise * rng.normal(size=n))
        w = self._free
        for k in range(PRICE_ROUNDS):
            self._program.set_costs(np.append(self._free, prices))
            values = self._program.solve(left())
            if values is None:
                return None
            w, short = np.split(values, [self.dimension])
            prices = self.costs / (short + 0.3 * 0.6**k) * np.exp(noise * rng.normal(size=n))
        return w
