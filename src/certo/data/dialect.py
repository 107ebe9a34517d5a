"""How files of text are written, where a person says so: separator, encoding, header line.

Whoever knows it says so with `written_in`, and every file that is read within is read so; what
nobody says is found out from the content of each file.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from certo.data.problem import Problem
from certo.words.reader import setting

DELIMITERS = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "vertical bars",
    ":": "colons",
    " ": "spaces",
}
_DELIMITER_NAMES = {
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    "\\t": "\t",
    "bar": "|",
    "colon": ":",
    "space": " ",
}


@dataclass(frozen=True)
class Dialect:
    """How a file of text is written; None is found out."""

    delimiter: str | None = None  # A character, or one of `_DELIMITER_NAMES`.
    encoding: str | None = None  # A name that Python knows.
    has_header: bool = True

    def __post_init__(self) -> None:
        delimiter = _DELIMITER_NAMES.get(self.delimiter or "", self.delimiter)
        object.__setattr__(self, "delimiter", delimiter)
        if delimiter is not None and (
            len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'
        ):
            names = ", ".join(name for name in _DELIMITER_NAMES if name.isalpha())
            raise Problem(
                f"{setting('delimiter')} must be one ASCII character other than a quotation mark, "
                f"or one of {names}, got {delimiter!r}."
            )
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise Problem(
                f"{setting('encoding')} must be a character encoding, such as utf-8, utf-16 or "
                f"windows-1252, got {self.encoding!r}."
            )

    @property
    def is_given(self) -> bool:
        return self != Dialect()


def _is_encoding(name: str) -> bool:
    try:
        "a".encode(name)  # Codecs of bytes to bytes are refused here, too.
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError, ValueError):
        return False
    return True


_DIALECT: ContextVar[Dialect] = ContextVar("dialect", default=Dialect())  # noqa: B039


def current_dialect() -> Dialect:
    return _DIALECT.get()


@contextmanager
def written_in(dialect: Dialect) -> Iterator[None]:
    """Read every file of text within as one that is written so."""
    token = _DIALECT.set(dialect)
    try:
        yield
    finally:
        _DIALECT.reset(token)
