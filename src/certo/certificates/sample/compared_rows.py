"""Examples of any kind as tables of numbers, for comparing rows with one another.

A claim reads numbers that float64 holds. To see whether two rows are the same, texts, levels, dates
and missing values do as well: each different value of such a column becomes a number.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import SampleMismatch, exact_matrix

MISSING = -1.5e308  # stands for NaN, so that missing values are the same
INFINITE = 1.7e308


def tables_of(*parts: Any) -> tuple[Any, ...] | None:
    """Tables of numbers in which two rows are the same just if they are in what was given, the
    parts being examples of one kind; None, if they have no rows that can be compared."""
    return numbers_of(*parts) or _coded(parts)


def numbers_of(*parts: Any) -> tuple[Any, ...] | None:
    """The parts as claims read them, if they are tables of numbers."""
    tables = tuple(map(_table_of_numbers, parts))
    return None if any(table is None for table in tables) else tables


def _coded(parts: tuple[Any, ...]) -> tuple[Any, ...] | None:
    columns = [_columns_of(part) for part in parts]
    width = len(columns[0] or ())
    if not width or any(some is None or len(some) != width for some in columns):
        return None
    coded = [_in_numbers(column) for column in zip(*columns, strict=True)]
    return tuple(np.column_stack(part) for part in zip(*coded, strict=True))


def _table_of_numbers(X: Any) -> Any:
    try:
        return exact_matrix(X)
    except SampleMismatch:
        return None


def _columns_of(X: Any) -> list[np.ndarray] | None:
    """The columns of a frame or of an array, or the one column of a list of objects."""
    if sparse.issparse(X):
        return None
    try:
        if hasattr(X, "iloc") and hasattr(X, "columns"):
            return [np.asarray(X.iloc[:, j]) for j in range(len(X.columns))]
        if hasattr(X, "columns"):
            return [np.asarray(X[name]) for name in X.columns]
        if isinstance(X, np.ndarray):
            return [X] if X.ndim == 1 else list(X.T) if X.ndim == 2 else None
        rows = list(X)
    except (TypeError, ValueError, KeyError):
        return None
    width = {len(row) if isinstance(row, list | tuple | np.ndarray) else -1 for row in rows}
    if len(width) == 1 and -1 not in width:
        return [_objects(column) for column in zip(*rows, strict=True)]
    return [_objects(rows)]


def _objects(values: Any) -> np.ndarray:
    made = np.empty(len(values), object)
    for place, value in enumerate(values):
        made[place] = value
    return made


def _in_numbers(columns: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """One column in each of the parts: its own numbers, or one for each different value."""
    if all(column.dtype.kind in "biuf" for column in columns):
        return [_finite(column.astype(np.float64)) for column in columns]
    codes: dict[Hashable, int] = {}
    return [
        np.array([codes.setdefault(_key(v), len(codes)) for v in column.tolist()], np.float64)
        for column in columns
    ]


def _finite(values: np.ndarray) -> np.ndarray:
    return np.nan_to_num(values, nan=MISSING, posinf=INFINITE, neginf=-INFINITE)


def _key(value: Any) -> Hashable:
    """The same for values that are the same, missing ones included. Arrays are by their entries,
    and what has no value of its own is the same as itself."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return None if value is None or _is_nan(value) else value


def _is_nan(value: Any) -> bool:
    """Of NaN and NaT no other thing is true than of none."""
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False
