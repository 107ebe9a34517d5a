"""Products of sparse rows of counts, on all cores."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from certo.compiled._jit import jit
from certo.compiled.threads import even_pieces, in_pieces, pieces

FREQUENT_SHARE = 0.3  # Features found in a larger share of the rows are multiplied by BLAS.
MAX_DENSE_ENTRIES = 2**26  # Entries of the dense rows that BLAS multiplies.
TILE_ROWS = 64


def count_products(X: sparse.csr_array, Z: sparse.csr_array) -> np.ndarray:
    """x_i·z_j for the rows of two CSR matrices of float64; of X and X itself, half is computed."""
    same = X is Z
    found = np.bincount(Z.indices, minlength=Z.shape[1])
    often = found > FREQUENT_SHARE * Z.shape[0]
    often &= np.cumsum(often) * max(X.shape[0], Z.shape[0]) <= MAX_DENSE_ENTRIES
    if np.any(often):
        left = X[:, often].toarray()
        out = left @ (left if same else Z[:, often].toarray()).T
        X = X[:, ~often]
        Z = X if same else Z[:, ~often]
    else:
        out = np.zeros((X.shape[0], Z.shape[0]))
    turned = Z.tocsc()
    work = np.diff(turned.indptr)[X.indices]
    costs = np.diff(np.concatenate([[0.0], np.cumsum(work)])[X.indptr])
    if same:  # Later rows have less of the half.
        costs *= np.linspace(1, 0, len(costs))
    X, turned = _indexed(X), _indexed(turned)
    loop = partial(_add_products, *X, *turned, same)
    in_pieces(even_pieces(costs), lambda k, i, j: loop(i, j, out))
    if same:
        mirror(out)
    return out


def _indexed(matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Its arrays, of one type each, so that only one kind of loop is compiled."""
    return (
        matrix.data,
        matrix.indices.astype(np.int32, copy=False),
        matrix.indptr.astype(np.int64, copy=False),
    )


@jit
def _add_products(data, indices, indptr, values, places, first, half, start, stop, out):
    """out_ij += Σ_f x_if z_jf, z by columns f; only j ≥ i, if `half`."""
    for i in range(start, stop):
        row = out[i]
        for p in range(indptr[i], indptr[i + 1]):
            f, count = indices[p], data[p]
            low, high = first[f], first[f + 1]
            if half:
                low += np.searchsorted(places[low:high], i)
            for q in range(low, high):
                row[places[q]] += count * values[q]


def mirror(out: np.ndarray) -> None:
    """out_ji ← out_ij for i < j, on all cores."""
    tiles = -(-len(out) // TILE_ROWS)
    in_pieces(pieces(tiles, float(out.size)), lambda k, i, j: _mirror(out, TILE_ROWS, i, j))


@jit
def _mirror(out, tile, start, stop):
    """out_ji ← out_ij for i < j, in tiles of rows j that the cache holds."""
    n = out.shape[0]
    for block in range(start, stop):
        first, last = block * tile, min((block + 1) * tile, n)
        for low in range(0, last, tile):
            for j in range(first, last):
                for i in range(low, min(low + tile, j)):
                    out[j, i] = out[i, j]
