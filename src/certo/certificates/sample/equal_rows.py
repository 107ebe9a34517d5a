"""Which rows of a table, or of two that stand one below the other, are equal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
from scipy import sparse

from certo.row_keys import BLOCK_NUMBERS, mixed_bits, row_keys

_looked_at: ContextVar[dict[int, Any] | None] = ContextVar("looked_at", default=None)


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Inside, tables are not changed: equal rows of one table are looked for once."""
    if _looked_at.get() is not None:
        yield
        return
    token = _looked_at.set({})
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
        return _new_groups(tables)
    if id(tables[0]) not in seen:
        seen[id(tables[0])] = tables[0], _new_groups(tables)  # the table is kept, and so its id
    return seen[id(tables[0])][1]


def has_equal_rows(groups: np.ndarray) -> bool:
    return bool(np.any(groups != np.arange(groups.size)))


def _new_groups(tables: tuple[Any, ...]) -> np.ndarray:
    """Rows that are equal have one value in common in any column, so that only such are compared;
    first by their keys, and then themselves."""
    groups = np.arange(sum(table.shape[0] for table in tables))
    rows = groups
    if not any(map(sparse.issparse, tables)):
        values = mixed_bits(column_of(tables, _finest(tables[0])))
        first = representatives(values)
        if not has_equal_rows(first):
            return groups
        rows = np.flatnonzero(np.bincount(first, minlength=groups.size)[first] > 1)
    for seed in range(4):
        keys = _keys_of(tables, rows, seed)
        first = rows[representatives(keys)]
        others = np.flatnonzero(first != rows)
        if _all_equal(tables, rows[others], first[others]):
            groups[rows] = first
            return groups
    every = rows_of_tables(tables, rows)  # somebody has made rows for these keys
    every = every.toarray() if sparse.issparse(every) else every
    _, first, inverse = np.unique(every, axis=0, return_index=True, return_inverse=True)
    groups[rows] = rows[first[inverse.ravel()]]
    return groups


def _finest(X: np.ndarray) -> int:
    """The column with the most different values in some rows."""
    some = np.sort(X[np.unique(np.linspace(0, X.shape[0] - 1, 64).astype(int))], axis=0)
    return int(np.argmax(np.count_nonzero(some[1:] != some[:-1], axis=0)))


def representatives(keys: np.ndarray) -> np.ndarray:
    """For each key the place of one that is equal to it, the same for all that are equal.

    All keys write their places into a table, at a place that depends on the key; who finds there
    the place of an equal key is done, and the others go on with another table.
    """
    place = np.int32 if keys.size < 2**31 else np.int64
    rest = np.arange(keys.size, dtype=place)
    found, mine, factor = rest.copy(), keys, 0x9E3779B97F4A7C15
    table = np.empty(1 << max(int(2 * rest.size - 1).bit_length(), 1), place)
    while rest.size:
        bits = max(int(2 * rest.size - 1).bit_length(), 1)
        slots = ((mine * np.uint64(factor)) >> np.uint64(64 - bits)).astype(np.intp)
        table[slots] = rest
        winners = table[slots]
        beaten = np.flatnonzero(winners != rest)  # who finds itself is done
        done = keys[winners[beaten]] == mine[beaten]
        found[rest[beaten[done]]] = winners[beaten[done]]
        left = beaten[~done]
        rest, mine = rest[left], mine[left]
        factor = (factor * 0xD1342543DE82EF95 + 2) % 2**64  # odd again
    return found.astype(np.int64, copy=False)


def _keys_of(tables: tuple[Any, ...], rows: np.ndarray, seed: int) -> np.ndarray:
    if rows.size == sum(table.shape[0] for table in tables):
        return np.concatenate([row_keys(table, seed) for table in tables])
    step = max(1, BLOCK_NUMBERS // tables[0].shape[1])
    blocks = (rows[start : start + step] for start in range(0, rows.size, step))
    return np.concatenate([row_keys(rows_of_tables(tables, block), seed) for block in blocks])


def _all_equal(tables: tuple[Any, ...], rows: np.ndarray, others: np.ndarray) -> bool:
    step = max(1, BLOCK_NUMBERS // tables[0].shape[1])
    for start in range(0, rows.size, step):
        block = slice(start, start + step)
        one, other = rows_of_tables(tables, rows[block]), rows_of_tables(tables, others[block])
        if sparse.issparse(one):
            if (one != other).nnz:
                return False
        elif not np.array_equal(one, other):
            return False
    return True


def column_of(tables: tuple[Any, ...], j: int) -> np.ndarray:
    parts = [
        table[:, [j]].toarray().ravel() if sparse.issparse(table) else table[:, j]
        for table in tables
    ]
    return np.concatenate(parts).astype(np.float64, copy=False)


def rows_of_tables(tables: tuple[Any, ...], rows: np.ndarray) -> Any:
    """Rows of tables that stand one below the other; a matrix if one of the tables is sparse."""
    if len(tables) == 1:
        return tables[0][rows]
    first, second = tables
    if sparse.issparse(first) or sparse.issparse(second):
        first, second = (sparse.csr_array(table, dtype=np.float64) for table in tables)
        inside, m = rows < first.shape[0], first.shape[0]
        parts = sparse.vstack([first[rows[inside]], second[rows[~inside] - m]], format="csr")
        back = np.empty(rows.size, np.int64)
        back[np.append(np.flatnonzero(inside), np.flatnonzero(~inside))] = np.arange(rows.size)
        return parts[back]
    inside = rows < first.shape[0]
    found = np.empty((rows.size, first.shape[1]))
    found[inside] = first[rows[inside]]
    found[~inside] = second[rows[~inside] - first.shape[0]]
    return found
