"""Kernels of graphs beside their definitions, written down naively."""

import pickle
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.features import explicit_map
from certo.kernels import RandomWalk, ShortestPath, WeisfeilerLehman
from certo.kernels.graph import vertices
from certo.kernels.weisfeiler_lehman import Pattern


@st.composite
def graphs(draw, most=6):
    """With loops, edges listed twice, isolated vertices; or nothing at all."""
    labels = draw(st.lists(st.sampled_from(["C", "N", 1]), max_size=most))
    ends = st.integers(0, len(labels) - 1)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=2 * most)) if labels else []
    return edges, labels


collections = st.lists(graphs(), min_size=1, max_size=4)


def neighbours(graph):
    edges, labels = graph
    found = [set() for _ in labels]
    for u, v in edges:
        found[u].add(v)
        found[v].add(u)
    return found


def matches(left, right):
    return sum(count * right[feature] for feature, count in left.items())


def seen(graph, iterations):
    """The patterns of all vertices as nested tuples, for each number of steps."""
    around, now = neighbours(graph), list(graph[1])
    found = Counter((0, pattern) for pattern in now)
    for step in range(iterations):
        now = [
            (now[v], tuple(sorted((now[u] for u in near), key=repr)))
            for v, near in enumerate(around)
        ]
        found.update((step + 1, pattern) for pattern in now)
    return found


def paths(graph, labelled):
    around, labels = neighbours(graph), graph[1]
    found = Counter()
    for start in range(len(labels)):
        reached, last, distance = {start}, {start}, 0
        while last:
            last = {v for u in last for v in around[u]} - reached
            reached |= last
            distance += 1
            found.update(
                (labels[start], labels[v], distance) if labelled else distance for v in last
            )
    return found


def walks(left, right, decay, length):
    """Σ_{k ≤ length} decay^k·#(pairs of walks of k edges with the same labels), exactly."""
    pairs = [(u, v) for u, v in product(range(len(left[1])), range(len(right[1])))]
    now = {(u, v): 1 for u, v in pairs if left[1][u] == right[1][v]}
    near, far = neighbours(left), neighbours(right)
    total, worth = Fraction(0), Fraction(1)
    for _ in range(length + 1):
        total += worth * sum(now.values())
        worth *= Fraction(decay)
        now = {(u, v): sum(now.get(step, 0) for step in product(near[u], far[v])) for u, v in now}
    return total


@settings(max_examples=60, deadline=None)
@given(X=collections, iterations=st.integers(0, 4))
def test_weisfeiler_lehman_is_its_definition(X, iterations):
    kernel, found = WeisfeilerLehman(iterations), [seen(graph, iterations) for graph in X]
    naive = [[matches(a, b) for b in found] for a in found]
    points = kernel.examples(X)
    assert np.array_equal(kernel(points), naive)
    assert np.array_equal(kernel.plain(points, points), naive)
    plain, fast = kernel.counts(points.base), kernel.fast_counts(points.base)
    assert fast.matrix.has_sorted_indices
    order = [list(fast.keys).index(key) for key in plain.keys]
    assert np.array_equal(plain.matrix.toarray(), fast.matrix.toarray()[:, order])


@settings(max_examples=60, deadline=None)
@given(X=collections, labelled=st.booleans())
def test_shortest_path_is_its_definition(X, labelled):
    kernel, found = ShortestPath(labels=labelled), [paths(graph, labelled) for graph in X]
    naive = [[matches(a, b) for b in found] for a in found]
    points = kernel.examples(X)
    assert np.array_equal(kernel(points), naive)
    assert np.array_equal(kernel.plain(points, points), naive)
    for counts in (kernel.counts(points.base), kernel.fast_counts(points.base)):
        rows = [dict(zip(counts.keys, row, strict=True)) for row in counts.matrix.toarray()]
        assert [{key: n for key, n in row.items() if n} for row in rows] == found


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(X=collections, share=st.sampled_from([0.01, 0.5, 0.9]))
def test_random_walk_is_its_definition_within_rounding(X, share):
    """The rest of the series beyond k steps is at most share^k/(1 − share) times the number of
    pairs, since the matrix is symmetric."""
    decay = share * min(1.0, RandomWalk.limit(X))
    kernel, length = RandomWalk(decay), {0.01: 10, 0.5: 60, 0.9: 400}[share]
    points = kernel.examples(X)
    plain, fast = kernel.plain(points, points), kernel(points)
    relative, absolute = kernel.rounding(points, points)
    assert absolute == 0.0
    assert relative < 1e-11
    assert np.array_equal(fast, fast.T)
    for i, j in product(range(len(X)), repeat=2):
        exact = float(walks(X[i], X[j], decay, length))
        allowed = relative * np.sqrt(plain[i, i] * plain[j, j]) + 1e-16 * plain[i, j]
        allowed += len(X[i][1]) * len(X[j][1]) * share**length / (1 - share)
        assert abs(plain[i, j] - exact) <= allowed
        assert abs(fast[i, j] - exact) <= allowed


