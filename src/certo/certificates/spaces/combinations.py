r"""The squared length of a vector or of a weighted sum of examples, at more and more cost.

An entry of Σ a_t x_t is added from pieces of so many rows in halves that no product passes through
more than that number + 64 roundings, nor through more than there are products; with more effort the
pieces have MAX_SUMMED_ROWS rows. Short vectors are computed exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.numbers import exact, twofold
from certo.numbers.rounded import NotShown, Rounded, at_most, positive_sum

EXACT_PRODUCTS = 2**16  # So many products are exact; a row or column counts as 16.
MAX_SUMMED_ROWS = 4096  # Rows whose sum may be computed in any order; halves are then added.


def squared_length(entries: np.ndarray, quickly: bool = False) -> Rounded:
    """Σ entries_j²: exactly, where there are few or squares might over- or underflow."""
    with np.errstate(over="ignore", under="ignore"):
        squares = entries * entries
        in_range = 2.0**-900 < float(np.sum(squares)) < 2.0**1000
    if entries.size <= exact.SHORT or not in_range:
        return Rounded(exact.dot(entries, entries))
    return positive_sum(squares, quickly)


def squared_combination(
    sample: Sample, rows: np.ndarray, weights: np.ndarray, effort: int
) -> Rounded:
    """‖v‖² for v = Σ weights_i x_rows_i: exactly, where that takes no more products than `effort`,
    or else EXACT_PRODUCTS after overflow. With less effort a short table is added up twofold."""
    if 0 < effort < EXACT_PRODUCTS and is_short_table(sample):
        with suppress(NotShown):  # After overflow.
            return twofold.squared_combination(dense_rows(sample, rows), weights)
    if not _is_short_sum(sample, rows, effort):
        entries, slack = _rounded_sum(sample, rows, weights, effort)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            # |e² − entry²| ≤ (2|entry| + slack)·slack, where |e − entry| ≤ slack
            squares, moved = entries * entries, (2 * np.abs(entries) + slack) * slack
            finite = np.isfinite(np.sum(squares) + np.sum(moved))
        if finite or not _is_short_sum(sample, rows, EXACT_PRODUCTS):
            square = positive_sum(squares, not effort)
            if entries.size <= exact.SHORT and finite:
                square = Rounded(exact.dot(entries, entries))
            return Rounded(square.value, square.within + at_most(moved))
    part = sample.X[rows].astype(np.float64)
    terms = (exact.dot(values, weights[some]) ** 2 for some, values in _columns(part))
    return Rounded(sum(terms, Fraction(0)))


def is_short_table(sample: Sample) -> bool:
    """Whether X is so small that precise sums over all of it, as a dense table, are quick."""
    return sample.d <= exact.SHORT and sample.m * (16 + sample.d) <= EXACT_PRODUCTS


def dense_rows(sample: Sample, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """These rows of a short table in float64."""
    part = sample.X[rows].astype(np.float64, copy=False)
    return part.toarray() if sparse.issparse(part) else part


def is_short(sample: Sample, rows: np.ndarray, most: int) -> bool:
    """Whether the rows have at most so many entries other than 0, 16 more counted for each row."""
    return _size(sample, rows, most) <= most


def _is_short_sum(sample: Sample, rows: np.ndarray, most: int) -> bool:
    """The same, 16 more counted also for each column that has an entry."""
    size = _size(sample, rows, most)
    return size + 16 * min(sample.d, max(size - 16 * rows.size, 0)) <= most


def _size(sample: Sample, rows: np.ndarray, most: int) -> int:
    """16 for each row, and the number of their entries, which are counted if that may matter."""
    size = 16 * rows.size
    if size > most:
        return size
    return size + sum(int(np.count_nonzero(sample.row(t)[0])) for t in rows.tolist())


def _rounded_sum(
    sample: Sample, rows: np.ndarray, weights: np.ndarray, effort: int
) -> tuple[np.ndarray, np.ndarray]:
    """Σ weights_i x_rows_i, and what its entries are off by at most."""
    if (2 if sparse.issparse(sample.X) else 16) * rows.size < sample.m:
        part = Sample(sample.X[rows], sample.signs[rows])
    else:  # All rows, rather than a copy of many.
        part, some = sample, weights
        weights = np.zeros(sample.m)
        weights[rows] = some
    if not rows.size:
        return np.zeros(sample.d), np.zeros(sample.d)
    step = next(iter(part.blocks()))[1]
    step = min(step, MAX_SUMMED_ROWS) if effort else step
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        entries, sizes = _column_sums(part, weights, 0, part.m, step)
        # A product of every row may underflow, however few roundings it passes through.
        underflow = rows.size * exact.TINY
        return entries, exact.allowance(min(rows.size, step + 64), sizes) + underflow


def _column_sums(sample: Sample, weights: np.ndarray, start: int, stop: int, step: int):
    """Σ weights_t x_t and Σ |weights_t x_t| over rows start … stop − 1, halves added to halves."""
    if stop - start > step:
        middle = (start + stop) // 2
        first = _column_sums(sample, weights, start, middle, step)
        return first + _column_sums(sample, weights, middle, stop, step)
    part, some = sample.part(start, stop), weights[start:stop]
    if sparse.issparse(
        part
    ):  # Its own `abs` looks for entries of one place, of which there are none.
        size = type(part)((np.abs(part.data), part.indices, part.indptr), shape=part.shape)
    else:
        size = np.abs(part)
    return np.array([part.T @ some, size.T @ np.abs(some)])


def _columns(part) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows and values of the entries of each column that has any."""
    if sparse.issparse(part):
        part = part.tocsc()
        for start, stop in zip(part.indptr[:-1], part.indptr[1:], strict=True):
            if start < stop:
                yield part.indices[start:stop], part.data[start:stop]
    else:
        for column in part.T:
            rows = np.flatnonzero(column)
            if rows.size:
                yield rows, column[rows]
