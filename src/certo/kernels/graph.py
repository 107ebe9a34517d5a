"""Graphs with labelled vertices, and all those of a collection as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, final

import numpy as np
from scipy import sparse

from certo.kernels.objects import Base, StructuredKernel

#: The label of vertices that have none.
COMMON_LABEL = ""
#: What is no edge, though two names may come out of it.
NOT_PAIRS = str, bytes, dict


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Graph:
    """An undirected graph with a label at each vertex; an immutable value.

    An edge is there or not: it may be listed in one direction, in both, or more than once. One
    from a vertex to itself makes the vertex its own neighbour, once. Graphs are equal if they have
    the same names, with the same labels, and the same edges, in whatever order these came.

    Parameters
    ----------
    edges : iterable of pairs, or square matrix
        Pairs of names of vertices; an array with two columns will do. A square NumPy array or
        SciPy sparse matrix is an adjacency matrix of zeros and ones, of vertices 0 … n−1, whose
        labels are as many; of an edge, one direction is enough.
    labels : dict, Series of pandas, sequence or None
        The labels by name (in a Series, by index), or those of the vertices 0 … n−1. Names and
        labels are any hashable values; None, NaN and NA are no labels. Without labels all
        vertices are alike, and they are those of the edges.

    Attributes
    ----------
    names, labels : tuple
        Of the vertices.
    edges : array of shape (m, 2)
        Places of the two ends, the smaller one first; increasing.

    Examples
    --------
    >>> atoms = {"a": "oxygen", "b": "hydrogen", "c": "hydrogen"}
    >>> water = Graph([("a", "b"), ("a", "c")], atoms)
    >>> water
    Graph(3 vertices, 2 edges)
    >>> water == Graph([("c", "a"), ("a", "b"), ("b", "a")], atoms)
    True
    >>> Graph(np.array([[0, 1], [1, 0]]), ["a", "b"]).edges
    array([[0, 1]])
    """

    names: tuple[Hashable, ...]
    labels: tuple[Hashable, ...]
    _codes: np.ndarray  # The i·n + j of edges from place i to place j, in the order given.

    def __init__(self, edges: Any = (), labels: Any = None):
        numeric = isinstance(edges, np.ndarray) and edges.ndim == 2 and edges.dtype.kind in "biuf"
        if sparse.issparse(edges) or (numeric and edges.shape[0] == edges.shape[1]):
            labels = _read_labels(labels, range(edges.shape[0]))
            codes = _codes_of_matrix(edges)
        else:
            edges = _list_edges(edges)
            # Where all names must have labels, the first edge tells enough, in no time.
            for edge in edges if labels is None else edges[:1]:
                if isinstance(edge, NOT_PAIRS):
                    raise _no_pair(edge)
            labels = _read_labels(labels, chain.from_iterable(edges) if labels is None else None)
            codes = _codes_of_pairs(edges, {name: place for place, name in enumerate(labels)})
        object.__setattr__(self, "names", tuple(labels))
        object.__setattr__(self, "labels", tuple(labels.values()))
        object.__setattr__(self, "_codes", codes)

    @classmethod
    def of(cls, graph: Any, label: str | None = "label") -> Graph:
        """A graph from a networkx graph or a pair (edges, labels).

        Parameters
        ----------
        graph : networkx.Graph, pair (edges, labels) or Graph
        label : str or None
            The attribute of networkx' nodes that is their label; None if all are alike.
        """
        if isinstance(graph, Graph):
            return graph
        if isinstance(graph, tuple | list) and len(graph) == 2:
            return cls(*graph)
        if all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
            return cls(*_read_networkx(graph, label))
        came = f"a {type(graph).__name__}"
        came += f" of {len(graph)}" if isinstance(graph, tuple | list) else ""
        if isinstance(graph, np.ndarray):  # A row of np.array([(edges, labels), …]).
            came = f"an array of shape {graph.shape}; keep the pairs in a list, not in an array"
        raise ValueError(
            f"a graph must be a networkx graph or a pair (edges, labels), but this is {came}. Pass "
            "(edges, None) if there are no labels; labels of edges are not used."
        )

    @property
    def edges(self) -> np.ndarray:
        ends = np.stack(np.divmod(self._codes, max(1, len(self))), axis=1)
        return np.unique(np.sort(ends, axis=1), axis=0)

    def __len__(self) -> int:
        return len(self.names)

    def _value(self):
        """The same for equal graphs: edges are sets of one name or two."""
        ends = np.divmod(self._codes, max(1, len(self)))
        u, v = ([self.names[place] for place in part.tolist()] for part in ends)
        edges = frozenset(map(frozenset, zip(u, v, strict=True)))
        return dict(zip(self.names, self.labels, strict=True)), edges

    def __eq__(self, other):
        return self._value() == other._value() if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        labels, edges = self._value()
        return hash((frozenset(labels.items()), edges))

    def __repr__(self) -> str:
        return f"Graph({len(self)} vertices, {len(self.edges)} edges)"


def _codes_of_matrix(matrix) -> np.ndarray:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"an adjacency matrix must be square, but it has shape {matrix.shape}.")
    entries = sparse.coo_array(matrix)
    used = entries.data != 0
    if np.any(entries.data[used] != 1):
        odd = entries.data[used & (entries.data != 1)][0]
        raise ValueError(
            f"an adjacency matrix must hold zeros and ones, but there is {odd}. Weights are not "
            "used: pass (matrix != 0) if every other number means an edge."
        )
    i, j = (ends[used].astype(np.int64) for ends in entries.coords)
    return i * matrix.shape[0] + j


def _read_networkx(graph, label: str | None):
    for what, instead in (("directed", "graph.to_undirected()"), ("multigraph", "nx.Graph(graph)")):
        if getattr(graph, f"is_{what}")():
            raise ValueError(f"a graph must be plain, but this one is {what}. Pass {instead}.")
    if label is None:
        return graph.edges(), dict.fromkeys(graph, COMMON_LABEL)
    for name, known in graph.nodes(data=True):
        if label not in known:
            raise ValueError(
                f"vertex {name!r:.60} must have a label, but it has no attribute {label!r}. "
                "Graph.of(graph, label=…) reads another attribute; with label=None all vertices "
                "are alike."
            )
    return graph.edges(), dict(graph.nodes(data=label))


def _list_edges(edges) -> list:
    try:
        if isinstance(edges, dict) or hasattr(edges, "columns"):  # These list their keys.
            raise TypeError
        return edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
    except TypeError:
        raise ValueError(
            "edges must be pairs of names of vertices, or a square adjacency matrix, but they are "
            f"a {type(edges).__name__}. Pass a list of pairs (table.to_numpy().tolist(), if the "
            "rows of a table are edges)."
        ) from None


def _codes_of_pairs(edges: list, place: dict) -> np.ndarray:
    n = len(place)
    try:
        return np.fromiter([place[u] * n + place[v] for u, v in edges], np.int64)
    except (KeyError, TypeError, ValueError):
        raise _wrong_edge(edges, place) from None


def _wrong_edge(edges: list, place: dict) -> ValueError:
    for edge in edges:
        try:
            u, v = edge
        except (TypeError, ValueError):
            return _no_pair(edge)
        for name in (u, v):
            if not (_is_hashable(name) and name in place):
                return ValueError(
                    f"vertex {name!r:.60} is in an edge, but it has no label. Add one under its "
                    "name (labels in a sequence are those of the vertices 0, 1, …)."
                )
    raise AssertionError("all edges are pairs of known names.")


def _no_pair(edge) -> ValueError:
    return ValueError(
        f"an edge must be a pair of names of vertices, got {edge!r:.60}. (A graph without labels "
        "is (edges, None); an adjacency matrix is a square array.)"
    )


def _read_labels(labels: Any, names: Iterable | None) -> dict:
    """{name: label}, of these names if they are known."""
    if labels is None:
        try:
            return dict.fromkeys(names or (), COMMON_LABEL)
        except TypeError as wrong:
            raise ValueError(
                f"edges must be pairs of hashable names of vertices: {wrong}."
            ) from None
    labels = _labels_by_name(labels)
    if names is not None:
        if set(names) != set(labels):
            missing = (f", none for vertex {name}" for name in names if name not in labels)
            raise ValueError(
                f"the {len([*names])} vertices of an adjacency matrix must have a label each, but "
                f"there are {len(labels)} labels{next(missing, '')}. (Two edges in a 2 × 2 array "
                "look like such a matrix: pass them as a list.)"
            )
        labels = {name: labels[name] for name in names}  # Labels in the order of the rows.
    try:
        fine = all(map(_is_label, set(labels.values())))
    except TypeError:
        fine = False
    if not fine:
        name = next(name for name, label in labels.items() if not _is_label(label))
        raise ValueError(
            f"vertex {name!r} must have a label, any hashable value such as a word or a number, "
            f"but it has {labels[name]!r:.60}."
        )
    return labels


def _labels_by_name(labels: Any) -> dict:
    if isinstance(labels, dict):
        return labels
    if hasattr(labels, "keys") and hasattr(labels, "items"):  # A Series of pandas.
        named = dict(labels.items())
        if len(named) != len(labels):
            raise ValueError("a vertex must have one label, but some names come twice in labels.")
        return named
    try:
        if isinstance(labels, set | frozenset):  # A set has no order.
            raise TypeError
        return dict(enumerate(labels.tolist() if hasattr(labels, "tolist") else labels))
    except TypeError:
        raise ValueError(
            "labels must be a dict from names of vertices, a sequence or None, but they are a "
            f"{type(labels).__name__}."
        ) from None


def _is_label(label) -> bool:
    """Nothing that is missing: NaN is not equal to itself, and whether NA is has no answer."""
    if label is None or not _is_hashable(label):
        return False
    same = label == label
    return same is True or (isinstance(same, np.bool_) and bool(same))


def _is_hashable(value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


class Vertices(NamedTuple):
    """The vertices of all graphs of a base, numbered through."""

    first: np.ndarray  # Those of graph g are first[g] … first[g + 1] − 1.
    labels: np.ndarray  # Places in `known`.
    known: list  # The different labels.
    adjacency: sparse.csr_array  # Zeros and ones; indices increase.

    @property
    def graph(self) -> np.ndarray:
        """The graph of each vertex."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))


