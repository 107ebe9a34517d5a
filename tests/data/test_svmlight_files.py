"""Files of svmlight and libsvm."""

from __future__ import annotations

import bz2

import pytest

from certo.data import files
from certo.data.columns import read_table
from certo.data.problem import Problem
from certo.data.svmlight_files import is_svmlight


@pytest.fixture
def read(tmp_path):
    def reading(text):
        path = tmp_path / "t.svm"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path)

    return reading


def test_what_is_read(read):
    text = "+1 1:0.5 3:2 # a comment\n-1 2:1e-3\n-1\n"
    expected = {"x1": [0.5, 0, 0], "x2": [0, 1e-3, 0], "x3": [2, 0, 0], "target": [1, -1, -1]}
    said = read(text)
    assert said.table.to_pydict() == expected
    assert "svmlight" in said.notes[0]
    assert read(bz2.compress(text.encode())).table.to_pydict() == expected


def test_indices_from_0_and_targets_that_are_measured(read):
    said = read("1.5 0:1\n2 1:3\n")
    assert said.table.to_pydict() == {"x1": [1, 0], "x2": [0, 3], "target": [1.5, 2.0]}
    assert "begin at 0" in said.notes[1]


def test_query_numbers_are_not_used(read):
    said = read("1 qid:3 1:1\n2 qid:3 1:2\n")
    assert said.table.column_names == ["x1", "target"]
    assert "qid" in said.notes[-1]


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "1\n2\n", "time 12:30\n1 2:3\n", "1,2 3:4\n", "1 2:x\n"]
)
def test_what_is_not_svmlight(text):
    assert not is_svmlight(text)


def test_a_long_cell_is_looked_at_once():
    """Were a row of digits tried in every way to cut it in two, this would not end."""
    assert not is_svmlight("1" * 10**6 + ",\n" + "2" * 10**6 + " " * 10**6 + "x\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 2:1\n" * 40 + "1 x:3\n", "cannot be read as svmlight"),
        ("1 3:1 2:1\n", "cannot be read as svmlight"),
        ("1 1:0.1\n2 1:0.10000000000000001\n", "would both become 0.1"),
        ("9007199254740993 1:1\n1 1:2\n", "of the target 9007199254740993 would become"),
    ],
)
def test_what_cannot_be_used_is_refused(read, text, why):
    with pytest.raises(Problem, match=why):
        read(text)


def test_long_numbers_that_differ_are_read(read):
    assert (
        read("1 1:0.12345678901234567\n2 1:0.5\n").table.column("x1")[0].as_py()
        == 0.12345678901234567
    )


def test_rows_of_many_features_are_refused(read, monkeypatch):
    monkeypatch.setattr(files, "MIN_INFLATED_BYTES", 2**20)
    with pytest.raises(Problem, match="sparse matrices"):
        read("1 100000000:1\n")
