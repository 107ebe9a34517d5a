"""The data a claim is about: rows of exact numbers, and what y is to each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from certo.certificates import spaces
from certo.containers import Inexact, block_rows, exact_input
from certo.numbers import exact

if TYPE_CHECKING:
    from certo.certificates.sample.labels import Labels
    from certo.certificates.sample.values import Unlabelled, Values
    from certo.certificates.spaces.vectors import Vectors


class SampleMismatch(ValueError):
    """X and y cannot be the data a claim is about; the message says why."""


@dataclass(frozen=True)
class Sample:
    """X as float64 or float32 rows (dense or CSR), and one sign for each.

    A claim about real numbers has these, of shape (m, outputs), in place of signs (see `values`).
    Where a claim is about some of the examples only, `places` are theirs among all.
    """

    X: Any
    signs: np.ndarray
    places: np.ndarray | None = None

    @classmethod
    def of(cls, X, y, labels: Labels | Values | Unlabelled) -> Sample:
        X = exact_matrix(X)
        signs = labels.read(y, X.shape[0])
        if not X.shape[0]:
            raise SampleMismatch("X has no rows: there is nothing to check.")
        places = rows_of_pair(signs, labels)
        return cls(X, signs) if places is None else cls(X[places], signs[places], places)

    @property
    def m(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def space(self) -> Vectors:
        """Where hyperplanes between these examples are."""
        return spaces.Vectors()

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
        step = block_rows(self.X)
        return ((start, min(start + step, self.m)) for start in range(0, self.m, step))

    def part(self, start: int, stop: int):
        """Rows start … stop − 1 in float64."""
        rows = self.X
        if stop - start < self.m and sparse.issparse(rows):  # A slice would copy.
            here = slice(rows.indptr[start], rows.indptr[stop])
            places = rows.indptr[start : stop + 1] - rows.indptr[start]
            rows = sparse.csr_array(
                (rows.data[here], rows.indices[here], places), shape=(stop - start, self.d)
            )
        elif stop - start < self.m:
            rows = rows[start:stop]
        return rows.astype(np.float64, copy=False)

    def square_bound(self) -> float:
        """A float that no ‖x_t‖² exceeds: the greatest rounded square plus its allowance."""
        greatest = max(float(self._squares(*block).max()) for block in self.blocks())
        return math.nextafter(greatest + exact.allowance(self.d, greatest), math.inf)

    def longer_than(self, square: Fraction) -> int | None:
        """An example with ‖x_t‖² > square, or None if there is none, in exact arithmetic."""
        for start, stop in self.blocks():
            squares = self._squares(start, stop)
            slack = exact.allowance(self.d, squares)
            unsure = start + np.flatnonzero(~(squares + slack < exact.below(square)))
            for t in unsure.tolist():
                if self.square(t) > square:
                    return t
        return None

    def _squares(self, start: int, stop: int) -> np.ndarray:
        part = self.part(start, stop)
        with np.errstate(over="ignore"):
            if sparse.issparse(part):
                return np.asarray(part.multiply(part).sum(axis=1)).ravel()
            return np.einsum("ij,ij->i", part, part)


def rows_of_pair(signs: np.ndarray, labels: Any) -> np.ndarray | None:
    """The rows of the examples that a claim is about; None, if these are all."""
    if getattr(labels, "against", None) is None:
        return None
    places = np.flatnonzero(signs)
    if not places.size:
        raise SampleMismatch("no example is of the two classes that are told apart.")
    return places


def rows_within(sample: Any, rows: np.ndarray) -> np.ndarray:
    """Rows that are counted among all examples, counted among those of the sample instead."""
    if sample.places is None:
        return rows
    within = np.searchsorted(sample.places, rows)
    if np.any(within >= sample.places.size) or np.any(sample.places[within] != rows):
        raise SampleMismatch("rows must be rows of X that are of the two classes.")
    return within


def read_exactly(read: Callable[..., Any], values, *name: str, required: str) -> Any:
    """What a reader of `containers` gives, an array if it is not sparse; or SampleMismatch."""
    try:
        values = read(values, "a claim", *name)
        return values if sparse.issparse(values) else np.asarray(values)
    except Inexact as wrong:
        raise SampleMismatch(wrong.what) from wrong
    except (TypeError, ValueError) as wrong:
        raise SampleMismatch(f"{required}: {wrong}") from wrong


def exact_matrix(X):
    """X as a float matrix, refusing what float64 cannot hold exactly, NaN and infinities."""
    X = read_exactly(exact_input, X, required="X must be a table of numbers")
    if X.ndim != 2:
        raise SampleMismatch(f"X must have two dimensions (examples, features), got {X.shape}.")
    if not sparse.issparse(X):
        return exact_floats(X)
    kept = exact_floats(X.data)
    return X if kept is X.data else sparse.csr_array((kept, X.indices, X.indptr), shape=X.shape)


def exact_floats(values: np.ndarray, name: str = "X") -> np.ndarray:
    """Numbers that `exact_input` has let pass, as float32 or float64; SampleMismatch, if they are
    no real numbers or not all finite."""
    if values.dtype not in (np.float64, np.float32):
        try:
            if values.dtype.kind not in "biufO":
                raise TypeError("they are not real numbers")
            values = values.astype(np.float64)
        except (TypeError, ValueError) as wrong:
            what = f"{name} must hold numbers, but some of its entries ({values.dtype}) are not"
            raise SampleMismatch(f"{what}: {wrong}.") from wrong
    if not np.all(np.isfinite(values)):
        raise SampleMismatch(f"{name} must hold finite numbers, but it has NaN or infinities.")
    return values
