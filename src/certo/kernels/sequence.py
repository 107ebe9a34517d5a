"""Sequences: strings, or lists, tuples and arrays of any symbols; their symbols as numbers."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, final

import numpy as np
from scipy import sparse

from certo.kernels.objects import MAX_CODE, Base, Objects, StructuredKernel

TABLE_PLACES_PER_VALUE = 8  # Up to this size a table is quicker than sorting the values.


class SequenceKernel(StructuredKernel):
    """A kernel of sequences: a str, or a list, tuple or 1-D array of hashable symbols.

    A str is the sequence of its characters (code points: what looks the same but is composed
    differently is made the same by `unicodedata.normalize`).
    """

    kind = "sequences"

    @property
    def _least(self) -> int:
        """How many symbols two sequences must have for K not to be 0."""
        return 0

    def __call__(self, X, Z=None, *, progress=False):
        X, Z = self.examples(X), None if Z is None else self.examples(Z)
        centres = X if Z is None else Z
        most = longest(X, centres)
        if len(X) and len(centres) and most < self._least:
            warnings.warn(
                f"{self!r} needs {self._least} or more symbols, but the longest sequence has "
                f"{most}: all values are 0. Choose a kernel that needs fewer.",
                UserWarning,
                stacklevel=2,
            )
        return super().__call__(X, Z, progress=progress)

    def examples(self, X):
        X = super().examples(X)
        symbols(X.base)  # Symbols that cannot be compared are refused here.
        return X

    def _item(self, x, place):
        if isinstance(x, str):
            return str(x)
        if isinstance(x, np.ndarray) and x.ndim == 1:
            x = x.tolist()
        advice = ""
        if isinstance(x, bytes | bytearray | memoryview):
            advice = " Decode it to a str, or pass list(x) for its numbers."
        elif isinstance(x, Sequence):
            x = tuple(x)
            strange = [s for s in x if not is_symbol(s)]
            if not strange:
                return x
            missing = _is_missing(strange[0])
            advice = " Remove what is missing, or put a symbol of its own in its place."
            raise ValueError(
                f"the symbols of a sequence must be hashable and equal to themselves, but item "
                f"{place} holds {_shown(strange[0])}.{advice if missing else ''}"
            )
        elif _is_missing(x):
            advice = " Remove what is missing, or put an empty sequence in its place."
        raise ValueError(
            f"{type(self).__name__} takes sequences (a str, or a list, tuple or 1-D array of "
            f"symbols), but item {place} is {_shown(x)}.{advice}"
        )


class Symbols(NamedTuple):
    """All sequences of a base, one after the other, as numbers of symbols."""

    codes: np.ndarray  # Of type int32.
    first: np.ndarray  # Where each sequence begins, and the last one ends.
    alphabet: Sequence[Hashable]  # The symbol of each number.

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.first)


def symbols(base: Base) -> Symbols:
    return base.known("symbols", _symbols)


def longest(*parts: Objects) -> int:
    """The most symbols that one of these sequences has."""
    return max(int(np.max(symbols(p.base).lengths[p.rows], initial=0)) for p in parts)


def _symbols(base: Base) -> Symbols:
    lengths = np.fromiter(map(len, base.items), dtype=np.int64, count=len(base))
    first = np.concatenate([[0], np.cumsum(lengths)])
    if all(isinstance(item, str) for item in base.items):
        text = "".join(base.items).encode("utf-32-le", "surrogatepass")
        codes, found = _ranks(np.frombuffer(text, dtype="<u4").astype(np.int64))
        return Symbols(codes.astype(np.int32), first, [chr(point) for point in found])
    if any(isinstance(item, str) and item for item in base.items):
        _refuse_mixture(base)
    numbered: dict[Hashable, int] = {}
    each = (numbered.setdefault(s, len(numbered)) for item in base.items for s in item)
    codes = np.fromiter(each, dtype=np.int32, count=first[-1])
    return Symbols(codes, first, list(numbered))


def _refuse_mixture(base: Base) -> None:
    for place, item in enumerate(base.items):
        strange = [] if isinstance(item, str) else [s for s in item if not is_character(s)]
        if strange:
            text = next(item for item in base.items if isinstance(item, str) and item)
            raise ValueError(
                f"sequences must be of one kind, but {_shown(text)} is a sequence of characters, "
                f"and item {place} holds {_shown(strange[0])}. Split the strings into such "
                "symbols, or make all symbols characters."
            )


def is_symbol(s: Any) -> bool:
    """Whether it can be a key, and is equal to itself."""
    try:
        hash(s)
        return bool(s == s)
    except (TypeError, ValueError):  # The truth of pandas.NA, or of an array, is neither.
        return False


def _is_missing(x: Any) -> bool:
    """None, and what is hashable but not equal to itself: NaN, NaT, pandas.NA."""
    single = isinstance(x, Hashable) and not getattr(x, "shape", ())
    return x is None or (single and not is_symbol(x))


def is_character(s: Any) -> bool:
    return isinstance(s, str) and len(s) == 1


def _shown(x: Any) -> str:
    return f"{type(x).__name__} {repr(x)[:40]}"


def padded(base: Base, rows: np.ndarray, width: int, fill: int = -1) -> np.ndarray:
    """The codes of these items in rows of an array, with this filling beyond their ends."""
    codes, first, _ = symbols(base)
    lengths = first[rows + 1] - first[rows]
    inside = np.arange(width) < lengths[:, None]
    table = np.full((rows.size, width), fill, dtype=np.int32)
    places = first[rows][:, None] + np.arange(width)
    table[inside] = codes[places[inside]]
    return table


def _ranks(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the distinct values each is; and those, which are integers ≥ 0, in order."""
    bound = int(values.max(initial=-1)) + 1
    if bound > TABLE_PLACES_PER_VALUE * values.size:
        distinct, ranks = np.unique(values, return_inverse=True)
        return ranks, distinct
    present = np.zeros(bound, dtype=bool)
    present[values] = True
    return (np.cumsum(present) - 1)[values], np.flatnonzero(present)


