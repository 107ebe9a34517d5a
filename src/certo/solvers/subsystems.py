"""Infeasible subsystems found by linear programming: few examples that cannot all be right.

The weights a ≥ 0 with Σ a_g z_g = 0 and Σ a_g = 1 form a polytope, and the examples at a vertex of
it are a minimal infeasible subsystem (Gleeson and Ryan). HiGHS walks to the vertex that is cheapest
for given costs; exact arithmetic then finds the weights as whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import highspy
import numpy as np


def quiet(**options) -> highspy.Highs:
    """A solver that prints nothing and uses one thread."""
    highs = highspy.Highs()
    for name, value in {"output_flag": False, "threads": 1, "presolve": "off", **options}.items():
        highs.setOptionValue(name, value)
    return highs


def solved(highs: highspy.Highs, seconds: float) -> highspy.HighsModelStatus:
    """Run the solver, for so long at most (its clock goes on from one run to the next)."""
    highs.setOptionValue("time_limit", highs.getRunTime() + max(seconds, 0.01))
    highs.run()
    return highs.getModelStatus()


class Subsystems:
    """Minimal infeasible subsystems among vectors z, cheapest first; `left()` are the seconds that
    may be spent."""

    def __init__(self, vectors: np.ndarray, left: Callable[[], float]):
        self.left = left
        self.n, dimension = vectors.shape
        # rows and columns scaled to size 1: the supports stay the same
        scaled = vectors / np.maximum(np.abs(vectors).max(axis=0), 1e-300)
        scaled = scaled / np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1e-300)
        matrix = np.vstack([scaled.T, np.ones(self.n)])
        sums = np.append(np.zeros(dimension), 1.0)
        places = [np.flatnonzero(column) for column in matrix.T]
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = self.n, dimension + 1
        lp.col_cost_ = lp.col_lower_ = np.zeros(self.n)
        lp.col_upper_ = np.full(self.n, np.inf)
        lp.row_lower_ = lp.row_upper_ = sums
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.cumsum([0, *map(len, places)])
        lp.a_matrix_.index_ = np.concatenate(places)
        lp.a_matrix_.value_ = np.concatenate([matrix[place, g] for g, place in enumerate(places)])
        self._highs = quiet(simplex_strategy=4)  # primal: the costs change, the vertex stays one
        self._highs.passModel(lp)
        self._columns = np.arange(self.n, dtype=np.int32)

    def leave_out(self, groups) -> None:
        """Only subsystems without these."""
        upper = np.full(self.n, np.inf)
        upper[groups] = 0.0
        self._highs.changeColsBounds(self.n, self._columns, np.zeros(self.n), upper)

    def cheapest(self, costs: np.ndarray) -> np.ndarray | None:
        """A subsystem of about the least cost; None if all vectors left can be right (as far as
        floats can tell), or if there was no time to find one."""
        self._highs.changeColsCost(self.n, self._columns, costs)
        if solved(self._highs, self.left()) != highspy.HighsModelStatus.kOptimal:
            return None
        weights = np.array(self._highs.getSolution().col_value)
        return np.flatnonzero(weights > 1e-11)
