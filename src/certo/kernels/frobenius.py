from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np
from scipy import sparse

from certo.containers import exact_input
from certo.kernels.base import Kernel, as_objects
from certo.kernels.linear import Linear


@final
@dataclass(frozen=True)
class Frobenius(Kernel):
    """A kernel of matrices of one shape: any kernel of vectors, on their entries.

    Definition    K(A, B) = of(vec A, vec B); with `Linear`, ⟨A, B⟩ = Σ A_ij·B_ij = tr(AᵀB)
    Domain        matrices of one shape
    Map           that of the other kernel, on the entries row by row

    Matrices come as an array of shape (examples, rows, columns), or as a list of arrays with two
    dimensions or of sparse matrices, which becomes such an array.

    Parameters
    ----------
    of : kernel of vectors
        `Gaussian(2.0)` looks at Frobenius distances, `Polynomial(2)` at products of entries.

    Examples
    --------
    >>> A, B = [[1.0, 2.0], [0.0, 1.0]], [[0.0, 1.0], [5.0, 3.0]]
    >>> Frobenius()([A, B])
    array([[ 6.,  5.],
           [ 5., 35.]])
    >>> from certo.kernels import Gaussian
    >>> Frobenius(Gaussian(10.0))([A], [B]).round(3)
    array([[0.212]])
    """

    of: Kernel = field(default_factory=Linear)

    def __post_init__(self):
        if not isinstance(self.of, Kernel) or self.of.takes != "vectors":
            came = repr(self.of) if isinstance(self.of, Kernel) else type(self.of).__name__
            raise ValueError(
                "Frobenius takes a kernel of vectors for the entries of its matrices, as Linear() "
                f"or Gaussian(2.0), got {came}."
            )

    def fitted_to(self, X):
        return replace(self, of=self.of.fitted_to(_rows(X if _is_ready(X) else self.examples(X))))

    def plain(self, X, Z):
        return self.of.plain(*self._entries(X, Z))

    def _block(self, X, Z):
        return self.of._block(*self._entries(X, Z))

    def diagonal(self, X):
        return self.of.diagonal(_rows(self.examples(X)))

    def rounding(self, X, Z):
        """That of the other kernel: entries are taken as they are."""
        return self.of.rounding(*self._entries(X, Z))

    def closeness(self, X, Z):
        return self.of.closeness(*self._entries(X, Z))

    def examples(self, X) -> np.ndarray:
        """The matrices as one array of float64."""
        X = as_objects(X, self)
        if sparse.issparse(X) or getattr(X, "ndim", 1) == 2:
            raise ValueError(
                "Frobenius takes matrices, as an array of shape (examples, rows, columns) or a "
                f"list, got one matrix of shape {X.shape}. Put a single matrix in a list."
            )
        X = X if getattr(X, "ndim", 1) == 3 else _stacked(X)
        if X.dtype.kind == "f" and not np.all(np.isfinite(X)):
            i, j, k = np.argwhere(~np.isfinite(X))[0].tolist()
            raise ValueError(
                f"Frobenius takes finite numbers, but there is {X[i, j, k]} at X[{i}, {j}, {k}]. "
                "Remove or impute such entries."
            )
        entries = self.of.examples(_rows(X))  # The inner kernel reports other invalid numbers.
        return entries.astype(np.float64, copy=False).reshape(X.shape)

    def _entries(self, X, Z) -> tuple[np.ndarray, np.ndarray]:
        """The rows of both; what looks as `examples` gives it is not looked at again."""
        X, Z = (part if _is_ready(part) else self.examples(part) for part in (X, Z))
        if X.shape[1:] != Z.shape[1:]:
            raise ValueError(
                "points and centres must be matrices of one shape, got "
                f"{_shape(X.shape[1:])} and {_shape(Z.shape[1:])}."
            )
        return _rows(X), _rows(Z)


def _is_ready(X) -> bool:
    return isinstance(X, np.ndarray) and X.ndim == 3 and X.dtype == np.float64


def _rows(X: np.ndarray) -> np.ndarray:
    """Each matrix as one row."""
    return X.reshape(X.shape[0], X.shape[1] * X.shape[2])


def _stacked(X) -> np.ndarray:
    """A sequence of matrices as one array."""
    matrices: list[np.ndarray] = []
    for place, item in enumerate(X):
        item = exact_input(item, "Frobenius", f"X[{place}]")
        try:
            matrix = item.toarray() if sparse.issparse(item) else np.asarray(item)
        except ValueError as wrong:
            raise ValueError(f"Frobenius takes matrices, but item {place}: {wrong}") from wrong
        if matrix.ndim != 2:
            raise ValueError(
                f"Frobenius takes matrices, but item {place} has {matrix.ndim} dimensions (shape "
                f"{matrix.shape}). Reshape it, or use a kernel of vectors."
            )
        if matrices and matrix.shape != matrices[0].shape:
            raise ValueError(
                f"Frobenius takes matrices of one shape, but item 0 is {_shape(matrices[0].shape)} "
                f"and item {place} is {_shape(matrix.shape)}."
            )
        matrices.append(matrix)
    return np.array(matrices) if matrices else np.zeros((0, 0, 0))


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))
