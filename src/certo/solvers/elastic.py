"""Weights with few errors by linear programming: examples may fall short of a margin, at a price.

The program min Σ p_t s_t, w·z_t + s_t ≥ 1, s ≥ 0 counts nothing, but where the price of being short
falls with how short one was before, p_t = c_t/(s_t + ε), it soon gives up a few examples altogether
and has all others right (Candès, Wakin and Boyd, 2008).
"""

from __future__ import annotations

from collections.abc import Callable

import highspy
import numpy as np
from scipy import sparse

from certo.solvers.subsystems import quiet, solved

ROUNDS = 8


class Elastic:
    """The program for vectors z that cost `costs`; its simplex bases are kept between prices."""

    def __init__(self, vectors: np.ndarray, costs: np.ndarray):
        n, self.dimension = vectors.shape
        self.costs = costs / costs.mean()
        matrix = sparse.hstack([sparse.csc_array(vectors), sparse.eye_array(n)], format="csc")
        free = np.full(self.dimension, -np.inf)
        program = highspy.HighsLp()
        program.num_row_, program.num_col_ = matrix.shape
        program.col_cost_ = np.append(np.zeros(self.dimension), self.costs)
        program.col_lower_ = np.append(free, np.zeros(n))
        program.col_upper_ = np.full(program.num_col_, np.inf)
        program.row_lower_ = np.ones(n)
        program.row_upper_ = np.full(n, np.inf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = matrix.indptr
        program.a_matrix_.index_ = matrix.indices
        program.a_matrix_.value_ = matrix.data
        self._highs = quiet(simplex_strategy=4)  # primal: only the prices change
        self._highs.passModel(program)
        self._slacks = np.arange(self.dimension, program.num_col_, dtype=np.int32)

    def search(
        self, rng: np.random.Generator, noise: float, left: Callable[[], float]
    ) -> np.ndarray | None:
        """Weights with few errors, others for every draw of the noise on the prices; None if the
        solver fails in the seconds left."""
        n = self.costs.size
        prices = self.costs * np.exp(3 * noise * rng.normal(size=n))
        for k in range(ROUNDS):
            self._highs.changeColsCost(n, self._slacks, prices)
            if solved(self._highs, left()) != highspy.HighsModelStatus.kOptimal:
                return None
            values = np.array(self._highs.getSolution().col_value)
            short = values[self.dimension :]
            prices = self.costs / (short + 0.3 * 0.6**k) * np.exp(noise * rng.normal(size=n))
        return values[: self.dimension]
