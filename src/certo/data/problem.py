"""The one kind of error that a person, not a programmer, is meant to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class Problem(ValueError):
    """Input that cannot be used: what was required, what came, where, and what to do.

    `column` and `rows` say where, if that is one column, or some of its rows (as numbered in the
    file, from 1).
    """

    def __init__(self, message: str, *, column: str | None = None, rows: Sequence[int] = ()):
        super().__init__(message)
        self.column, self.rows = column, list(rows)


@contextmanager
def problems_of(what: str) -> Iterator[None]:
    """Where there are several inputs, a problem begins with the one that it is of."""
    try:
        yield
    except Problem as wrong:
        raise Problem(f"{what}: {wrong}", column=wrong.column, rows=wrong.rows) from wrong
