"""Between which values every column lies, group by group of examples."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import by_storage


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


#: low ≤ xᵢ ≤ high, by moving the ends apart; `seen` counts the entries stored in CSR
row_widen = by_storage(_dense_widen, _csr_widen)


@jit
def column_ranges(rows, group, start, stop, low, high, seen):
    """Widen low[g] … high[g] to hold the rows start … stop − 1 of group g; those below 0 have
    none."""
    for i in range(start, stop):
        g = group[i]
        if g >= 0:
            row_widen(rows, i, low[g], high[g], seen[g])
