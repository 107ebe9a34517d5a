"""Graphs: the same however they come in, and what is no graph refused in words."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.kernels import Graph, RandomWalk, ShortestPath, WeisfeilerLehman

LABELS = {"a": "C", "b": "N", "c": "C", ("d", 1): 7}
EDGES = [("a", "b"), ("b", "c"), ("c", "c")]
NAMES = [*LABELS]


def forms():
    """One graph in all the ways it may be written, its vertices 0 … 3 or by their names."""
    A = np.zeros((4, 4), int)
    for u, v in EDGES:
        A[NAMES.index(u), NAMES.index(v)] = A[NAMES.index(v), NAMES.index(u)] = 1
    labels = [*LABELS.values()]
    numbered = [(NAMES.index(u), NAMES.index(v)) for u, v in EDGES]
    graph = nx.Graph()
    graph.add_nodes_from((name, {"label": label}) for name, label in LABELS.items())
    graph.add_edges_from(EDGES)
    explicit_zero = sparse.coo_array(([1.0, 0.0, 1.0, 1.0], ([0, 0, 1, 2], [1, 3, 2, 2])), (4, 4))
    named = [
        (EDGES, LABELS),
        ([(v, u) for u, v in EDGES] * 2 + EDGES, LABELS),
        (iter(EDGES), LABELS),
        [{("a", "b"), ("b", "c"), ("b", "a"), ("c", "c")}, LABELS],
        graph,
        Graph(EDGES, LABELS),
    ]
    by_place = [
        (A, labels),
        (A.astype(bool), labels),
        (np.triu(A).astype(float), dict(enumerate(labels))),
        (sparse.csr_matrix(A), tuple(labels)),
        (sparse.csc_array(A), np.array(labels, dtype=object)),
        (explicit_zero, labels),
        (numbered, labels),
        (np.array(numbered), labels),
    ]
    return named, by_place


def test_a_graph_is_the_same_however_it_is_written():
    named, by_place = forms()
    for several in (named, by_place):
        graphs = [Graph.of(form) for form in several]
        assert len(set(graphs)) == 1
        assert pickle.loads(pickle.dumps(graphs[0])) == graphs[0]
    named, by_place = forms()
    for kernel in (WeisfeilerLehman(2), ShortestPath(), RandomWalk(0.05)):
        K = kernel([*named, *by_place])
        named, by_place = forms()  # one of them can be read once only
        np.testing.assert_allclose(K, K[0, 0], rtol=1e-13)
    graph = Graph.of(named[0])
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 2]]
    assert (graph.names, graph.labels, len(graph)) == (tuple(LABELS), tuple(LABELS.values()), 4)
    assert repr(graph) == "Graph(4 vertices, 3 edges)"
    assert graph != Graph(EDGES[:2], LABELS)
    assert graph != "graph"
    with pytest.raises(AttributeError, match="cannot assign to field 'labels'"):
        graph.labels = ()
    with pytest.raises(AttributeError, match="cannot delete field 'labels'"):
        del graph.labels


@settings(max_examples=40)
@given(order=st.permutations(NAMES))
def test_names_come_in_any_order(order):
    graph = Graph(EDGES, {name: LABELS[name] for name in order})
    assert graph == Graph(EDGES, LABELS)
    assert hash(graph) == hash(Graph(EDGES, LABELS))
    assert graph == Graph(EDGES, pd.Series(LABELS.values(), index=NAMES, dtype=object)[order])
    assert graph != Graph(EDGES, LABELS | {"a": "N"})
    assert graph != Graph([("a", "c"), *EDGES[1:]], LABELS)


def test_labels_by_name_go_to_the_rows_of_a_matrix():
    A = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    for matrix in (A, sparse.csr_array(A)):
        assert Graph(matrix, {2: "N", 0: "C", 1: "O"}) == Graph([(0, 1)], "CON")
        assert Graph(matrix, {2: "N", 0: "C", 1: "O"}).labels == ("C", "O", "N")


def test_graphs_without_labels_and_without_anything():
    alike = Graph([("x", "y")])
    assert alike == Graph([("x", "y")], dict.fromkeys("xy", ""))
    assert Graph.of(nx.path_graph(2), label=None) == Graph([(0, 1)])
    weather = nx.Graph([(0, 1)])
    nx.set_node_attributes(weather, {0: "sun", 1: "rain"}, "sky")
    assert Graph.of(weather, label="sky").labels == ("sun", "rain")
    assert Graph(np.array([["x", "y"], ["y", "x"]])) == alike
    for nothing in (Graph(), Graph([], {}), Graph(np.zeros((0, 0)), []), Graph.of(nx.Graph())):
        assert len(nothing) == 0
    for kernel in (WeisfeilerLehman(3), ShortestPath(), ShortestPath(labels=False), RandomWalk()):
        assert np.array_equal(kernel([([], {}), ([], None)]), np.zeros((2, 2)))
        assert kernel([]).shape == (0, 0)
        assert kernel([], [alike]).shape == (0, 1)


@settings(max_examples=60)
@given(
    edges=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8),
    turned=st.lists(st.booleans(), min_size=8, max_size=8),
)
def test_direction_and_number_of_listings_do_not_matter(edges, turned):
    labels = list("abcab")
    other = [(v, u) if turn else (u, v) for (u, v), turn in zip(edges, turned, strict=False)]
    assert Graph(edges, labels) == Graph(other[::-1] + edges, labels)
    assert hash(Graph(edges, labels)) == hash(Graph(other[::-1] + edges, labels))


DIRECTED, MULTI = nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1)])


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (([(0, 1), (1, 2)], {0: "C", 1: "N"}), "graph 1: vertex 2 is in an edge, but it has no"),
        (([(0, 1), (1, "x")], ["C", "N"]), "vertex 'x' is in an edge"),
        (([(0, [1])], ["C", "N"]), r"vertex \[1\] is in an edge"),
        (([(0, [1])], None), "edges must be pairs of hashable names"),
        (([(0, 1)], {0: "C", 1: None}), "vertex 1 must have a label.* has None"),
        (([(0, 1)], {0: "C", 1: float("nan")}), "vertex 1 must have a label.* has nan"),
        (([(0, 1)], {0: "C", 1: (2, [])}), "vertex 1 must have a label"),
        (([(0, 1)], {0: "C", 1: pd.NA}), "vertex 1 must have a label.* has <NA>"),
        (([(0, 1)], {"C", "O"}), "labels must be a dict.* are a set"),
        (([(0, 1)], pd.Series([1, 2], index=[1, 1])), "names come twice"),
        ((["ab", "bc"], None), "an edge must be a pair.* got 'ab'"),
        ((np.array(["ab", "bc"]), None), "an edge must be a pair.* got 'ab'"),
        (([(0, 1), {0: 1, 1: 0}], None), "an edge must be a pair.* got {0: 1"),
        (({"ab": ["cd"]}, None), "edges must be pairs .* are a dict"),
        ((pd.DataFrame({"ab": [0], "bc": [1]}), None), "are a DataFrame.*to_numpy"),
        (([(0, 1)], 5), "labels must be a dict.* are a int"),
        (([(0, 1, 2.5)], None), r"an edge must be a pair.* got \(0, 1, 2.5\)"),
        (([0, 1], None), "edges must be pairs of hashable names"),
        (([0, 1], [0, 0]), "an edge must be a pair of names of vertices, got 0"),
        ((7, None), "edges must be pairs.* are a int"),
        ((np.eye(3), ["C"]), "3 vertices of an adjacency matrix .* 1 labels, none for vertex 1"),
        ((np.array([[0, 1], [1, 2]]), list("ab")), "zeros and ones, but there is 2"),
        ((np.array([[0, 1], [1, 0]]), list("abc")), "pass them as a list"),
        ((np.diag([1, np.nan]), list("ab")), "zeros and ones, but there is nan"),
        ((sparse.csr_array(np.ones((2, 3))), None), r"must be square, .* \(2, 3\)"),
        (DIRECTED, "is directed.*to_undirected"),
        (MULTI, "is multigraph.*nx.Graph"),
        (nx.path_graph(2), "vertex 0 must have a label.*no attribute 'label'.*label=None"),
        (np.array([[(0, 1)], "CO"], dtype=object), "array of shape .2,.; keep the pairs in a list"),
        (([(0, 1)], [0, 0], {}), "a pair .*, but this is a tuple of 3"),
        ("C1=CC=CC=C1", "a networkx graph or a pair"),
        (None, "a networkx graph or a pair"),
    ],
)
def test_invalid_graphs_are_refused(graph, words):
    with pytest.raises(ValueError, match=words) as refusal:
        WeisfeilerLehman()([([], {}), graph])
    assert str(refusal.value).startswith("graph 1: ")
