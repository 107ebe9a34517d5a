"""Infeasible subsystems found by linear programming: few examples that cannot all be right.

The weights a ≥ 0 with Σ a_g z_g = 0 and Σ a_g = 1 form a polytope, and the examples at a vertex of
it are a minimal infeasible subsystem (Gleeson and Ryan). HiGHS walks to the vertex that is cheapest
for given costs; exact arithmetic then finds the weights as integers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from certo.solvers.linear_program import LinearProgram


class Subsystems:
    """Minimal infeasible subsystems among vectors z, cheapest first; `left()` are the seconds that
    may be spent."""

    def __init__(self, vectors: np.ndarray, left: Callable[[], float]):
        self.left, self._zeros = left, np.zeros(len(vectors))
        # Rows and columns are scaled to size 1: the supports stay the same.
        scaled = vectors / np.maximum(np.abs(vectors).max(axis=0), 1e-300)
        scaled = scaled / np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1e-300)
        # simplex_strategy 4 is the primal simplex method: costs change, and a vertex stays one.
        free = self._zeros + np.inf
        self.program = LinearProgram(self._zeros, free, self._zeros, simplex_strategy=4)
        self.program.add_rows(sparse.csr_array(scaled.T), 0.0, 0.0)
        self.program.add_rows(sparse.csr_array(np.ones((1, len(vectors)))), 1.0, 1.0)

    def leave_out(self, groups) -> None:
        """Only subsystems without these."""
        upper = self._zeros + np.inf
        upper[groups] = 0.0
        self.program.set_bounds(self._zeros, upper)

    def cheapest(self, costs: np.ndarray) -> np.ndarray | None:
        """A subsystem of about the least cost; None if all vectors left can be right (as far as
        floats can tell), or if there was no time to find one."""
        self.program.set_costs(costs)
        weights = self.program.solve(self.left())
        return None if weights is None else np.flatnonzero(weights > 1e-11)
