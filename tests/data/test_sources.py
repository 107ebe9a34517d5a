"""Where tables and models come from: files, pipes, and what is neither."""

from __future__ import annotations

import bz2
import gzip
import os
import socket
import threading

import numpy as np
import pyarrow as pa
import pytest

from certo.data import csv_files, files
from certo.data.columns import read_table
from certo.data.problem import Problem
from certo.tables import model_file

TABLE = "a,b\n1,x\n2,y\n"


def piped(tmp_path, content: bytes):
    """A named pipe that brings this content once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def bring():
        with open(path, "wb") as pipe:
            try:
                pipe.write(content)
            except BrokenPipeError:  # the reader had enough
                return

    threading.Thread(target=bring, daemon=True).start()
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_a_table_through_a_pipe_is_read_once(tmp_path, pack):
    # Decimal commas need a second reading, which a pipe cannot give.
    said = read_table(piped(tmp_path, pack(b"a;b\n1,5;x\n2,25;y\n")))
    assert said.table.to_pydict() == {"a": [1.5, 2.25], "b": ["x", "y"]}


def test_parquet_through_a_pipe(tmp_path):
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(pa.table({"a": [1, 2]}), sink)
    said = read_table(piped(tmp_path, sink.getvalue().to_pybytes()))
    assert said.table.to_pydict() == {"a": [1, 2]}


def test_a_pipe_that_brings_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_PIPED_BYTES", 2**20)
    with pytest.raises(Problem, match="pipe that carries more than 1 MB, the most"):
        read_table(piped(tmp_path, b"a,b\n" + b"1,2\n" * 2**19))


@pytest.mark.parametrize("read", [read_table, model_file.load_model])
def test_paths_that_are_not_files_are_refused(tmp_path, read):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        for path, what in (
            ("/dev/zero", "is a device"),
            ("/dev/null", "is a device"),
            (tmp_path, "is a folder"),
            (tmp_path / "s", "is a socket"),
            (tmp_path / "none", "no such file"),
            (f"{tmp_path}/a\0b", "cannot be read"),
        ):
            with pytest.raises(Problem, match=what):
                read(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_small_file_that_becomes_huge_is_refused(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(files, "MIN_INFLATED_BYTES", 2**20)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(pack(b"a,b\n" + b"1,2\n" * 2**20))
    with pytest.raises(Problem, match="would take more than 1,048,576 in memory"):
        read_table(path)


def test_a_small_parquet_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MIN_INFLATED_BYTES", 2**20)
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": np.zeros(10**6)}), path)
    with pytest.raises(Problem, match="would take more than"):
        read_table(path)


@pytest.mark.parametrize("damage", [slice(0, 20), slice(0, -4), slice(0, -9)])
def test_damaged_compression_is_refused(tmp_path, damage):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(TABLE.encode() * 100)[damage] + b"zzzz")
    with pytest.raises(Problem, match="cannot be read as a table"):
        read_table(path)


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
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"a,b\n1,\0\n", "binary file"),
        (b"\x7fELF\0\0\0", "binary file"),
        (b"a,b\n", "no rows"),
        (b"PAR1", "cannot be read as a table"),
        (b"PAR1" + bytes(20) + b"PAR1", "cannot be read as a table"),
    ],
)
def test_values_that_are_not_tables_are_refused(tmp_path, content, why):
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


def test_names_of_files_that_are_not_utf8(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"t\xff.csv")
    with open(path, "wb") as file:
        file.write(TABLE.encode())
    assert read_table(os.fsdecode(path)).table.shape == (2, 2)


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


def test_parquet_text_that_is_none_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"k": ["spam and eggs", "ham"]}), path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"spam", b"sp\xefm"))
    with pytest.raises(Problem, match="cannot be read as a table"):
        read_table(path)


def test_a_quotation_that_never_ends_is_refused(tmp_path, monkeypatch):
    """Larger blocks are tried up to the size of the file itself."""
    tried, options = [], pa.csv.ReadOptions

    def noted(block_size):
        tried.append(block_size)
        return options(block_size=block_size)

    monkeypatch.setattr(csv_files.pa.csv, "ReadOptions", noted)
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,"b\n' + b"1,2\n" * 10)
    with pytest.raises(Problem):
        read_table(path)
    assert tried == [2**20]


def test_a_large_file_that_is_no_model_is_not_read(tmp_path):
    path = tmp_path / "m"
    with open(path, "wb") as file:
        file.truncate(2**40)  # a file with a hole
    with pytest.raises(Problem, match="is not a Certo model file"):
        model_file.load_model(path)
