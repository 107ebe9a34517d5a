"""What estimators read block by block, and what they do not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from certo.scale import ArrayBlocks, as_blocks, is_in_blocks, open_blocks
from certo.scale.arrow_files import BadFile
from tests.scale.scenes import table

X, TWO, _, _ = table(50)


def test_what_is_in_blocks():
    data = ds.dataset(pa.table({"x": X[:, 0], "y": TWO}))
    assert is_in_blocks(data)
    assert is_in_blocks(ArrayBlocks(X))
    assert not any(map(is_in_blocks, (X, X.tolist(), pa.table({"x": X[:, 0]}), None, "x")))
    assert as_blocks(data, "y").shape == (50, 1)
    assert as_blocks(X, TWO).shape == X.shape


def test_targets_are_named_once():
    data = ds.dataset(pa.table({"x": X[:, 0], "y": TWO}))
    with pytest.raises(ValueError, match="y must be the name of the column"):
        as_blocks(data, TWO)
    with pytest.raises(ValueError, match="have their own target"):
        as_blocks(ArrayBlocks(X, TWO), TWO)


def test_paths(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.testing.assert_array_equal(next(iter(open_blocks(tmp_path / "X.npy", TWO))).X, X)
    (tmp_path / "t.txt").write_text("")
    with pytest.raises(BadFile, match="holds no file that can be read in blocks"):
        open_blocks(tmp_path / "t.txt", "y")


def test_formats_are_not_mixed(tmp_path):
    whole = pa.table({"x": X[:, 0], "y": TWO})
    pq.write_table(whole, tmp_path / "a.parquet")
    pc.write_csv(whole, tmp_path / "b.csv")
    with pytest.raises(BadFile, match=r"several formats, such as a\.parquet and b\.csv"):
        open_blocks(tmp_path, "y")
    assert open_blocks(tmp_path / "b.csv", "y").shape == (50, 1)
