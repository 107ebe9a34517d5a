from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from scipy import sparse

from certo.kernels.forest import Forest, TreeKernel, forest, largest
from certo.kernels.rounding import HUGE, UNKNOWN, Rounding, gamma

STRIP = 2**21  # pairs of nodes that are held at once
MOST = 2**28  # that one tree may have with the others


@final
@dataclass(frozen=True)
class SubsetTree(TreeKernel):
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
        At 1 each common piece counts once, and values are whole numbers that grow exponentially
        with the trees: K(x, x) dwarfs all else. 0.4 is usual, with `normalised()`.

    Examples
    --------
    >>> SubsetTree()(["(NP (D a) (N cat))"], ["(NP (D a) (N cat))", "(NP (D a) (N dog))"])
    array([[6., 3.]])
    """

    decay: float = 1.0

    def _plain(self, base, rows, columns):
        trees = forest(base)
        left, right = trees.counts[rows], trees.counts[columns]
        centres = _nodes(trees, np.unique(right.indices))
        right = right[:, centres.subtrees].T.tocsr()
        out = np.empty((rows.size, columns.size))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in _strips(left @ centres.matches(trees)):
                points = _nodes(trees, np.unique(left[part].indices))
                shared = _shared(points, centres, self.decay)
                out[part] = (left[part][:, points.subtrees] @ shared @ right).toarray()
        return _finite(out)

    def _fast(self, base, rows, columns):
        from certo.compiled.trees import subset_trees

        trees = forest(base)
        left, right = trees.counts[rows], trees.counts[columns]
        found = right[::-1].tocsc()  # of each subtree, the last tree first
        subtrees = np.unique(right.indices)
        order = np.argsort(found.indices[found.indptr[subtrees]], kind="stable")
        centres = _nodes(trees, subtrees[order])
        pairs = left @ centres.matches(trees)
        _strips(pairs)
        low, high = np.searchsorted(centres.group, [trees.production, trees.production + 1])
        found = found[:, centres.subtrees]
        return _finite(
            subset_trees(left, trees, centres, low, high, found, pairs, self.decay, columns is rows)
        )

    def _squares(self, base):
        trees = forest(base)
        counts = trees.counts
        owner = np.repeat(np.arange(len(base)), np.diff(counts.indptr))
        group, times = np.unique(_group(trees, counts.indices, owner), return_counts=True)
        pairs = np.bincount(group // _kinds(trees), weights=times**2, minlength=len(base))
        out = np.empty(len(base))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in _strips(pairs):
                here = slice(counts.indptr[part[0]], counts.indptr[part[-1] + 1])
                nodes = _nodes(trees, counts.indices[here], owner[here])
                times = counts.data[here][nodes.order]
                sums = times * (_shared(nodes, nodes, self.decay) @ times)
                out[part] = np.bincount(owner[here][nodes.order] - part[0], sums, part.size)
        return _finite(out)

    def rounding(self, X, Z):
        """No term is negative, so all errors are relative. Below a pair of nodes of trees with at
        most N nodes are at most N − 1 pairs of children; each takes an addition of 1 and a
        multiplication, so that Δ is within γ_{2N}. Products with two counts, and sums first over
        the nodes of one tree, then over those of the other, add 2 + 2N. Nothing underflows, since
        Δ ≥ decay ≥ 10⁻²⁰⁰."""
        greatest = max(float(np.max(self.diagonal(part), initial=0.0)) for part in (X, Z))
        return Rounding(self.closeness(X, Z), 0.0) if greatest < HUGE else UNKNOWN

    def closeness(self, X, Z):
        return 1.01 * gamma(4 * largest(X, Z) + 2)


class _Nodes(NamedTuple):
    """Subtrees in groups; two may have something in common if they are of the same group."""

    order: np.ndarray  # how they were sorted
    subtrees: np.ndarray
    group: np.ndarray  # increasing
    height: np.ndarray
    first: np.ndarray  # as in `Forest`; children are places here, −1 for leaves
    children: np.ndarray

    def matches(self, trees: Forest) -> np.ndarray:
        """How many here have the production of each subtree."""
        return np.bincount(self.group, minlength=_kinds(trees))[trees.production].astype(float)


def _kinds(trees: Forest) -> int:
    return int(np.max(trees.production, initial=0)) + 1


def _group(trees: Forest, subtrees, owner):
    return owner * _kinds(trees) + trees.production[subtrees]


def _nodes(trees: Forest, subtrees: np.ndarray, owner=0) -> _Nodes:
    """These subtrees, grouped by their productions, and by the trees that own them."""
    group = _group(trees, subtrees, owner)
    order = np.argsort(group, kind="stable")
    subtrees, owner = subtrees[order], np.broadcast_to(owner, order.shape)[order]
    start, degree = trees.first[subtrees], np.diff(trees.first)[subtrees]
    first = np.concatenate([[0], np.cumsum(degree)])
    children = trees.children[np.arange(first[-1]) + np.repeat(start - first[:-1], degree)]
    names, wanted = (
        own * len(trees.trees) + s
        for own, s in ((owner, subtrees), (np.repeat(owner, degree), children))
    )
    by = np.argsort(names)
    places = np.full(children.size, -1)
    inner = trees.production[children] >= 0
    places[inner] = by[np.searchsorted(names, wanted[inner], sorter=by)]
    return _Nodes(order, subtrees, group[order], trees.height[subtrees], first, places)


def _shared(left: _Nodes, right: _Nodes, decay: float) -> sparse.csr_array:
    """Δ of all pairs of the same group. Pairs are taken by the smaller of the two heights, which is
    smaller still for two children."""
    low, high = np.searchsorted(right.group, [left.group, left.group + 1])
    ends = np.concatenate([[0], np.cumsum(high - low)])
    rows = np.repeat(np.arange(low.size), high - low)
    columns = np.arange(ends[-1]) + (low - ends[:-1])[rows]
    level = np.minimum(left.height[rows], right.height[columns])
    order = np.argsort(level, kind="stable")
    degree = np.diff(left.first)[rows]
    values = np.full(ends[-1], decay)
    for pairs in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
        for j in range(np.max(degree[pairs], initial=0)):
            wide = pairs[degree[pairs] > j]
            a = left.children[left.first[rows[wide]] + j]
            b = right.children[right.first[columns[wide]] + j]
            alike = (a >= 0) & (low[a] <= b) & (b < high[a])
            a, b = a[alike], b[alike]
            values[wide[alike]] *= 1.0 + values[ends[a] + b - low[a]]
    return sparse.csr_array((values, columns, ends), shape=(low.size, right.group.size))


def _strips(pairs: np.ndarray) -> list[np.ndarray]:
    """Trees one after another, cut such that few pairs of nodes are held at once."""
    if np.max(pairs, initial=0.0) > MOST:
        raise ValueError(
            f"SubsetTree holds all pairs of nodes with the same production, and tree "
            f"{np.argmax(pairs)} has {np.max(pairs):.3g} of them, more than {MOST:.3g}. Leave out "
            "or cut down trees of so many nodes that are alike."
        )
    strip = np.cumsum(pairs) // STRIP
    parts = np.split(np.arange(pairs.size), np.flatnonzero(np.diff(strip)) + 1)
    return [part for part in parts if part.size]


def _finite(values: np.ndarray) -> np.ndarray:
    if not np.all(np.isfinite(values)):
        raise ValueError(
            "two trees have more pieces in common than float64 can count: use "
            "SubsetTree(decay=0.4), or one smaller still."
        )
    return values
