"""Kernels: values one can call, add, multiply, compare, and write down.

`kernel(X, Z)` is the Gram block, `kernel.diagonal(X)` its diagonal. To add a kernel, write its
class in a file of its own: `plain` gives the block in NumPy, and `rounding` how far that may be
from the truth; the laws of the test suite find it by themselves.
"""

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

__all__ = [
    "Definiteness",
    "Frobenius",
    "Function",
    "Gaussian",
    "Graph",
    "Kernel",
    "Linear",
    "Mismatch",
    "Normalised",
    "NotPositive",
    "PartialTree",
    "Polynomial",
    "Precomputed",
    "Product",
    "RandomWalk",
    "Repaired",
    "Scaled",
    "ShortestPath",
    "Spectrum",
    "Subsequence",
    "SubsetTree",
    "Subtree",
    "Sum",
    "Tree",
    "WeightedDegree",
    "WeisfeilerLehman",
    "is_psd",
    "read_trees",
    "repair",
]
