from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.kernels.forest import validate_decay
from certo.kernels.node_pairs import NodePairKernel


@final
@dataclass(frozen=True)
class PartialTree(NodePairKernel):
    """The partial-tree kernel: pieces that two trees share, where children may be left out.

    Definition    K(x, z) = Σ_{n in x, m in z} Δ(n, m), where Δ = 0 unless n and m have the same
                  label, and then Δ(n, m) = decay·(width_decay² + Σ_{I,J} width_decay^(d(I)+d(J))·
                  Π_k Δ(n_{I_k}, m_{J_k})), over all increasing I and J of the same length, 1 or
                  more, of children of n and m; d(I) of them are left out between the first of I and
                  the last
    Domain        trees: `Tree`, bracketed text, nested tuples
    Map           a coordinate for each piece: too many to write down
    Cost          a step for each two children of each two nodes with the same label
    Reference     Moschitti (2006), where decay is μ and width_decay is λ

    Parameters
    ----------
    decay : float, above 0, at most 1
        A factor for each node of a piece: deep ones count less.
    width_decay : float, above 0, at most 1
        A factor for each child that is left out between others, so that gaps count less; twice
        for each node at which a piece ends.

    Examples
    --------
    >>> PartialTree(1.0, 1.0)(["(a b c)"], ["(a b)", "(a c b)"])
    array([[3., 5.]])
    """

    decay: float = 0.4
    width_decay: float = 0.4

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "width_decay", validate_decay(self.width_decay, "width_decay"))

    def _kinds(self, trees):
        return trees.label, trees.counts

    def _fill(self, pairs):
        r"""S_ij, the sum over all I and J that end with the children i and j, is
        Δ(n_i, m_j)·(1 + Σ_{k<i, l<j} λ^(i−k−1+j−l−1)·S_kl); the sums over k, and then over l, are
        kept and moved on by a factor λ at each step."""
        values = np.empty(pairs.rows.size)
        gap = self.width_decay
        for places, a, b in pairs.steps():
            total = np.zeros(places.size)
            above = np.zeros(b.shape)  # Σ_{k<i} λ^(i−k−1)·S_kl for each l
            for child in a:
                before, line = np.zeros((2, places.size))  # Σ_{l<j} λ^(j−l−1)·above_l; Σ_l S_il
                for j, other in enumerate(b):
                    ending = pairs.look_up(values, child, other) * (1.0 + before)
                    line += ending
                    before = gap * before + above[j]
                    above[j] = gap * above[j] + ending
                total += line
            values[places] = self.decay * (gap * gap + total)
        return values

    def _roundings(self, n):
        """At two nodes with k and l children: 2 for each pair of children in a term, 2(k + l) to
        move sums on, k + l to add up, 4 for the rest. Over all nodes of two trees of N nodes, at
        most N of one being paired with N of the other, 12N. A sum that is moved on until it
        underflows is off by less than an addition of 1 to it rounds."""
        return 13 * n
