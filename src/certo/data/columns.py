"""Tables from files and data frames: columns by name, of numbers or of text."""

from __future__ import annotations

import contextlib
import zlib
from collections import Counter
from collections.abc import Collection
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from certo.certificates.encoding import counted
from certo.containers import MAX_EXACT_INTEGER, inexact_integers
from certo.data import digits
from certo.data.files import opened_content
from certo.data.problem import Problem
from certo.data.readers import read_any
from certo.words.reader import setting

NUMBER, CATEGORY, TEXT = "number", "category", "text"
NUMBERS_MACHINE = "least-squares"  # The machine for a target that is a number.
MAX_WHOLE_CLASSES = 20  # Whole numbers with more different values are numbers to predict.
MAX_CELL = 1e140  # The largest number that float64 can square, and add up.
MAX_EXPONENT = 308  # The largest power of 10 of a number in some column.
DATES_AS_NUMBERS = (
    "Convert dates to numbers first, such as the days since a fixed date (in a spreadsheet "
    "=A2-DATE(2020,1,1); in pandas (pd.to_datetime(column) - pd.Timestamp(2020, 1, 1)).dt.days)."
)
UNREADABLE = (pa.ArrowException, OSError, EOFError, UnicodeError, zlib.error)


class TableFile(NamedTuple):
    """A table as read, and what to know of how it was read."""

    table: pa.Table
    notes: list[str]


FORMATS_NEEDED = (
    "A table is needed: CSV with a header line, Parquet, Arrow, svmlight, .npz or .xlsx."
)


def read_table(path: str | Path, as_text: Collection[str] = ()) -> TableFile:
    """The table of a file, or of standard input for `-`, with distinct column names: see `readers`
    for the formats.

    `as_text`: columns of a CSV file to take as text, even if they look like numbers.
    """
    path, content = opened_content(Path(path))
    try:
        found = TableFile(*read_any(path, content, as_text))
    except UNREADABLE as wrong:
        raise Problem(
            f"{path} cannot be read as a table: {_first_line(wrong)} {FORMATS_NEEDED}"
        ) from wrong
    table, notes = _named(found.table)
    return TableFile(as_table(table, str(path)), [*found.notes, *notes])


def _named(table: pa.Table) -> tuple[pa.Table, list[str]]:
    """The table with names for its columns that have none, if there are several, and a note."""
    names = list(table.column_names)
    places = [k for k, name in enumerate(names) if not name]
    if len(places) < 2:
        return table, []
    given = [f"column{k + 1}" for k in places]
    if not set(given).isdisjoint(names):
        return table, []
    for k, name in zip(places, given, strict=True):
        names[k] = name
    first, *_, last = given
    note = f"{len(given)} columns have no name and are called by their places, {first} to {last}."
    return table.rename_columns(names), [note]