def test_random_walks_that_never_end_are_refused_with_the_limit():
    edge, triangle = ([(0, 1)], "CC"), ([(0, 1), (1, 2), (2, 0)], "CCC")
    assert RandomWalk.limit([edge, triangle]) == pytest.approx(0.25)  # 1/2²
    assert RandomWalk.limit([([], "CC")]) == np.inf
    large = [(k, (k + 1) % 30) for k in range(30)], ["C"] * 30
    assert RandomWalk.limit([large]) == pytest.approx(0.25)
    RandomWalk(0.2499)([edge, triangle, large])
    apart = [], ["C"] * 150
    assert RandomWalk.limit([apart]) == np.inf
    assert RandomWalk.limit([apart, triangle]) == pytest.approx(0.25)
    with pytest.raises(ValueError, match=r"0\.25 .* graph 1 with itself"):
        RandomWalk(0.3)([apart, triangle])
    for decay in (0.25, 0.26, 0.9, 5.0, 1e300):
        with pytest.raises(ValueError, match=r"must be below 0\.25 .* graph 1 with itself"):
            RandomWalk(decay)([([], "CO"), triangle])
        with pytest.raises(ValueError, match=r"must be below 0\.25 .* graph 0 with itself"):
            RandomWalk(decay)([([], "C")], [large])
    with pytest.raises(
        ValueError,
        match=r"below 0\.25 .* got 0\.24999999999: .* too nearly so .* about 2e-08",
    ):
        RandomWalk(0.24999999999)([triangle])
    RandomWalk(0.25 * (1 - 1e-7))([triangle])
    X = RandomWalk(0.2).examples([edge, triangle])
    with pytest.raises(ValueError, match="must be below"):
        RandomWalk(0.5)(X)


def test_the_rounding_of_random_walks_holds_for_each_with_itself():
    kernel, one, many = RandomWalk(0.01), [([], "C")], [([], ["C"] * 300)]
    alone = kernel.rounding(many, many)
    assert kernel.rounding(one, many) == kernel.rounding(many, one) == alone
    assert alone.relative > 300**2 * 2.0**-53


def test_labels_that_cannot_be_numbered_in_pairs_are_refused():
    """Of graphs that were too large to be made here."""
    edge = vertices(ShortestPath().examples([([(0, 1)], "CO")]).base)
    edge = edge._replace(labels=np.array([0, 2**31]))
    with pytest.raises(ValueError, match=r"2,147,483,649 different labels.*labels=False"):
        ShortestPath()._counts(edge, None)
    assert ShortestPath(labels=False)._counts(edge, lambda *_: np.array([0, 1, 1, 0])).keys == [1]


def test_closed_forms():
    """Of a cycle without labels every vertex looks alike; K = n·m/(1 − 4·decay)."""
    cycles = [([(k, (k + 1) % n) for k in range(n)], None) for n in (3, 5, 8)]
    n = np.array([3, 5, 8])
    assert np.array_equal(WeisfeilerLehman(4)(cycles), 5 * np.outer(n, n))
    near = 0.25 * (1 - 1e-4)
    np.testing.assert_allclose(RandomWalk(near)(cycles), np.outer(n, n) / (1 - 4 * near), rtol=1e-9)
    assert np.array_equal(ShortestPath()(cycles[:2]), [[36, 60], [60, 200]])


