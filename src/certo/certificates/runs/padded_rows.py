"""Rows of examples as arrays of one length, for runs that sum products in a fixed order."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


class PaddedRows:
    """Some rows of X, a block at a time, as equally long arrays of values and their places."""

    def __init__(self, X, rows: np.ndarray, as_sparse: bool):
        self._sparse, self._X = as_sparse, X[rows]
        if as_sparse:
            self._X = sparse.csr_array(self._X)
        elif sparse.issparse(self._X):
            self._X = self._X.toarray()

    def block(self, rows: np.ndarray) -> tuple[np.ndarray, Any]:
        if not self._sparse:
            return self._X[rows].astype(np.float64), slice(None)
        starts, stops = self._X.indptr[rows], self._X.indptr[rows + 1]
        reach = np.arange(max(int(np.max(stops - starts, initial=0)), 1))
        inside = reach < (stops - starts)[:, None]
        at = np.where(inside, starts[:, None] + reach, 0)
        if not self._X.data.size:
            return np.zeros(at.shape), np.zeros_like(at)
        values = np.where(inside, self._X.data[at].astype(np.float64), 0.0)
        return values, np.where(inside, self._X.indices[at], 0)

    def one(self, row: int) -> tuple[np.ndarray, Any]:
        """The values of one row, without padding, and their places."""
        if not self._sparse:
            return self._X[row].astype(np.float64), slice(None)
        some = slice(self._X.indptr[row], self._X.indptr[row + 1])
        return self._X.data[some].astype(np.float64), self._X.indices[some]
