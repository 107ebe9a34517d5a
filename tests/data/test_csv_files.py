"""CSV files as people have them, and what is none."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest

from certo.data import csv_files
from certo.data.columns import read_table
from certo.data.dialect import Dialect, written_in
from certo.data.problem import Problem
from tests.data.pipes import TABLE, piped


@pytest.mark.slow
@pytest.mark.parametrize("columns", [20_000, 150_000])
def test_a_header_of_many_columns(tmp_path, columns):
    """Longer than the cells that Python's csv module takes, and than a block of Arrow's."""
    path = tmp_path / "genes.csv"
    names = ",".join(f"gene_{j:07d}" for j in range(columns))
    path.write_text(f"{names}\n" + f"{',1' * columns}\n"[1:] * 2)
    table = read_table(path).table
    assert table.shape == (2, columns)
    assert table.column_names[-1] == f"gene_{columns - 1:07d}"


def test_a_row_longer_than_the_sample(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n1,x\n2,{'y' * 3_000_000}\n")
    assert read_table(path).table.shape == (2, 2)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\xef\xbb\xbf\r\n", "is empty"),
        (b"a,b\n1,\0\n", "binary file"),
        (b"\x1f", "is a single line of text"),
        (b"\x7fELF\0\0\0", "binary file"),
        (b"a,b\n", "no rows"),
        (b"PAR1", "cannot be read as a table"),
        (b"PAR1" + bytes(20) + b"PAR1", "cannot be read as a table"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, content, why):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(Problem, match=why):
        read_table(path)


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbfa,b\r\n1,x\r\n2,y\r\n", b"a,b\r1,x\r2,y\r", b'"a","b"\n1,"x"\n2,"y"']
)
def test_marks_and_line_ends(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert read_table(path).table.to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_threads_of_arrow_hold_nothing_of_python(tmp_path, monkeypatch, pack):
    """A thread that must release an object of Python when the interpreter has ended aborts the
    process: the exit code was then 134, once in ten runs."""
    given, read = [], csv_files.pa.csv.read_csv

    def reading(file, **how):
        given.append(file)
        return read(file, **how)

    monkeypatch.setattr(csv_files.pa.csv, "read_csv", reading)
    path = tmp_path / "t.csv"
    path.write_bytes(pack(TABLE.encode()))
    read_table(path)
    read_table(piped(tmp_path, pack(TABLE.encode())))
    assert {type(file) for file in given} <= {pa.OSFile, pa.BufferReader}
    assert len(given) == 2


def test_a_quotation_that_never_ends_is_refused(tmp_path, monkeypatch):
    """Larger blocks are tried up to the size of the file itself."""
    tried, options = [], pa.csv.ReadOptions

    def noted(block_size, **how):
        tried.append(block_size)
        return options(block_size=block_size, **how)

    monkeypatch.setattr(csv_files.pa.csv, "ReadOptions", noted)
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,"b\n' + b"1,2\n" * 10)
    with pytest.raises(Problem):
        read_table(path)
    assert tried == [2**20]


@pytest.fixture
def read(tmp_path):
    def reading(text, name="t.csv", **how):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(tmp_path / name, **how)

    return reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", {"a": [1], "b": [2]}),
        ("a;b\n1;2\n", {"a": [1], "b": [2]}),
        ("a\tb\n1\t2\n", {"a": [1], "b": [2]}),
        ("a|b, c|d\n1|x, y|2\n", {"a": [1], "b, c": ["x, y"], "d": [2]}),
        ("a\tb\n1, 2\tx\n3, 4\ty\n", {"a": ["1, 2", "3, 4"], "b": ["x", "y"]}),
        ("a\tb, c\n1\tx, y\n", {"a": [1], "b, c": ["x, y"]}),
        ("a:b c\n1:x y\n", {"a": [1], "b c": ["x y"]}),
        ("\n" * 40 + "a;b\n1;2\n", {"a": [1], "b": [2]}),
        ("a b\n1 2\n3 4\n", {"a": [1, 3], "b": [2, 4]}),
        (
            "name,text\nx,one two\ny,three four\n",
            {"name": ["x", "y"], "text": ["one two", "three four"]},
        ),
        ("price, EUR;name;b\n1;x, y;2\n", {"price, EUR": [1], "name": ["x, y"], "b": [2]}),
        ("a;b\n1,5;2\n2,25;3\n", {"a": [1.5, 2.25], "b": [2, 3]}),
        ("a;b\n1.5;x\n", {"a": [1.5], "b": ["x"]}),
        ('a,b\n"x\ny","he said ""no"", twice"\n', {"a": ["x\ny"], "b": ['he said "no", twice']}),
        ("only\nx\ny\n", {"only": ["x", "y"]}),
        ("a,b\nNA,NA\n1,x\n", {"a": [None, 1], "b": ["NA", "x"]}),
        ("a,b\n,\n1,x\n", {"a": [None, 1], "b": [None, "x"]}),
        ("a,b\n1,2", {"a": [1], "b": [2]}),
    ],
)
def test_what_is_read(read, text, expected):
    assert read(text).table.to_pydict() == expected


def test_quotation_marks_that_do_not_come_in_pairs(read):
    said = read('k\tt\nham\t"Wen u miss someone\nspam\tno "quotes" here\nham\t"all of it"\n')
    assert said.table.column("t").to_pylist() == [
        '"Wen u miss someone', 'no "quotes" here', '"all of it"',
    ]  # fmt: skip
    assert any("quotation marks" in note for note in said.notes)
    quoted = read('k\tt\nham\t"a\ttab"\nspam\t"say ""hi"""\n')
    assert quoted.table.column("t").to_pylist() == ["a\ttab", 'say "hi"']


def test_notes_say_how_a_file_was_read(read):
    assert read("a,b\n1,2\n").notes == []
    assert "separated by semicolons" in read("a;b\n1,5;2\n").notes[0]
    assert "decimal commas" in read("a;b\n1,5;2\n").notes[1]


def test_text_can_be_asked_for(read):
    assert read("a,b\n01,1\n", as_text=["a", "z"]).table.to_pydict() == {"a": ["01"], "b": [1]}


def test_a_file_without_a_header(read):
    with written_in(Dialect(has_header=False)):
        said = read("01,x\n02,y\n", as_text=["column1", "z"]).table
    assert said.to_pydict() == {"column1": ["01", "02"], "column2": ["x", "y"]}
    with written_in(Dialect(has_header=False)):
        assert read("0.1,7\n0.10000000000000001,8\n").table.column_names == ["column1", "column2"]


def test_a_wrong_guess_can_be_overridden(read):
    text = "a;b,c\n1;2,3\n"
    assert read(text).table.num_columns == 2
    with written_in(Dialect(delimiter=";")):
        said = read(text)
    assert said.table.to_pydict() == {"a": [1], "b,c": [2.3]}
    assert not any("separated" in note for note in said.notes)
