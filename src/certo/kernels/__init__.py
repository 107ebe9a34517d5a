# ruff: noqa: F401  (the names are imported for type checkers alone)
"""Kernels: values one can call, add, multiply, compare, and write down.

`kernel(X, Z)` is the Gram block, `kernel.diagonal(X)` its diagonal. To add a kernel, write its
class in a file of its own: `plain` gives the block in NumPy, and `rounding` how far that may be
from the truth; the laws of the test suite find it by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from certo.lazy import names_of

#: every kernel, and the module that defines it; it is imported when it is named
KERNELS = {
    "Frobenius": "frobenius",
    "Function": "function",
    "Gaussian": "gaussian",
    "Linear": "linear",
    "Mismatch": "mismatch",
    "Normalised": "algebra",
    "PartialTree": "partial_tree",
    "Polynomial": "polynomial",
    "Precomputed": "precomputed",
    "Product": "algebra",
    "RandomWalk": "random_walk",
    "Scaled": "algebra",
    "ShortestPath": "shortest_path",
    "Spectrum": "spectrum",
    "Subsequence": "subsequence",
    "SubsetTree": "subset_tree",
    "Subtree": "subtree",
    "Sum": "algebra",
    "WeightedDegree": "weighted_degree",
    "WeisfeilerLehman": "weisfeiler_lehman",
}
OTHERS = {
    "Repaired": "repairs",
    "Definiteness": "semidefinite",
    "Graph": "graph",
    "Kernel": "base",
    "NotPositive": "semidefinite",
    "Tree": "tree",
    "is_psd": "semidefinite",
    "read_trees": "tree",
    "repair": "repairs",
}
WHERE = KERNELS | OTHERS
__all__ = sorted(WHERE)

if TYPE_CHECKING:
    from certo.kernels.algebra import Normalised, Product, Scaled, Sum
    from certo.kernels.base import Kernel
    from certo.kernels.frobenius import Frobenius
    from certo.kernels.function import Function
    from certo.kernels.gaussian import Gaussian
    from certo.kernels.graph import Graph
    from certo.kernels.linear import Linear
    from certo.kernels.mismatch import Mismatch
    from certo.kernels.partial_tree import PartialTree
    from certo.kernels.polynomial import Polynomial
    from certo.kernels.precomputed import Precomputed
    from certo.kernels.random_walk import RandomWalk
    from certo.kernels.repairs import Repaired, repair
    from certo.kernels.semidefinite import Definiteness, NotPositive, is_psd
    from certo.kernels.shortest_path import ShortestPath
    from certo.kernels.spectrum import Spectrum
    from certo.kernels.subsequence import Subsequence
    from certo.kernels.subset_tree import SubsetTree
    from certo.kernels.subtree import Subtree
    from certo.kernels.tree import Tree, read_trees
    from certo.kernels.weighted_degree import WeightedDegree
    from certo.kernels.weisfeiler_lehman import WeisfeilerLehman

__getattr__, __dir__ = names_of(__name__, WHERE)
