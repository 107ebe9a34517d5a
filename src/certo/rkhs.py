"""Functions of a reproducing kernel Hilbert space, as objects one can compute with.

A kernel K has a space of functions: the sums f = Σ α_i K(x_i, ·), and their limits, with
⟨K(x,·), K(z,·)⟩ = K(x, z). Hence the reproducing property ⟨f, K(x,·)⟩ = f(x), and hence every
inner product, length and distance of two such sums is a sum of kernel values.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse

from certo.containers import count
from certo.facts import InputError
from certo.kernels.base import Kernel
from certo.kernels.precomputed import require_columns
from certo.kernels.semidefinite import check_gram, symmetrised
from certo.words import points as sentences

EXPANSION_BLOCK_VALUES = 2**22  # Kernel values that are held at once.


@final
@dataclass(frozen=True, repr=False, eq=False)
class Expansion:
    """f = Σ_i coef_i K(centre_i, ·), a function of the kernel's space.

    Parameters
    ----------
    kernel : Kernel
    centres : rows of an array or CSR matrix, or a list of objects
        As the kernel takes them; for `Precomputed`, the numbers of columns of its matrix.
    coef : array of shape (n_centres,)
    gram : square array, optional
        For `Precomputed` alone: the matrix among the points that the centres number, without
        which inner products are not known. It must be positive semi-definite.

    Examples
    --------
    >>> from certo.kernels import Gaussian
    >>> kernel = Gaussian(variance=1.0)
    >>> f = Expansion(kernel, [[0.0], [2.0]], [1.0, -1.0])
    >>> f([[1.0], [0.0]]).round(4)
    array([0.    , 0.8647])
    >>> at = Expansion(kernel, [[0.0]], [1.0])  # K(x, ·) with x = 0
    >>> round(f.inner(at), 4)  # the reproducing property: this is f(x)
    0.8647
    >>> 2 * f - at
    Expansion(Gaussian(variance=1.0), 3 centres)
    """

    kernel: Kernel
    centres: Any
    coef: np.ndarray
    gram: np.ndarray | None = None

    def __post_init__(self):
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a Kernel, got {type(self.kernel).__name__}.")
        centres = _own(self.kernel.centres(self.centres))
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "coef", _coefficients(self.coef, count(centres)))
        if self.gram is None:
            return
        if self.kernel.takes != "matrix":
            raise ValueError(f"gram is for Precomputed kernels: {self.kernel!r} computes its own.")
        gram = self.kernel.examples(self.gram)
        check_gram(gram)
        require_columns(self.centres, gram.shape[0])
        object.__setattr__(self, "gram", _own(symmetrised(gram)))

    def _other(self, centres, coef, gram) -> Expansion:
        """A function of the same space; centres and gram have been looked at."""
        made = object.__new__(Expansion)
        values = {"kernel": self.kernel, "centres": centres, "gram": gram}
        for name, value in (values | {"coef": _coefficients(coef, count(centres))}).items():
            object.__setattr__(made, name, value)
        return made

    def __call__(self, X) -> np.ndarray:
        """f(x) for each point x of X, in float64."""
        return self._at(self.kernel.examples(X))

    def _at(self, points) -> np.ndarray:
        step = max(1, EXPANSION_BLOCK_VALUES // max(1, self.coef.size))
        values = np.empty(count(points))
        for start in range(0, values.size, step):
            part = slice(start, start + step)
            values[part] = self.kernel.plain(points[part], self.centres) @ self.coef
        return values

    def _points(self, centres):
        """Centres, as they stand on the left of a block."""
        if self.kernel.takes != "matrix":
            return centres
        if self.gram is None:
            raise ValueError(
                "the inner products of a precomputed kernel's functions need the matrix among "
                "their centres: make the Expansion with gram=K."
            )
        require_columns(centres, self.gram.shape[0])
        return self.kernel.points(self.gram, centres)

    def inner(self, other: Expansion) -> float:
        """⟨f, g⟩ = Σ_ij α_i β_j K(x_i, z_j) = Σ_i α_i g(x_i)."""
        self._require_same_space(other)
        knows = other if self.gram is None else self
        return float(self.coef @ other._at(knows._points(self.centres)))

    def norm(self) -> float:
        """‖f‖ = √⟨f, f⟩."""
        return math.sqrt(max(0.0, self.inner(self)))

    def distance(self, other: Expansion) -> float:
        """‖f − g‖."""
        return (self - other).norm()

    def project(self, centres) -> Expansion:
        """The function of the span of K(z_1,·), …, K(z_k,·) that is nearest to this one.

        Parameters
        ----------
        centres : as the kernel takes them

        Returns
        -------
        Expansion
            g = Σ β_j K(z_j, ·) with g(z_j) = f(z_j) for all j, which says that f − g is
            orthogonal to the span. Where the K(z_j, ·) depend on each other, of all such β the
            shortest; directions that float64 cannot tell from 0 are left out.
        """
        centres = self.kernel.centres(centres)
        points = self._points(centres)
        values, basis = np.linalg.eigh(self.kernel.plain(points, centres))
        kept = values > values.size * np.finfo(float).eps * values[-1:]
        basis = basis[:, kept]
        coef = basis @ ((basis.T @ self._at(points)) / values[kept])
        return self._other(_own(centres), coef, self.gram)

    def __add__(self, other: Expansion) -> Expansion:
        if not isinstance(other, Expansion):
            return NotImplemented
        self._require_same_space(other)
        gram = other.gram if self.gram is None else self.gram
        if self.centres is other.centres:
            return self._other(self.centres, self.coef + other.coef, gram)
        both = _together(self.centres, other.centres)
        if gram is not None:  # One of the two functions may have had none.
            require_columns(both, gram.shape[0])
        return self._other(both, np.concatenate([self.coef, other.coef]), gram)

    def __radd__(self, other: int) -> Expansion:
        """0 + f, with which `sum` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self, factor: float) -> Expansion:
        if not isinstance(factor, numbers.Real):
            return NotImplemented
        return self._other(self.centres, float(factor) * self.coef, self.gram)

    __rmul__ = __mul__

    def __truediv__(self, factor: float) -> Expansion:
        return self * (1.0 / factor) if isinstance(factor, numbers.Real) else NotImplemented

    def __neg__(self) -> Expansion:
        return self * -1.0

    def __sub__(self, other: Expansion) -> Expansion:
        return self + -other if isinstance(other, Expansion) else NotImplemented

    def __len__(self) -> int:
        return self.coef.size

    def __repr__(self) -> str:
        plural = "" if len(self) == 1 else "s"
        return f"Expansion({self.kernel!r}, {len(self):,} centre{plural})"

    def _require_same_space(self, other: Expansion) -> None:
        if self.kernel != other.kernel:
            raise ValueError(
                f"two functions must be of the same kernel's space, got {self.kernel!r} and "
                f"{other.kernel!r}."
            )
        both = self.gram is not None and other.gram is not None
        if both and self.gram is not other.gram and not np.array_equal(self.gram, other.gram):  # type: ignore[arg-type]
            raise ValueError("two functions of a precomputed kernel must have the same gram.")


def _coefficients(coef, n: int) -> np.ndarray:
    """n finite numbers, of one's own."""
    coef = np.array(coef, dtype=np.float64)
    if coef.shape != (n,):
        raise InputError(sentences.other_coefficients, n, coef.shape)
    if not np.all(np.isfinite(coef)):
        raise ValueError(f"coef must be finite, got {coef[~np.isfinite(coef)][0]}.")
    coef.flags.writeable = False
    return coef


def _own(points):
    """A copy that nobody else changes."""
    points = points.copy()
    if isinstance(points, np.ndarray):
        points.flags.writeable = False
    return points


def _together(first, second):
    """The centres of both."""
    widths = {points.shape[1] for points in (first, second) if np.ndim(points) == 2}
    if len(widths) > 1:
        raise InputError(sentences.other_centres, first.shape[1], second.shape[1])
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.vstack([sparse.csr_array(first), sparse.csr_array(second)], format="csr")
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.concatenate([first, second])
    return [*first, *second]
