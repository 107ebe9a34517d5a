"""Kernels: values one can call, add, multiply, compare, and write down.

`kernel(X, Z)` is the Gram block, `kernel.diagonal(X)` its diagonal. To add a kernel, write its
class in a file of its own: `plain` gives the block in NumPy, and `rounding` how far that may be
from the truth; the laws of the test suite find it by themselves.

Type checkers read `__init__.pyi`.
"""

from __future__ import annotations

from certo.lazy import by_name, names_of

_KERNELS = {
    "frobenius": "Frobenius",
    "function": "Function",
    "gaussian": "Gaussian",
    "linear": "Linear",
    "mismatch": "Mismatch",
    "algebra": "Normalised Product Scaled Sum",
    "partial_tree": "PartialTree",
    "polynomial": "Polynomial",
    "precomputed": "Precomputed",
    "random_walk": "RandomWalk",
    "shortest_path": "ShortestPath",
    "spectrum": "Spectrum",
    "subsequence": "Subsequence",
    "subset_tree": "SubsetTree",
    "subtree": "Subtree",
    "weighted_degree": "WeightedDegree",
    "weisfeiler_lehman": "WeisfeilerLehman",
}
_OTHER_KERNELS = {
    "repairs": "Repaired repair",
    "semidefinite": "Definiteness NotPositive is_psd",
    "graph": "Graph",
    "base": "Kernel",
    "tree": "Tree",
    "tree_file": "read_trees",
}
#: Every kernel, and the module that defines it; it is imported when it is named.
KERNELS = by_name(_KERNELS)
KERNEL_MODULES = KERNELS | by_name(_OTHER_KERNELS)
__all__ = sorted(KERNEL_MODULES)

__getattr__, __dir__ = names_of(__name__, KERNEL_MODULES)
