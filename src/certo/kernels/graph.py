"""Graphs with labelled vertices, and all those of a collection as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple, final

import numpy as np
from scipy import sparse

from certo.kernels.objects import Base, StructuredKernel


@final
class Graph:
    """An undirected graph with a label at each vertex; an immutable value.

    An edge is there or not: it may be listed in one direction, in both, or more than once. One
    from a vertex to itself makes the vertex its own neighbour, once.

    Parameters
    ----------
    edges : iterable of pairs, or square matrix
        Pairs of names of vertices; an array with two columns will do. A square NumPy array or
        SciPy sparse matrix is an adjacency matrix of zeros and ones, of vertices 0 … n−1, whose
        labels are as many; of an edge, one direction is enough.
    labels : dict, sequence or None
        The labels by name, or those of the vertices 0 … n−1. Names and labels are any hashable
        values; None and NaN are no labels. Without labels all vertices are alike, and they are
        those of the edges.

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

    __slots__ = ("_codes", "labels", "names")

    names: tuple[Hashable, ...]
    labels: tuple[Hashable, ...]
    _codes: np.ndarray  # low·n + high of each edge, increasing

    def __init__(self, edges: Any = (), labels: Any = None):
        if sparse.issparse(edges) or (_is_array(edges) and edges.shape[0] == edges.shape[1]):
            size, ends = _of_matrix(edges)
            labels = _labelled(range(size), labels, f"the adjacency matrix is {size} × {size}")
        else:
            flat = _flat(edges)
            labels = _labelled(dict.fromkeys(flat) if labels is None else None, labels)
            ends = _places(flat, {name: place for place, name in enumerate(labels)})
        size = len(labels)
        codes = np.minimum(*ends) * size + np.maximum(*ends)  # in int64
        self._set(tuple(labels), tuple(labels.values()), np.array(sorted(set(codes.tolist())), int))

    def _set(self, *values) -> None:
        for name, value in zip(("names", "labels", "_codes"), values, strict=True):
            object.__setattr__(self, name, value)
        self._codes.flags.writeable = False

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
        if all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
            return cls(*_of_networkx(graph, label))
        if isinstance(graph, tuple | list) and len(graph) == 2:
            return cls(*graph)
        came = f"a {type(graph).__name__}"
        came += f" of {len(graph)}" if isinstance(graph, tuple | list) else ""
        raise ValueError(
            f"a graph must be a networkx graph or a pair (edges, labels), but this is {came}. Pass "
            "(edges, None) if there are no labels; labels of edges are not used."
        )

    @property
    def edges(self) -> np.ndarray:
        return np.stack(np.divmod(self._codes, max(1, len(self.names))), axis=1)

    def __setattr__(self, name, value):
        raise AttributeError(f"a graph cannot be changed, so {name} cannot be set.")

    def __len__(self) -> int:
        return len(self.names)

    def _value(self):
        return self.names, self.labels, self._codes.tobytes()

    def __eq__(self, other):
        return self._value() == other._value() if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value())

    def __repr__(self) -> str:
        return f"Graph({len(self)} vertices, {self._codes.size} edges)"

    def __reduce__(self):
        return _rebuilt, (self.names, self.labels, self._codes)


def _rebuilt(*values) -> Graph:
    graph = Graph.__new__(Graph)
    graph._set(*values)
    return graph


def _is_array(edges) -> bool:
    return isinstance(edges, np.ndarray) and edges.ndim == 2


def _of_matrix(matrix) -> tuple[int, np.ndarray]:
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
    return matrix.shape[0], np.array(entries.coords, dtype=np.int64)[:, used]


def _of_networkx(graph, label: str | None):
    for what, instead in (("directed", "graph.to_undirected()"), ("multigraph", "nx.Graph(graph)")):
        if getattr(graph, f"is_{what}")():
            raise ValueError(f"a graph must be plain, but this one is {what}. Pass {instead}.")
    labels = {name: None if label is None else d.get(label) for name, d in graph.nodes(data=True)}
    return list(graph.edges()), labels if label is not None else dict.fromkeys(labels, ALIKE)


