"""Collections of sequences, trees and graphs, in two classes."""

from hypothesis import strategies as st

sequences = st.text("abcd", max_size=6)

trees = st.recursive(
    st.sampled_from([("a",), ("b",)]),
    lambda children: st.builds(
        lambda label, parts: (label, *parts),
        st.sampled_from("SNV"),
        st.lists(children, min_size=1, max_size=3),
    ),
    max_leaves=6,
).map(lambda tree: (tree,) if isinstance(tree, str) else tree)


@st.composite
def graphs(draw):
    labels = draw(st.lists(st.sampled_from("CNO"), max_size=5))
    ends = st.integers(0, len(labels) - 1)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=6)) if labels else []
    return [(a, b) for a, b in edges if a != b], dict(enumerate(labels))


DATA = {
    "sequences": (["abab", "baba", "abba", "aabb"] * 2, ["cdcd", "dcdc", "cddc", "ccdd"] * 2),
    "trees": ([("S", "a", ("N", "b"))] * 8, [("V", ("N", "a"), "b"), ("V", "b")] * 4),
    "graphs": (
        [([(0, 1), (1, 2)], {0: "C", 1: "N", 2: "C"}), ([(0, 1)], {0: "C", 1: "C"})] * 4,
        [([(0, 1), (1, 2), (0, 2)], {0: "O", 1: "O", 2: "O"}), ([], {0: "O"})] * 4,
    ),
}
