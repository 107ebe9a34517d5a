"""Tables in one form, whatever they were."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from certo.data import files
from certo.data.columns import as_table, read_table
from certo.data.problem import Problem
from tests.data.pipes import piped


def test_parquet_through_a_pipe(tmp_path):
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(pa.table({"a": [1, 2]}), sink)
    said = read_table(piped(tmp_path, sink.getvalue().to_pybytes()))
    assert said.table.to_pydict() == {"a": [1, 2]}


def test_a_small_parquet_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MIN_INFLATED_BYTES", 2**20)
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": np.zeros(10**6)}), path)
    with pytest.raises(Problem, match="would take more than"):
        read_table(path)


def test_parquet_text_that_is_none_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"k": ["spam and eggs", "ham"]}), path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"spam", b"sp\xefm"))
    with pytest.raises(Problem, match="cannot be read as a table"):
        read_table(path)


def test_tables_come_in_one_form():
    odd = pa.table(
        {
            "d": pa.array(["x", "", None]).dictionary_encode(),
            "l": pa.array(["x", "", None], pa.large_string()),
            "v": pa.array(["x", "", None], pa.string_view()),
            "f": pa.array([1.0, np.nan, None], pa.float32()),
        }
    )
    plain = as_table(odd)
    assert plain.schema.types == [pa.string()] * 3 + [pa.float32()]
    assert plain.column("d").to_pylist() == plain.column("v").to_pylist() == ["x", None, None]
    assert plain.column("f").null_count == 2
