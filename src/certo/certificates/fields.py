"""What fields may hold: finite numbers, and read-only vectors of numbers, indices and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from math import isfinite
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.encoding import number, whole_number

SEPARATION_INTERCEPTS = ("free", "none")  # Hyperplanes anywhere, or through the origin.

#: Types of fields. `Value.__post_init__` reads each field by the function that `FIELD_READERS` has
#: for its type, so that the value is checked and cannot be written to.
FiniteVector = np.ndarray
FiniteTable = np.ndarray
FiniteArray = np.ndarray
FiniteTables = tuple[np.ndarray, ...]
Fractions = tuple[Fraction, ...]
FractionRows = tuple[Fractions, ...]
CostVector = np.ndarray
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
    values = tuple(values) if np.iterable(values) else (None,)
    if not all(isinstance(value, Fraction) for value in values):
        raise ValueError(f"{name} must be fractions.")
    return values


def cost_vector(values, name: str) -> np.ndarray:
    """A read-only vector of numbers that are not negative."""
    vector = finite_vector(values, name)
    if np.any(vector < 0):
        raise ValueError(f"{name} must not be negative.")
    return vector


def check_weights(weights: np.ndarray, examples: int) -> None:
    """ValueError, unless each example has a weight, or none has."""
    if weights.size not in (0, examples):
        raise ValueError("sample_weight must hold one number for each example, or none.")


def _finite(values, dimensions: int, required: str) -> np.ndarray:
    array = np.array(values, dtype=np.float64)
    # A sum of squares that overflows tells nobody, and a finite one needs no second look.
    finite = isfinite(np.vdot(array, array)) or np.isfinite(array).all()
    if array.ndim != dimensions or not finite:
        raise ValueError(required)
    array.flags.writeable = False
    return array


def whole_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy, or a ValueError."""
    given = np.asarray(values)
    if given.size == 0:
        given = given.astype(np.int64)
    too_large = given.dtype == np.uint64 and (given > 2**63 - 1).any()
    if given.ndim != 1 or given.dtype.kind not in "iu" or too_large:
        raise ValueError(f"{name} must be a list of integers.")
    vector = given.astype(np.int64)
    vector.flags.writeable = False
    return vector


def index_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy of strictly increasing indices, or a ValueError."""
    vector = whole_vector(values, name)
    if vector.size and (vector[0] < 0 or (vector[1:] <= vector[:-1]).any()):
        raise ValueError(f"{name} must be strictly increasing indices, from 0 on.")
    return vector


def check_choice(value: Any, name: str, allowed: Iterable[str]) -> None:
    """ValueError, unless the value is one of these texts."""
    if not isinstance(value, str) or value not in allowed:
        wanted = " or ".join(map(repr, allowed))
        raise ValueError(f"{name} must be {wanted}, got {str(value)[:40]!r}.")


def truth_value(value: Any, name: str) -> bool:
    """True or False, or a ValueError."""
    if type(value) is not bool:
        raise ValueError(f"{name} must be True or False, got {str(value)[:40]!r}.")
    return value


def several(read: Callable) -> Callable:
    """A tuple of what `read` reads."""
    return lambda values, name: tuple(read(value, name) for value in values)


FIELD_READERS = {
    "bool": truth_value,
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
    "CostVector": cost_vector,
    "IndexVector": index_vector,
    "WholeVector": whole_vector,
}


@cache
def _readers(kind: type) -> list[tuple[str, Callable, bool]]:
    """The fields of a kind that are read, each with its reader, and whether it may be None."""
    declared = ((f.name, *str(f.type).partition(" | None")[:2]) for f in fields(kind))
    return [(name, FIELD_READERS[d], bool(o)) for name, d, o in declared if d in FIELD_READERS]


@dataclass(frozen=True, eq=False)
class Value:
    """A frozen dataclass whose fields hold what their types declare. Two are equal if they are of
    one kind and all fields are; not if their JSON is, which a Python function has none of."""

    def __post_init__(self) -> None:
        for name, read, optional in _readers(type(self)):  # type: ignore[arg-type]
            if (value := getattr(self, name)) is not None or not optional:
                object.__setattr__(self, name, read(value, name))

    def __eq__(self, other: object) -> bool:
        return _same(self, other)

    __hash__ = None  # type: ignore[assignment]


def _same(one: Any, other: Any) -> bool:
    if is_dataclass(one):
        return type(one) is type(other) and all(
            _same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one) if f.compare
        )
    if type(one) is type(other) is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    if sparse.issparse(one) or sparse.issparse(other):  # JSON has no sparse vectors.
        one, other = sparse.csr_array(one), sparse.csr_array(other)
        return one.shape == other.shape and not (one != other).nnz
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)
