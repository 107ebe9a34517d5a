from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from certo.kernels.base import compiled, flag
from certo.kernels.counting import CountingKernel, Counts
from certo.kernels.graph import GraphKernel, Vertices, vertices
from certo.kernels.objects import MAX_CODE

MAX_PAIRS_IN_MEMORY = 2**18  # Pairs of vertices held at once, unless one graph has more.


@final
@dataclass(frozen=True)
class ShortestPath(GraphKernel, CountingKernel):
    """The shortest-path kernel: pairs of vertices with the same labels and the same distance.

    Definition    K(G, H) = Σ_{u ≠ v in G} Σ_{x ≠ y in H} [u ~ x, v ~ y, d(u, v) = d(x, y) < ∞]
    Here          u ~ x: equal labels; d: edges of a shortest path; pairs are ordered
    Domain        graphs with labelled vertices: pairs (edges, labels), networkx graphs, `Graph`
    Map           how often each (label, label, distance) is found in the graph
    Reference     Borgwardt and Kriegel, "Shortest-path kernels on graphs", ICDM 2005

    Parameters
    ----------
    labels : bool
        False compares distances alone.

    Examples
    --------
    >>> path = [("a", "b"), ("b", "c")], {"a": "C", "b": "O", "c": "C"}
    >>> edge = [("a", "b")], {"a": "C", "b": "O"}
    >>> ShortestPath()([path], [path, edge])  # C–O: 2·2, O–C: 2·2, C–O–C: 2·2; and 2·1 + 2·1
    array([[12.,  4.]])
    >>> ShortestPath(labels=False)([path], [path, edge])
    array([[20.,  8.]])
    """

    labels: bool = True

    def __post_init__(self):
        object.__setattr__(self, "labels", flag(self.labels, "labels"))

    def _count(self, base):
        return self._counts(vertices(base), _distances)

    def _count_fast(self, base):
        return self._counts(vertices(base), compiled("graphs").distances)

    def _counts(self, all_: Vertices, distances: Callable[..., np.ndarray]) -> Counts:
        """The triple (a, b, d) is counted as the number (a·many + b)·longest + d."""
        sizes, A = np.diff(all_.first), all_.adjacency
        label = all_.labels if self.labels else np.zeros_like(all_.labels)
        many, longest = int(np.max(label, initial=0)) + 1, int(np.max(sizes, initial=1))
        triples = many * many * longest
        if triples > MAX_CODE:
            raise ValueError(
                f"{many:,} different labels, in graphs of up to {longest:,} vertices, are more "
                "than can be numbered in pairs with distances. Use fewer labels, or "
                "ShortestPath(labels=False)."
            )
        none = np.empty(0, np.int64)
        counted = [(none, none, none)]  # Graphs, triples, counts.
        for low, high in _parts(sizes, triples):
            d = distances(all_.first[low : high + 1], A.indptr, A.indices)
            near = np.flatnonzero(d)
            graph, u, v = _pairs(all_.first[low : high + 1], near)
            code = (label[u] * many + label[v]) * longest + d[near]
            each, count = np.unique(graph * triples + code, return_counts=True)
            graph, code = np.divmod(each, triples)
            counted.append((graph + low, code, count))
        graph, code, count = (np.concatenate(part) for part in zip(*counted, strict=True))
        found, column = np.unique(code, return_inverse=True)
        entries, shape = (count.astype(np.float64), (graph, column)), (sizes.size, found.size)
        matrix = sparse.csr_array(entries, shape=shape)
        pair, d = np.divmod(found, longest)
        if not self.labels:
            return Counts(matrix, d.tolist())
        ends = ([all_.known[end] for end in part.tolist()] for part in np.divmod(pair, many))
        return Counts(matrix, [*zip(*ends, d.tolist(), strict=True)])


def _parts(sizes: np.ndarray, triples: int) -> Iterator[tuple[int, int]]:
    """Ranges of graphs, of so few pairs and numbers that memory and int64 hold them."""
    most = MAX_CODE // triples
    squares = np.cumsum(sizes * sizes)
    low = 0
    while low < sizes.size:
        before = squares[low - 1] if low else 0
        high = int(np.searchsorted(squares, before + MAX_PAIRS_IN_MEMORY, side="right"))
        high = min(max(high, low + 1), low + most)
        yield low, high
        low = high


def _pairs(first: np.ndarray, which: np.ndarray):
    """(graph, u, v) for these of the ordered pairs of vertices within graphs."""
    sizes = np.diff(first)
    start = np.cumsum(sizes * sizes) - sizes * sizes
    graph = np.repeat(np.arange(sizes.size), sizes * sizes)[which]
    u, v = np.divmod(which - start[graph], sizes[graph])
    return graph, u + first[graph], v + first[graph]


def _distances(first: np.ndarray, indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Numbers of edges between all ordered pairs of vertices of each graph, graph after graph; 0
    where there is no path."""
    found = [np.empty(0)]
    for low, high in pairwise(first.tolist()):
        if high > low:
            start, stop = indptr[low], indptr[high]
            own = np.ones(stop - start), indices[start:stop] - low, indptr[low : high + 1] - start
            A = sparse.csr_array(own, shape=(high - low, high - low))
            found.append(shortest_path(A, directed=False, unweighted=True).ravel())
    d = np.concatenate(found)
    return np.where(np.isfinite(d), d, 0.0).astype(np.int64)
