"""Parquet files, and files of Arrow's own format (also called Feather)."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from certo.data.csv_files import source
from certo.data.files import check_inflated


def read_parquet(path: Path, content: bytes | None) -> pa.Table:
    from pyarrow import parquet

    with source(path, content)() as stored, parquet.ParquetFile(stored) as file:
        about = file.metadata
        _check_size(path, about.num_rows, about.num_columns, stored.size())
        table = file.read()
    table.validate(full=True)  # Invalid text and invalid offsets are refused here.
    return table


def read_arrow(path: Path, content: bytes | None) -> pa.Table:
    from pyarrow import dataset

    opened = source(path, content)
    with opened() as stored:
        # Rows are counted without inflating anything.
        rows = dataset.IpcFileFormat().make_fragment(stored).count_rows()
    with opened() as stored, pa.ipc.open_file(stored) as file:
        _check_size(path, rows, len(file.schema), stored.size())
        table = file.read_all()
    table.validate(full=True)
    return table


def _check_size(path: Path, rows: int, columns: int, stored: int) -> None:
    check_inflated(path, 8 * rows * columns, stored)  # Bytes, with 8 for each number.
