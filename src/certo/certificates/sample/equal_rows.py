"""Which rows of a table, or of two that stand one below the other, are equal.

A claim reads numbers that float64 holds. To see whether two rows are the same, texts, levels, dates
and missing values do as well: each different value of such a column becomes a number (`tables_of`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import SampleMismatch, exact_matrix
from certo.containers import block_rows
from certo.row_keys import row_keys

MISSING = -1.5e308  # Replaces NaN, so that missing values are equal.
INFINITE = 1.7e308
MAX_KEYED_NUMBERS = 2**14  # Numbers whose rows all have keys sooner than a column is looked at.

_looked_at: ContextVar[dict[int, tuple[Any, np.ndarray]] | None] = ContextVar(
    "looked_at", default=None
)


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Inside, tables are not changed: equal rows of one table are looked for once."""
    token = _looked_at.set({} if _looked_at.get() is None else _looked_at.get())
    try:
        yield
    finally:
        _looked_at.reset(token)


def is_table(X: Any) -> bool:
    return (
        (isinstance(X, np.ndarray) or (sparse.issparse(X) and X.format == "csr"))
        and X.ndim == 2
        and X.shape[1] > 0
        and X.dtype in (np.float64, np.float32)
    )


def equal_rows(*tables: Any) -> np.ndarray:
    """For each row the place of one with the same features, the same for all of these."""
    seen = _looked_at.get()
    if seen is None or len(tables) > 1:
        return _groups_of_rows(tables)
    if id(tables[0]) not in seen:  # The table is kept beside its groups, so that its id stays.
        seen[id(tables[0])] = tables[0], _groups_of_rows(tables)
    return seen[id(tables[0])][1]


def has_equal_rows(groups: np.ndarray) -> bool:
    return bool(np.any(groups != np.arange(groups.size)))


def equal_numbers(numbers: np.ndarray) -> np.ndarray:
    """For each number the place of one that is equal to it, the same for all that are equal."""
    if not _repeated(numbers).size:
        return np.arange(numbers.size)
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    return np.asarray(first[which])


def _repeated(numbers: np.ndarray) -> np.ndarray:
    """The numbers that occur more than once, sorted."""
    ordered = np.sort(numbers)
    return np.asarray(ordered[1:][ordered[1:] == ordered[:-1]])


def _groups_of_rows(tables: tuple[Any, ...]) -> np.ndarray:
    """Rows that are equal have one value in common in any column, so that of a long table only such
    are compared; first by their keys, and then themselves."""
    groups = rows = np.arange(sum(table.shape[0] for table in tables))
    dense = not any(map(sparse.issparse, tables))
    if dense and sum(table.size for table in tables) > MAX_KEYED_NUMBERS:
        values = column_of(tables, _finest(tables[0]))
        rows = np.flatnonzero(np.isin(values, _repeated(values)))
    part = rows_of_tables(tables, rows)
    first = equal_numbers(row_keys(part))
    if not _are_equal(part, first):  # Somebody has made rows for these keys.
        every = part.toarray() if sparse.issparse(part) else part
        _, first, which = np.unique(every, axis=0, return_index=True, return_inverse=True)
        first = first[which.ravel()]
    groups[rows] = rows[first]
    return groups


def _are_equal(X: Any, others: np.ndarray) -> bool:
    """Whether each row is equal to the other one that is named for it."""
    rows, step = np.flatnonzero(others != np.arange(others.size)), block_rows(X)
    blocks = (rows[start : start + step] for start in range(0, rows.size, step))
    return all((X[block] != X[others[block]]).sum() == 0 for block in blocks)


def _finest(X: np.ndarray) -> int:
    """The column with the most different values in some rows."""
    some = np.sort(X[np.unique(np.linspace(0, X.shape[0] - 1, 64).astype(int))], axis=0)
    return int(np.argmax(np.count_nonzero(some[1:] != some[:-1], axis=0)))


def column_of(tables: tuple[Any, ...], j: int) -> np.ndarray:
    parts = [
        table[:, [j]].toarray().ravel() if sparse.issparse(table) else table[:, j]
        for table in tables
    ]
    return np.concatenate(parts).astype(np.float64, copy=False)


def rows_of_tables(tables: tuple[Any, ...], rows: np.ndarray) -> Any:
    """Different rows of tables that stand one below the other, of one table all in their order; a
    matrix if one of the tables is sparse."""
    if len(tables) == 1:
        return tables[0] if rows.size == tables[0].shape[0] else tables[0][rows]
    m, places = tables[0].shape[0], np.argsort(rows, kind="stable")
    inside = np.count_nonzero(rows < m)
    parts = [tables[0][rows[places[:inside]]], tables[1][rows[places[inside:]] - m]]
    if any(map(sparse.issparse, parts)):
        found = sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
    else:
        found = np.concatenate(parts)
    return found[np.argsort(places, kind="stable")]


def tables_of(*parts: Any) -> tuple[Any, ...] | None:
    """Tables of numbers in which two rows are the same just if they are in what was given, the
    parts being examples of one kind; None, if they have no rows that can be compared."""
    if (numbers := numbers_of(*parts)) is not None:
        return numbers
    columns = [_columns_of(part) for part in parts]
    width = len(columns[0])
    if not width or any(len(some) != width for some in columns):
        return None
    coded = [_in_numbers(column) for column in zip(*columns, strict=True)]
    return tuple(np.column_stack(part) for part in zip(*coded, strict=True))


def numbers_of(*parts: Any) -> tuple[Any, ...] | None:
    """The parts as claims read them, if they are tables of numbers."""
    try:
        return tuple(map(exact_matrix, parts))
    except SampleMismatch:
        return None


def _columns_of(X: Any) -> list[np.ndarray]:
    """The columns of a frame or of an array, or the one column of a list of objects."""
    try:
        if sparse.issparse(X):
            return []
        if hasattr(X, "iloc") and hasattr(X, "columns"):
            return [np.asarray(X.iloc[:, j]) for j in range(len(X.columns))]
        if hasattr(X, "columns"):
            return [np.asarray(X[name]) for name in X.columns]
        if isinstance(X, np.ndarray):
            return [X] if X.ndim == 1 else list(X.T) if X.ndim == 2 else []
        rows = list(X)
    except (TypeError, ValueError, KeyError):
        return []
    width = {len(row) if isinstance(row, list | tuple | np.ndarray) else -1 for row in rows}
    columns = [rows] if -1 in width or len(width) != 1 else zip(*rows, strict=True)
    return [np.fromiter(column, object, len(rows)) for column in columns]


def _in_numbers(columns: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """One column in each of the parts: its own numbers, or one for each different value."""
    if all(column.dtype.kind in "biuf" for column in columns):
        return [
            np.nan_to_num(column.astype(np.float64), nan=MISSING, posinf=INFINITE, neginf=-INFINITE)
            for column in columns
        ]
    codes: dict[Hashable, int] = {}
    return [
        np.array([codes.setdefault(_key(v), len(codes)) for v in column.tolist()], np.float64)
        for column in columns
    ]


def _key(value: Any) -> Hashable:
    """The same for values that are the same, missing ones (None, NaN, NaT) included. Arrays are by
    their entries, and what cannot be compared or hashed is by its text."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    try:
        hash(value)
        return None if value is None or value != value else value
    except (TypeError, ValueError):
        return type(value), repr(value)
