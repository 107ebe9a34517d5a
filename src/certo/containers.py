"""Numbers in any container (lists, arrays, data frames, sparse matrices), before digits are lost.

To put a table into one array is to choose one type for all its columns, and that can round: 2⁵³ + 1
beside 0.5 becomes 2⁵³. So every column is looked at as it is, and what float64 cannot hold exactly
is refused by name. Data frames are known by what they offer; none of their libraries is imported.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

BLOCK_NUMBERS = 2**17  # Numbers that are looked at together: a megabyte, which stays in the cache.
MAX_EXACT_INTEGER = 2**53  # All integers up to this size are float64 numbers.
# Types all of whose numbers float64 holds, as NumPy, pandas, polars and Arrow name them.
EXACT_TYPES = {
    "bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32", "float64",
}  # fmt: skip
EXACT_NUMPY_TYPES = {np.dtype(name) for name in EXACT_TYPES}
EXACT_TYPES |= {"boolean", "halffloat", "float", "double"}
DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


class Inexact(ValueError):
    """A table holds what float64 cannot hold. `what` says who needs what, and which entry is not
    so; the message says what to do, too."""

    def __init__(self, what: str, advice: str):
        super().__init__(f"{what} {advice}")
        self.what = what


def exact_input(X: Any, who: str, name: str = "X") -> Any:
    """X, if float64 can hold each of its numbers exactly; else `Inexact`, in the name of `who`.

    A list comes back as an array, a sparse matrix in canonical CSR form, all else as it is. What
    can be no number comes back too: the caller converts X, and says so.
    """
    if sparse.issparse(X):
        if X.ndim == 2:
            X = canonical_csr(X)
            _refuse_inexact(X.data, who, name, X)
        return X
    if (columns := _columns(X)) is not None:
        for j, label, column in columns:
            values = _column_values(column, who, f"column {label!r} of {name}")
            if (bad := _first_inexact(values)) is not None:
                raise _refusal(who, f"{name}[{bad}, {j}] (column {label!r})", values[bad])
        return X
    X = exact_list(X, who, name) if _is_sequence(X) else X
    if (place := _first_masked(X)) is not None:
        raise _refusal(who, f"{name}{place}", None)
    if (array := _as_array(X)) is not None:
        _refuse_inexact(array, who, name)
    return X


def canonical_csr(X: Any) -> Any:
    """A sparse matrix as CSR, with increasing indices in each row, and without stored zeros.

    So the same numbers have one form: a run whose sums go through the stored entries is repeated
    bit for bit. The flags `has_canonical_format` and `has_sorted_indices` of SciPy are stored
    answers that do not follow a change of the arrays. They are computed anew, for a matrix that
    shares the arrays.
    Entries of one place are added in the order in which they are stored, as `toarray` does.
    """
    if X.format in ("csr", "csc"):
        X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
        X.check_format(full_check=True)  # An index outside would be memory outside.
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.tocsc().tocsr()  # This sorts the indices, and keeps the order of equal ones.
        X.sum_duplicates()
    if X.nnz and not np.all(X.data):
        X = X.copy()  # The arrays may be those of the caller.
        X.eliminate_zeros()
    return X


def _columns(X: Any) -> list[tuple[int, Any, Any]] | None:
    """The columns of a data frame (pandas, polars, Arrow) whose type does not show that float64
    holds them: the place, the name and the values of each. None, if X is not a data frame."""
    if len(getattr(X, "shape", ())) != 2:
        return None
    if hasattr(X, "iloc"):
        names, kinds, column = X.columns, X.dtypes.tolist(), lambda j: X.iloc[:, j]
    elif hasattr(X, "get_columns"):
        names, kinds, column = X.columns, X.dtypes, X.get_columns().__getitem__
    elif hasattr(X, "column_names"):
        names, kinds, column = X.column_names, X.schema.types, X.columns.__getitem__
    else:
        return None
    return [(j, names[j], column(j)) for j, kind in enumerate(kinds) if not _is_exact_type(kind)]


def _column_values(column: Any, who: str, what: str) -> np.ndarray:
    try:
        return np.asarray(column)
    except Exception as wrong:  # The libraries of data frames have errors of their own.
        raise ValueError(f"{who} needs numbers, but NumPy cannot hold {what}: {wrong}") from wrong


def _as_array(X: Any) -> np.ndarray | None:
    """None, where NumPy makes no array of X."""
    try:
        return np.asarray(X)
    except (TypeError, ValueError, OverflowError):
        return None


def _is_sequence(X: Any) -> bool:
    """Whether X is a list or the like, whose items NumPy looks at one by one."""
    return isinstance(X, list | tuple) or (
        isinstance(X, Sequence) and not isinstance(X, str | bytes | range | memoryview)
        and not hasattr(X, "__array__")
    )  # fmt: skip


def exact_list(X: Sequence, who: str, name: str) -> Any:
    """A list as an array, or as it is if NumPy makes none of it; `Inexact`, if that would round an
    integer that stands beside numbers of another type."""
    array = _as_array(X)
    if array is None:
        return X
    if array.dtype != np.float64:  # No number was rounded.
        return array
    for place in np.argwhere(np.abs(array) >= MAX_EXACT_INTEGER).tolist():
        given: Any = X
        for i in place:
            given = given[i] if _is_sequence(given) else np.asarray(given)[i]
        if not _is_exact(given):
            raise _refusal(who, f"{name}{place}", given)
    return array


def exact_labels(y: Any, who: str, name: str = "y") -> Any:
    """Labels, a list as an array; `Inexact`, if NumPy would make another label of one of them.

    Beside text a number becomes text, so that 1 and "1" would be one class; and text of NumPy's own
    type loses NUL characters at its end. Behind the mask of an array there is no label.
    """
    if (place := _first_masked(y)) is not None:
        what = f"{who} needs a label for every example, but {name}{place} is masked."
        raise Inexact(what, "Remove or impute such rows.")
    if not _is_sequence(y):
        return y
    array = exact_list(y, who, name)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "US":
        return array
    given = np.array(y, dtype=object).reshape(array.shape)
    changed = np.argwhere(given != array.astype(object))
    if not changed.size:
        return array
    place = changed[0].tolist()
    label = given[tuple(place)]
    here = f"{name}{place} is {label!r}"
    if isinstance(label, str):
        what = f"{who} needs text that NumPy can hold, but {here}."
        raise Inexact(what, "Remove the NUL character at its end.")
    what = f"{who} needs labels of one kind, but {here} ({type(label).__name__}) among texts."
    raise Inexact(what, "Give all labels as text, or all as numbers.")


def _first_masked(values: Any) -> list[int] | None:
    """The place of the first masked entry of an array, or None."""
    masked = isinstance(values, np.ma.MaskedArray) and np.any(values.mask)
    return np.argwhere(np.ma.getmaskarray(values))[0].tolist() if masked else None


def _is_exact_type(kind: Any) -> bool:
    if isinstance(kind, np.dtype):
        return kind in EXACT_NUMPY_TYPES
    return str(kind).lower() in EXACT_TYPES


def _refuse_inexact(values: np.ndarray, who: str, name: str, csr: Any = None) -> None:
    """`Inexact` for an array, or for the entries of a CSR matrix."""
    if _is_exact_type(values.dtype) or not values.ndim:
        return
    flat = np.asarray(values).reshape(-1)
    if (bad := _first_inexact(flat)) is None:
        return
    place = [int(i) for i in np.unravel_index(bad, values.shape)]
    if csr is not None:
        row = int(np.searchsorted(csr.indptr, bad, side="right")) - 1
        place = [row, int(csr.indices[bad])]
    raise _refusal(who, f"{name}{place}", flat[bad])


def _first_inexact(values: np.ndarray) -> int | None:
    """The place of the first of these that float64 cannot hold, or None."""
    kind = values.dtype.kind
    if not values.size or _is_exact_type(values.dtype):
        return None
    if kind in "MmSU":
        return 0
    if kind == "O":
        return _first_inexact_object(values)
    if kind in "iu":
        inexact = inexact_integers(values)
    elif kind == "f":
        with np.errstate(over="ignore"):
            inexact = (values.astype(np.float64) != values) & (values == values)
    else:
        return None
    return int(np.argmax(inexact)) if np.any(inexact) else None


def inexact_integers(values: np.ndarray) -> np.ndarray:
    """Which of these integers float64 cannot hold.

    An integer v = odd·2^k is a float64 number just if |odd| < 2⁵³. As rounding to nearest keeps
    order, that is just if the rounded |v| is below 2^k·2⁵³; and 2^k is v & −v, up to its sign.
    """
    if not values.size or max(int(values.max()), -int(values.min())) <= MAX_EXACT_INTEGER:
        return np.zeros(values.shape, dtype=bool)
    power = np.abs((values & -values).astype(np.float64))
    return (np.abs(values.astype(np.float64)) >= power * MAX_EXACT_INTEGER) & (values != 0)


def _first_inexact_object(values: np.ndarray) -> int | None:
    unsure: Sequence[int] = range(values.size)
    try:
        floats = values.astype(np.float64)
        same = np.asarray(floats == values, dtype=bool)
        # NumPy compares its own integers with floats as floats, which rounds large ones.
        unsure = np.flatnonzero(~same | (np.abs(floats) >= MAX_EXACT_INTEGER)).tolist()
    except (TypeError, ValueError, OverflowError):
        pass  # Something is not a number, or is too large, so each is looked at.
    return next((t for t in unsure if not _is_exact(values[t])), None)


def _is_exact(item: Any) -> bool:
    """Whether float64 holds a number exactly; True also for objects that stand for no number, of
    which the conversion to numbers tells."""
    if isinstance(item, (*DATES, str, bytes)) or _is_missing(item):
        return False
    item = item.item() if isinstance(item, np.generic) else item
    try:
        return bool(item != item or float(item) == item)
    except OverflowError:
        return False
    except (TypeError, ValueError):
        return True


def _is_missing(item: Any) -> bool:
    return item is None or type(item).__name__ == "NAType"


def _refusal(who: str, place: str, value: Any) -> Inexact:
    value = value.item() if isinstance(value, np.integer) else value
    if isinstance(value, int) and abs(value) >= 2**1024:
        shown, advice = "huge", "Use a larger unit."
    elif _is_missing(value):
        shown, advice = "missing", "Remove or impute such rows."
    elif isinstance(value, DATES):
        shown = f"{str(value)[:60]} ({type(value).__name__})"
        advice = "Turn dates and durations into numbers, such as the days since a first date."
    elif isinstance(value, str | bytes):
        shown = f"the text {str(value)[:60]!r}"
        advice = "Turn text into numbers: columns of 0 and 1, one for each value."
    else:
        shown = str(value)[:60]
        advice = (
            "Leave the column out, subtract a common offset, or round it yourself with "
            "astype(float): all is then about the rounded numbers."
        )
    what = f"{who} needs numbers that float64 holds exactly, but {place} is {shown}."
    return Inexact(what, advice)


def count(X) -> int:
    """How many points: len(), which sparse matrices lack."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def block_rows(X: Any) -> int:
    """How many rows of a table of numbers hold `BLOCK_NUMBERS`."""
    width = X.nnz // max(X.shape[0], 1) + 1 if sparse.issparse(X) else X.shape[1]
    return max(1, BLOCK_NUMBERS // max(width, 1))
