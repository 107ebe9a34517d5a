"""Keys of rows: of 64 bits, the same for equal rows in every container and precision; and exact."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import sparse

from certo.containers import block_rows


def row_keys(X: Any) -> np.ndarray:
    """Σ_j r_j·mix(bits of x_j) modulo 2⁶⁴, r_j odd and random. 0 has no bits, so that it adds
    nothing: rows have the same key in every container."""
    r = _multipliers(X.shape[1])
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


@functools.lru_cache(8)
def _multipliers(d: int) -> np.ndarray:
    return np.random.default_rng(0).integers(2**64, size=d, dtype=np.uint64) | np.uint64(1)


def mixed_bits(values: np.ndarray) -> np.ndarray:
    """The bits of float64 numbers, −0 being 0; high bits are brought to the low ones, which many
    numbers leave empty."""
    bits = (np.ascontiguousarray(values, np.float64) + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    return bits


def exact_key(values: np.ndarray, columns: Any) -> bytes:
    """Of one row, from its float64 entries and the columns they are in, or a slice of all: the same
    for two rows of one table only if they are the same."""
    return values.tobytes() + (b"" if isinstance(columns, slice) else columns.tobytes())
