"""The simplex method in integers, for when floats cannot tell a small margin from none.

Problem     max s  s.t.  w·z_i ≥ s,  −1 ≤ w_j ≤ 1                     (a separator, if s > 0)
Dual        min Σ_j |u_j| + C·v  s.t.  Σ_i a_i z_i + u = 0,  Σ_i a_i + v = 1,  a, v ≥ 0
            (0 is reached by weights that cancel); C is larger than any s
Step        Bland's rule, which cannot cycle, on a tableau of integers over one common
            denominator: each entry is a minor of the data, so the divisions leave no remainder
Start       w = 0 (u = 0, v = 1): every constraint but the last has the right side 0, so any
            columns at all may be pivoted into those rows and the tableau stays feasible
"""

from __future__ import annotations

import math

import numpy as np

from certo.solvers.interrupt import NEVER, Watch


class ExactSimplex:
    """The optimal tableau for vectors z_i of integers, (n, size); or Stopped is raised."""

    def __init__(self, vectors: np.ndarray, watch: Watch = NEVER) -> None:
        # Powers of two that a column shares, and divisors that a vector shares, are left out.
        bits = np.bitwise_or.reduce(vectors, axis=0).tolist()
        powers = np.array([max(0, (b & -b).bit_length() - 1) for b in bits], dtype=object)
        vectors = vectors >> powers
        vectors //= np.array([[max(1, math.gcd(*vector))] for vector in vectors], dtype=object)
        self._powers = np.max(powers, initial=0) - powers
        n, self.size = vectors.shape
        self.bound = 1 + self.size * int(np.max(np.abs(vectors)))
        self.watch, self.denominator = watch, 1
        eye = np.eye(self.size + 1, dtype=object)
        columns = np.vstack([vectors.T, np.ones((1, n), dtype=object)])
        # Columns: right side, v, u⁺, u⁻, then the vectors; the last row has the reduced costs.
        table = np.hstack([eye[:, -1:], eye[:, -1:], eye[:, :-1], -eye[:, :-1], columns])
        fixed = [-self.bound, 0, *[0] * self.size, *[2] * self.size]
        reduced = -np.sum(vectors, axis=1) - self.bound
        self.table = np.vstack([table, [[*fixed, *reduced.tolist()]]])
        self.basis = [2 + j for j in range(self.size)] + [1]
        self.first = 2 + 2 * self.size  # Where the vectors' columns begin.
        self._make_basic()
        self._solve()

    def _pivot(self, row: int, column: int) -> None:
        self.watch()
        table = self.table
        pivot, own = table[row, column], table[row].copy()
        table = (table * pivot - np.outer(table[:, column], own)) // self.denominator
        table[row] = own
        if pivot < 0:
            table, pivot = -table, -pivot
        self.table, self.denominator, self.basis[row] = table, pivot, column

    def _make_basic(self) -> None:
        """Make the vectors basic, in their order, as far as they are independent."""
        for column in range(self.first, self.table.shape[1]):
            for row in range(self.size):
                free = self.basis[row] < self.first and self.table[row, 0] == 0
                if free and self.table[row, column] != 0:
                    self._pivot(row, column)
                    break

    def _solve(self) -> None:
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

    def basic_vectors(self) -> list[int]:
        """The vectors of the basis."""
        return [column - self.first for column in self.basis if column >= self.first]

    def cancelling(self) -> list[int] | None:
        """Vectors with positive weights that cancel; None if the least margin is positive."""
        if self.table[-1, 0] != 0:
            return None
        pairs = zip(self.basis, self.table[:-1, 0], strict=True)
        return [column - self.first for column, a in pairs if column >= self.first and a > 0]

    def separator(self) -> list[int]:
        """w, up to a positive factor: the multipliers of the constraints, each times what its
        column was divided by."""
        prices = self.denominator - self.table[-1, 2 : 2 + self.size]
        return [int(-price) << power for price, power in zip(prices, self._powers, strict=True)]
