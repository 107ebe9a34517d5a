"""What feature maps share: vectors in, settings looked at, memory asked for before it is taken."""

from __future__ import annotations

import math
import numbers
import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import validate_data

from certo.containers import exact_input

MOST_COORDINATES = 10**7


class FeatureMap(TransformerMixin, BaseEstimator):
    """A transformer that writes down φ(x)."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _vectors(self, X, *, reset: bool):
        X = exact_input(X, type(self).__name__)
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)


def positive(value: Any, name: str) -> float:
    """A setting as a float above 0; else a ValueError."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (real and 0 < value < math.inf):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}.")
    return float(value)


def require_few(name: str, coordinates: int) -> None:
    if coordinates > MOST_COORDINATES:
        raise ValueError(
            f"{name} would have {coordinates:,} coordinates, more than {MOST_COORDINATES:,}. Use "
            "the kernel itself, which never writes them down, or a lower degree."
        )


def require_room(name: str, rows: int, columns: int) -> None:
    """Refuse a dense table that the machine's memory cannot hold."""
    needed, there = 8 * rows * columns, _memory()
    if needed > there:
        raise ValueError(
            f"{name} of {rows:,} examples would be a table of {rows:,} × {columns:,} numbers, "
            f"{needed / 2**30:,.0f} GiB, but this machine has {there / 2**30:,.0f}. Use the kernel "
            "itself, or transform fewer examples at a time."
        )


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on this system
        return 2**34
