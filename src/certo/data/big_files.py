"""Files of a table that is larger than memory: looked over in one pass, and encoded block by block.

The first pass looks at every row: kinds and missing values, means, deviations and levels of the
rows that are not held out, the classes, and a fingerprint. So whatever is wrong with one file among
many is said, with its name and row group, before a fit begins.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from certo.data import columns, word_counts
from certo.data.csv_files import csv_format
from certo.data.encoder import TableEncoder, advice_in_fit, advice_in_verify, new_level_encoder
from certo.data.fingerprint import BY_BLOCKS
from certo.data.problem import Problem, problems_of
from certo.issue.regression.row_sums import RowSums
from certo.scale.arrow_files import ArrowBlocks, BadFile
from certo.scale.first_look import MAX_CLASSES
from certo.scale.opening import files_of, open_dataset
from certo.solvers.moments import centred_moments
from certo.words.reader import setting

#: A table is read block by block if in memory it would take more than this share of all memory.
MAX_MEMORY_SHARE = 0.25
NUMBER_BYTES = 8 * 3  # Bytes that a cell takes in memory: the number, encoded, and a copy.
MAX_LEVELS = 10_000  # A category with more different values names the rows.
MAX_DENSE_WIDTH = 500  # With more features than this, levels are kept sparse.
STREAMED = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".csv")


def memory_needed(path: Path) -> int | None:
    """Bytes that the table would take in memory, about; None, if it cannot be read by blocks."""
    if path.is_dir():
        return int(np.iinfo(np.int64).max)
    if not path.is_file() or path.suffix.lower() not in STREAMED:
        return None
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        try:
            known = pq.read_metadata(path)
        except (pa.ArrowException, OSError):
            return None
        return int(known.num_rows * known.num_columns * NUMBER_BYTES)
    return 3 * path.stat().st_size


def memory_here() -> int:
    """Bytes of memory of this machine."""
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def is_too_large(path: Path) -> bool:
    """Whether a table is read block by block."""
    needed = memory_needed(path)
    return needed is not None and needed > MAX_MEMORY_SHARE * memory_here()


class Fingerprint:
    """SHA-256 of the names, types and values of some columns, rows in order, wherever the rows are
    cut: each column has a digest of its own, which goes on from block to block."""

    def __init__(self, names: Sequence[str]):
        # Of each column: its type and values, the lengths of texts, and where values are missing.
        self.columns = {name: [hashlib.sha256() for _ in range(3)] for name in names}
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        for name, (values, lengths, missing) in self.columns.items():
            column = table.column(name).combine_chunks()
            if not self.rows:
                values.update(str(column.type).encode())
            if column.null_count:
                there = column.is_valid().to_numpy(zero_copy_only=False)
                missing.update((self.rows + np.flatnonzero(~there)).astype("<i8").tobytes())
            if columns.is_text(column.type):
                long, content = _text_bytes(column)
                lengths.update(np.ascontiguousarray(long, "<i8").data)
                values.update(content)
            elif pa.types.is_primitive(column.type) and not pa.types.is_temporal(column.type):
                known = pc.fill_null(column, 0) if column.null_count else column
                if pa.types.is_boolean(column.type):
                    known = known.cast(pa.uint8())
                values.update(np.ascontiguousarray(known.to_numpy(zero_copy_only=False)).data)
            else:
                for cell in column.to_pylist():
                    values.update(f"{cell!r}\n".encode())
        self.rows += table.num_rows

    def digest(self) -> str:
        whole = hashlib.sha256(f"certo blocks 1 {self.rows} {len(self.columns)}\n".encode())
        for name, parts in self.columns.items():
            digests = " ".join(part.hexdigest() for part in parts)
            whole.update(f"{len(name)} {name} {digests}\n".encode())
        return BY_BLOCKS + whole.hexdigest()


def _text_bytes(column: pa.Array) -> tuple[np.ndarray, pa.Buffer]:
    """The lengths of texts in bytes, and the texts one after another; a missing one is empty."""
    column = pc.fill_null(column, "").cast(pa.string())
    _, places, content = column.buffers()
    ends = np.frombuffer(places, np.int32)[column.offset : column.offset + len(column) + 1]
    first, last = int(ends[0]), int(ends[-1])
    return np.diff(ends), b"" if content is None else content.slice(first, last - first)


class Batch(NamedTuple):
    """Some rows of the files."""

    table: pa.Table
    first: int  # The number of the first row in all files, counting from 0.
    place: str

    @property
    def where(self) -> str:
        return f"{self.place} (rows from {self.first + 1:,} of all)"


def dataset_of(path: Path) -> tuple[Any, list[str]]:
    """The files as a pyarrow dataset, CSV files as the first of them is written; and notes."""
    kind, files = files_of(path)
    if kind != "csv":
        return open_dataset(path), []
    form, notes = csv_format(files[0])
    return open_dataset(path, form), notes


class Files:
    """The files of a table, of which some columns are read."""

    def __init__(self, path: Path, target: str, names: Sequence[str] | None, drop: Sequence[str]):
        self.path, self.target = path, target
        try:
            self.dataset, self.notes = dataset_of(path)
            known = self.dataset.schema.names
            for name in (target, *drop):
                if name not in known:
                    what = "target column" if name == target else "column"
                    shown = ", ".join(map(repr, known[:12])) + ", …" * (len(known) > 12)
                    raise Problem(
                        f"there is no {what} {name!r}. The table has the columns {shown}.",
                        column=name,
                    )
            left = [name for name in known if name not in (target, *drop)]
            self.names = left if names is None else list(names)
            self.reader = ArrowBlocks(
                self.dataset, target, self.names, encode=lambda batch: batch,
                width=len(self.names), drop=drop if names is None else None,
            )  # fmt: skip
        except BadFile as wrong:
            raise Problem(str(wrong)) from wrong
        self.rows = sum(part.rows for part in self.reader.parts)

    def batches(self) -> Iterator[Batch]:
        first = 0
        for part in self.reader.parts:
            try:
                for batch in self.reader.batches(part):
                    if not batch.num_rows:
                        continue
                    yield Batch(as_plain(batch), first, part.place)
                    first += batch.num_rows
            except BadFile as wrong:
                raise Problem(str(wrong)) from wrong


def as_plain(batch: pa.RecordBatch) -> pa.Table:
    """The rows in the form that `columns.as_table` promises. Numbers without a NaN have it."""
    if all(_is_plain(column) for column in batch.columns):
        return pa.Table.from_batches([batch])
    return columns.as_table(pa.Table.from_batches([batch]))


def _is_plain(column: pa.Array) -> bool:
    kind = column.type
    if columns.is_text(kind):
        return not pc.any(pc.equal(column, "")).as_py()
    if not (pa.types.is_float32(kind) or pa.types.is_float64(kind)) or column.null_count:
        return pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.sum(column.to_numpy(), dtype=np.float64)))


@dataclass
class _Numbers:
    """Count, means and sums of squared deviations of columns, and ranges (Chan et al. 1983)."""

    count: int
    mean: np.ndarray
    squares: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> _Numbers:
        mean = values.mean(axis=0)
        squares = np.sum((values - mean) ** 2, axis=0)
        return cls(len(values), mean, squares, values.min(axis=0), values.max(axis=0))

    @classmethod
    def of_sums(cls, known: RowSums) -> _Numbers:
        """Of x. A column that is constant was shifted to 0 exactly; the range of another is not
        known, and here merely not empty."""
        of_all = centred_moments(known.shift, known.gram, True)
        d = len(known.shift) - 1
        squares = np.diag(of_all.products)[:d].copy()
        return cls(known.rows, of_all.mean[:d], squares, np.zeros(d), squares)

    def __add__(self, other: _Numbers) -> _Numbers:
        count = self.count + other.count
        apart = other.mean - self.mean
        return _Numbers(
            count, self.mean + apart * (other.count / count),
            self.squares + other.squares + apart**2 * (self.count * other.count / count),
            np.minimum(self.low, other.low), np.maximum(self.high, other.high),
        )  # fmt: skip


@dataclass
class Overview:
    """What the first pass saw."""

    files: Files
    kinds: dict[str, str]
    numbers: _Numbers | None
    levels: dict[str, list[str]]
    test_levels: dict[str, Counter[str]]  # Of the rows held out, with how many rows have each.
    training: np.ndarray  # For every row whether it is fitted to,
    test: np.ndarray  # or held out to test.
    left_out: int
    values: set[Any]  # Values of the target, up to columns.MAX_WHOLE_CLASSES + 1 of them.
    whole: bool
    is_text: bool
    fingerprint: str
    sums: RowSums | None = None  # Of the rows fitted to, before x is scaled, if all x are numbers.

    @property
    def learns(self) -> str:
        """Whether the target is classes or numbers, as its values look."""
        few = self.whole and len(self.values) <= columns.MAX_WHOLE_CLASSES
        return "classes" if self.is_text or few else "numbers"


def overview(
    path: Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    category: Sequence[str] = (),
    missing: str = "refuse",
    held_out: Callable[[int], np.ndarray] | None = None,
    tell: Callable[[int, int], None] | None = None,
    sums: bool | None = False,
) -> Overview:
    """The first pass; `held_out` says which of so many rows are held out to test. With `sums` those
    that least squares needs are made, too, if the table holds numbers alone; None: if, besides, the
    target does not look like classes."""
    files = Files(path, target, None, drop)
    unseen = np.zeros(files.rows, dtype=bool) if held_out is None else held_out(files.rows)
    complete = np.ones(files.rows, dtype=bool)
    seen = Fingerprint([*files.names, target])
    kinds: dict[str, str] = {}
    numbers: _Numbers | None = None
    levels: dict[str, set[str]] = {}
    test_levels: dict[str, Counter[str]] = {}
    values: set[Any] = set()
    whole, is_text = True, False
    summed = None
    if sums is not False:
        from certo.scale.least_squares import Summed  # Other fits do without.

        summed = Summed()
    for batch in files.batches():
        table, here = batch.table, slice(batch.first, batch.first + batch.table.num_rows)
        seen.add(table)
        with problems_of(batch.where):
            if not kinds:
                kinds = {name: _kind(table, name, category) for name in files.names}
                columns.kind_of(table.column(target), target, True)  # Refuses dates, lists, …
                is_text = columns.is_text(table.column(target).type)
                levels = {n: set() for n, kind in kinds.items() if kind == columns.CATEGORY}
                test_levels = {name: Counter() for name in levels}
                if levels or is_text or len(kinds) > MAX_DENSE_WIDTH:
                    summed = None
            complete[here] = complete_rows(table, [*files.names, target], missing)
            used = complete[here] & ~unseen[here]
            found = [
                _numbers(table.column(name), name)
                for name, kind in kinds.items()
                if kind == columns.NUMBER
            ]
        told_apart = table.select([*levels, target])
        rows, others = (told_apart.filter(pa.array(k)) for k in (used, complete[here] & ~used))
        for name, held in test_levels.items():
            if len(held) <= MAX_LEVELS:
                texts = others.column(name).cast(pa.string())
                held.update({n["values"]: n["counts"] for n in pc.value_counts(texts).to_pylist()})
        for name, known in levels.items():
            known.update(pc.unique(rows.column(name).cast(pa.string())).to_pylist())
            if len(known) > MAX_LEVELS:
                raise Problem(
                    f"{batch.where}: column {name!r} has more than {MAX_LEVELS:,} different "
                    "values, too many for a category. Leave it out with "
                    f"{setting('drop', [name])}.",
                    column=name,
                )
        if is_text:
            values.update(pc.unique(rows.column(target)).to_pylist())
        elif len(values) <= columns.MAX_WHOLE_CLASSES:
            values.update(
                pc.unique(rows.column(target)).to_pylist()[: columns.MAX_WHOLE_CLASSES + 1]
            )
        whole = whole and all(v is None or float(v).is_integer() for v in values if not is_text)
        if sums is None and whole and len(values) <= columns.MAX_WHOLE_CLASSES:
            summed = None  # In the first batch, or never.
        if found and used.any():
            places = np.flatnonzero(used)
            X = np.empty((places.size, len(found)))
            for j, column in enumerate(found):
                X[:, j] = column.take(places)
            if summed is not None:
                summed.add(X, columns.numbers(table.column(target), target)[places], batch.where)
            else:
                part = _Numbers.of(X)
                numbers = part if numbers is None else numbers + part
        if len(values) > MAX_CLASSES:
            raise Problem(f"the target {target!r} has more than {MAX_CLASSES:,} different texts.")
        if tell is not None:
            tell(here.stop, files.rows)
    training = complete & ~unseen
    if not training.any():
        raise Problem("no row is left to fit to.")
    all_sums = None if summed is None else summed.known
    if all_sums is not None:
        numbers = _Numbers.of_sums(all_sums)
    return Overview(
        files, kinds, numbers, {name: sorted(known) for name, known in levels.items()},
        test_levels, training, complete & unseen, int(np.count_nonzero(~complete)), values, whole,
        is_text, seen.digest(), all_sums,
    )  # fmt: skip


def _kind(table: pa.Table, name: str, category: Sequence[str]) -> str:
    column = table.column(name)
    kind = columns.kind_of(column, name)
    if name in category:
        return columns.CATEGORY
    if kind == columns.CATEGORY and word_counts.is_prose(column):
        raise Problem(
            f"column {name!r} holds texts of several words, which are not counted block by block. "
            f"Leave it out with {setting('drop', [name])}, or take each text as a level with "
            f"{setting('category', [name])}.",
            column=name,
        )
    return kind


def _numbers(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """As `columns.numbers` has them, but for floats of 32 bits, which stay as they are: none is too
    large, unless it is infinite."""
    if pa.types.is_float32(column.type) and not column.null_count and column.num_chunks == 1:
        values = column.chunk(0).to_numpy()
        if np.isfinite(np.sum(values, dtype=np.float64)):
            return values
    return columns.numbers(column, name)


def complete_rows(table: pa.Table, names: Sequence[str], missing: str) -> np.ndarray:
    """Which rows have a value everywhere; a Problem, if they must."""
    complete = np.ones(table.num_rows, dtype=bool)
    for name in names:
        column = table.column(name)
        if not column.null_count:
            continue
        there = column.is_valid().to_numpy()
        if missing == "refuse":
            row = int(np.argmin(there))
            raise Problem(
                f"column {name!r} must have a value in every row, but row {row + 1:,} of these "
                f"has none. {advice_in_fit()}",
                column=name,
            )
        complete &= there
    return complete


def encoder_of(
    seen: Overview, scale: str, drop: Sequence[str], category: Sequence[str], reference: bool
) -> TableEncoder:
    """The encoder that the rows fitted to ask for."""
    encoder = TableEncoder(scale, tuple(drop), tuple(category), reference, ())
    kinds = seen.kinds
    encoder.number_names_ = [name for name, kind in kinds.items() if kind == columns.NUMBER]
    encoder.category_names_ = [name for name, kind in kinds.items() if kind == columns.CATEGORY]
    encoder.prose_names_, encoder.vocabularies_, encoder.notes_ = [], [], []
    schema = seen.files.dataset.schema
    encoder.text_names_ = [
        name
        for name in encoder.category_names_
        if pa.types.is_string(schema.field(name).type)
        or pa.types.is_large_string(schema.field(name).type)
        or pa.types.is_string_view(schema.field(name).type)
        or pa.types.is_dictionary(schema.field(name).type)
    ]
    encoder.scaler_ = encoder.levels_ = None
    if scale == "standard" and seen.numbers is not None:
        known = seen.numbers
        encoder.scaler_ = StandardScaler().fit(np.zeros((1, len(known.mean))))
        variance = known.squares / known.count
        constant = (known.low == known.high) | (variance == 0)
        encoder.scaler_.mean_, encoder.scaler_.var_ = known.mean, variance
        encoder.scaler_.scale_ = np.where(constant, 1.0, np.sqrt(variance))
        encoder.scaler_.n_samples_seen_ = np.int64(known.count)
    if encoder.category_names_:
        levels = [seen.levels[name] for name in encoder.category_names_]
        longest = max(map(len, levels))
        padded = [part + [part[0]] * (longest - len(part)) for part in levels]
        encoder.levels_ = new_level_encoder().fit(np.array(padded, dtype=object).T)
    return encoder


class Encoded:
    """Record batches as the machine of a model takes them."""

    def __init__(self, encoder: TableEncoder, target: str, measured: bool):
        self.encoder, self.target, self.measured = encoder, target, measured
        self.width = len(encoder.get_feature_names_out())

    def features(self, table: pa.Table | pa.RecordBatch) -> Any:
        if isinstance(table, pa.RecordBatch):
            table = as_plain(table)
        if (X := self._of_numbers(table)) is not None:
            return X
        X = self.encoder.encode(table, advice_in_verify)
        if self.width > MAX_DENSE_WIDTH:
            return X if sparse.issparse(X) else sparse.csr_array(X)
        return X.toarray() if sparse.issparse(X) else X

    def _of_numbers(self, table: pa.Table) -> np.ndarray | None:
        """What the encoder gives of columns that are all floats without missing values, bit for
        bit; None of others, and of numbers that it would refuse."""
        encoder, parts = self.encoder, []
        if encoder.levels_ is not None or encoder.prose_names_:
            return None
        for name in encoder.number_names_:
            column = table.column(name)
            small = pa.types.is_float32(column.type) or pa.types.is_float64(column.type)
            if not small or column.null_count or column.num_chunks != 1:
                return None
            parts.append(column.chunk(0).to_numpy())
        X = np.empty((table.num_rows, len(parts)))
        for j, values in enumerate(parts):
            X[:, j] = values
        if not max(X.max(initial=0.0), -X.min(initial=0.0)) <= columns.MAX_CELL:
            return None
        if encoder.scaler_ is not None:
            X -= encoder.scaler_.mean_
            X /= encoder.scaler_.scale_
        return X

    def answers(self, table: pa.Table | pa.RecordBatch) -> np.ndarray:
        if isinstance(table, pa.RecordBatch):
            table = as_plain(table)
        if self.measured:
            return columns.numbers(table.column(self.target), self.target)
        return columns.labels(table, self.target)
