"""Test examples that are examples of the fit, too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.sample import SampleMismatch, exact_matrix


class Repeated(NamedTuple):
    """How many test examples have the features and the label of an example of the fit, of how many;
    and how many different examples the fit has, of how many."""

    test: int
    of_test: int
    different: int
    of_fit: int

    @property
    def all_copied(self) -> bool:
        """All are known, while examples of the fit seldom repeat each other: where they often do,
        others that were drawn apart repeat them, too."""
        return self.test == self.of_test and 2 * self.different > self.of_fit


def repeated(X, y, X_test, y_test) -> Repeated | None:
    """None, where these are not tables of numbers."""
    try:
        tables = [exact_matrix(table) for table in (X, X_test)]
    except SampleMismatch:
        return None
    if any(map(sparse.issparse, tables)):
        tables = [sparse.csr_array(table, dtype=np.float64, copy=True) for table in tables]
        rows, test = map(_sparse_keys, tables)
    else:
        rows, test = map(_keys, tables)
    fitted = set(zip(rows, np.ravel(y).tolist(), strict=True))
    known = sum(example in fitted for example in zip(test, np.ravel(y_test).tolist(), strict=True))
    return Repeated(known, len(test), len(fitted), len(rows))


def _keys(X: np.ndarray) -> list[bytes]:
    rows = np.ascontiguousarray(X, np.float64) + 0.0  # there is no −0
    return rows.view(f"V{8 * rows.shape[1]}").ravel().tolist()


def _sparse_keys(X: sparse.csr_array) -> list[bytes]:
    X.eliminate_zeros()
    X.sort_indices()
    ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [X.indices[a:b].astype(np.int64).tobytes() + X.data[a:b].tobytes() for a, b in ends]
