"""Certificates as plain JSON values and back, bit for bit, and nothing read without a look.

A float is written as a JSON number by `repr`, which is exact for float64 (and hence float32);
arrays become lists. Reading checks each value against the type its field declares.
"""

from __future__ import annotations

import math
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from certo.rates import Rate


def to_plain(value: Any) -> Any:
    """A JSON value for a certificate, or for anything a certificate holds."""
    if isinstance(value, np.ndarray | tuple | list):
        items = value.tolist() if isinstance(value, np.ndarray) else value
        return [to_plain(item) for item in items] if not isinstance(value, np.ndarray) else items
    if isinstance(value, Rate):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _item(getattr(value, f.name)) for f in fields(value)}
    return value.item() if isinstance(value, np.generic) else value


def _item(value: Any) -> Any:
    from certo.certificates.base import Certificate

    return value.to_dict() if isinstance(value, Certificate) else to_plain(value)


def from_plain(kind: type, data: Any) -> Any:
    """The dataclass `kind` written by `to_plain`; ValueError if `data` is not one."""
    if not isinstance(data, dict):
        raise ValueError(f"{kind.__name__} must be a JSON object, got {type(data).__name__}.")
    declared = typing.get_type_hints(kind)
    names = [f.name for f in fields(kind)]
    if sorted(data) != sorted(names):
        raise ValueError(
            f"{kind.__name__} must have exactly the fields {sorted(names)}, got {sorted(data)}."
        )
    try:
        return kind(**{name: _read(declared[name], data[name], name) for name in names})
    except (TypeError, OverflowError, RecursionError) as wrong:
        raise ValueError(f"{kind.__name__}: {wrong}") from wrong


def _read(kind: Any, value: Any, name: str) -> Any:
    from certo.certificates.base import Certificate

    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inner:
            return None
        (kind,) = [option for option in inner if option is not type(None)]
        return _read(kind, value, name)
    if kind is Any:
        return _plain_label(value, name)
    if kind is float:
        return _number(value, name, whole=False)
    if kind is int:
        return _number(value, name, whole=True)
    if kind in (str, bool):
        _expect(type(value) is kind, name, kind.__name__, value)
        return value
    if kind is np.ndarray:
        return _array(value, name)
    if origin is tuple:
        _expect(isinstance(value, list), name, "a list", value)
        return tuple(_read(inner[0], item, name) for item in value)
    if issubclass(kind, Certificate):
        return kind.from_dict(value)
    if issubclass(kind, Rate):
        return Rate.from_dict(value)
    return from_plain(kind, value)


def _expect(condition: bool, name: str, required: str, value: Any) -> None:
    if not condition:
        raise ValueError(f"{name} must be {required}, got {str(value)[:80]!r}.")


def _number(value: Any, name: str, *, whole: bool) -> float | int:
    kinds = (int,) if whole else (int, float)
    _expect(type(value) in kinds, name, "a whole number" if whole else "a number", value)
    if whole:
        return value
    number = float(value)
    _expect(math.isfinite(number), name, "finite", value)
    return number


def _array(value: Any, name: str) -> np.ndarray:
    _expect(isinstance(value, list), name, "a list of numbers", value)
    whole = all(type(item) is int for item in value)
    array = np.array([_number(item, name, whole=whole) for item in value])
    return array.astype(np.int64 if whole and value else np.float64)


def _plain_label(value: Any, name: str) -> Any:
    _expect(type(value) in (str, int, float, bool), name, "a label (text or number)", value)
    return value


def readable(value: Any) -> str:
    """A number as a person would like to read it."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if type(value) is int else str(value)
