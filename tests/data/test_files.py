"""Where tables come from: files, pipes, and what is neither."""

from __future__ import annotations

import bz2
import gzip
import os
import socket

import pytest

from certo.data import files
from certo.data.columns import read_table
from certo.data.problem import Problem
from certo.tables import model_file
from tests.data.pipes import TABLE, piped


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_a_table_through_a_pipe_is_read_once(tmp_path, pack):
    # Decimal commas need a second reading, which a pipe cannot give.
    said = read_table(piped(tmp_path, pack(b"a;b\n1,5;x\n2,25;y\n")))
    assert said.table.to_pydict() == {"a": [1.5, 2.25], "b": ["x", "y"]}


def test_a_pipe_that_brings_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_PIPED_BYTES", 2**20)
    with pytest.raises(Problem, match="pipe that carries more than 1 MB, the most"):
        read_table(piped(tmp_path, b"a,b\n" + b"1,2\n" * 2**19))


@pytest.mark.parametrize("read", [read_table, model_file.load_model])
def test_what_is_no_file_is_refused(tmp_path, read):
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


@pytest.mark.parametrize("damage", [slice(0, 20), slice(0, -4), slice(0, -9)])
def test_damaged_compression_is_refused(tmp_path, damage):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(TABLE.encode() * 100)[damage] + b"zzzz")
    with pytest.raises(Problem, match="cannot be read as a table"):
        read_table(path)


def test_names_of_files_that_are_not_utf8(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"t\xff.csv")
    with open(path, "wb") as file:
        file.write(TABLE.encode())
    assert read_table(os.fsdecode(path)).table.shape == (2, 2)


def test_a_large_file_that_is_no_model_is_not_read(tmp_path):
    path = tmp_path / "m"
    with open(path, "wb") as file:
        file.truncate(2**40)  # a file with a hole
    with pytest.raises(Problem, match="is not a Certo model file"):
        model_file.load_model(path)