def test_patterns_are_the_same_in_another_collection_and_process():
    """Features of new graphs are found by what they are, so that no old graph is needed."""
    X = [([(0, 1), (1, 2)], "CCO"), ([(0, 1)], "CO")]
    features = explicit_map(WeisfeilerLehman(2)).fit(X)
    assert list(features.get_feature_names_out()[:4]) == ["C", "O", "C(C)", "C(C,O)"]
    again = pickle.loads(pickle.dumps(features))
    new = [([("x", "y"), ("z", "y")], {"x": "O", "y": "C", "z": "C"}), ([(0, 1)], "CN")]
    assert (again.transform(new) != features.transform(new)).nnz == 0
    assert (
        features.transform(new).toarray()[0].tolist() == features.transform(X).toarray()[0].tolist()
    )
    pattern = Pattern("C", 1, (Pattern("O"), Pattern("C"), Pattern("O")))
    assert pattern is Pattern("C", 1, (Pattern("O"), Pattern("O"), Pattern("C")))
    assert pattern is not Pattern("C", 1, (Pattern("O"), Pattern("C")))
    assert repr(pattern) == "C(C,O,O)"
    assert [repr(Pattern("C", depth)) for depth in range(3)] == ["C", "C()", "C()()"]
    large = Pattern("C", 1, tuple(Pattern(f"label {k}") for k in range(30)))
    assert len(repr(large)) == 80


def test_names_of_patterns_are_as_different_as_they_are():
    labels = [1, "1", "", True, "C(1)", "C", 2.5, "2.5", float("inf"), "inf", ("C", 1)]
    X = [([], [label]) for label in labels] + [([(0, 1), (0, 2)], [label] * 3) for label in "C1"]
    names = explicit_map(WeisfeilerLehman(2)).fit([*X, ([(0, 1)], None)]).get_feature_names_out()
    assert len(set(names)) == len(names)
    assert repr(Pattern(np.str_("1"), 1, (Pattern(np.int64(7)),))) == "'1'(7)"
    deep = Pattern("C")
    for depth in range(1, 3000):
        deep = Pattern("C", depth, (deep, deep))
    assert len(repr(deep)) == 80


SOME = [
    ([], "O"),
    ([(1, 2)], "NCC"),
    ([(0, 2), (1, 3), (1, 4), (2, 3)], "NNNOO"),
    ([(0, 3), (0, 4), (1, 2), (1, 3), (3, 5), (4, 5)], "OCCOOO"),
    ([(0, 1), (0, 2), (0, 4), (0, 5), (1, 5), (2, 4), (2, 6), (2, 7), (3, 7), (6, 7)], "CNNNCCNO"),
]
#: what GraKeL 0.1.11 says of them: WeisfeilerLehman(n_iter=3), ShortestPath(with_labels=…)
GRAKEL = {
    WeisfeilerLehman(3): [
        [4, 0, 2, 4, 1],
        [0, 20, 3, 6, 10],
        [2, 3, 28, 8, 15],
        [4, 6, 8, 48, 10],
        [1, 10, 15, 10, 52],
    ],
    ShortestPath(): [
        [0, 0, 0, 0, 0],
        [0, 4, 0, 4, 8],
        [0, 0, 40, 8, 40],
        [0, 4, 8, 124, 26],
        [0, 8, 40, 26, 182],
    ],
    ShortestPath(labels=False): [
        [0, 0, 0, 0, 0],
        [0, 4, 16, 24, 40],
        [0, 16, 120, 184, 336],
        [0, 24, 184, 284, 520],
        [0, 40, 336, 520, 960],
    ],
}


@pytest.mark.parametrize("kernel", GRAKEL, ids=repr)
def test_gram_matrices_are_those_of_grakel(kernel):
    assert np.array_equal(kernel(SOME), GRAKEL[kernel])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        *((lambda bad=bad: WeisfeilerLehman(bad), "iterations") for bad in (-1, 1.5, True, 10**9)),
        *(
            (lambda bad=bad: ShortestPath(bad), "labels must be True or")
            for bad in (1, "yes", None)
        ),
        *((lambda bad=bad: RandomWalk(bad), "decay must be a") for bad in (0.0, np.nan, None, "2")),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(ValueError, match=words):
        make()
