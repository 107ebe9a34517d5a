from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import sparse

from certo.kernels.base import Kernel
from certo.numbers.rounding import Rounding


@final
@dataclass(frozen=True)
class Precomputed(Kernel):
    """A kernel given by its matrix: X[i, j] is K(point i, training example j).

    Definition    K(X, Z) = X[:, Z], Z being the numbers of columns
    Domain        rows of a Gram matrix

    >>> K = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> Precomputed()(K, [1])
    array([[1.],
           [3.]])
    """

    takes = "matrix"
    by_pair = True

    def plain(self, X, Z):
        require_columns(Z, X.shape[1])
        return np.asarray(X[:, Z], dtype=np.float64)

    def diagonal(self, X):
        X = self.examples(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                "the diagonal of a precomputed kernel needs its square matrix, got shape "
                f"{X.shape}."
            )
        return np.diagonal(X).copy()

    def rounding(self, X, Z):
        """None: the kernel is its matrix."""
        return Rounding(0.0, 0.0)

    def examples(self, X):
        X = X.toarray() if sparse.issparse(X) else X
        try:
            X = np.ascontiguousarray(X, dtype=np.float64)
        except (TypeError, ValueError) as wrong:
            raise ValueError(f"Precomputed takes a matrix of numbers: {wrong}") from wrong
        if X.ndim != 2:
            raise ValueError(
                "Precomputed takes rows of a Gram matrix, K(point, training example), got shape "
                f"{X.shape}."
            )
        bad = np.argwhere(~np.isfinite(X))
        if bad.size:
            i, j = bad[0].tolist()
            raise ValueError(
                "a precomputed kernel must hold no NaN and no infinity, but the entry "
                f"[{i}, {j}] is {X[i, j]}."
            )
        return X

    def centres(self, Z):
        Z = np.asarray(Z)
        if Z.ndim != 1 or Z.dtype.kind not in "iu":
            raise ValueError(
                "the centres of a precomputed kernel are the numbers of columns of its matrix, "
                f"got an array of {Z.dtype} with shape {Z.shape}."
            )
        return Z

    def take(self, X, rows):
        return np.arange(X.shape[1])[rows]


def require_columns(numbers, n: int) -> None:
    """ValueError, if a number is none of n columns."""
    numbers = np.asarray(numbers)
    bad = numbers[(numbers < 0) | (numbers >= n)]
    if bad.size:
        raise ValueError(
            f"the centres of a precomputed kernel are the numbers of columns, from 0 to {n - 1} of "
            f"this matrix, but there is {bad[0]}."
        )
