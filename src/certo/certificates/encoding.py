"""Certificates as plain JSON values and back, bit for bit, and nothing read without a look.

A float is written as a JSON number by `repr`, which is exact for float64 (and hence float32);
arrays become lists; a fraction is text in base sixteen, '3/a', which takes linear time to read.
Reading checks each value against the type its field declares.
"""

from __future__ import annotations

import contextlib
import math
import re
import types
import typing
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np

MAX_DIGITS = 2**16  # Digits of either part of a fraction, in base sixteen.
REAL_KINDS, WHOLE_KINDS = (int, float, np.integer, np.floating), (int, np.integer)
MAX_INT_BITS = 2**13  # The largest integer that a theorem can give here has about 5,300 bits.


def to_plain(value: Any) -> Any:
    """A JSON value for a certificate, or for anything a certificate holds."""
    if is_dataclass(value):
        parts = [(f, getattr(value, f.name)) for f in fields(value) if f.compare]
        # What is None in older files is not written: they lack it.
        return {f.name: _part(part) for f, part in parts if part is not None or not f.metadata}
    if isinstance(value, Fraction):
        return f"{value.numerator:x}/{value.denominator:x}"
    if isinstance(value, tuple):
        return [_part(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _part(value: Any) -> Any:
    """The same for what a certificate holds: what may be of several kinds says which it is."""
    return value.to_dict() if hasattr(value, "to_dict") else to_plain(value)


def name_in(data: Any, key: str = "type") -> str:
    """The name that a JSON object has under this key; empty, if there is none."""
    name = data.get(key) if isinstance(data, dict) else None
    return name if type(name) is str else ""


def from_plain(kind: type, data: Any, key: str = "") -> Any:
    """The dataclass `kind` written by `to_plain`, with the name of its kind under the key, if any;
    ValueError if `data` is not one. Older files lack fields that have metadata."""
    _expect(isinstance(data, dict), kind.__name__, "a JSON object", data)
    names = [f.name for f in fields(kind) if f.compare and (f.name in data or not f.metadata)]
    if set(data) - {key} != set(names):
        raise ValueError(f"{kind.__name__} must have exactly the fields {sorted(names)}.")
    declared = typing.get_type_hints(kind)
    try:
        return kind(**{name: _read(declared[name], data[name], name) for name in names})
    except (TypeError, OverflowError, RecursionError) as wrong:
        raise ValueError(f"{kind.__name__}: {wrong}") from wrong


def _read(kind: Any, value: Any, name: str) -> Any:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inner:
            return None
        options = [option for option in inner if option is not type(None)]
        if len(options) > 1 and type(value) is dict:  # One of several kinds, which it names.
            options = [option for option in options if option.__name__ == value.get("type")]
            _expect(bool(options), name, f"one of {kind}", value)
        elif len(options) > 1:  # `float | np.ndarray`: a list is an array, all else a number.
            options = [kind for kind in options if (kind is np.ndarray) == (type(value) is list)]
        (kind,) = options
        return _read(kind, value, name)
    if origin is tuple:
        _expect(type(value) is list, name, "a list", value)
        return tuple(_read(inner[0], item, name) for item in value)
    if kind is np.ndarray:
        _expect(type(value) is list, name, "a list of numbers", value)
        return _array(value, name)
    if kind is float:
        return number(value, name)
    if kind is int:
        return whole_number(value, name)
    if kind is Any:  # The value is a label.
        _expect(type(value) in (str, int, float, bool), name, "a label (text or number)", value)
        if type(value) in (int, float):
            number(value, name)  # The number must be finite.
        return value
    if kind in (str, bool):
        _expect(type(value) is kind, name, f"of type {kind.__name__}", value)
        return value
    if kind is Fraction:
        return fraction(value, name)
    if not hasattr(kind, "from_dict"):
        return from_plain(kind, value)
    several = name_in(value) == "Composite" != kind.__name__
    _expect(not several, kind.__name__, "one claim, not a Composite of several", value)
    return kind.from_dict(value)


def _array(items: list, name: str) -> np.ndarray:
    kinds = set(map(type, items))
    if kinds == {list}:  # The value is a matrix, row by row.
        rows = [_array(row, name) for row in items]
        one_shape = all(row.ndim == 1 and row.size == rows[0].size for row in rows)
        _expect(one_shape, name, "a table of numbers with rows of one length", items)
        return np.array(rows)
    if kinds in ({int}, {float}):  # Plain numbers are converted at once.
        with contextlib.suppress(OverflowError):
            array = np.array(items, dtype=np.int64 if kinds == {int} else np.float64)
            if np.all(np.isfinite(array)):
                return array
    return np.array([(whole_number if kinds <= {int} else number)(item, name) for item in items])


def _expect(condition: bool, name: str, required: str, value: Any) -> None:
    if not condition:
        raise ValueError(f"{name} must be {required}, got {_glimpse(value)}.")


def _glimpse(value: Any) -> str:
    """What came, for a message: never long, whatever it is."""
    plain = type(value) in (str, int, float, bool, type(None))
    if not plain or (type(value) is int and value.bit_length() > MAX_INT_BITS):
        return f"a value of type {type(value).__name__}"
    return repr(value)[:80]


def number(value: Any, name: str) -> float:
    """A finite float, from any kind of real number but a truth value; else a ValueError."""
    if type(value) is float and math.isfinite(value):
        return value
    _expect(isinstance(value, REAL_KINDS) and not isinstance(value, bool), name, "a number", value)
    result = math.inf
    with contextlib.suppress(OverflowError):
        result = float(value)
    _expect(math.isfinite(result), name, "a finite number", value)
    return result


def whole_number(value: Any, name: str) -> int:
    """An int; else a ValueError."""
    whole = isinstance(value, WHOLE_KINDS) and not isinstance(value, bool)
    _expect(whole and int(value).bit_length() <= MAX_INT_BITS, name, "an integer", value)
    return int(value)


def fraction(value: Any, name: str) -> Fraction:
    """The fraction written by `to_plain`, in lowest terms; else a ValueError."""
    short = type(value) is str and len(value) <= 2 * MAX_DIGITS
    parts = re.fullmatch(r"(-?[0-9a-f]+)/([0-9a-f]+)", value) if short else None
    if parts is None or not int(parts[2], 16):
        raise ValueError(f"{name} must be a fraction like '3/a', got {_glimpse(value)}.")
    return Fraction(int(parts[1], 16), int(parts[2], 16))


def counted(number: int, noun: str) -> str:
    """'1 example', '1,234 examples'."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def says_nothing(share: float | Fraction) -> bool:
    """Whether a fit might be lowered by nearly all of what it minimises, which is never negative,
    for all that is proved."""
    return share > 0.99
