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

MISSING = -1.5e308  # Replaces NaN, so that missing values are equal.
INFINITE = 1.7e308


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
