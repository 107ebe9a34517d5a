"""Tables in files that Arrow reads: Parquet, Arrow (Feather) and folders of CSV files.

A block is a part of a row group of a Parquet file, or of a record batch, so that no more than a row
group is ever in memory. What can be known before rows are read is looked at when the table is
opened: that every file can be opened, and has the columns, with types that are numbers. Whatever is
wrong with a file is said with its name, and its row group where it has some. A file that is changed
between two passes is noticed by its size and time.

A column that names of folders give (year=2026) has the same value in all rows of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from certo.containers import inexact_integers
from certo.scale.blocks import Block, Blocks, rows_per_block

BUFFER_BYTES = 2**18  # Of each column; unbuffered, those of a row group are read as a whole.

#: What turns a record batch into X, where columns are not numbers already.
Encode = Callable[[pa.RecordBatch], Any]


class Part(NamedTuple):
    """A row group of a Parquet file, or another file as a whole."""

    fragment: Any
    group: int | None
    rows: int
    bytes: int
    of_folder: dict[str, pa.Scalar]  # Columns that folders give.
    stamp: tuple[int, Any] | None  # Size and time of the file when the table was opened.

    @property
    def place(self) -> str:
        group = "" if self.group is None else f", row group {self.group}"
        return f"{_path(self.fragment)}{group}"


class BadFile(ValueError):
    """A file among many cannot be used: which one, and why."""


class ArrowBlocks(Blocks):
    """The rows of a pyarrow dataset, its files in the dataset's order.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    target : str or None
        The column that is y.
    columns : sequence of str or None
        Those of X, in this order; None: all but the target.
    drop : names or None
        Columns that are left out, where all others must be in all files; None: some may have more.
    encode : function of a record batch, or None
        Gives X of the rows; then `width` is its number of columns, and `names` are theirs.
    answers : function of a record batch, or None
        Gives y of the rows; None: the target as it is.
    keep : function of (first row, number of rows), or None
        Gives a mask of the rows to use, the others being left out; then `rows` is their number.
    """

    def __init__(
        self,
        dataset: ds.Dataset,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        *,
        encode: Encode | None = None,
        width: int | None = None,
        names: Sequence[str] | None = None,
        answers: Encode | None = None,
        keep: Callable[[int, int], np.ndarray] | None = None,
        rows: int | None = None,
        drop: Collection[str] | None = None,
    ):
        self.dataset, self.target, self.encode, self.keep = dataset, target, encode, keep
        self.answers = answers
        known = dataset.schema.names
        if target is not None and target not in known:
            raise BadFile(f"there is no column {target!r} to predict; there are {_some(known)}.")
        if columns is None:
            columns = [name for name in known if name != target]
            drop = () if drop is None else drop
        self.read = list(columns)
        if missing := [name for name in columns if name not in known]:
            raise BadFile(f"there is no column {missing[0]!r}; there are {_some(known)}.")
        self.parts = list(
            _parts(dataset, [*self.read, *([] if target is None else [target])], drop)
        )
        types = [dataset.schema.field(name).type for name in self.read]
        if encode is None:
            for name, kind in zip(self.read, types, strict=True):
                _require_numbers(name, kind)
        small = all(pa.types.is_float32(kind) or pa.types.is_float16(kind) for kind in types)
        dtype = np.float32 if small and encode is None and types else np.float64
        total = sum(part.rows for part in self.parts)
        shape = (total if rows is None else rows, len(self.read) if width is None else width)
        if not shape[0]:
            raise BadFile("the files hold no rows.")
        super().__init__(shape, dtype, tuple(self.read if names is None else names))
        self.step = rows_per_block(self.shape[1])

    @property
    def count(self) -> int:
        return sum(-(-part.rows // self.step) for part in self.parts)

    @property
    def bytes(self) -> int:
        """Bytes in the files, of all columns."""
        return sum(part.bytes for part in self.parts)

    def _blocks(self) -> Iterator[Block]:
        for part, kept, start in self.kept_parts():
            yield from self.blocks_of(part, kept, start)

    def kept_parts(self) -> Iterator[tuple[Part, np.ndarray | None, int]]:
        """The parts, a mask of the rows of each that are used (None: all), and the number of the
        first one used."""
        first = start = 0
        for part in self.parts:
            kept = None if self.keep is None else self.keep(first, part.rows)
            yield part, kept, start
            first += part.rows
            start += part.rows if kept is None else int(np.count_nonzero(kept))

    def blocks_of(self, part: Part, kept: np.ndarray | None, start: int) -> Iterator[Block]:
        """The blocks of a part."""
        seen = 0
        for batch in self.batches(part):
            some = None if kept is None else kept[seen : seen + batch.num_rows]
            seen += batch.num_rows
            if seen > part.rows:
                break
            if some is not None and not np.all(some):
                batch = batch.filter(pa.array(some))
            if not batch.num_rows:
                continue
            yield Block(self._numbers(batch, part), self._target_of(batch, part), start, part.place)
            start += batch.num_rows
        if seen != part.rows:
            raise BadFile(f"{part.place} has not the {part.rows:,} rows that it had at first.")

    def batches(self, part: Part) -> Iterator[pa.RecordBatch]:
        """The record batches of a part, of at most `step` rows."""
        wanted = [*self.read, *([] if self.target is None else [self.target])]
        stored = [name for name in wanted if name not in part.of_folder]
        require_unchanged(part)
        try:
            for batch in _batches(part, stored, self.step):
                yield _completed(batch, wanted, part.of_folder)
        except (pa.ArrowException, OSError) as wrong:
            raise BadFile(f"{part.place} cannot be read: {_line(wrong)}") from wrong
        require_unchanged(part)

    def _numbers(self, batch: pa.RecordBatch, part: Part) -> Any:
        if self.encode is not None:
            return self.encode(batch)
        X = np.empty((batch.num_rows, len(self.read)), self.dtype)
        for j, name in enumerate(self.read):
            column = batch.column(name)
            if column.null_count:
                raise BadFile(
                    f"{part.place} has a missing value in column {name!r}. Leave such rows out, or "
                    "fill them in."
                )
            values = column.to_numpy(zero_copy_only=False)
            if values.dtype.kind in "iu" and inexact_integers(values).any():
                raise BadFile(
                    f"{part.place} has integers in column {name!r} that float64 cannot hold. Leave "
                    "it out, or subtract a constant."
                )
            X[:, j] = values
        return X

    def _target_of(self, batch: pa.RecordBatch, part: Part) -> np.ndarray | None:
        if self.answers is not None:
            return np.asarray(self.answers(batch))
        if self.target is None:
            return None
        column = batch.column(self.target)
        if column.null_count:
            raise BadFile(f"{part.place} has a missing value in the target {self.target!r}.")
        values = column.to_numpy(zero_copy_only=False)
        return values.astype(str) if values.dtype == object else values


def _parts(dataset: ds.Dataset, columns: list[str], drop: Collection[str] | None) -> Iterator[Part]:
    if not hasattr(dataset, "get_fragments"):
        raise TypeError(f"a pyarrow dataset is needed, got {type(dataset).__name__}.")
    first: tuple[str, set[str]] | None = None
    for fragment in dataset.get_fragments():
        where = _path(fragment)
        try:
            of_folder = {
                name: pa.scalar(value, dataset.schema.field(name).type)
                for name, value in ds.get_partition_keys(fragment.partition_expression).items()
                if name in columns and name not in fragment.physical_schema.names
            }
            stored = [name for name in columns if name not in of_folder]
            own = fragment.physical_schema
            _require_same(where, own, dataset.schema, stored)
            first = first or (where, {*own.names})
            if drop is not None and (more := {*own.names} - first[1] - {*columns, *drop}):
                raise BadFile(f"{first[0]} has no column {min(more)!r}, which {where} has.")
            stamp = _stamp(fragment)
            if isinstance(fragment, ds.ParquetFileFragment):
                file = fragment.metadata
                for group in [g.id for g in fragment.row_groups]:
                    known = file.row_group(group)
                    size = known.total_byte_size
                    yield Part(fragment, group, known.num_rows, size, of_folder, stamp)
            else:
                yield Part(fragment, None, fragment.count_rows(), stamp[0], of_folder, stamp)
        except (pa.ArrowException, OSError) as wrong:
            raise BadFile(f"{where} cannot be read: {_line(wrong)}") from wrong


def _batches(part: Part, columns: list[str], step: int) -> Iterator[pa.RecordBatch]:
    """A row group of a Parquet file is decoded piece by piece, so that it is never whole in
    memory."""
    fragment = part.fragment
    if part.group is not None:
        with (
            fragment.filesystem.open_input_file(fragment.path) as source,
            pq.ParquetFile(source, pre_buffer=False, buffer_size=BUFFER_BYTES) as file,
        ):
            yield from file.iter_batches(
                step, row_groups=[part.group], columns=columns, use_threads=False
            )
        return
    scanned = fragment.to_batches(
        columns=columns, batch_size=step, batch_readahead=1, fragment_readahead=1
    )
    for batch in scanned:
        for start in range(0, batch.num_rows, step):
            yield batch.slice(start, step)


def _completed(
    batch: pa.RecordBatch, names: list[str], of_folder: dict[str, pa.Scalar]
) -> pa.RecordBatch:
    """The batch with the columns that folders give, and texts in a form that Arrow can filter."""
    views = [field.name for field in batch.schema if pa.types.is_string_view(field.type)]
    if not of_folder and not views:
        return batch
    arrays = []
    for name in names:
        if name in of_folder:
            arrays.append(pa.repeat(of_folder[name], batch.num_rows))
        else:
            column = batch.column(name)
            arrays.append(column.cast(pa.string()) if name in views else column)
    return pa.RecordBatch.from_arrays(arrays, names)


def _path(fragment: Any) -> str:
    """Where it is; a table in memory has no path."""
    return getattr(fragment, "path", "") or "the table"


def _stamp(fragment: Any) -> tuple[int, Any]:
    """Size and time of a file."""
    if not getattr(fragment, "path", ""):
        return 0, None
    known = fragment.filesystem.get_file_info(fragment.path)
    return int(known.size or 0), known.mtime_ns


def require_unchanged(part: Part) -> None:
    """The file is what it was when the table was opened, as far as size and time tell."""
    if part.stamp is not None and _stamp(part.fragment) != part.stamp:
        raise BadFile(
            f"{_path(part.fragment)} has been changed meanwhile: it has not the size and time that "
            "it had when the table was opened."
        )


def _require_same(where: str, own: pa.Schema, whole: pa.Schema, columns: list[str]) -> None:
    """A file has all columns, with numbers where the others have numbers."""
    for name in columns:
        if name not in own.names:
            raise BadFile(f"{where} has no column {name!r}, which the other files have.")
        mine, theirs = own.field(name).type, whole.field(name).type
        if pa.types.is_null(mine) or pa.types.is_null(theirs):
            continue  # No row has a value there.
        if _is_number(mine) != _is_number(theirs) or (
            mine != theirs and not (_is_number(mine) or _is_text(mine) == _is_text(theirs))
        ):
            raise BadFile(
                f"{where} has {mine} in column {name!r}, where other files have {theirs}."
            )


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view
    return any(is_one(kind) for is_one in texts)


def _require_numbers(name: str, kind: pa.DataType) -> None:
    if not _is_number(kind):
        raise BadFile(
            f"column {name!r} holds {kind}, where numbers are needed. certo fit encodes a table's "
            "columns; in Python, choose columns that are numbers."
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def _line(wrong: Exception) -> str:
    said = (str(wrong).splitlines() or [type(wrong).__name__])[0]
    if "CSV conversion error" in said:
        said += ". A column of CSV is read as its first megabyte looks: correct the cell, or write "
        said += "the table as Parquet"
    return said
