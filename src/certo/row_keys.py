"""64-bit keys of rows, the same for equal rows in every container and precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

BLOCK_NUMBERS = 2**17  # numbers that are looked at together: a megabyte


def block_rows(X: Any) -> int:
    """How many rows are looked at together."""
    width = X.nnz // max(X.shape[0], 1) + 1 if sparse.issparse(X) else X.shape[1]
    return max(1, BLOCK_NUMBERS // max(width, 1))


def row_keys(X: Any) -> np.ndarray:
    """Σ_j r_j·mix(bits of x_j) modulo 2⁶⁴, r_j odd and random. 0 has no bits, so that it adds
    nothing: rows have the same key in every container."""
    r = np.random.default_rng(0).integers(2**64, size=X.shape[1], dtype=np.uint64) | np.uint64(1)
    keys, step = np.empty(X.shape[0], np.uint64), block_rows(X)
    for start in range(0, X.shape[0], step):
        block = slice(start, start + step)
        if sparse.issparse(X):
            ends = X.indptr[start : start + step + 1]
            here = slice(ends[0], ends[-1])
            sums = np.zeros(ends[-1] - ends[0] + 1, np.uint64)
            np.cumsum(mixed_bits(X.data[here]) * r[X.indices[here]], out=sums[1:])
            keys[block] = np.diff(sums[ends - ends[0]])
        else:
            keys[block] = np.einsum("ij,j->i", mixed_bits(X[block]), r)
    return keys


def mixed_bits(values: np.ndarray) -> np.ndarray:
    """The bits of float64 numbers, −0 being 0; high bits are brought to the low ones, which many
    numbers leave empty."""
    bits = (np.ascontiguousarray(values, np.float64) + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    return bits
