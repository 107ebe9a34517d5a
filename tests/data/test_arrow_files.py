"""Files of Arrow's own format."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from certo.data import files
from certo.data.columns import read_table
from certo.data.problem import Problem


def test_an_arrow_file_of_several_batches(tmp_path):
    path = tmp_path / "t.arrow"
    table = pa.table({"a": range(10), "b": pa.array(["x"] * 10).dictionary_encode()})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    said = read_table(path)
    assert said.table.to_pydict() == {"a": list(range(10)), "b": ["x"] * 10}
    assert said.notes == ["t.arrow is an Arrow file."]


def test_a_small_arrow_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MIN_INFLATED_BYTES", 2**20)
    path = tmp_path / "t.feather"
    pa.feather.write_feather(pa.table({"a": np.zeros(10**6)}), path, compression="zstd")
    with pytest.raises(Problem, match="would take more than"):
        read_table(path)


@pytest.mark.parametrize("content", [b"ARROW1", b"ARROW1\0\0" + bytes(20) + b"ARROW1"])
def test_a_damaged_arrow_file_is_refused(tmp_path, content):
    path = tmp_path / "t.arrow"
    path.write_bytes(content)
    with pytest.raises(Problem, match="cannot be read as a table"):
        read_table(path)
