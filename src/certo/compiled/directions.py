r"""Which examples are the same, or point the same way: one number for each.

Definition  a row with an intercept is known by its entries; without one, by its entries divided by
            ±(the largest of them in size), the sign making its first entry positive. Division is
            correctly rounded, so that rows that are multiples of each other get the same quotients.
            The key is a hash of (column, entry) over the entries that are not zero.
Promise     rows that are the same (or multiples) have the same key; others, almost never.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from certo.compiled._jit import jit
from certo.compiled.rows import by_storage


@intrinsic
def _bits(typing, value):
    """The 64 bits of a float64."""

    def code(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], cgutils.ir.IntType(64))

    return types.uint64(types.float64), code


def _dense_entries(rows, i):
    return rows.values[i], np.arange(0)


def _csr_entries(rows, i):
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    return rows.data[start:stop], rows.indices[start:stop]


#: The stored entries of row i, and the columns they are in, which are left out for a dense row.
row_entries = by_storage(_dense_entries, _csr_entries)


@jit
def directions(rows, proportional, keys, orientation):
    """Fill in the keys; orientation is that sign (with an intercept 1), 0 for a row of zeros."""
    for i in range(keys.size):
        entries, columns = row_entries(rows, i)
        divisor, first = 1.0, 0.0
        if proportional:
            divisor = 0.0
            for p in range(entries.size):
                value = np.float64(entries[p])
                divisor = max(divisor, abs(value))
                if first == 0.0:
                    first = value
            if first < 0.0:
                divisor = -divisor
        orientation[i] = 1 if divisor > 0.0 else -1 if divisor < 0.0 else 0
        key = np.uint64(0x9E3779B97F4A7C15)
        for p in range(entries.size):
            value = np.float64(entries[p])
            if value != 0.0:
                column = np.uint64(columns[p] if columns.size else p)
                key ^= _bits(value / divisor) + column * np.uint64(0x9E3779B97F4A7C15)
                key *= np.uint64(0xBF58476D1CE4E5B9)
                key ^= key >> np.uint64(29)
        keys[i] = key