class Grams(NamedTuple):
    """How often each item of a base (a row) contains each of their k-grams (a column)."""

    matrix: sparse.csr_array
    starts: np.ndarray  # A place in `codes` where each k-gram is found.


def grams(base: Base, k: int) -> Grams:
    return base.known(("grams", k), lambda base: _grams(base, k))


def _grams(base: Base, k: int) -> Grams:
    codes, first, alphabet = symbols(base)
    windows = np.maximum(np.diff(first) - (k - 1), 0)
    indptr = np.concatenate([[0], np.cumsum(windows)])
    starts = np.arange(indptr[-1]) + np.repeat(first[:-1] - indptr[:-1], windows)
    letters, size = codes.astype(np.int64), len(alphabet)
    values, bound = letters, size
    for j in range(1, k if starts.size else 1):  # A j-gram and a symbol make a (j + 1)-gram.
        if bound * size > MAX_CODE:
            values, distinct = _ranks(values)
            bound = distinct.size
        values, bound = values[:-1] * size + letters[j:], bound * size
    columns, distinct = _ranks(values[starts])
    where = np.empty(distinct.size, dtype=np.int64)
    where[columns] = starts
    shape = len(base), distinct.size
    matrix = sparse.csr_array((np.ones(columns.size), columns, indptr), shape=shape)
    matrix.sum_duplicates()
    return Grams(matrix, where)


@final
class Names(Sequence):
    """Parts of a long row of codes as strings, where all their symbols are characters, else as
    tuples; made when they are asked for."""

    def __init__(self, codes, alphabet, starts: np.ndarray, lengths: np.ndarray):
        self._codes, self._alphabet = codes, alphabet
        self._starts, self._lengths = starts, lengths

    def __len__(self) -> int:
        return self._starts.size

    def __getitem__(self, where):
        if isinstance(where, slice):
            return [self[i] for i in range(*where.indices(len(self)))]
        start = self._starts[where]
        codes = self._codes[start : start + self._lengths[where]].tolist()
        gram = tuple(self._alphabet[code] for code in codes)
        return "".join(gram) if all(map(is_character, gram)) else gram
