# ruff: noqa: I001
from certo.kernels.algebra import (
    Normalised as Normalised,
    Product as Product,
    Scaled as Scaled,
    Sum as Sum,
)
from certo.kernels.base import Kernel as Kernel
from certo.kernels.frobenius import Frobenius as Frobenius
from certo.kernels.function import Function as Function
from certo.kernels.gaussian import Gaussian as Gaussian
from certo.kernels.graph import Graph as Graph
from certo.kernels.linear import Linear as Linear
from certo.kernels.mismatch import Mismatch as Mismatch
from certo.kernels.partial_tree import PartialTree as PartialTree
from certo.kernels.polynomial import Polynomial as Polynomial
from certo.kernels.precomputed import Precomputed as Precomputed
from certo.kernels.random_walk import RandomWalk as RandomWalk
from certo.kernels.repairs import Repaired as Repaired, repair as repair
from certo.kernels.semidefinite import (
    Definiteness as Definiteness,
    NotPositive as NotPositive,
    is_psd as is_psd,
)
from certo.kernels.shortest_path import ShortestPath as ShortestPath
from certo.kernels.spectrum import Spectrum as Spectrum
from certo.kernels.subsequence import Subsequence as Subsequence
from certo.kernels.subset_tree import SubsetTree as SubsetTree
from certo.kernels.subtree import Subtree as Subtree
from certo.kernels.tree import Tree as Tree
from certo.kernels.tree_file import read_trees as read_trees
from certo.kernels.weighted_degree import WeightedDegree as WeightedDegree
from certo.kernels.weisfeiler_lehman import WeisfeilerLehman as WeisfeilerLehman

KERNELS: dict[str, str]
KERNEL_MODULES: dict[str, str]
