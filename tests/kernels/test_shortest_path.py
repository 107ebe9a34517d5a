"""The shortest-path kernel beside its definition, written down naively."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import ShortestPath
from certo.kernels.graph import vertices
from tests.oracles.graphs import collections, matches, neighbours


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


def test_labels_that_cannot_be_numbered_in_pairs_are_refused():
    """Of graphs that were too large to be made here."""
    edge = vertices(ShortestPath().examples([([(0, 1)], "CO")]).base)
    edge = edge._replace(labels=np.array([0, 2**31]))
    with pytest.raises(ValueError, match=r"2,147,483,649 different labels.*labels=False"):
        ShortestPath()._counts(edge, None)
    assert ShortestPath(labels=False)._counts(edge, lambda *_: np.array([0, 1, 1, 0])).keys == [1]
