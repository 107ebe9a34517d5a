"""Formats found out from the first bytes."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from certo.data.columns import read_table
from certo.data.dialect import Dialect, written_in
from certo.data.problem import Problem
from tests.data.pipes import piped

TABLE = pa.table({"a": [1, 2], "b": ["x", "y"]})


def csv(path):
    path.write_text("a,b\n1,x\n2,y\n")


def tsv(path):
    path.write_text("a\tb\n1\tx\n2\ty\n")


def gzipped(path):
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n"))


def parquet(path):
    pa.parquet.write_table(TABLE, path)


def feather(path):
    pa.feather.write_feather(TABLE, path)


def arrays(path):
    with open(path, "wb") as file:
        np.savez_compressed(file, a=[1, 2], b=["x", "y"])


@pytest.mark.parametrize("write", [csv, tsv, gzipped, parquet, feather, arrays])
def test_one_table_in_every_format(tmp_path, write):
    """Whatever the name of the file, and through a pipe."""
    path = tmp_path / "table"
    write(path)
    assert read_table(path).table.to_pydict() == TABLE.to_pydict()
    assert read_table(piped(tmp_path, path.read_bytes())).table.to_pydict() == TABLE.to_pydict()


def test_an_archive_of_other_files_is_refused(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    with pytest.raises(Problem, match="ZIP archive"):
        read_table(tmp_path / "t.zip")


def test_what_was_said_in_vain_is_noted(tmp_path):
    parquet(tmp_path / "t.parquet")
    with written_in(Dialect(";")):
        said = read_table(tmp_path / "t.parquet")
    assert "no difference" in said.notes[0]
