"""Examples that repeat, with the same label: to an SVM they are one, and its slack costs their sum.

In tables of categories most rows may repeat. Where the multiplier of such a group is α, its members
may have any α_t ≤ c_t with this sum: the first ones get as much as they can, so few are supports.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled.rows import rows_of
from certo.compiled.soft_margin import fill_up, signed_products
from certo.kernels.base import Kernel

MIN_REPEATED_SHARE = 0.05  # Fewer repetitions, relative to all examples, are left alone.


class Repetitions(NamedTuple):
    first: np.ndarray  # One example of each group.
    group: np.ndarray  # The group of each example.
    members: np.ndarray  # The examples, ordered by group.
    starts: np.ndarray  # The start of each group in `members`.

    @classmethod
    def of(cls, kernel: Kernel, X, signs: np.ndarray, costs: np.ndarray) -> Repetitions | None:
        """The groups, or None where few vectors repeat."""
        if kernel.takes != "vectors":
            return None
        m = signs.size
        direction = np.random.default_rng(0).uniform(1, 2, X.shape[1])
        keys = np.empty(m)
        # The products round the same for the same row.
        signed_products(rows_of(X), signs, direction, 0.0, 0, keys.size, keys)
        if np.unique(keys).size > (1 - MIN_REPEATED_SHARE) * m:
            return None
        keys = keys + 0.0
        order = np.lexsort((signs, keys))
        a, b = order[:-1], order[1:]
        alike = np.flatnonzero((keys[a] == keys[b]) & (signs[a] == signs[b]))
        differ = X[a[alike]] != X[b[alike]]
        alike = alike[np.asarray(differ.sum(axis=1)).ravel() == 0]
        fresh = np.ones(m, bool)
        fresh[alike + 1] = False
        starts = np.flatnonzero(fresh)
        if starts.size > (1 - MIN_REPEATED_SHARE) * m:
            return None
        group = np.empty(m, np.intp)
        group[order] = np.cumsum(fresh) - 1
        return cls(order[starts], group, order, starts)

    def total(self, values: np.ndarray) -> np.ndarray:
        """The sum of each group."""
        return np.add.reduceat(values[self.members], self.starts)

    def spread(self, alpha: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Multipliers of all examples, at most their costs, the sum of a group being its alpha."""
        spread = np.empty(costs.size)
        fill_up(alpha, self.members, self.starts, costs, spread)
        return spread
