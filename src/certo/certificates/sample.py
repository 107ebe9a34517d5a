"""The data a claim is about: rows of exact numbers, one sign for each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates import exact

BLOCK_NUMBERS = 2**17  # rows are taken in blocks of about a megabyte, which stay in the cache


class SampleMismatch(ValueError):
    """X and y cannot be the data a claim is about; the message says why."""


@dataclass(frozen=True)
class Labels:
    """Which of the user's labels count as +1 and which as −1.

    `classes[positive]` is +1 and every other class −1. With `column`, y has several columns
    (multi-label) and this one is meant.
    """

    classes: tuple[Any, ...]
    positive: int = 1
    column: int | None = None

    def signs(self, y) -> np.ndarray:
        """y as −1 and +1 (int8)."""
        y = y.toarray() if sparse.issparse(y) else np.asarray(y)
        if self.column is not None:
            if y.ndim != 2 or y.shape[1] <= self.column:
                raise SampleMismatch(
                    f"the claim is about column {self.column} of y, but y has shape {y.shape}."
                )
            y = y[:, self.column]
        elif y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise SampleMismatch(f"y must have one label for each example, got shape {y.shape}.")
        matches = [_equal(y, label) for label in self.classes]
        stranger = np.flatnonzero(~np.logical_or.reduce(matches))
        if stranger.size:
            raise SampleMismatch(
                f"y[{stranger[0]}] is {y[stranger[0]].item()!r}, which is none of the classes "
                f"{list(self.classes)} of this claim ({stranger.size} such labels)."
            )
        return np.where(matches[self.positive], 1, -1).astype(np.int8)

    def name(self) -> str:
        """The question this claim answers, for people: 'setosa', or 'label 3'."""
        return f"label {self.column}" if self.column is not None else str(self.classes[self.positive])


def _equal(y: np.ndarray, label: Any) -> np.ndarray:
    same = y == label
    return same if isinstance(same, np.ndarray) else np.full(y.shape, False)


@dataclass(frozen=True)
class Sample:
    """X as float64 or float32 rows (dense or CSR), and one sign for each."""

    X: Any
    signs: np.ndarray

    @classmethod
    def of(cls, X, y, labels: Labels) -> Sample:
        X = _exact_matrix(X)
        signs = labels.signs(y)
        if X.shape[0] != signs.size:
            raise SampleMismatch(f"X has {X.shape[0]} rows, but y has {signs.size} labels.")
        if not signs.size:
            raise SampleMismatch("X has no rows: there is nothing to check.")
        return cls(X, signs)

    @property
    def m(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    def row(self, t: int) -> tuple[np.ndarray, Any]:
        """The entries of example t in float64, and the columns they are in."""
        if sparse.issparse(self.X):
            some = slice(self.X.indptr[t], self.X.indptr[t + 1])
            return self.X.data[some].astype(np.float64), self.X.indices[some]
        return self.X[t].astype(np.float64), slice(None)

    def score(self, t: int, coef: np.ndarray, intercept: float) -> Fraction:
        """coef·x_t + intercept, exactly."""
        values, columns = self.row(t)
        return exact.dot(values, coef[columns]) + Fraction(intercept)

    def square(self, t: int) -> Fraction:
        """‖x_t‖², exactly."""
        values, _ = self.row(t)
        return exact.dot(values, values)

    def blocks(self) -> Iterator[tuple[int, int]]:
        width = self.X.nnz // self.m + 1 if sparse.issparse(self.X) else self.d
        step = max(1, BLOCK_NUMBERS // max(width, 1))
        return ((start, min(start + step, self.m)) for start in range(0, self.m, step))

    def part(self, start: int, stop: int):
        """Rows start … stop − 1 in float64."""
        return self.X[start:stop].astype(np.float64, copy=False)

    def square_bound(self) -> float:
        """A float that no ‖x_t‖² exceeds: the greatest rounded square plus its allowance."""
        greatest = max(float(self._squares(*block).max()) for block in self.blocks())
        return math.nextafter(greatest + exact.allowance(self.d, greatest), math.inf)

    def longer_than(self, square: Fraction) -> int | None:
        """An example with ‖x_t‖² > square, or None if there is none, in exact arithmetic."""
        for start, stop in self.blocks():
            squares = self._squares(start, stop)
            slack = exact.allowance(self.d, squares)
            for t in np.flatnonzero(~(squares + slack <= exact.below(square))):
                if self.square(start + t) > square:
                    return int(start + t)
        return None

    def _squares(self, start: int, stop: int) -> np.ndarray:
        part = self.part(start, stop)
        with np.errstate(over="ignore"):
            if sparse.issparse(part):
                return np.asarray(part.multiply(part).sum(axis=1)).ravel()
            return np.einsum("ij,ij->i", part, part)


def _exact_matrix(X):
    """X as a float matrix, refusing what float64 cannot hold exactly, NaN and infinities."""
    if sparse.issparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        kept = _exact_floats(X.data)
        if kept is not X.data:
            X = sparse.csr_array((kept, X.indices, X.indptr), shape=X.shape)
        return X
    try:
        X = np.asarray(X)
    except ValueError as wrong:
        raise SampleMismatch(f"X must be a table of numbers: {wrong}") from wrong
    if X.ndim != 2:
        raise SampleMismatch(f"X must have two dimensions (examples, features), got {X.shape}.")
    return _exact_floats(X)


def _exact_floats(values: np.ndarray) -> np.ndarray:
    if values.dtype not in (np.float64, np.float32):
        try:
            floats = values.astype(np.float64)
            if not bool(np.all(floats == values)):
                raise ValueError("some numbers are not exactly float64 numbers")
        except (TypeError, ValueError) as wrong:
            raise SampleMismatch(
                f"X must hold numbers that float64 can hold exactly, got {values.dtype}: {wrong}."
            ) from wrong
        values = floats
    if not np.all(np.isfinite(values)):
        raise SampleMismatch("X must hold finite numbers, but it has NaN or infinite entries.")
    return values
