"""One pass over the examples before any learning: are the numbers usable, how large are they, and
between which values does every column lie."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import by_storage, row_square


@jit
def greatest_square(rows, m):
    """(max_t ‖x_t‖², −1), or (that row's square, t) for the first row where it is not finite."""
    greatest = 0.0
    for t in range(m):
        square = row_square(rows, t)
        if not square < np.inf:  # NaN, an infinity, or numbers whose squares overflow
            return square, t
        greatest = max(greatest, square)
    return greatest, -1


@jit
def all_whole(values):
    """Whether these are whole numbers; most that are not show at once."""
    for start in range(0, values.size, 4096):
        part = values[start : start + 4096]
        broken = 0
        for k in range(part.size):
            broken += part[k] != np.floor(part[k])
        if broken:
            return False
    return True


@jit
def column_middles(rows):
    """Of every column of these rows the mean, rounded to a whole number if all are, so that what
    is left is whole again; and exactly the value of one that is constant."""
    count, d = rows.shape
    middles = np.zeros(d)
    whole, constant = np.ones(d, np.bool_), np.ones(d, np.bool_)
    for i in range(count):
        for j in range(d):
            value = rows[i, j]
            middles[j] += value
            whole[j] &= value == np.rint(value)
            constant[j] &= value == rows[0, j]
    for j in range(d):
        mean = middles[j] / count
        middles[j] = rows[0, j] if constant[j] else np.rint(mean) if whole[j] else mean
    return middles


def _dense_widen(rows, i, low, high, seen):
    x = rows.values[i]
    for j in range(x.size):
        low[j] = x[j] if x[j] < low[j] else low[j]
        high[j] = x[j] if x[j] > high[j] else high[j]


def _csr_widen(rows, i, low, high, seen):
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    x, at = rows.data[start:stop], rows.indices[start:stop]
    for p in range(x.size):
        j = np.uintp(at[p])
        low[j] = min(low[j], x[p])
        high[j] = max(high[j], x[p])
        seen[j] += 1


#: Move the ends apart until low ≤ xᵢ ≤ high; `seen` counts the entries stored in CSR.
row_widen = by_storage(_dense_widen, _csr_widen)


@jit
def column_ranges(rows, group, start, stop, low, high, seen):
    """Widen low[g] … high[g] to hold the rows start … stop − 1 of group g; those below 0 have
    none."""
    for i in range(start, stop):
        g = group[i]
        if g >= 0:
            row_widen(rows, i, low[g], high[g], seen[g])
