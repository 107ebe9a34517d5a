"""certo fit, verify and predict of a table that is read block by block."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.scale.scenes import table

X, TWO, _, V = table(900)


@pytest.fixture
def folder(tmp_path):
    data = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": TWO, "v": V})
    (tmp_path / "data").mkdir()
    pq.write_table(data.slice(0, 300), tmp_path / "data" / "a.parquet", row_group_size=77)
    pq.write_table(data.slice(300), tmp_path / "data" / "b.parquet", row_group_size=500)
    return tmp_path
