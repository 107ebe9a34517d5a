"""Collections of graphs in TU files."""

import pytest

from certo.data import read_tu
from certo.data.problem import Problem
from certo.kernels import Graph

FILES = {
    "A": "1, 2\n2, 1\n5,4\n4, 5\n3, 1\n",
    "graph_indicator": "1\n1\n1\n2\n2\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "6\n7\n6\n8\n6\n8\n",
}


@pytest.fixture
def written(tmp_path):
    def write(**changes):
        for file in tmp_path.iterdir():
            file.unlink()
        for name, text in (FILES | changes).items():
            if text is not None:
                (tmp_path / f"SOME_{name}.txt").write_text(text)
        return tmp_path

    return write


def test_graphs_and_classes(written):
    graphs, y = read_tu(written())
    assert graphs == [
        Graph([(0, 1), (0, 2)], [6, 7, 6]),
        Graph([(0, 1)], [8, 6]),
        Graph([], [8]),
    ]
    assert y.tolist() == [1, -1, 1]
    assert y.dtype.kind == "i"
    shuffled, _ = read_tu(written(graph_indicator="2\n2\n2\n1\n1\n3\n"))
    assert shuffled == [graphs[1], graphs[0], graphs[2]]
    apart, _ = read_tu(written(A="1, 3\n", graph_indicator="1\n2\n1\n3\n2\n3"))
    assert apart == [Graph([(0, 1)], [6, 6]), Graph([], [7, 6]), Graph([], [8, 8])]


def test_labels_and_edges_may_be_missing(written):
    graphs, y = read_tu(written(node_labels=None, graph_labels="0.5\n1.5\n2\n", A="\n"))
    assert graphs == [Graph([], [""] * n) for n in (3, 2, 1)]
    assert y.tolist() == [0.5, 1.5, 2.0]
    graphs, _ = read_tu(str(written(node_labels="6,1\n7,1\n6,2\n8,1\n6,1\n8,1\n")))
    assert graphs[0].labels == ((6, 1), (7, 1), (6, 2))


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("9007199254740993\n-1\n2", [9007199254740993, -1, 2]),
        ("1.0\n-1e3\n2", [1, -1000, 2]),
        ("\ufeff1\n2\n3", [1, 2, 3]),
        ("0.5\n1\n1e-3", [0.5, 1.0, 0.001]),
    ],
)
def test_classes_are_read_exactly(written, text, classes):
    folder = written()
    (folder / "SOME_graph_labels.txt").write_text(text, encoding="utf-8")
    y = read_tu(folder)[1].tolist()
    assert y == classes
    assert [*map(type, y)] == [*map(type, classes)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"A": None}, "must hold one file NAME_A.txt"),
        ({"graph_labels": None}, "SOME_graph_labels.txt is missing"),
        ({"A": "1, 2\n1, x\n"}, "SOME_A.txt must hold as many integers .*' x'"),
        ({"A": "1\n2\n"}, "SOME_A.txt must have 2 on each line, not 1"),
        ({"A": "1, 2\n1, 9\n"}, "must join vertices 1 to 6 of the same graph, but edge 2 "),
        ({"A": "1, 2\n2, 1\n3, 4\n"}, "must join vertices .* but edge 3 "),
        ({"graph_indicator": "1\n1\n1\n2\n2\n4\n"}, "number graphs from 1 to 3.* number 6 "),
        *(
            ({"graph_labels": f"1\n0\n{bad}\n"}, "_graph_labels.txt must hold .* line 3 has ")
            for bad in ("inf", "nan", "1e300", "99999999999999999999999", "9007199254740993.0")
        ),
        ({"graph_labels": "1\n0.5\n9007199254740993"}, "but line 3 has 9007199254740992"),
        ({"node_labels": "6\n7\n"}, "SOME_node_labels.txt must have 6 lines.* has 2"),
    ],
)
def test_invalid_files_are_refused_with_the_reason(written, changes, words):
    with pytest.raises(Problem, match=words):
        read_tu(written(**changes))


def test_one_set_a_folder(written):
    folder = written()
    (folder / "OTHER_A.txt").write_text("")
    with pytest.raises(Problem, match="there are 2"):
        read_tu(folder)
