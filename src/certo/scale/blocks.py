"""The protocol of examples in blocks, and its first implementation: arrays in memory.

A table is cut into blocks of rows in a fixed order. Whoever works with it asks for one of three
things, each of which is one pass over the blocks:

    map(function, *args)          function(block, *args) for every block, in their order
    total(function, *args)        the sum of these by `+`, added one after another in that order
    relay(function, states, ends, *args)
                                  (state, output) = function(state, block, *args) from block to
                                  block, for one state through all rows, or one for each of several
                                  parts of the rows

`function` is a function at the top of a module, and `args` and what it returns can be pickled, so
that another process may call it. Since sums are added in the order of the blocks, whoever computed
them, a run is repeatable with any number of workers. Rounding errors of a sum grow with the number
of blocks, which `Blocks.count` tells; claims account for it (see `certo.certificates.blocks`).

No number is kept beside a row. The multiplier of a row in a soft-margin problem, which other
methods keep, is a function of its margin here (see `certo.solvers.smoothed_hinge`), so that a
worker who fails loses nothing that cannot be computed again from the rows.

How another transport (Dask) plugs in: derive from `Blocks`; pass `shape`, `dtype`, `columns` to
`Blocks.__init__`; and define `_blocks`, which yields the blocks one by one, for whoever needs rows
here, and `_map`, which may send `function` and `args` to where a partition is, must yield the
results in the order of the blocks, and should submit a bounded number of them ahead. `_map` may be
left as it is. `_relay` may be overridden so that the parts of the rows are gone through at the same
time. Let `as_blocks` in `certo.scale.opening` know the new input. That is all: estimators,
claims and checks see `Blocks` only.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from certo.containers import inexact_integers
from certo.facts import InputError
from certo.solvers.interrupt import Stopped
from certo.stop import Asked, go_on
from certo.words import blocks as sentences

S = TypeVar("S")
T = TypeVar("T")

NUMBERS_PER_BLOCK = 2**20  # Numbers in a block: 8 MB in float64, so that a few fit beside a cache.
MIN_ROWS_PER_BLOCK = 256
MAX_SUMMED_COLUMNS = 4000  # More columns make matrices that are too large to be summed.


def rows_per_block(columns: int) -> int:
    """How many rows of so many columns a block has where nothing else says it."""
    return max(MIN_ROWS_PER_BLOCK, NUMBERS_PER_BLOCK // max(columns, 1))


class Block(NamedTuple):
    """Consecutive rows: X as C-ordered float32 or float64, or CSR; y has a number or a label for
    each, or is None; `start` is the number of the first row, and `place` says where the rows are,
    for people."""

    X: Any
    y: np.ndarray | None
    start: int
    place: str = ""

    @property
    def rows(self) -> int:
        return int(self.X.shape[0])

    def between(self, first: int, end: int) -> Block:
        """Its rows from one number on to before another."""
        if (first, end) == (self.start, self.start + self.rows):
            return self
        some = slice(first - self.start, end - self.start)
        y = None if self.y is None else self.y[some]
        return Block(self.X[some], y, first, self.place)


class Blocks(abc.ABC):
    """Examples in blocks of rows, in a fixed order.

    Parameters
    ----------
    shape : (rows, columns) of X
    dtype : float32 or float64
    columns : the names of the columns of X, or None
    place : what the whole is called in messages
    """

    #: By this, claims know what to check block by block; no array and no data frame has it.
    in_blocks = True

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: Any,
        columns: tuple[str, ...] | None = None,
        place: str = "the data",
    ):
        self.shape, self.dtype, self.columns, self.place = shape, np.dtype(dtype), columns, place
        self.passes = 0  # Passes over the blocks so far.
        #: Sums over all rows that an earlier pass has left behind, for whoever knows them, or None.
        self.sums: Any = None
        #: Asked before every block; if it says why to stop, the pass ends with `Stopped`.
        self.asked: Asked = go_on

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """How many blocks there are."""

    @abc.abstractmethod
    def _blocks(self) -> Iterator[Block]:
        """All blocks, one after another; none is kept."""

    def _map(self, function: Callable[..., S], args: tuple[Any, ...]) -> Iterator[S]:
        return (function(block, *args) for block in self._blocks())

    def _sums(self, function: Callable[..., S], args: tuple[Any, ...]) -> Iterator[S]:
        """What adds up to the sum over the blocks: for each block, or of several together."""
        return self._map(function, args)

    def _relay(
        self, function: Callable[..., tuple[S, T]], states: list[S], ends: list[int],
        args: tuple[Any, ...],
    ) -> Iterator[tuple[int, S, T]]:  # fmt: skip
        part = 0
        for block in self._blocks():
            first, last = block.start, block.start + block.rows
            while first < last:
                while ends[part] <= first:
                    part += 1
                end = min(last, ends[part])
                states[part], found = function(states[part], block.between(first, end), *args)
                yield part, states[part], found
                first = end

    def __iter__(self) -> Iterator[Block]:
        return self._watched(self._blocks())

    def first(self) -> Block:
        """The first block, without a pass over the others."""
        return next(iter(self._blocks()))

    def __len__(self) -> int:
        """The number of rows, as that of a list or an array is."""
        return self.shape[0]

    def map(self, function: Callable[..., S], *args: Any) -> Iterator[S]:
        return self._watched(self._map(function, args))

    def _watched(self, results: Iterator[S]) -> Iterator[S]:
        """A pass, which ends where it is asked to stop."""
        self.passes += 1
        for found in results:
            if self.asked():
                raise Stopped
            yield found

    @contextmanager
    def stopping(self, asked: Asked) -> Iterator[None]:
        """While inside, a pass ends with `Stopped` once `asked()` says why to stop."""
        before, self.asked = self.asked, asked
        try:
            yield
        finally:
            self.asked = before

    def total(self, function: Callable[..., S], *args: Any) -> S:
        return reduce(add, self._watched(self._sums(function, args)))

    def relay(
        self, function: Callable[..., tuple[S, T]], states: Sequence[S], ends: Sequence[int],
        *args: Any,
    ) -> Iterator[tuple[int, S, T]]:  # fmt: skip
        """Go through the rows in their order, in parts that end at these row numbers, each from a
        state of its own. After every step the number of the part, its state and the output are
        given; whoever has enough stops asking."""
        self.passes += 1
        return self._relay(function, list(states), [int(end) for end in ends], args)

    def pick(self, rows: np.ndarray) -> tuple[Any, np.ndarray | None]:
        """X and y of some rows, by increasing numbers, in one pass."""
        found = [part for part in self.map(_picked, rows) if part is not None]
        X, y = zip(*found, strict=True)
        stacked = sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.vstack(X)
        return stacked, None if y[0] is None else np.concatenate(y)


def in_floats(X: Any, dtype: np.dtype, place: str) -> Any:
    """X in these floats, refused where integers would be rounded."""
    if X.dtype.kind in "iu" and inexact_integers(X.data if sparse.issparse(X) else X).any():
        raise InputError(sentences.inexact_integers, place)
    return X.astype(dtype, copy=False)


def _picked(block: Block, rows: np.ndarray) -> tuple[Any, np.ndarray | None] | None:
    first, last = np.searchsorted(rows, (block.start, block.start + block.rows))
    here = rows[first:last] - block.start
    if not here.size:
        return None
    return block.X[here], None if block.y is None else block.y[here]


class ArrayBlocks(Blocks):
    """An array in memory, a memory map, or a CSR matrix, whose blocks are views of it; `ends` are
    the row numbers at which blocks end, if they are to end anywhere in particular."""

    def __init__(self, X: Any, y: Any = None, *, ends: Any = None, columns: Any = None):
        X = X if sparse.issparse(X) else np.asanyarray(X)
        if X.ndim != 2:
            raise InputError(sentences.other_dimensions, f"shape {X.shape}")
        if X.dtype.kind not in "biufO":
            raise InputError(sentences.no_numbers, "X", X.dtype)
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        super().__init__(X.shape, dtype, columns)
        self.X, self.y = X.tocsr() if sparse.issparse(X) else X, None if y is None else y
        if y is not None:
            self.y = np.asanyarray(y)
            if len(self.y) != len(self):
                raise InputError(sentences.other_count, len(self), len(self.y))
        step = rows_per_block(X.shape[1])
        self.ends = [*range(step, len(self), step), len(self)] if ends is None else list(ends)
        if any(b <= a for a, b in zip(chain((0,), self.ends), self.ends, strict=False)) or (
            self.ends[-1:] != [len(self)]
        ):
            raise InputError(sentences.other_ends, len(self))

    @property
    def count(self) -> int:
        return len(self.ends)

    def _blocks(self) -> Iterator[Block]:
        start = 0
        for end in self.ends:
            place = f"rows {start:,} to {end - 1:,}"
            X = in_floats(self.X[start:end], self.dtype, place)
            X = X if sparse.issparse(X) else np.ascontiguousarray(X)
            y = None if self.y is None else np.asarray(self.y[start:end])
            yield Block(X, y, start, place)
            start = end
