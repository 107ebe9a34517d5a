"""Test examples that are examples of the fit, too."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from certo.certificates.sample import SampleMismatch, exact_matrix


def repeated(X, y, X_test, y_test) -> int | None:
    """How many test examples have the features and the label of an example of the fit; None, where
    these are not tables of numbers."""
    try:
        tables = [exact_matrix(table) for table in (X, X_test)]
    except SampleMismatch:
        return None
    if any(map(sparse.issparse, tables)):
        tables = [sparse.csr_array(table, dtype=np.float64, copy=True) for table in tables]
        fitted, test = map(_sparse_keys, tables)
    else:
        fitted, test = map(_keys, tables)
    asked = list(zip(test, np.ravel(y_test).tolist(), strict=True))
    seen = set(asked).intersection(zip(fitted, np.ravel(y).tolist(), strict=True))
    return sum(example in seen for example in asked)


def _keys(X: np.ndarray) -> list[bytes]:
    rows = np.ascontiguousarray(X, np.float64) + 0.0  # there is no −0
    return rows.view(f"V{8 * rows.shape[1]}").ravel().tolist()


def _sparse_keys(X: sparse.csr_array) -> list[bytes]:
    X.eliminate_zeros()
    X.sort_indices()
    ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [X.indices[a:b].astype(np.int64).tobytes() + X.data[a:b].tobytes() for a, b in ends]
