"""The trees of a base as arrays: every complete subtree once, numbered from the leaves up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.kernels.base import number
from certo.kernels.objects import Base, StructuredKernel
from certo.kernels.tree import Tree

LEAST_DECAY = 1e-60


class Forest(NamedTuple):
    """The different subtrees of all trees; a subtree is a node with all that is below it."""

    trees: list[Tree]  # Each subtree as a tree.
    label: np.ndarray  # The number of the root's label.
    production: np.ndarray  # The number of (label, labels of the children); −1 of a leaf.
    inner: np.ndarray  # The number of nodes that are no leaves.
    height: np.ndarray
    first: np.ndarray  # Those at children[first[s]:first[s + 1]] are the children of s.
    children: np.ndarray
    counts: sparse.csr_array  # How often each tree has each subtree.
    inner_counts: sparse.csr_array  # The same, without leaves.


def forest(base: Base) -> Forest:
    return base.known("forest", _build_forest)


def _build_forest(base: Base) -> Forest:
    numbers: dict[tuple[str, tuple[int, ...]], int] = {}
    labels: dict[str, int] = {}
    productions: dict[tuple[str, ...], int] = {}
    trees: list[Tree] = []
    label: list[int] = []
    production: list[int] = []
    inner: list[int] = []
    height: list[int] = []
    found: list[int] = []  # The subtrees of one tree after another.
    for item in base.items:
        done: list[int] = []  # Nodes whose parents are still to come.
        for node in item.nodes():
            first = len(done) - len(node.children)
            key = node.label, tuple(done[first:])
            s = numbers.setdefault(key, len(trees))
            if s == len(trees):
                trees.append(node)
                label.append(labels.setdefault(node.label, len(labels)))
                rule = (node.label, *[child.label for child in node.children])
                leaf = not node.children
                production.append(-1 if leaf else productions.setdefault(rule, len(productions)))
                inner.append(0 if leaf else 1 + sum([inner[c] for c in key[1]]))
                height.append(1 + max([height[c] for c in key[1]], default=-1))
            done[first:] = [s]
            found.append(s)
    columns = np.array(found, dtype=np.int64)
    rows = np.repeat(np.arange(len(base)), [item.size for item in base.items])
    shape = len(base), len(trees)
    counts = sparse.coo_array((np.ones(len(found)), (rows, columns)), shape).tocsr()
    below = np.array(inner, dtype=np.int64)
    inner_counts = counts.copy()
    inner_counts.data[below[counts.indices] == 0] = 0.0
    inner_counts.eliminate_zeros()
    children = [key[1] for key in numbers]
    return Forest(
        trees,
        np.array(label, dtype=np.int64),
        np.array(production, dtype=np.int64),
        below,
        np.array(height, dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(c) for c in children], dtype=np.int64)]),
        np.array([c for several in children for c in several], dtype=np.int64),
        counts,
        inner_counts,
    )


class TreeKernel(StructuredKernel):
    """A kernel of trees, with a factor `decay` for each production that two of them share."""

    kind = "trees"
    decay: float

    def __post_init__(self):
        object.__setattr__(self, "decay", validate_decay(self.decay, "decay"))

    def _item(self, x, place):
        try:
            return Tree.of(x)
        except ValueError as error:
            raise ValueError(f"{type(self).__name__} takes trees; item {place}: {error}") from None

    def _largest(self, *parts) -> int:
        """The number of nodes of the largest tree."""
        return max((tree.size for part in parts for tree in self.examples(part)), default=1)


def validate_decay(value, name: str) -> float:
    decay = number(value, name)
    if not LEAST_DECAY <= decay <= 1:
        raise ValueError(f"{name} must be from {LEAST_DECAY:g} to 1, got {decay:g}.")
    return decay
