"""Kernels K(x, z) = Σ_{n in x, m in z} Δ(n, m), where Δ depends on what is below n and below m, and
is 0 unless these are alike: computed once for each two subtrees, children before parents."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.kernels.base import compiled
from certo.kernels.forest import Forest, TreeKernel, forest
from certo.numbers.rounding import OVERFLOW_LIMIT, UNBOUNDED, Rounding, gamma

STRIP_NODE_PAIRS = 2**20  # Pairs of nodes that are held at once.
MAX_NODE_PAIRS = 2**26  # Pairs that the nodes of one tree may form with those of all others.


class NodePairKernel(TreeKernel):
    """What its members have in common; each says which nodes are alike, and what Δ is."""

    width_decay: float = 0.0  # Above 0 for partial trees alone.

    @abc.abstractmethod
    def _kinds(self, trees: Forest) -> tuple[np.ndarray, sparse.csr_array]:
        """For each subtree the number of its kind (Δ = 0 between kinds, and for kind −1); and how
        often each tree has each subtree of kind 0 or more."""

    @abc.abstractmethod
    def _fill(self, pairs: Pairs) -> np.ndarray:
        """Δ of all pairs."""

    @abc.abstractmethod
    def _roundings(self, n: int) -> int:
        """How many roundings Δ goes through at most, in trees of n nodes."""

    def _plain(self, base, rows, columns):
        trees = forest(base)
        kind, counts = self._kinds(trees)
        left, right = counts[rows], counts[columns]
        centres = _nodes(trees, kind, np.unique(right.indices))
        right = right[:, centres.subtrees].T.tocsr()
        out = np.empty((rows.size, columns.size))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self._strips(_matches(left, centres, kind)):
                points = _nodes(trees, kind, np.unique(left[part].indices))
                shared = self._shared(points, centres)
                out[part] = (left[part][:, points.subtrees] @ shared @ right).toarray()
        return self._finite(out)

    def _fast(self, base, rows, columns):
        trees = forest(base)
        kind, counts = self._kinds(trees)
        left, right = counts[rows], counts[columns]
        found = right[::-1].tocsc()  # Of each subtree, the last tree comes first.
        subtrees = np.unique(right.indices)
        order = np.argsort(found.indices[found.indptr[subtrees]], kind="stable")
        centres = _nodes(trees, kind, subtrees[order])
        pairs = _matches(left, centres, kind)
        self._require_room(pairs)
        low, high = np.searchsorted(centres.kind, [kind, kind + 1])
        found = found[:, centres.subtrees]
        factors = self.decay, self.width_decay, columns is rows
        node_pairs = compiled("trees").node_pairs
        return self._finite(node_pairs(left, trees, centres, low, high, found, pairs, *factors))

    def _squares(self, base):
        trees = forest(base)
        kind, counts = self._kinds(trees)
        owner = np.repeat(np.arange(len(base)), np.diff(counts.indptr))
        kinds = int(np.max(kind, initial=0)) + 1
        several, times = np.unique(owner * kinds + kind[counts.indices], return_counts=True)
        pairs = np.bincount(several // kinds, weights=times**2, minlength=len(base))
        out = np.empty(len(base))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self._strips(pairs):
                here = slice(counts.indptr[part[0]], counts.indptr[part[-1] + 1])
                nodes = _nodes(trees, kind, counts.indices[here], owner[here])
                times = counts.data[here][nodes.order]
                sums = times * (self._shared(nodes, nodes) @ times)
                out[part] = np.bincount(owner[here][nodes.order] - part[0], sums, part.size)
        return self._finite(out)

    def _shared(self, left: Nodes, right: Nodes) -> sparse.csr_array:
        pairs = Pairs.of(left, right)
        shape = left.kind.size, right.kind.size
        return sparse.csr_array((self._fill(pairs), pairs.columns, pairs.ends), shape)

    def _require_room(self, pairs: np.ndarray) -> None:
        if np.max(pairs, initial=0.0) > MAX_NODE_PAIRS:
            raise ValueError(
                f"{type(self).__name__} holds all pairs of nodes that are alike, and tree "
                f"{np.argmax(pairs)} of these has {np.max(pairs):.3g}, more than "
                f"{MAX_NODE_PAIRS:.3g}. Leave out, or cut down, trees of so many nodes."
            )

    def _strips(self, pairs: np.ndarray) -> list[np.ndarray]:
        """Trees one after another, cut such that few pairs of nodes are held at once."""
        self._require_room(pairs)
        strip = np.cumsum(pairs) // STRIP_NODE_PAIRS
        parts = np.split(np.arange(pairs.size), np.flatnonzero(np.diff(strip)) + 1)
        return [part for part in parts if part.size]

    def _finite(self, values: np.ndarray) -> np.ndarray:
        if not np.all(np.isfinite(values)):
            raise ValueError(
                "two trees have more pieces in common than float64 can count: use "
                f"{type(self).__name__}(decay=0.4), or one smaller still."
            )
        return values

    def rounding(self, X, Z):
        """No term is negative, so all errors are relative. Δ of trees of at most N nodes goes
        through `_roundings(N)`; products with two counts, and sums first over the nodes of one
        tree, then over those of the other, add 2 + 2N. Δ itself does not underflow."""
        greatest = max(float(np.max(self.diagonal(part), initial=0.0)) for part in (X, Z))
        return Rounding(self.closeness(X, Z), 0.0) if greatest < OVERFLOW_LIMIT else UNBOUNDED

    def closeness(self, X, Z):
        n = self._largest(X, Z)
        return 1.01 * gamma(self._roundings(n) + 2 * n + 2)


class Nodes(NamedTuple):
    """Subtrees sorted by their kinds; their children are named by places among them."""

    order: np.ndarray  # How they were sorted.
    subtrees: np.ndarray
    kind: np.ndarray  # Kinds are increasing.
    height: np.ndarray
    first: np.ndarray  # As in `Forest`.
    children: np.ndarray  # −1 stands for a child of no kind.


class Pairs(NamedTuple):
    """All pairs of nodes of the same kind, by rows: node i with those from low[i] to high[i]."""

    left: Nodes
    right: Nodes
    low: np.ndarray
    high: np.ndarray
    ends: np.ndarray
    rows: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, left: Nodes, right: Nodes) -> Pairs:
        low, high = np.searchsorted(right.kind, [left.kind, left.kind + 1])
        ends = np.concatenate([[0], np.cumsum(high - low)])
        rows = np.repeat(np.arange(low.size), high - low)
        columns = np.arange(ends[-1]) + (low - ends[:-1])[rows]
        return cls(left, right, low, high, ends, rows, columns)

    def steps(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Pairs for which as many children are to be compared, and these (one row for each child).
        They come by the smaller of the two heights, which is smaller still for two children."""
        level = np.minimum(self.left.height[self.rows], self.right.height[self.columns])
        several, many = np.diff(self.left.first), np.diff(self.right.first)
        key = (level * (np.max(several, initial=0) + 1) + several[self.rows]) * (
            np.max(many, initial=0) + 1
        ) + many[self.columns]
        order = np.argsort(key, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
            if places.size:
                i, j = self.rows[places], self.columns[places]
                a = self.left.first[i] + np.arange(several[i[0]])[:, None]
                b = self.right.first[j] + np.arange(many[j[0]])[:, None]
                yield places, self.left.children[a], self.right.children[b]

    def look_up(self, values: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The values of pairs of nodes; 0 for two that are not alike."""
        alike = (a >= 0) & (self.low[a] <= b) & (b < self.high[a])
        return np.where(alike, values[np.where(alike, self.ends[a] + b - self.low[a], 0)], 0.0)


def _nodes(trees: Forest, kind: np.ndarray, subtrees: np.ndarray, owner=0) -> Nodes:
    """These subtrees by their kinds, and by the trees that own them: of two they are not alike."""
    sort = owner * (int(np.max(kind, initial=0)) + 1) + kind[subtrees]
    order = np.argsort(sort, kind="stable")
    subtrees, owner = subtrees[order], np.broadcast_to(owner, order.shape)[order]
    start, degree = trees.first[subtrees], np.diff(trees.first)[subtrees]
    first = np.concatenate([[0], np.cumsum(degree)])
    children = trees.children[np.arange(first[-1]) + np.repeat(start - first[:-1], degree)]
    names = owner * len(trees.trees) + subtrees
    wanted = np.repeat(owner, degree) * len(trees.trees) + children
    by = np.argsort(names)
    places = np.full(children.size, -1)
    some = kind[children] >= 0
    places[some] = by[np.searchsorted(names, wanted[some], sorter=by)]
    return Nodes(order, subtrees, sort[order], trees.height[subtrees], first, places)


def _matches(left: sparse.csr_array, centres: Nodes, kind: np.ndarray) -> np.ndarray:
    """How many pairs of the same kind the subtrees of each tree form with the centres."""
    low, high = np.searchsorted(centres.kind, [kind, kind + 1])
    return left.sign() @ (high - low).astype(np.float64)
