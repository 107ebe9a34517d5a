"""Between which values every column lies, group by group of examples."""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from certo.compiled._jit import jit
from certo.compiled.rows import DenseRows


def row_widen(rows, i, low, high, seen):
    """low ≤ xᵢ ≤ high, by moving the ends apart; `seen` counts the entries stored in CSR."""
    raise TypeError("compiled code only")


@overload(row_widen, inline="always")
def _row_widen(rows, i, low, high, seen):
    if rows.instance_class is DenseRows:

        def from_dense(rows, i, low, high, seen):
            x = rows.values[i]
            for j in range(x.size):
                low[j] = x[j] if x[j] < low[j] else low[j]
                high[j] = x[j] if x[j] > high[j] else high[j]

        return from_dense

    def from_csr(rows, i, low, high, seen):
        start, stop = rows.indptr[i], rows.indptr[i + 1]
        x, at = rows.data[start:stop], rows.indices[start:stop]
        for p in range(x.size):
            j = np.uintp(at[p])
            low[j] = min(low[j], x[p])
            high[j] = max(high[j], x[p])
            seen[j] += 1

    return from_csr


@jit
def column_ranges(rows, group, start, stop, low, high, seen):
    """Widen low[g] … high[g] to hold the rows start … stop − 1 of group g; those below 0 have
    none."""
    for i in range(start, stop):
        g = group[i]
        if g >= 0:
            row_widen(rows, i, low[g], high[g], seen[g])