def as_table(data: Any, where: str = "the table") -> pa.Table:
    """An Arrow table, or a data frame that speaks Arrow (pandas, polars), in one form:

    text as `string`, no dictionaries, an empty text or a NaN missing. Refused if columns
    cannot be told apart or if there are no rows.
    """
    try:
        if not isinstance(data, pa.Table):
            is_pandas = type(data).__module__.partition(".")[0] == "pandas"
            data = pa.Table.from_pandas(data, preserve_index=False) if is_pandas else pa.table(data)
    except (TypeError, ValueError, pa.ArrowException) as wrong:
        raise Problem(
            f"a table is needed: an Arrow table, or a pandas or polars data frame, but got "
            f"{type(data).__name__} ({_first_line(wrong)})"
        ) from wrong
    twice = [name for name, count in Counter(data.column_names).items() if count > 1]
    if twice:
        raise Problem(
            f"{where}: column names must differ, but {twice[0]!r} occurs more than once "
            f"({counted(len(twice), 'such name')}). Rename the columns; if there is no "
            f"header line, say so with {setting('no-header')}."
        )
    if data.num_rows == 0:
        raise Problem(f"{where} has a header but no rows. Rows to learn from are needed.")
    return pa.table([_plain(column) for column in data.columns], names=data.column_names)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """One piece, in the form that `as_table` promises."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # The column holds more than 2 GB of text.
            raise Problem("a text column holds more than 2 GB, which is too much. Leave it out.")
    if pa.types.is_string(column.type):
        return pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column


def _first_line(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return text if text.endswith(".") else text + "."


def with_missing(table: pa.Table, words: Collection[str], as_text: Collection[str]) -> pa.Table:
    """The table with these words taken for missing values, and those of them that are numbers in
    columns of numbers, too. A text column whose other cells are all numbers becomes one of
    numbers, unless it is one of `as_text`."""
    if not words:
        return table
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        array = column.combine_chunks()
        unknown = _is_one_of(array, words)
        if unknown is not None:
            array = pc.if_else(unknown, pa.scalar(None, array.type), array)
        if is_text(array.type) and name not in as_text and array.null_count < len(array):
            array = _as_numbers(array)
        columns.append(array)
    return pa.table(columns, names=table.column_names)


def text_columns(
    table: pa.Table, words: Collection[str], as_text: Collection[str], drop: Collection[str]
) -> list[str]:
    """The columns that are text in the table of a fit, and so must be in other files."""
    known = with_missing(table, words, as_text)
    return [part.name for part in known.schema if is_text(part.type) and part.name not in drop]


def words_not_found(table: pa.Table, words: Collection[str]) -> list[str]:
    """Those of the words that stand in no cell."""
    columns, absent = [column.combine_chunks() for column in table.columns], []
    for word in words:
        found = (_is_one_of(column, [word]) for column in columns)
        if not any(pc.any(one).as_py() for one in found if one is not None):
            absent.append(word)
    return absent


def _is_one_of(array: pa.Array, words: Collection[str]) -> pa.Array | None:
    """Which cells are one of the words, or a number that one is; None for what cannot be."""
    kind = array.type
    if is_text(kind):
        return pc.is_in(pc.utf8_trim_whitespace(array), pa.array(list(words), pa.string()))
    if pa.types.is_decimal(kind) and kind.bit_width < 128:  # Arrow cannot compare these.
        array = array.cast(pa.decimal128(38, kind.scale))
    elif kind == pa.float16():
        array = array.cast(pa.float64())
    kind, same = array.type, []
    for number in map(digits.exact_number, words):
        if number is None or number.adjusted() > MAX_EXPONENT:
            continue
        value: Any = number
        if pa.types.is_floating(kind):
            value = float(number)
        elif pa.types.is_integer(kind) and number == number.to_integral_value():
            value = int(number)
        elif not pa.types.is_decimal(kind):
            continue
        with contextlib.suppress(pa.ArrowInvalid, OverflowError):  # No cell can be that number.
            same.append(pa.scalar(value, kind).as_py())
    return pc.is_in(array, pa.array(same, kind)) if same else None


def _as_numbers(array: pa.Array) -> pa.Array:
    trimmed = pc.utf8_trim_whitespace(array)
    for kind in (pa.int64(), pa.float64()):
        try:
            values = _plain(trimmed.cast(kind))
        except pa.ArrowInvalid:
            continue
        if pa.types.is_float64(kind) and digits.may_be_rounded(values.to_numpy(False)):
            with contextlib.suppress(ValueError):  # Numbers that cannot be converted stay text.
                return digits.as_decimals(pa.chunked_array([trimmed]), ".") or values
            return array
        return values
    return array


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind)


def is_whole(kind: pa.DataType) -> bool:
    """Whether all values of a type are integers; those beyond 64 bits are decimals."""
    return pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0)


def kind_of(column: pa.ChunkedArray, name: str, is_target: bool = False) -> str:
    """`NUMBER` or `CATEGORY`, or a Problem for what is neither."""
    kind = column.type
    if is_text(kind):
        return CATEGORY
    kinds = pa.types
    tests = kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal, kinds.is_null
    if any(is_one(kind) for is_one in tests):
        return NUMBER
    how = _conversion(kind)
    if is_target:
        raise Problem(
            f"the target {name!r} holds {_in_words(kind)}, but only numbers and classes can be "
            f"predicted. Choose another column, or {how[0].lower()}{how[1:]}",
            column=name,
        )
    raise Problem(
        f"column {name!r} holds {_in_words(kind)}, but only numbers and text can be used. "
        f"{how} Or leave the column out with {setting('drop', [name])}.",
        column=name,
    )


def _in_words(kind: pa.DataType) -> str:
    """What the cells of a type are that is neither of numbers nor of text."""
    if pa.types.is_date(kind):
        return "dates"
    if pa.types.is_timestamp(kind):
        return "dates with times"
    if pa.types.is_time(kind):
        return "times of day"
    return "durations" if pa.types.is_duration(kind) else f"values of type {kind}"


def _conversion(kind: pa.DataType) -> str:
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return DATES_AS_NUMBERS
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        return "Convert them to numbers first, such as seconds."
    return "Convert them to numbers or text first."


def numbers(column: pa.ChunkedArray, name: str, places: np.ndarray | None = None) -> np.ndarray:
    """A column as float64, NaN where a value is missing; infinite and huge ones are refused, and
    those that float64 is too coarse for (see `digits`). The `places` of rows in their file are
    given where these are not all of it."""
    array = column.combine_chunks()
    kind, why = array.type, None
    if pa.types.is_decimal(kind):
        values = digits.nearest_floats(array)
        why = digits.too_fine_decimals(array, values)
    elif pa.types.is_integer(kind) and kind.bit_width == 64:
        integers = pc.fill_null(array, 0).to_numpy(zero_copy_only=False)
        values = np.where(array.is_valid().to_numpy(False), integers.astype(np.float64), np.nan)
        if (inexact := inexact_integers(integers)).any():
            why = digits.TooFine(Decimal(int(integers[np.argmax(inexact)])), None)
    else:
        values = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if why is not None:
        raise Problem(
            f"column {name!r} must hold numbers that float64 can tell apart, but {why}. Leave it "
            f"out with {setting('drop', [name])} (an identifier tells nothing about new rows), "
            f"take integers as categories with {setting('category', [name])}, or subtract a "
            "common offset first.",
            column=name,
        )
    bad = np.flatnonzero(np.abs(values) > MAX_CELL)
    if bad.size:
        row = _place(bad[0], places)
        raise Problem(
            f"column {name!r} must hold finite numbers of at most {MAX_CELL:g}, so that their "
            f"products stay within float64, but row {row} has {values[bad[0]]:g} "
            f"({counted(bad.size, 'such cell')} in all). Correct or rescale them, or leave the "
            f"column out with {setting('drop', [name])}.",
            column=name,
            rows=[row],
        )
    return values


def texts(column: pa.ChunkedArray) -> np.ndarray:
    """A column as an array of str, None where a value is missing."""
    return np.array(column.combine_chunks().cast(pa.string()).to_pylist(), dtype=object)


def _place(row: int, places: np.ndarray | None) -> int:
    """The number of a row in its file, counting from 1."""
    return int(row) + 1 if places is None else int(places[row])


def labels(table: pa.Table, target: str, places: np.ndarray | None = None) -> np.ndarray:
    """The target column as labels: text, integers or booleans; `places` as in `numbers`."""
    column = table.column(target)
    kind = column.type
    if is_text(kind) and not column.null_count:  # Few different ones, which Arrow finds.
        coded = column.combine_chunks().dictionary_encode()
        return np.array(coded.dictionary.to_pylist(), str)[coded.indices.to_numpy()]
    if is_text(kind):
        return texts(column).astype(str)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column.combine_chunks().to_numpy(zero_copy_only=False)
    if not (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise Problem(
            f"the target {target!r} must hold classes (text, integers or true/false), but it "
            f"holds {_in_words(kind)}. Choose another column, or turn it into classes first."
        )
    array = column.combine_chunks()
    is_decimal = pa.types.is_decimal(kind)
    values = digits.nearest_floats(array) if is_decimal else array.cast(pa.float64()).to_numpy()
    strange = np.flatnonzero((values != np.rint(values)) | (np.abs(values) > MAX_EXACT_INTEGER))
    if is_decimal and not strange.size:
        strange = np.flatnonzero([cell != cell.to_integral_value() for cell in array.to_pylist()])
    if strange.size:
        raise Problem(
            f"the target {target!r} must hold classes, but it looks continuous: row "
            f"{_place(strange[0], places)} has {values[strange[0]]:g}, and there are "
            f"{np.unique(values).size:,} different values in {values.size:,} rows. Choose a column "
            "with classes, or turn it into classes first; for a number to predict there is the "
            f"machine {NUMBERS_MACHINE}.",
            column=target,
            rows=[_place(strange[0], places)],
        )
    return values.astype(np.int64)
