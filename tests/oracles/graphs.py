"""Graphs as hypothesis draws them, and what the kernels of graphs look at, written down naively."""

from hypothesis import strategies as st


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
