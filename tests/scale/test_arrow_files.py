"""Parquet, Arrow and CSV: the same rows as in memory, and bad files named before any work."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from certo.scale import ArrowBlocks, open_blocks
from certo.scale.arrow_files import BadFile
from tests.scale.scenes import table, write_parquet

X, TWO, _, _ = table(2000, dtype=np.float32)


def rows_of(blocks):
    return np.vstack([block.X for block in blocks])


def test_parquet_in_odd_row_groups(tmp_path):
    names = write_parquet(tmp_path, X, TWO)
    blocks = open_blocks(tmp_path, "y")
    assert blocks.shape == X.shape
    assert blocks.dtype == np.float32
    assert list(blocks.columns) == names
    np.testing.assert_array_equal(rows_of(blocks), X)
    np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), TWO)
    assert "row group 0" in next(iter(blocks)).place
    assert sum(1 for _ in blocks) == blocks.count


@pytest.mark.parametrize("kind", ["feather", "csv"])
def test_other_formats(tmp_path, kind):
    whole = pa.table({**{f"x{j}": X[:, j].astype(float) for j in range(4)}, "y": TWO})
    path = tmp_path / f"t.{kind}"
    (pf.write_feather if kind == "feather" else pc.write_csv)(whole, path)
    np.testing.assert_array_equal(rows_of(open_blocks(path, "y")), X)


def test_rows_that_are_not_kept_are_left_out(tmp_path):
    write_parquet(tmp_path, X, TWO)
    keep = np.arange(len(X)) % 3 > 0
    blocks = ArrowBlocks(
        ds.dataset(tmp_path),
        "y",
        keep=lambda first, n: keep[first : first + n],
        rows=int(keep.sum()),
    )
    np.testing.assert_array_equal(rows_of(blocks), X[keep])


def test_a_file_without_a_column_is_named(tmp_path):
    write_parquet(tmp_path, X, TWO)
    pq.write_table(pa.table({"x0": X[:, 0], "y": TWO}), tmp_path / "c.parquet")
    with pytest.raises(BadFile, match=r"c\.parquet has no column 'x1'"):
        open_blocks(tmp_path, "y")


def test_a_file_with_other_types_is_named(tmp_path):
    names = write_parquet(tmp_path, X, TWO)
    columns = {name: X[:, j] for j, name in enumerate(names)} | {"x2": TWO, "y": TWO}
    pq.write_table(pa.table(columns), tmp_path / "c.parquet")
    with pytest.raises(BadFile, match=r"c\.parquet has string in column 'x2'"):
        open_blocks(tmp_path, "y")


def test_a_file_that_is_cut_off_is_named(tmp_path):
    write_parquet(tmp_path, X, TWO)
    whole = (tmp_path / "b.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadFile, match=r"b\.parquet cannot be read"):
        open_blocks(tmp_path, "y")


def test_a_row_group_that_is_damaged_is_named(tmp_path):
    write_parquet(tmp_path, X, TWO)
    damaged = bytearray((tmp_path / "b.parquet").read_bytes())
    place = pq.read_metadata(tmp_path / "b.parquet").row_group(2).column(0)
    start = place.dictionary_page_offset or place.data_page_offset
    damaged[start : start + place.total_compressed_size] = bytes(place.total_compressed_size)
    (tmp_path / "b.parquet").write_bytes(damaged)
    with pytest.raises(BadFile, match=r"b\.parquet, row group 2 cannot be read"):
        rows_of(open_blocks(tmp_path, "y"))


def test_missing_values_and_columns_are_said():
    whole = pa.table({"x": pa.array([1.0, None]), "y": ["a", "b"]})
    with pytest.raises(BadFile, match="missing value in column 'x'"):
        rows_of(ArrowBlocks(ds.dataset(whole), "y"))
    with pytest.raises(BadFile, match="there is no column 'z' to predict"):
        ArrowBlocks(ds.dataset(whole), "z")
    with pytest.raises(BadFile, match="holds string, where numbers are needed"):
        ArrowBlocks(ds.dataset(whole), "x")


def test_a_first_file_without_a_column_is_named(tmp_path):
    """The columns of a dataset are those of its first file: none is left out in silence."""
    write_parquet(tmp_path, X, TWO)
    pq.write_table(pa.table({"x0": X[:, 0], "y": TWO}), tmp_path / "0.parquet")
    with pytest.raises(BadFile, match=r"0\.parquet has no column 'x1', which .*a\.parquet has"):
        open_blocks(tmp_path, "y")
    used = ArrowBlocks(ds.dataset(sorted(map(str, tmp_path.iterdir()))), "y", ["x0"])
    assert used.shape == (len(X) + len(X), 1)  # Columns that are asked for are enough.


def test_folders_give_columns(tmp_path):
    for year, rows in ((2025, slice(0, 700)), (2026, slice(700, None))):
        (tmp_path / f"year={year}").mkdir()
        part = pa.table({"x0": X[rows, 0], "y": TWO[rows]})
        pq.write_table(part, tmp_path / f"year={year}" / "part.parquet", row_group_size=300)
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "part.parquet").write_text("no table")
    blocks = open_blocks(tmp_path, "y")
    years = np.where(np.arange(len(X)) < 700, 2025, 2026)
    np.testing.assert_array_equal(rows_of(blocks), np.column_stack([X[:, 0], years]))


def test_files_without_rows_count_for_nothing(tmp_path):
    whole = pa.table({"x0": X[:, 0].astype(float), "y": TWO})
    for k, part in enumerate((whole.slice(0, 0), whole, whole.slice(0, 0))):
        pc.write_csv(part, tmp_path / f"{k}.csv")
    np.testing.assert_array_equal(
        rows_of(ArrowBlocks(ds.dataset(str(tmp_path / "1.csv"), format="csv"), "y")), X[:, :1]
    )
    assert ArrowBlocks(
        ds.dataset([str(tmp_path / f"{k}.csv") for k in (1, 2)], format="csv"), "y"
    ).shape == (len(X), 1)


def test_a_file_that_changes_between_passes_is_named(tmp_path):
    write_parquet(tmp_path, X, TWO)
    blocks = open_blocks(tmp_path, "y")
    assert sum(block.rows for block in blocks) == len(X)
    path = sorted(tmp_path.iterdir())[-1]
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(BadFile, match=f"{path.name} has been changed meanwhile"):
        list(blocks)


def test_texts_in_views_and_integers_that_are_too_long(tmp_path):
    path = tmp_path / "t.parquet"
    labels = pa.array(list(map(str, TWO)), pa.string_view())
    pq.write_table(pa.table({"x0": X[:, 0], "y": labels}), path)
    keep = np.arange(len(X)) % 2 == 0
    some = ArrowBlocks(
        ds.dataset(path), "y", keep=lambda first, n: keep[first : first + n], rows=int(keep.sum())
    )
    np.testing.assert_array_equal(np.concatenate([b.y for b in some]), TWO[keep].astype(str))
    pq.write_table(pa.table({"x0": np.arange(9) + 2**60, "y": TWO[:9]}), path)
    with pytest.raises(BadFile, match="integers in column 'x0' that float64 cannot hold"):
        list(open_blocks(path, "y"))
