"""The Weisfeiler–Lehman kernel beside its definition, written down naively."""

import pickle
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.features import explicit_map
from certo.kernels import WeisfeilerLehman
from certo.kernels.weisfeiler_lehman import Pattern
from tests.oracles.graphs import collections, matches, neighbours


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
