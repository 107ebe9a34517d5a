"""The simplex method in whole numbers, for when floats cannot tell a small margin from none.

Problem     max s  s.t.  w·z_i ≥ s,  −1 ≤ w_j ≤ 1                     (a separator, if s > 0)
Dual        min Σ_j |u_j| + C·v  s.t.  Σ_i a_i z_i + u = 0,  Σ_i a_i + v = 1,  a, v ≥ 0
            (0 is reached by weights that cancel); C is larger than any s
Step        Bland's rule, which cannot cycle, on a tableau of whole numbers over one common
            denominator: each entry is a minor of the data, so the divisions leave no remainder
Start       w = 0 (u = 0, v = 1): every constraint but the last has the right side 0, so any
            columns at all may be pivoted into those rows and the tableau stays feasible
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from certo.solvers.interrupt import NEVER, Watch


class ExactSimplex:
    """Columns are vectors z_i of whole numbers, which may be added at any time."""

    def __init__(self, size: int, bound: int, watch: Watch = NEVER) -> None:
        """`bound` ≥ w·z for every vector z to come and every w in the box."""
        self.watch = watch
        eye = np.array([[int(i == j) for j in range(size + 1)] for i in range(size + 1)], object)
        right = eye[:, -1:].copy()
        # columns: right side, v, u⁺, u⁻, then the vectors; last row: reduced costs
        self.table = np.hstack([right, eye[:, -1:], eye[:, :-1], -eye[:, :-1]])
        costs = np.array([[-bound, 0] + [0] * size + [2] * size], dtype=object)
        self.table = np.vstack([self.table, costs])
        self.basis = [2 + j for j in range(size)] + [1]
        self.size, self.bound, self.denominator = size, bound, 1

    @property
    def first(self) -> int:
        """Where the vectors' columns begin."""
        return 2 + 2 * self.size

    def add(self, vectors: np.ndarray) -> None:
        raw = np.array([[*vector, 1] for vector in vectors.tolist()], dtype=object).T
        inverse = np.hstack([self.table[:, 2 : 2 + self.size], self.table[:, 1:2]])
        columns = inverse[:-1].dot(raw)
        reduced = -(self._prices().dot(raw))
        self.table = np.hstack([self.table, np.vstack([columns, reduced[None, :]])])

    def _prices(self) -> np.ndarray:
        """The multipliers of the constraints, times the denominator."""
        costs = np.array([1] * self.size + [self.bound], dtype=object)
        reduced = np.append(self.table[-1, 2 : 2 + self.size], self.table[-1, 1])
        return costs * self.denominator - reduced

    def _pivot(self, row: int, column: int) -> None:
        self.watch()
        table = self.table
        pivot, own = table[row, column], table[row].copy()
        table = (table * pivot - np.outer(table[:, column], own)) // self.denominator
        table[row] = own
        if pivot < 0:
            table, pivot = -table, -pivot
        self.table, self.denominator, self.basis[row] = table, pivot, column

    def crash(self, order: Sequence[int]) -> None:
        """Make these vectors basic, in this order, as far as they are independent."""
        for vector in order:
            column = self.first + vector
            for row in range(self.size):
                free = self.basis[row] < self.first and self.table[row, 0] == 0
                if free and self.table[row, column] != 0:
                    self._pivot(row, column)
                    break

    def solve(self) -> None:
        while True:
            negative = np.flatnonzero(self.table[-1, 1:] < 0)
            if not negative.size:
                return
            column = 1 + int(negative[0])
            entries, right = self.table[:-1, column], self.table[:-1, 0]
            best = -1
            for row in np.flatnonzero(entries > 0).tolist():
                if best >= 0:
                    order = right[row] * entries[best] - right[best] * entries[row]
                    if order > 0 or (order == 0 and self.basis[row] > self.basis[best]):
                        continue
                best = row
            self._pivot(best, column)

    def weights(self) -> dict[int, int] | None:
        """Positive weights that cancel, by vector; None if the least margin is positive."""
        if self.table[-1, 0] != 0:
            return None
        pairs = zip(self.basis, self.table[:-1, 0], strict=True)
        return {b - self.first: int(value) for b, value in pairs if b >= self.first and value > 0}

    def separator(self) -> list[int]:
        """w, up to a positive factor."""
        return [-int(price) for price in self._prices()[:-1]]
