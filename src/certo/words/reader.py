"""How a reader counts rows, names columns, and writes settings and calls.

Someone who works with arrays counts rows from 0 and writes `drop=['id']`. Someone who works with a
file counts its rows from 1 and knows its columns by name; on the command line, the setting is an
option. Whoever knows the reader says so with `reading`; whoever writes a sentence asks here, so
that no sentence has to be rewritten later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from certo.certificates.encoding import counted

MAX_ROWS_NAMED = 10


def python_setting(name: str, value: Any = None) -> str:
    """A setting as an argument of a Python function; its name alone, if no value is given."""
    return name if value is None else f"{name}={value!r}"


@dataclass(frozen=True)
class Reader:
    """Someone who works with arrays, unless other ways are given."""

    places: Sequence[int] | np.ndarray | None = None  # The number of each row in a file.
    columns: Sequence[str] | None = None  # The reader's names of the columns of X.
    setting: Callable[..., str] = python_setting
    separability: str = "certo.separability(X, y)"  # How to decide whether classes are separable.
    example: str = "example"  # What the reader calls an example: of a table, it is a row.


_CURRENT: ContextVar[Reader] = ContextVar("reader", default=Reader())  # noqa: B039


@contextmanager
def reading(**ways: Any) -> Iterator[None]:
    """Write for a reader with these ways (fields of `Reader`), and else with those of before."""
    token = _CURRENT.set(replace(_CURRENT.get(), **ways))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def row_numbers(rows: Sequence[int] | np.ndarray) -> list[int]:
    """Rows of X (from 0), by the numbers that the reader knows them by."""
    places = _CURRENT.get().places
    return [int(row if places is None else places[row]) for row in rows]


def example() -> str:
    """What the reader calls an example."""
    return _CURRENT.get().example


def counted_examples(number: int, kind: str = "") -> str:
    """'1 example', '1,234 test examples'; 'rows' of a table."""
    return counted(number, f"{kind} {example()}".lstrip())


def examples_at(rows: Sequence[int] | np.ndarray, most: int = MAX_ROWS_NAMED) -> str:
    """'examples 0, 2 and 5 more (counting from 0)' of arrays, 'rows 1, 3 and 5 more' of a file."""
    shown = ", ".join(map(str, row_numbers(rows[:most])))
    if len(rows) > most:
        shown += f" and {len(rows) - most:,} more"
    several = "s" * (len(rows) > 1)
    if _CURRENT.get().places is not None:
        return f"row{several} {shown}"
    return f"example{several} {shown} (counting from 0)"


def entry_at(row: int, column: int) -> str:
    """'X[0, 2]' of arrays, "row 1, column 'age'" of a file."""
    if _CURRENT.get().places is None:
        return f"X[{row}, {column}]"
    return f"{examples_at([row])}, {column_at(column)}"


def column_at(column: int, table: str = "X") -> str:
    """'column 2 of X (from 0)' of arrays, "column 'age'" of a file."""
    columns = _CURRENT.get().columns
    if columns is None or column >= len(columns) or table != "X":
        return f"column {column} of {table} (from 0)"
    return f"column {columns[column]!r}"


def columns_at(columns: Sequence[int], names: Sequence[str] | None = None, most: int = 5) -> str:
    """'columns 1, 2 (from 0)' of arrays, "columns 'age' and 'height'" if they have names: those of
    the reader, or else these."""
    names = names if _CURRENT.get().columns is None else _CURRENT.get().columns
    shown = [str(j) if names is None else repr(str(names[j])) for j in columns[:most]]
    shown += ["…"] if len(columns) > most else []
    listed = " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
    return f"column{'s' * (len(columns) > 1)} {listed}" + (" (from 0)" if names is None else "")


def reason(why: str, rows: Sequence[int]) -> str:
    """Why a claim does not hold of rows of X (from 0), with their numbers in the reader's file."""
    if not rows or _CURRENT.get().places is None:
        return why
    return f"{why} ({examples_at(rows).capitalize()} of the file.)"


def column_names(known: Sequence[str]) -> list[str]:
    """The names of the columns of X: the reader's, or else these."""
    columns = _CURRENT.get().columns
    return list(known if columns is None or len(columns) != len(known) else columns)


def setting(name: str, value: Any = None) -> str:
    """A setting as the reader writes it: `drop=['id']`, say, or an option of a command."""
    return _CURRENT.get().setting(name, value)


def separability_call() -> str:
    """What the reader calls to decide whether classes are separable."""
    return _CURRENT.get().separability
