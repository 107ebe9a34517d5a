"""The encoding of a text file, found out from its bytes, and the text in UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from certo.data.problem import Problem
from certo.words.reader import setting

SAMPLE = 2**20  # Bytes that are looked at to find out how a file is written.
Opened = Callable[[], Any]  # How to open a file: a file of Arrow's.
WINDOWS = "cp1252"
_ENCODING_NAMES = {WINDOWS: "Windows-1252 (of which Latin-1 text is a part)"}
_MARKS = {  # Byte order marks; that of UTF-32 begins like that of UTF-16.
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UNUSABLE = {
    b"PK\x03\x04": "a ZIP archive, but neither a spreadsheet nor arrays of NumPy",
    b"PK\x05\x06": "an empty ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old Office document (a spreadsheet, perhaps?)",
    b"%PDF": "a PDF document",
    b"\xff\xff\xff\xff": "a stream of Arrow record batches, or a binary file",
    b"FEA1": "a Feather file of version 1",
}
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")  # Bytes that no text has.


class Utf8(NamedTuple):
    """A text in UTF-8, and what to know of how it was written."""

    opened: Opened
    notes: list[str]


def in_utf8(path: Path, opened: Opened, encoding: str | None = None) -> Utf8:
    """A text in UTF-8; a Problem for what is no text, or not in this encoding."""
    with opened() as file:
        start = file.read(SAMPLE)
    if not start.removeprefix(codecs.BOM_UTF8).strip():
        raise Problem(f"{path} is empty; a table with a header line and rows is needed.")
    what = next((what for magic, what in _UNUSABLE.items() if start.startswith(magic)), None)
    if what is not None:
        raise _not_text(path, what)
    if encoding is not None:
        return _transcoded(path, opened, encoding, given=True)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    marked = marked or _utf16_by_zeros(start)
    if marked is not None:
        return _transcoded(path, opened, marked)
    if b"\0" in start:
        raise _not_text(path, "a binary file")
    line, broken = _first_invalid(opened, "utf-8")
    if broken is None:
        return Utf8(opened, [])
    if _CONTROL.search(start):
        raise _not_text(path, "a binary file")
    if line is None or _first_invalid(opened, WINDOWS)[1] is not None:
        at = "" if line is None else f" in line {line}"
        raise Problem(
            f"{path} must be text in UTF-8, but it has the byte 0x{broken:02x}{at}, which is not "
            f"valid there. If it is in another encoding, say which with {setting('encoding')}."
        )
    return _transcoded(path, opened, WINDOWS)


def _not_text(path: Path, what: str) -> Problem:
    return Problem(f"{path} is {what}. Save the table as CSV in UTF-8, or as Parquet.")


def _utf16_by_zeros(start: bytes) -> str | None:
    """UTF-16 without a mark: of most characters of a table every second byte is zero."""
    start = start[: len(start) // 2 * 2]
    for encoding, zeros, others in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        if 2 * start[zeros::2].count(0) > len(start[zeros::2]) and 0 not in start[others::2]:
            return encoding
    return None


def _first_invalid(opened: Opened, encoding: str) -> tuple[int | None, int | None]:
    """The first byte that a text in this encoding cannot have, with the number of its line; no line
    where letters outside ASCII come before it: then the encoding is right, and the file damaged.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, is_ascii = 1, True
    with opened() as file:
        while True:
            chunk = file.read(SAMPLE)
            before = decoder.getstate()[0]
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as wrong:
                valid = (before + chunk)[: wrong.start]
                is_ascii = is_ascii and valid.isascii()
                line = lines + valid.count(b"\n")
                return (line if is_ascii else None), (before + chunk)[wrong.start]
            if not chunk:
                return None, None
            lines, is_ascii = lines + text.count("\n"), is_ascii and text.isascii()


def _transcoded(path: Path, opened: Opened, encoding: str, given: bool = False) -> Utf8:
    """The text again in UTF-8, in memory of Arrow's."""
    decoder = codecs.getincrementaldecoder(encoding)()
    sink, is_start = pa.BufferOutputStream(), True
    try:
        with opened() as file:
            while True:
                chunk = file.read(SAMPLE)
                text = decoder.decode(chunk, final=not chunk)
                if is_start and text:
                    text, is_start = text.removeprefix("\ufeff"), False
                if "\0" in text:
                    raise _not_text(path, "a binary file")
                sink.write(text.encode())
                if not chunk:
                    break
    except UnicodeError as wrong:
        raise Problem(
            f"{path} is not text in {_name(encoding)}: {getattr(wrong, 'reason', wrong)}. If it is "
            f"in another encoding, say which with {setting('encoding')}."
        ) from wrong
    buffer = sink.getvalue()
    if not buffer.slice(0, min(SAMPLE, buffer.size)).to_pybytes().strip():
        raise Problem(f"{path} is empty; a table with a header line and rows is needed.")
    notes = [] if given else [f"{path.name} is in {_name(encoding)}, which was found out."]
    return Utf8(lambda: pa.BufferReader(buffer), notes)


def _name(encoding: str) -> str:
    return _ENCODING_NAMES.get(encoding, encoding.upper())
