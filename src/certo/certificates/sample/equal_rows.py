"""Which rows of a table, or of two that stand one below the other, are equal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
from scipy import sparse

from certo.row_keys import block_rows, row_keys

_looked_at: ContextVar[dict[int, Any] | None] = ContextVar("looked_at", default=None)


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
    return first[which]


def _repeated(numbers: np.ndarray) -> np.ndarray:
    """The numbers that occur more than once, sorted."""
    ordered = np.sort(numbers)
    return ordered[1:][ordered[1:] == ordered[:-1]]


def _groups_of_rows(tables: tuple[Any, ...]) -> np.ndarray:
    """Rows that are equal have one value in common in any column, so that only such are compared;
    first by their keys, and then themselves."""
    groups = rows = np.arange(sum(table.shape[0] for table in tables))
    if not any(map(sparse.issparse, tables)):
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
