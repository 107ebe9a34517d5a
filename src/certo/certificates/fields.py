"""What the fields may hold: read-only vectors of finite numbers or of indices, and weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.encoding import counted, number, whole_number

INTERCEPTS = ("free", "none")  # of hyperplanes that may be anywhere, or must go through the origin


#: Types of fields of certificates: `Certificate.__post_init__` reads them by the function below
#: that is named like them, so that they are checked and cannot be written to.
FiniteVector = np.ndarray
FiniteTable = np.ndarray
FiniteArray = np.ndarray
FiniteTables = tuple[np.ndarray, ...]
Fractions = tuple[Fraction, ...]
FractionRows = tuple[Fractions, ...]
IndexVector = np.ndarray
WholeVector = np.ndarray


def finite_vector(values, name: str) -> np.ndarray:
    """A read-only float64 copy, or a ValueError."""
    return _finite(values, 1, f"{name} must be a list of finite numbers.")


def finite_table(values, name: str) -> np.ndarray:
    """The same in rows of one length; an empty list is a table without rows."""
    values = np.zeros((0, 0)) if np.shape(values) == (0,) else values
    return _finite(values, 2, f"{name} must be rows of finite numbers, of one length.")


def finite_array(values, name: str) -> np.ndarray:
    """A vector or a table."""
    return (finite_vector if np.ndim(values) == 1 else finite_table)(values, name)


def number_or_vector(value, name: str) -> float | np.ndarray:
    """A finite number, or several."""
    return finite_vector(value, name) if np.ndim(value) else number(value, name)


def fractions(values, name: str) -> Fractions:
    """A tuple of fractions, or a ValueError."""
    if not all(isinstance(value, Fraction) for value in values):
        raise ValueError(f"{name} must be fractions.")
    return tuple(values)


def _finite(values, dimensions: int, required: str) -> np.ndarray:
    array = np.array(values, dtype=np.float64)
    if array.ndim != dimensions or not np.all(np.isfinite(array)):
        raise ValueError(required)
    array.flags.writeable = False
    return array


def whole_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy, or a ValueError."""
    given = np.asarray(values)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu" or np.any(given > np.iinfo(np.int64).max):
        raise ValueError(f"{name} must be a list of whole numbers.")
    vector = given.astype(np.int64)
    vector.flags.writeable = False
    return vector


def index_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy of strictly increasing indices, or a ValueError."""
    vector = whole_vector(values, name)
    if np.any(vector[1:] <= vector[:-1]) or np.any(vector[:1] < 0):
        raise ValueError(f"{name} must be strictly increasing indices, from 0 on.")
    return vector


def weight_vector(values, examples: int) -> np.ndarray:
    """Weights s_i ≥ 0, one for each example, or none: 1 for each. Those above 0 must not be so
    different that a share underflows."""
    weights = finite_vector(values, "sample_weight")
    if weights.size not in (0, examples):
        raise ValueError("sample_weight must hold one number for each example, or none.")
    if weights.size:
        least, most = np.min(weights[weights > 0], initial=math.inf), np.max(weights)
        if np.any(weights < 0) or not 0 < most < 2.0**900 or least < most * 2.0**-400:
            raise ValueError(
                "sample_weight must not be negative, not all 0, and those above 0 of moderate size."
            )
    return weights


def weighted(examples: int, weights: np.ndarray) -> str:
    """'12 examples', '12 weighted examples'."""
    return counted(examples, "weighted example" if weights.size else "example")


def same_values(one: Any, other: Any) -> bool:
    """Whether two dataclasses are of one kind and have the same values."""
    return type(one) is type(other) and all(
        _same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
    )


def _same(one: Any, other: Any) -> bool:
    if sparse.issparse(one) or sparse.issparse(other):  # JSON has no sparse vectors
        one, other = sparse.csr_array(one), sparse.csr_array(other)
        return one.shape == other.shape and not (one != other).nnz
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)


def intercept_mode(value: Any) -> str:
    """'free' or 'none', or a ValueError."""
    if not isinstance(value, str) or value not in INTERCEPTS:
        raise ValueError(f"intercept must be 'free' or 'none', got {str(value)[:40]!r}.")
    return value


def several(read: Callable) -> Callable:
    """A tuple of what `read` reads."""
    return lambda values, name: tuple(read(value, name) for value in values)


#: how a field of this type is read
READERS = {
    "float": number,
    "int": whole_number,
    "FiniteVector": finite_vector,
    "FiniteTable": finite_table,
    "FiniteTables": several(finite_table),
    "FiniteArray": finite_array,
    "float | FiniteVector": number_or_vector,
    "Fraction": lambda value, name: fractions((value,), name)[0],
    "Fractions": fractions,
    "FractionRows": several(fractions),
    "IndexVector": index_vector,
    "WholeVector": whole_vector,
}
