"""CSV files as people have them: separators, quotes, compression and decimal commas found out."""

from __future__ import annotations

import bz2
import codecs
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

from certo.data import digits
from certo.data.files import check_inflated
from certo.data.problem import Problem

SAMPLE = 2**20  # Bytes that are looked at to find out how a file is written.
MAX_LINE_BYTES = 2**30  # Longest header or row.
TOO_LONG = ("straddling", "cannot infer number of columns")  # How Arrow says that of a line.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_UNUSABLE = {
    b"PK\x03\x04": "a ZIP archive (a spreadsheet, perhaps?)",
    b"PK\x05\x06": "an empty ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old Office document (a spreadsheet, perhaps?)",
    b"%PDF": "a PDF document",
    b"\xff\xfe": "text in UTF-16, not UTF-8",
    b"\xfe\xff": "text in UTF-16, not UTF-8",
}
_QUOTED = re.compile(r'"(?:[^"]|"")*"(?=[\t\r\n]|\Z)')
_UNQUOTED = re.compile(r"[^\t\n]*")
_DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+([eE][+-]?\d+)?\s*$"


def read_csv(
    path: Path, content: bytes | None = None, as_text: Collection[str] = ()
) -> tuple[pa.Table, list[str]]:
    """The table in a CSV file, or in its `content`, and what a person should know of how it was
    read.

    In a text column only an empty cell is missing: NA or ? may be names of something. A column
    whose numbers float64 cannot tell apart is one of decimals: see `digits`.
    """
    opened = source(path, _inflated(path, content))
    sample = _sample(path, opened)
    separator = _separator(sample)
    notes = [] if separator == "," else [f"{path.name} is separated by {SEPARATORS[separator]}."]
    quoted = separator != "\t" or _is_quoted(sample)
    if not quoted:
        notes.append("Its quotation marks are taken as plain text: they do not come in pairs.")

    with opened() as file:
        longest = min(file.size(), MAX_LINE_BYTES)

    def read(
        decimal_point: str, texts: Collection[str] = (), block_bytes: int = SAMPLE
    ) -> pa.Table:
        try:
            with opened() as file:
                return pa.csv.read_csv(
                    file,
                    read_options=pa.csv.ReadOptions(block_size=block_bytes),
                    parse_options=pa.csv.ParseOptions(
                        delimiter=separator,
                        quote_char='"' if quoted else False,
                        newlines_in_values=quoted,
                    ),
                    convert_options=pa.csv.ConvertOptions(
                        column_types=dict.fromkeys((*as_text, *texts), pa.string()),
                        include_columns=list(texts),
                        decimal_point=decimal_point,
                    ),
                )
        except pa.ArrowInvalid as wrong:
            # A line must fit into a block; the header of many columns is a long one.
            too_long = any(words in str(wrong) for words in TOO_LONG)
            if not too_long or block_bytes >= longest:
                raise
        return read(decimal_point, texts, min(8 * block_bytes, MAX_LINE_BYTES))

    table, point = read("."), "."
    if separator == ";" and _has_decimal_commas(table):
        table, point = read(","), ","
        notes.append("Its numbers are written with decimal commas.")
    with opened() as file:
        has_long_numbers = digits.has_long_numbers(file, point)
    if has_long_numbers and (suspects := _rounded_columns(table)):
        table = _with_all_digits(table, read(point, suspects), point)
    return table, notes


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


def _inflated(path: Path, content: bytes | None) -> bytes | None:
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


def _sample(path: Path, opened: Callable[[], pa.NativeFile]) -> str:
    with opened() as file:
        start = file.read(SAMPLE)
    if not start.removeprefix(codecs.BOM_UTF8).strip():
        raise Problem(f"{path} is empty; a table with a header line and rows is needed.")
    what = next((what for magic, what in _UNUSABLE.items() if start.startswith(magic)), None)
    if what is None and b"\0" in start:
        what = "a binary file"
    if what is not None:
        raise Problem(f"{path} is {what}. Save the table as CSV in UTF-8, or as Parquet.")
    try:
        return start.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        if wrong.start > len(start) - 4 and len(start) == SAMPLE:  # A letter was cut off.
            return start[: wrong.start].decode("utf-8-sig")
        line = 1 + start[: wrong.start].count(b"\n")
        raise Problem(
            f"{path} must be text in UTF-8, but line {line} has the byte "
            f"0x{start[wrong.start]:02x}, which is not valid. If it is in Latin-1 (Windows), "
            "convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD.csv > NEW.csv"
        ) from wrong


def _separator(sample: str) -> str:
    """The separator that cuts the first lines into the same number of cells, and into most."""
    start = "".join(sample.splitlines(keepends=True)[:30])

    def merit(separator: str) -> tuple[bool, int]:
        quoted = rf'(?:^|(?<=[\r{separator}]))"(?:[^"]|"")*(?:"|\Z)'
        lines = re.sub(quoted, "x", start, flags=re.MULTILINE).splitlines()
        widths = [1 + line.count(separator) for line in lines if line.strip()]
        whole = widths[:-1] or widths  # The last line may be cut off.
        return whole[0] > 1 and len(set(whole)) == 1, whole[0]

    return max(SEPARATORS, key=merit)  # A tie is decided for the comma.


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
