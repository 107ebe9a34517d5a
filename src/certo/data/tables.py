"""Tables from CSV and Parquet files: columns by name, and a fingerprint of what they hold."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from certo.data.problem import Problem

NUMBER, CATEGORY = "number", "category"
EXACT = 2**53  # whole numbers up to here are float64 numbers


def read_table(path: str | Path) -> pa.Table:
    """A CSV (also gzipped or bzip2ed) or Parquet file as a table with distinct column names."""
    path = Path(path)
    if not path.exists():
        raise Problem(f"{path}: there is no such file.")
    if path.is_dir():
        raise Problem(f"{path} is a folder; a CSV or Parquet file is needed.")
    if path.stat().st_size == 0:
        raise Problem(f"{path} is empty; a table with a header line and rows is needed.")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            table = pa.parquet.ParquetFile(path).read()
        else:
            table = pa.csv.read_csv(
                path,
                parse_options=pa.csv.ParseOptions(newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(strings_can_be_null=True),
            )
    except (pa.ArrowException, OSError, UnicodeError) as wrong:
        raise Problem(
            f"{path} cannot be read as a table: {_first_line(wrong)} "
            "A CSV file with a header line, or a Parquet file, is needed."
        ) from wrong
    return checked(table, str(path))


def checked(table: pa.Table, where: str) -> pa.Table:
    """The table, if its columns can be told apart and it has rows."""
    twice = [name for name, count in Counter(table.column_names).items() if count > 1]
    if twice:
        raise Problem(
            f"{where}: column names must differ, but {twice[0]!r} occurs more than once "
            f"({len(twice)} such names). Rename the columns."
        )
    if table.num_rows == 0:
        raise Problem(f"{where} has a header but no rows.")
    return table


def _first_line(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return text if text.endswith(".") else text + "."


def kind_of(column: pa.ChunkedArray, name: str) -> str:
    """`NUMBER` or `CATEGORY`, or a Problem for what is neither."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return NUMBER
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return NUMBER
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return CATEGORY
    raise Problem(
        f"column {name!r} holds {column.type}, but only numbers and text can be used. Convert it, "
        f"or leave it out with --drop {name!r}."
    )


def plain(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece, not dictionary-encoded."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """A numeric column as float64, NaN where a value is missing."""
    array = plain(column)
    if not pa.types.is_floating(array.type):
        array = array.cast(pa.float64(), safe=False)
    return array.to_numpy(zero_copy_only=False).astype(np.float64)


def texts(column: pa.ChunkedArray) -> np.ndarray:
    """A text column as an array of str, None where a value is missing."""
    return np.array(plain(column).to_pylist(), dtype=object)


def labels(table: pa.Table, target: str) -> np.ndarray:
    """The target column as labels: text, whole numbers or booleans."""
    column = table.column(target)
    if kind_of(column, target) == CATEGORY:
        return texts(column).astype(str)
    array = plain(column)
    if pa.types.is_integer(array.type) or pa.types.is_boolean(array.type):
        return array.to_numpy(zero_copy_only=False)
    values = numbers(column)
    whole = values == np.rint(values)
    if not np.all(whole):
        row = int(np.flatnonzero(~whole)[0])
        raise Problem(
            f"the target {target!r} must hold classes, but it looks continuous: row {row + 1} has "
            f"{values[row]:g}, and there are {np.unique(values).size:,} different values in "
            f"{values.size:,} rows. Choose a column with classes, or turn it into classes first."
        )
    return values.astype(np.int64)


def fingerprint(table: pa.Table) -> str:
    """SHA-256 of the names and values of all columns, rows in order: the same for the same table
    in CSV and in Parquet, different for any changed, moved or missing cell or name."""
    seen = hashlib.sha256(f"certo table 1 {table.num_rows} {table.num_columns}\n".encode())
    for name in table.column_names:
        array = plain(table.column(name))
        seen.update(_framed(name.encode()))
        seen.update(_framed(np.packbits(array.is_null().to_numpy(zero_copy_only=False)).tobytes()))
        kind = array.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            seen.update(_framed(_number_bytes(array)))
        else:
            cells = [b"" if cell is None else str(cell).encode() for cell in array.to_pylist()]
            lengths = np.array([len(cell) for cell in cells], "<i8")
            seen.update(_framed(b"text" + lengths.tobytes()))
            seen.update(_framed(b"".join(cells)))
    return seen.hexdigest()


def _number_bytes(array: pa.Array) -> bytes:
    filled = pc.fill_null(array, False if pa.types.is_boolean(array.type) else 0)
    values = filled.to_numpy(zero_copy_only=False)
    if values.dtype.kind in "iu" and values.size and max(values.max(), -int(values.min())) > EXACT:
        return b"integers" + values.astype("<i8" if values.dtype.kind == "i" else "<u8").tobytes()
    return b"numbers" + (values.astype("<f8") + 0.0).tobytes()  # + 0.0: −0 is 0


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data
