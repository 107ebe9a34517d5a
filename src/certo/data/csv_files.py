"""CSV files as people have them: separators, quotes, compression and decimal commas found out."""

from __future__ import annotations

import bz2
import csv
import gzip
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv

from certo.data.problem import Problem

SAMPLE = 2**20  # bytes that are looked at to find out how a file is written
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


def read_csv(path: Path, as_text: Collection[str] = ()) -> tuple[pa.Table, list[str]]:
    """The table in a CSV file, and what a person should know of how it was read.

    In a text column only an empty cell is missing: NA or ? may be names of something.
    """
    sample = _sample(path)
    separator = _separator(sample)
    notes = [] if separator == "," else [f"{path.name} is separated by {SEPARATORS[separator]}."]
    quoted = separator != "\t" or _is_quoted(sample)
    if not quoted:
        notes.append("Its quotation marks are taken as plain text: they do not come in pairs.")

    def read(decimal_point: str) -> pa.Table:
        with _opened(path) as file:
            return pa.csv.read_csv(
                file,
                parse_options=pa.csv.ParseOptions(
                    delimiter=separator,
                    quote_char='"' if quoted else False,
                    newlines_in_values=quoted,
                ),
                convert_options=pa.csv.ConvertOptions(
                    column_types=dict.fromkeys(as_text, pa.string()), decimal_point=decimal_point
                ),
            )

    table = read(".")
    if separator == ";" and _has_decimal_commas(table):
        table = read(",")
        notes.append("Its numbers are written with decimal commas.")
    return table, notes


def _opened(path: Path) -> IO[bytes]:
    with open(path, "rb") as file:
        start = file.read(3)
    openers: dict[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open}
    for magic, opener in openers.items():
        if start.startswith(magic):
            return opener(path)
    return open(path, "rb")


def _sample(path: Path) -> str:
    with _opened(path) as file:
        start = file.read(SAMPLE)
    if not start.strip():
        raise Problem(f"{path} is empty; a table with a header line and rows is needed.")
    what = next((what for magic, what in _UNUSABLE.items() if start.startswith(magic)), None)
    if what is None and b"\0" in start:
        what = "a binary file"
    if what is not None:
        raise Problem(f"{path} is {what}. Save the table as CSV in UTF-8, or as Parquet.")
    try:
        return start.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        if wrong.start > len(start) - 4 and len(start) == SAMPLE:  # cut in the middle of a letter
            return start[: wrong.start].decode("utf-8-sig")
        line = 1 + start[: wrong.start].count(b"\n")
        raise Problem(
            f"{path} must be text in UTF-8, but line {line} has the byte "
            f"0x{start[wrong.start]:02x}, which is none. If it is in Latin-1 (Windows), convert "
            "it: iconv -f WINDOWS-1252 -t UTF-8 OLD.csv > NEW.csv"
        ) from wrong


def _separator(sample: str) -> str:
    """The separator that cuts the first lines into the same number of cells, and into most."""
    lines = [line for line in sample.splitlines()[:30] if line.strip()]

    def merit(separator: str) -> tuple[bool, int]:
        widths = [len(cells) for cells in csv.reader(lines, delimiter=separator)]
        whole = widths[:-1] or widths  # the last may be cut off
        return whole[0] > 1 and len(set(whole)) == 1, whole[0]

    return max(SEPARATORS, key=merit)  # at a tie the first: a comma


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
    return any(
        pa.compute.all(pa.compute.match_substring_regex(column, _DECIMAL_COMMA)).as_py()
        for column in texts
    )