def vertices(base: Base) -> Vertices:
    return base.known("vertices", _vertices)


def _vertices(base: Base) -> Vertices:
    graphs = base.items
    sizes = np.array([len(graph) for graph in graphs], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)])
    number: dict = {}
    labels = [number.setdefault(label, len(number)) for graph in graphs for label in graph.labels]
    codes = np.concatenate([np.empty(0, np.int64), *(graph._codes for graph in graphs)])
    home = np.repeat(np.arange(len(graphs)), [graph._codes.size for graph in graphs])
    i, j = np.divmod(codes, sizes[home]) + first[home]
    both = np.concatenate([i, j]), np.concatenate([j, i])
    adjacency = sparse.csr_array((np.ones(2 * codes.size), both), shape=(int(first[-1]),) * 2)
    adjacency.data[:] = 1.0  # An edge may have been listed several times.
    return Vertices(first, np.array(labels, dtype=np.int64), [*number], adjacency)


class GraphKernel(StructuredKernel):
    """A kernel of graphs with labelled vertices."""

    kind = "graphs"

    def examples(self, X):
        pair = isinstance(X, tuple) and len(X) == 2 and isinstance(X[1], Mapping | None)
        if pair or isinstance(X, Graph) or hasattr(X, "is_directed"):
            raise ValueError(
                f"{type(self).__name__} takes a list of graphs, but X is one. Put it in a list."
            )
        return super().examples(X)

    def _item(self, x, place):
        try:
            return Graph.of(x)
        except ValueError as wrong:
            raise ValueError(f"graph {place}: {wrong}") from None
