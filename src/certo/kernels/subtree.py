from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.kernels.counting import CountingKernel, Counts
from certo.kernels.forest import TreeKernel, forest
from certo.numbers.rounding import Rounding, gamma


@final
@dataclass(frozen=True)
class Subtree(TreeKernel, CountingKernel):
    """The subtree kernel: nodes below which two trees are the same, down to the leaves.

    Definition    K(x, z) = Σ_{n in x, m in z} [the trees below n and m are the same]·decay^|n|
                  over nodes that are no leaves; |n| is the number of these from n down
    Domain        trees: `Tree`, bracketed text, nested tuples; a single leaf has K = 0
    Map           a coordinate √decay^|t| times the number of occurrences, for each subtree t
    Cost          one pass over the nodes, then a product of sparse vectors
    Reference     Vishwanathan and Smola (2003)

    Parameters
    ----------
    decay : float, above 0, at most 1
        Below 1, large subtrees count less; at 1 values are integers, and exact.

    Examples
    --------
    >>> Subtree()(["(S (NP you) (VP know))"], ["(S (NP you) (VP go))", "(S (NP you) (VP know))"])
    array([[1., 3.]])
    """

    decay: float = 1.0

    def _count(self, base):
        known = forest(base)
        inner = np.flatnonzero(known.production >= 0)
        matrix = known.inner_counts[:, inner]
        if self.decay < 1:
            sizes = known.inner[inner]
            powers = np.cumprod(np.full(np.max(sizes, initial=0), np.sqrt(self.decay)))
            matrix.data *= powers[sizes - 1][matrix.indices]
        return Counts(matrix, [known.trees[s] for s in inner])

    def rounding(self, X, Z):
        """Counts are exact. With a decay below 1, √decay is within 8u of the truth, so that the
        weight of a subtree of n < N nodes is within γ_{9n}; two weights, their products with the
        counts, and a sum of less than N terms, none of which is negative, make γ_{20N}. A weight
        that underflows is off by N·2⁻¹⁰⁷⁴ at most, and counts are at most N: a sum of N terms is
        off by 4N⁴ of these, less than u of K(x, x), which is 0 or at least decay ≥ 10⁻⁶⁰."""
        if self.decay == 1:
            return super().rounding(X, Z)
        n = self._largest(X, Z)
        return Rounding(gamma(20 * n + 1), 0.0)