#: the label of all vertices that have none
ALIKE = ""


def _flat(edges) -> list:
    """The ends of all edges, one after the other."""
    try:
        edges = edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
        wrong = next((edge for edge in edges if len(edge) != 2), None)
    except TypeError:
        raise ValueError(
            "edges must be pairs of names of vertices, or a square adjacency matrix, but they are "
            f"{str(edges)[:60]}."
        ) from None
    if wrong is not None:
        raise ValueError(f"an edge must be a pair of names of vertices, but one is {wrong!r:.60}.")
    return list(chain.from_iterable(edges))


def _labelled(names: Iterable | None, labels: Any, why: str = "") -> dict:
    """{name: label}, of these names if they are known."""
    if labels is None:
        return dict.fromkeys(names or (), ALIKE)
    if not isinstance(labels, Mapping):
        try:
            labels = labels.tolist() if hasattr(labels, "tolist") else labels
            labels = dict(enumerate(labels))
        except TypeError:
            raise ValueError(
                "labels must be a dict from names of vertices, a sequence or None, but they are a "
                f"{type(labels).__name__}."
            ) from None
    labels = dict(labels)
    if names is not None and set(names) != set(labels):
        missing = [name for name in names if name not in labels]
        what = f"vertex {missing[0]!r} has none" if missing else f"there are {len(labels)} of them"
        raise ValueError(f"each vertex must have one label: {why}, but {what}.")
    try:
        fine = all(label == label and label is not None for label in set(labels.values()))
    except TypeError:
        fine = False
    if not fine:
        name = next(name for name, label in labels.items() if not _is_label(label))
        raise ValueError(
            f"vertex {name!r} must have a label, any hashable value such as a word or a number, "
            f"but it has {labels[name]!r:.60}."
        )
    return labels


def _is_label(label) -> bool:
    return isinstance(label, Hashable) and label is not None and bool(label == label)


def _places(flat: list, place: dict) -> np.ndarray:
    try:
        ends = np.fromiter(map(place.__getitem__, flat), np.int64, len(flat))
    except (KeyError, TypeError):
        name = next(n for n in flat if not isinstance(n, Hashable) or n not in place)
        raise ValueError(
            f"vertex {name!r:.60} is in an edge, but it has no label. Add one under its name "
            "(labels in a sequence are those of the vertices 0, 1, …)."
        ) from None
    return ends.reshape(-1, 2).T


class Vertices(NamedTuple):
    """The vertices of all graphs of a base, numbered through."""

    first: np.ndarray  # those of graph g are first[g] … first[g + 1] − 1
    labels: np.ndarray  # as places in `known`
    known: list  # the different labels
    adjacency: sparse.csr_array  # of zeros and ones, indices increasing

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
    labels = [number.setdefault(label, len(number)) for g in graphs for label in g.labels]
    codes = np.concatenate([np.empty(0, np.int64), *(graph._codes for graph in graphs)])
    graph = np.repeat(np.arange(len(graphs)), [graph._codes.size for graph in graphs])
    low, high = np.divmod(codes, sizes[graph]) + first[graph]
    other = low != high
    ends = np.concatenate([low, high[other]]), np.concatenate([high, low[other]])
    shape = (int(first[-1]),) * 2
    adjacency = sparse.csr_array((np.ones(ends[0].size), ends), shape=shape)
    return Vertices(first, np.array(labels, dtype=np.int64), [*number], adjacency)


class GraphKernel(StructuredKernel):
    """A kernel of graphs with labelled vertices."""

    kind = "graphs"

    def _item(self, x, place):
        try:
            return Graph.of(x)
        except ValueError as wrong:
            raise ValueError(f"graph {place}: {wrong}") from None
