from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse

from certo.kernels.base import whole
from certo.kernels.counting import CountingKernel, Counts
from certo.kernels.objects import MAX_CODE, Base
from certo.kernels.sequence import Names, SequenceKernel, grams, is_character, is_symbol, symbols
from certo.kernels.spectrum import MAX_GRAM_SYMBOLS

MAX_NEIGHBOURS = 2**25  # Entries of the table of neighbours.


@final
@dataclass(frozen=True)
class Mismatch(SequenceKernel, CountingKernel):
    """The mismatch kernel: a k-gram counts for all that differ from it in at most m places.

    Definition    K(x, z) = Σ_g c_g(x)·c_g(z), over all g of k symbols of the alphabet; c_g(x) is
                  the number of k-grams of x that differ from g in at most m places
    Domain        sequences: strings, or lists, tuples, 1-D arrays of symbols
    Map           `certo.features.explicit_map`: the counts themselves
    Reference     Leslie, Eskin, Cohen, Weston, Noble (2004)

    Parameters
    ----------
    k : int, at least 1
    m : int, from 0 to k
        With 0, it is `Spectrum(k)` of k-grams of the alphabet.
    alphabet : str, or a sequence of symbols, optional
        Symbols of x outside of it, as an N in "ACGT", are a mismatch with every g. By default all
        that the examples have: of those that are fitted, where a machine is; X and Z in one call
        must then have the same. A kernel is written as JSON if its symbols are text, finite
        numbers, None, or tuples of these.

    Examples
    --------
    >>> kernel = Mismatch(3, 1, alphabet="ACGT")
    >>> kernel(["GATTACA"], ["GATTACA", "GATCACA", "GATNACA"])
    array([[74., 54., 45.]])
    """

    k: int
    m: int = 1
    alphabet: str | tuple[Hashable, ...] | None = None
    left_open: ClassVar = {"alphabet": None}

    def __post_init__(self):
        object.__setattr__(self, "k", whole(self.k, "k", 1, MAX_GRAM_SYMBOLS))
        object.__setattr__(self, "m", whole(self.m, "m", 0, self.k))
        if self.alphabet is not None:
            object.__setattr__(self, "alphabet", _sort_alphabet(self.alphabet))

    @property
    def _least(self):
        return self.k

    def to_dict(self):
        strange = [s for s in self.alphabet or () if not _survives_json(s)]
        if strange:
            raise ValueError(
                "a kernel with an alphabet is written as JSON if its symbols are text, finite "
                "numbers, None, or tuples of these, but one is "
                f"{type(strange[0]).__name__} {repr(strange[0])[:40]}."
            )
        return super().to_dict()

    def fitted_to(self, X):
        return self._closed(self.examples(X))

    def __call__(self, X, Z=None, *, progress=False):
        X, Z = self.examples(X), None if Z is None else self.examples(Z)
        kernel = self._closed(X) if Z is None else self._closed(X, Z)
        return super(Mismatch, kernel).__call__(X, Z, progress=progress)

    def _closed(self, *parts):
        if self.alphabet is not None:
            return self
        found = [set().union(*part) for part in parts]
        only = found[0] ^ found[-1]
        if only:
            raise ValueError(
                f"without an alphabet, X and Z must have the same symbols, but only one of "
                f"them has {next(iter(only))!r}. Name them, as alphabet='ACGT'."
            )
        return replace(self, alphabet=tuple(found[0]))

    def _count(self, base):
        letters = symbols(base).alphabet if self.alphabet is None else self.alphabet
        found = grams(base, self.k)
        owners, values = self._neighbours(self._spell(base, letters, found.starts), len(letters))
        distinct, columns = np.unique(values, return_inverse=True)
        shape = found.starts.size, distinct.size
        near = sparse.csr_array((np.ones(owners.size), (owners, columns)), shape=shape)
        matrix = found.matrix @ near
        matrix.sort_indices()
        size = max(1, len(letters))
        digits = np.array([distinct // size**j % size for j in range(self.k - 1, -1, -1)]).T
        starts = self.k * np.arange(distinct.size)
        return Counts(matrix, Names(digits.ravel(), letters, starts, np.full(starts.size, self.k)))

    def _spell(self, base: Base, letters: Sequence[Hashable], starts: np.ndarray) -> np.ndarray:
        """The k-grams, one in each row, as numbers of letters; −1 is a symbol that is none."""
        k, m, size = self.k, self.m, len(letters)
        each = sum(math.comb(k, h) * max(0, size - 1) ** h for h in range(m + 1))
        if each * starts.size > MAX_NEIGHBOURS or size**k > MAX_CODE:
            raise ValueError(
                f"Mismatch({k}, {m}) is too large: {starts.size:,} k-grams have {each:,} "
                f"neighbours each, of at most {MAX_NEIGHBOURS:,} in all, among {size}^{k}, of "
                "at most 2^62. Choose a smaller k, m or alphabet."
            )
        place = {letter: code for code, letter in enumerate(letters)}
        codes, _, alphabet = symbols(base)
        ours = np.array([place.get(symbol, -1) for symbol in alphabet], dtype=np.int64)
        return ours[codes[starts[:, None] + np.arange(k)]]

    def _neighbours(self, spelt: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """All pairs of a k-gram's row and a neighbour, a number of k digits; place by place a
        symbol stays, if it is a letter, or becomes another one, which is one mismatch more."""
        owners = np.arange(len(spelt), dtype=np.int32)
        values, left = np.zeros(len(spelt), np.int64), np.full(len(spelt), self.m, np.int32)
        letters = np.arange(size)
        for column in spelt.T:
            here = column[owners]
            stay, vary = here >= 0, left > 0
            row, letter = np.nonzero(here[vary, None] != letters)
            owners = np.concatenate([owners[stay], owners[vary][row]])
            left = np.concatenate([left[stay], left[vary][row] - 1])
            kept, changed = values[stay] * size + here[stay], values[vary][row] * size + letter
            values = np.concatenate([kept, changed])
        return owners, values


def _sort_alphabet(alphabet: Any) -> str | tuple[Hashable, ...]:
    """Its symbols in a fixed order, each once: a str if all are characters, else a tuple."""
    if not isinstance(alphabet, str | Sequence) or isinstance(alphabet, bytes):
        raise ValueError(
            "alphabet must be a str or a sequence of symbols, such as 'ACGT', got "
            f"{type(alphabet).__name__} {str(alphabet)[:40]}."
        )
    strange = [s for s in alphabet if not is_symbol(s)]
    if strange:
        raise ValueError(
            "the symbols of an alphabet must be hashable and equal to themselves, got "
            f"{type(strange[0]).__name__} {repr(strange[0])[:40]}."
        )
    letters = {_to_python(s) for s in alphabet}
    if all(map(is_character, letters)):
        return "".join(sorted(letters))
    sortable = int | float | str
    key = {s: s if isinstance(s, sortable) else repr(s) for s in letters}
    return tuple(sorted(letters, key=lambda s: (type(s).__name__, key[s])))


def _to_python(symbol: Any) -> Any:
    """Numbers of NumPy, which JSON does not know, as Python's, which are equal to them."""
    if isinstance(symbol, tuple):
        return tuple(map(_to_python, symbol))
    return symbol.item() if isinstance(symbol, np.number | np.bool_ | np.str_) else symbol


def _survives_json(symbol: Any) -> bool:
    """Whether it is the same when it is read back."""
    if type(symbol) is tuple:
        return all(map(_survives_json, symbol))
    finite = type(symbol) is not float or math.isfinite(symbol)
    return finite and (symbol is None or type(symbol) in (str, bool, int, float))
