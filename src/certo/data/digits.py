"""Numbers with more digits than float64 holds, in text and in Arrow's decimals.

The convention of tables: a decimal number is taken as the float64 number nearest to it, so 0.1 is
0.1000000000000000055…, as everywhere. But two different numbers of a column must stay different,
and a number beyond 2⁵³ that float64 cannot hold (an identifier, most often) is not rounded at all.
A column with either is kept as it is written, and refused where it is used.

Decimal numbers of at most 15 digits have different float64 numbers next to them if their size is
above 1e-292, and those up to 2⁵³ are not looked at otherwise. So only a column of a file with
a longer number, or one with an exponent of three digits, may need a look.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from certo.containers import MAX_EXACT_INTEGER

SURE_DIGITS = 15  # Decimal digits that float64 keeps apart.
MAX_DECIMAL_DIGITS = 76  # Digits of a decimal number in Arrow.
CHUNK_BYTES = 2**22


class TooFine(NamedTuple):
    """A number that float64 cannot hold, and another one that would become the same, if any."""

    number: Decimal
    other: Decimal | None

    def __str__(self) -> str:
        nearest = float(self.number)
        if self.other is not None:
            return f"{self.number} and {self.other} would both become {nearest!r}"
        return f"{self.number} would become {int(nearest)}"


def has_long_numbers(file: Any, point: str) -> bool:
    """Whether a text has more than 15 digits with at most a decimal point between them, or a
    negative exponent of three digits."""
    kinds = bytearray(b" " * 256)
    for characters, kind in (("0123456789" + point, b"0"), ("eE", b"e"), ("-", b"-")):
        for character in characters.encode():
            kinds[character] = kind[0]
    before = b""
    while chunk := file.read(CHUNK_BYTES):
        text = before + bytes(chunk).translate(bytes(kinds))
        if b"0" * (SURE_DIGITS + 1) in text or b"e-000" in text:
            return True
        before = text[-SURE_DIGITS:]
    return False


def may_be_rounded(values: np.ndarray) -> bool:
    """Whether different numbers may have become one of these, or an integer another one."""
    values = np.sort(values[np.isfinite(values)])
    largest = np.max(np.abs(values[[0, -1]]), initial=0.0) if values.size else 0.0
    return bool(largest >= MAX_EXACT_INTEGER or np.any(values[1:] == values[:-1]))


def as_decimals(texts: pa.ChunkedArray, point: str) -> pa.Array | None:
    """A column of text as decimals, where some number of it would be too fine for float64; None
    where none is, or where something is not a number. ValueError, if Arrow has no type for them."""
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    tiny = pc.any(pc.match_substring(texts, "e-", ignore_case=True)).as_py()
    if longest <= SURE_DIGITS and not tiny:
        return None
    cells = texts.combine_chunks().dictionary_encode()
    numbers = [exact_number(text, point) for text in cells.dictionary.to_pylist()]
    there = [number for number in numbers if number is not None]
    if too_fine(there) is None:
        return None
    scale = max(max(-int(number.as_tuple().exponent) for number in there), 0)
    whole = max(number.adjusted() + 1 for number in there)
    if scale + max(whole, 1) > MAX_DECIMAL_DIGITS:
        raise ValueError(str(too_fine(there)))
    kept = pa.array(numbers, pa.decimal256(scale + max(whole, 1), scale))
    return kept.take(cells.indices)


def exact_number(text: str | None, point: str = ".") -> Decimal | None:
    """The number that a text stands for, exactly; None for what is none (or not finite)."""
    try:
        number = Decimal((text or "").strip().replace(point, "."))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def nearest_floats(decimals: pa.Array) -> np.ndarray:
    """Decimals as the float64 numbers nearest to them (a cast of Arrow's rounds more than once),
    NaN where there is none."""
    return decimals.cast(pa.string()).cast(pa.float64()).to_numpy(zero_copy_only=False)


def too_fine_decimals(decimals: pa.Array, floats: np.ndarray) -> TooFine | None:
    """What `too_fine` says of an Arrow array, whose nearest float64 numbers are known."""
    if decimals.type.precision <= SURE_DIGITS:
        return None
    if not np.any(np.abs(floats) >= MAX_EXACT_INTEGER):
        there = np.unique(floats[~np.isnan(floats)]).size
        if there == pc.count_distinct(decimals, mode="only_valid").as_py():
            return None
    return too_fine(decimals.unique().drop_null().to_pylist())


def too_fine(numbers: Sequence[Decimal]) -> TooFine | None:
    """A number of 2⁵³ or more that is not a float64 number, or two that differ and have the same
    nearest one, if there are such."""
    floats = np.array([float(number) for number in numbers], dtype=np.float64)
    for t in np.flatnonzero(np.abs(floats) >= MAX_EXACT_INTEGER).tolist():
        # Infinite ones are refused for what they are, and 1e23 says that it is rounded.
        written_out = int(numbers[t].as_tuple().exponent) <= 0
        if np.isfinite(floats[t]) and written_out and Decimal(floats[t]) != numbers[t]:
            return TooFine(numbers[t], None)
    order = np.argsort(floats, kind="stable")
    for k in np.flatnonzero(floats[order][1:] == floats[order][:-1]).tolist():
        one, other = numbers[order[k]], numbers[order[k + 1]]
        if one != other and np.isfinite(floats[order[k]]):
            return TooFine(one, other)
    return None
