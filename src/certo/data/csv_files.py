"""CSV files as people have them: separators, quotes, compression and decimal commas found out."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from certo.certificates.encoding import counted
from certo.data import digits
from certo.data.dialect import DELIMITERS, current_dialect
from certo.data.encodings import SAMPLE, in_utf8
from certo.data.files import check_inflated
from certo.data.problem import Problem
from certo.words.reader import setting

MAX_LINE_BYTES = 2**30  # Longest header or row.
TOO_LONG = ("straddling", "cannot infer number of columns")  # How Arrow says that of a line.
STRONG_DELIMITERS = ",;\t|"  # Texts have spaces and times colons: these come first.
NO_LINE_END = "Empty CSV file or block"  # How Arrow says of a text that no line in it ends.
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns?, got (\d+): (.*)", re.DOTALL)
MAX_LINE_SHOWN = 60  # Characters of a row that is refused.
_QUOTED = re.compile(r'"(?:[^"]|"")*"(?=[\t\r\n]|\Z)')
_UNQUOTED = re.compile(r"[^\t\n]*")
_DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+([eE][+-]?\d+)?\s*$"


def read_csv(
    path: Path, content: bytes | None = None, as_text: Collection[str] = ()
) -> tuple[pa.Table, list[str]]:
    """The table in a CSV file, or in its inflated `content`, and what a person should know of how
    it was read.

    In a text column only an empty cell is missing: NA or ? may be names of something. A column
    whose numbers float64 cannot tell apart is one of decimals: see `digits`. Without a header line
    columns are called column1, column2, …
    """
    said = current_dialect()
    opened, notes = in_utf8(path, source(path, content), said.encoding)
    sample = sample_of(opened)
    separator = said.delimiter or _separator(sample)
    if separator != "," and said.delimiter is None:
        notes.append(f"{path.name} is separated by {DELIMITERS[separator]}.")
    quoted = separator != "\t" or _is_quoted(sample)
    if not quoted:
        notes.append("Its quotation marks are taken as plain text: they do not come in pairs.")
    has_header = said.has_header

    with opened() as file:
        longest = min(file.size(), MAX_LINE_BYTES)

    def read(
        decimal_point: str,
        texts: Collection[str] = (),
        block_bytes: int = SAMPLE,
        threads: bool = True,
    ) -> pa.Table:
        of_arrow = list if has_header else _as_arrow_names
        try:
            with opened() as file:
                table = pa.csv.read_csv(
                    file,
                    read_options=pa.csv.ReadOptions(
                        block_size=block_bytes,
                        autogenerate_column_names=not has_header,
                        use_threads=threads,
                    ),
                    parse_options=pa.csv.ParseOptions(
                        delimiter=separator,
                        quote_char='"' if quoted else False,
                        newlines_in_values=quoted,
                    ),
                    convert_options=pa.csv.ConvertOptions(
                        column_types=dict.fromkeys(of_arrow((*as_text, *texts)), pa.string()),
                        include_columns=of_arrow(texts),
                        decimal_point=decimal_point,
                    ),
                )
                return table if has_header else table.rename_columns(_own_names(table))
        except pa.ArrowInvalid as wrong:
            # A line must fit into a block; the header of many columns is a long one.
            too_long = any(words in str(wrong) for words in TOO_LONG)
            if not too_long or block_bytes >= longest:
                if NO_LINE_END in str(wrong):
                    raise Problem(
                        f"{path} is a single line of text; a table with a header line and rows is "
                        "needed."
                    ) from wrong
                if threads:  # One thread alone knows the numbers of rows.
                    return read(decimal_point, texts, block_bytes, threads=False)
                if found := _RAGGED.search(str(wrong)):
                    raise _ragged(path, found, has_header) from wrong
                raise
        return read(decimal_point, texts, min(8 * block_bytes, MAX_LINE_BYTES), threads)

    table, point = read("."), "."
    if separator == ";" and _has_decimal_commas(table):
        table, point = read(","), ","
        notes.append("Its numbers are written with decimal commas.")
    with opened() as file:
        has_long_numbers = digits.has_long_numbers(file, point)
    if has_long_numbers and (suspects := _rounded_columns(table)):
        table = _with_all_digits(table, read(point, suspects), point)
    return table, notes


def _ragged(path: Path, found: re.Match[str], has_header: bool) -> Problem:
    """A row with more or fewer cells than the table has columns; Arrow counts the header, too."""
    row, columns, cells = (int(number) for number in found.groups()[:3])
    text, row = found[4], row - has_header
    shown = repr(text[:MAX_LINE_SHOWN]) + "…" * (len(text) > MAX_LINE_SHOWN)
    return Problem(
        f"{path} must have as many cells in each row as in its first line, "
        f"{counted(columns, 'cell')}, but row {row} has {counted(cells, 'cell')}: {shown}. Correct "
        f"it; if the cells are separated by something else, say so with {setting('delimiter')}.",
        rows=[row],
    )


def csv_format(path: Path) -> tuple[Any, list[str]]:
    """How this file and others like it are written, for a pyarrow dataset, and what a person should
    know of it. Found out from its start: numbers with decimal commas must be among its first rows.
    """
    import pyarrow.dataset as ds

    said, notes = current_dialect(), []
    with open(path, "rb") as file:
        sample = file.read(SAMPLE).decode(said.encoding or "utf-8-sig", errors="ignore")
    lines = sample.splitlines(keepends=True)
    lines = lines[:-1] or lines  # The last one may be cut off.
    separator = said.delimiter or _separator(sample)
    if separator != "," and said.delimiter is None:
        notes.append(f"{path.name} is separated by {DELIMITERS[separator]}.")
    quoted = separator != "\t" or _is_quoted(sample)
    parse = pa.csv.ParseOptions(
        delimiter=separator, quote_char='"' if quoted else False,
        newlines_in_values=quoted and '"' in sample,
    )  # fmt: skip
    options = pa.csv.ReadOptions(autogenerate_column_names=not said.has_header)
    try:
        start = pa.csv.read_csv(io.BytesIO("".join(lines).encode()), options, parse)
    except pa.ArrowInvalid as wrong:
        raise Problem(f"{path} cannot be read: {str(wrong).splitlines()[0]}") from wrong
    point = "."
    if separator == ";" and _has_decimal_commas(start):
        point = ","
        notes.append("Its numbers are written with decimal commas.")
    names = None if said.has_header else _own_names(start)
    form = ds.CsvFileFormat(
        parse,
        read_options=pa.csv.ReadOptions(column_names=names, encoding=said.encoding or "utf8"),
        convert_options=pa.csv.ConvertOptions(decimal_point=point),
    )  # fmt: skip
    return form, notes


def _own_names(table: pa.Table) -> list[str]:
    """Arrow counts columns without a header from 0, as f0, f1, …"""
    return [f"column{int(name[1:]) + 1}" for name in table.column_names]


def _as_arrow_names(names: Collection[str]) -> list[str]:
    found = (re.fullmatch(r"column([1-9]\d*)", name) for name in names)
    return [f"f{int(name[1]) - 1}" for name in found if name]


def _rounded_columns(table: pa.Table) -> list[str]:
    """Columns of float64 numbers that may differ in the text."""
    once = [name for name, times in Counter(table.column_names).items() if times == 1]
    floats = [name for name in once if pa.types.is_float64(table.column(name).type)]
    return [name for name in floats if digits.may_be_rounded(table.column(name).to_numpy())]


def _with_all_digits(table: pa.Table, texts: pa.Table, point: str) -> pa.Table:
    """The table with decimals in those of its columns, here as text, that float64 is too coarse
    for."""
    for name, column in zip(texts.column_names, texts.columns, strict=True):
        try:
            decimals = digits.as_decimals(column, point)
        except ValueError as wrong:
            raise Problem(
                f"the numbers of column {name!r} are too long to be compared: {wrong}. Write them "
                "with fewer digits, or leave the column out of the file."
            ) from wrong
        if decimals is not None:
            table = table.set_column(table.column_names.index(name), name, decimals)
    return table


def source(path: Path, content: bytes | None) -> Callable[[], pa.NativeFile]:
    """How to open a file, or the bytes that came through a pipe, as a file of Arrow's.

    Arrow reads in threads of its own, and one of them may still hold the file when the interpreter
    ends. A file or buffer of Python could then be released only by ending the process.
    """
    if content is None:
        return lambda: pa.OSFile(os.fsencode(path))
    sink = pa.BufferOutputStream()
    sink.write(content)
    buffer = sink.getvalue()
    return lambda: pa.BufferReader(buffer)


def inflated(path: Path, content: bytes | None) -> bytes | None:
    """What a compressed file becomes; the same content for others."""
    with open(path, "rb") if content is None else io.BytesIO(content) as file:
        start, stored = file.read(3), file.seek(0, os.SEEK_END)
        openers: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open}
        for opener in (openers[magic] for magic in openers if start.startswith(magic)):
            file.seek(0)
            text = bytearray()
            with opener(file) as unpacked:
                while chunk := unpacked.read(SAMPLE):
                    text += chunk
                    check_inflated(path, len(text), stored)
            return bytes(text)
    return content


def sample_of(opened: Callable[[], Any]) -> str:
    """The first characters of a text in UTF-8; one may be cut off at the end."""
    with opened() as file:
        return file.read(SAMPLE).decode("utf-8-sig", errors="ignore")


def _separator(sample: str) -> str:
    """The separator that cuts the first lines into the same number of cells, and into most; a space
    or colon where no other one does. In a tie a tab is believed, which texts seldom have."""
    start = "".join(sample.lstrip().splitlines(keepends=True)[:30])

    def merit(separator: str) -> tuple[bool, bool, int, bool]:
        quoted = rf'(?:^|(?<=[\r{separator}]))"(?:[^"]|"")*(?:"|\Z)'
        lines = re.sub(quoted, "x", start, flags=re.MULTILINE).splitlines()
        widths = [1 + line.count(separator) for line in lines if line.strip()]
        whole = widths[:-1] or widths or [1]  # The last line may be cut off.
        is_even = whole[0] > 1 and len(set(whole)) == 1
        return is_even, separator in STRONG_DELIMITERS, whole[0], is_even and separator == "\t"

    return max(DELIMITERS, key=merit)  # Else a tie is decided for the comma.


def _is_quoted(sample: str) -> bool:
    """Whether every cell of a tab-separated sample that starts with a quotation mark ends with
    one. Many such files do not quote at all: a message may start with a quotation mark."""
    at = 0
    while at < len(sample):
        cell = _QUOTED.match(sample, at) if sample[at] == '"' else _UNQUOTED.match(sample, at)
        if cell is None:
            return False
        at = cell.end() + 1
    return True


def _has_decimal_commas(table: pa.Table) -> bool:
    texts = [column for column in table.columns if pa.types.is_string(column.type)]
    found = (pa.compute.match_substring_regex(column, _DECIMAL_COMMA) for column in texts)
    return any(pa.compute.all(cells).as_py() for cells in found)
