from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.kernels.node_pairs import NodePairKernel


@final
@dataclass(frozen=True)
class SubsetTree(NodePairKernel):
    """The subset-tree kernel: pieces that two trees share, cut off wherever a production ends.

    Definition    K(x, z) = Σ_{n in x, m in z} Δ(n, m), where Δ = 0 unless n and m have the same
                  production (label, and labels of the children in order), and then
                  Δ(n, m) = decay·Π_j (1 + Δ(n_j, m_j)) over their children; a leaf has no
                  production, so its factor is 1
    Domain        trees: `Tree`, bracketed text, nested tuples; a single leaf has K = 0
    Map           a coordinate for each piece, √decay for each production in it: too many to write
    Cost          time and memory of the pairs of nodes with the same production
    Reference     Collins and Duffy (2001)

    Parameters
    ----------
    decay : float, above 0, at most 1
        At 1 each common piece counts once, and values are integers that grow exponentially
        with the trees: K(x, x) dwarfs all else. 0.4 is usual, with `normalised()`.

    Examples
    --------
    >>> SubsetTree()(["(NP (D a) (N cat))"], ["(NP (D a) (N cat))", "(NP (D a) (N dog))"])
    array([[6., 3.]])
    """

    decay: float = 1.0

    def _kinds(self, trees):
        return trees.production, trees.inner_counts

    def _fill(self, pairs):
        values = np.empty(pairs.rows.size)
        for places, a, b in pairs.steps():
            product = np.full(places.size, self.decay)
            for child, other in zip(a, b, strict=True):
                product *= 1.0 + pairs.look_up(values, child, other)
            values[places] = product
        return values

    def _roundings(self, n):
        """Below two nodes are at most N − 1 pairs of children; each takes an addition of 1 and a
        multiplication."""
        return 2 * n
