"""A fingerprint of a table: of its names and values, not of the file that held them."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from certo.containers import MAX_EXACT_INTEGER
from certo.data.problem import Problem

BY_BLOCKS = "by blocks "  # How the fingerprint of a table that was read by blocks begins.


def fingerprint(table: pa.Table) -> str:
    """SHA-256 of the names and values of all columns, rows in order: the same for the same table
    in CSV and in Parquet, different for any changed, moved or missing cell or name.

    The table is one that `columns.as_table` made. Every part is preceded by its length, so that
    no two tables give the same bytes.
    """
    seen = hashlib.sha256(f"certo table 1 {table.num_rows} {table.num_columns}\n".encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        array = column.combine_chunks()
        missing = array.is_null().to_numpy(zero_copy_only=False)
        for part in (name.encode(), np.packbits(missing).tobytes(), *_values(array)):
            seen.update(len(part).to_bytes(8, "little"))
            seen.update(part)
    return seen.hexdigest()


def _values(array: pa.Array) -> Iterator[bytes]:
    """What kind of values these are, and the values, in one form for one meaning."""
    kind = array.type
    if array.null_count == len(array):
        yield b"nothing"  # An empty column has no type in CSV.
    elif pa.types.is_boolean(kind):
        yield b"truths"
        yield np.packbits(pc.fill_null(array, False).to_numpy(zero_copy_only=False)).tobytes()
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = pc.fill_null(array, 0).to_numpy(zero_copy_only=False)
        largest = max(int(values.max()), -int(values.min())) if values.dtype.kind in "iu" else 0
        if largest > MAX_EXACT_INTEGER:
            yield b"integers"
            yield values.astype("<i8" if values.dtype.kind == "i" else "<u8").tobytes()
        else:
            yield b"numbers"
            yield (values.astype("<f8") + 0.0).tobytes()  # + 0.0: −0 is 0
    elif pa.types.is_timestamp(kind):
        times = _finest(array)
        yield f"times {times.type}".encode()
        yield pc.fill_null(times.cast(pa.int64()), 0).to_numpy().astype("<i8").tobytes()
    else:
        cells = [b"" if cell is None else str(cell).encode() for cell in _cells(array)]
        yield b"text"
        yield np.array([len(cell) for cell in cells], "<i8").tobytes()
        yield b"".join(cells)


def _cells(array: pa.Array) -> list:
    """The values, in a form that has a text: days and durations that Python's calendar does not
    reach are counted."""
    try:
        return array.to_pylist()
    except (OverflowError, ValueError) as wrong:
        kind = array.type
        try:
            counts = array.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64())
        except pa.ArrowException:  # The values are nested.
            raise Problem(
                f"the table has a column of {kind} with a value that cannot be read ({wrong}). "
                "Leave the column out of the file."
            ) from wrong
        return [None if count is None else f"{count} of {kind}" for count in counts.to_pylist()]


def _finest(times: pa.Array) -> pa.Array:
    """In nanoseconds, or microseconds where those do not reach (Parquet has no whole seconds), or
    as they are where neither does."""
    for unit in ("ns", "us"):
        with contextlib.suppress(pa.ArrowInvalid):
            return times.cast(pa.timestamp(unit, times.type.tz))
    return times
