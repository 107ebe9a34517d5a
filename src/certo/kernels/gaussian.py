from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse

from certo.kernels.base import compiled, number
from certo.kernels.vectors import VectorKernel, products, same_width, squares
from certo.numbers.rounding import TINY, ULPS, UNBOUNDED, Rounding, gamma

MAX_NORM_ERROR = 1e-11  # The formula by norms is used where its error is at most this.
MAX_FLOAT32_ERROR = 1e-5  # The same in float32.
CACHED_VALUES = 2**15  # Values computed at once, so that they stay in the processor's cache.
SPARSE_DIFFERENCE_COST = (
    8.0  # A difference of sparse entries takes as long as so many of dense ones.
)


@final
@dataclass(frozen=True)
class Gaussian(VectorKernel):
    """The Gaussian kernel: near points look alike.

    Definition    K(x, z) = exp(−‖x − z‖²/(2·variance))
    Domain        vectors
    Map           into infinitely many dimensions; `certo.features.GaussianTaylor` truncates it
    Note          scikit-learn's `gamma` is 1/(2·variance)

    Parameters
    ----------
    variance : "scale", or float above 0, default="scale"
        The square of the distance at which two points have exp(−1/2) ≈ 0.61 in common. "scale" is
        d/2 times the variance of all entries of the examples that a machine is fitted to (or of X
        in `kernel(X)`), d being the number of features, as scikit-learn's `gamma="scale"`; 1/2
        where all entries are the same. It depends on the data, so that bounds on the error on new
        data which need a kernel chosen beforehand are not claimed.

    Examples
    --------
    >>> Gaussian(variance=2.0)([[0.0]], [[0.0], [2.0]]).round(4)
    array([[1.    , 0.3679]])
    >>> Gaussian().fitted_to([[0.0, 1.0], [2.0, 3.0]])
    Gaussian(variance=1.25)
    """

    variance: Any = "scale"  # Otherwise a float.
    by_length = True
    left_open: ClassVar = {"variance": "scale"}
    renamed: ClassVar = {
        "gamma": "variance = 1/(2·gamma)",
        "length_scale": "variance = length_scale²",
    }

    def __post_init__(self):
        if self.variance == "scale":
            return
        if isinstance(self.variance, str):
            raise ValueError(f'variance must be a number or "scale", got {self.variance[:40]!r}.')
        object.__setattr__(self, "variance", number(self.variance, "variance"))
        if not math.isfinite(self._scale):
            raise ValueError(f"variance must not be as small as {self.variance:g}: 1/x overflows.")

    def fitted_to(self, X):
        if self.variance != "scale":
            return self
        X = self.examples(X)
        d, size = X.shape[1], X.shape[0] * X.shape[1]
        if not size:
            return Gaussian(0.5)
        if sparse.issparse(X):
            mean = X.sum(dtype=np.float64) / size
            spread = float(np.sum((X.data - mean) ** 2) + (size - X.nnz) * mean**2) / size
        else:
            spread = float(np.var(X, dtype=np.float64))
        return Gaussian(d * spread / 2 if spread > 0 else 0.5)

    @property
    def _scale(self) -> float:
        if isinstance(self.variance, str):
            raise ValueError(
                'Gaussian(variance="scale") takes its variance from the examples of a fit: compute '
                "with kernel.fitted_to(X), or pass a number."
            )
        return 0.5 / self.variance

    def plain(self, X, Z):
        same_width(X, Z)
        ready = self._near(X, Z, self._good)
        if ready is None:
            return self._row_by_row(X, Z) if sparse.issparse(X) else self._of_differences(X, Z)
        X, Z, left, right = ready
        return self._of_products(products(X, Z), left, right)

    def _row_by_row(self, X, Z):
        """Each row of a CSR matrix by the way that is good for it, whatever stands beside it."""
        left, right = squares(X), squares(Z)
        good = np.array([self._good(X.shape[1], own, right) for own in left])
        block = np.empty((X.shape[0], Z.shape[0]))
        block[good] = self._of_products(products(X[good], Z), left[good], right)
        block[~good] = self._of_differences(X[~good], Z)
        return block

    def _near(self, X, Z, good):
        """(X, Z, ‖x‖², ‖z‖²), all points moved by a common vector if need be, such that distances
        by inner products are `good`; None if they are not even then."""
        left, right = squares(X), squares(Z)
        if good(X.shape[1], left, right):
            return X, Z, left, right
        if sparse.issparse(X) or sparse.issparse(Z) or not Z.shape[0]:
            return None
        middle = Z.mean(axis=0, dtype=np.float64)
        X, Z = X - middle, Z - middle
        left, right = squares(X), squares(Z)
        return (X, Z, left, right) if good(X.shape[1], left, right) else None

    def _good(self, d: int, left, right) -> bool:
        return self._by_norms(d, left, right) <= MAX_NORM_ERROR

    def _good_in_float32(self, d: int, left, right) -> bool:
        """Errors of random sign add up to √d of them; float32 itself rounds by 6e-8."""
        # The exponent 2(‖x‖² + ‖z‖²)/(2·variance) does not exceed `size`.
        size = 2.0 * self._scale * float(np.max(left, initial=0.0) + np.max(right, initial=0.0))
        return math.sqrt(d) * 2.0**-24 * size <= MAX_FLOAT32_ERROR

    def _block(self, X, Z):
        same_width(X, Z)
        single = X.dtype == Z.dtype == np.float32
        ready = self._near(X, Z, self._good_in_float32) if single else None
        work = np.float64 if ready is None else np.float32
        ready = ready or self._near(X, Z, self._good)
        if ready is None:
            return super()._block(X, Z)
        X, Z, left, right = (part.astype(work, copy=False) for part in ready)
        # As `_of_products`, with a compiled exponential on all cores.
        exp_block, threads = compiled("gaussian").exp_block, compiled("threads")
        scale = X.dtype.type(self._scale)
        is_sparse = sparse.issparse(X) or sparse.issparse(Z)
        block = products(X, Z).astype(X.dtype, copy=False) if is_sparse else X @ Z.T
        ranges = threads.pieces(block.shape[0], float(block.size))
        threads.in_pieces(ranges, lambda _, i, k: exp_block(block[i:k], left[i:k], right, scale))
        return block.astype(np.float32 if single else np.float64, copy=False)

    def _of_products(self, block, left, right):
        """exp(min(0, 2·x·z − ‖x‖² − ‖z‖²)·scale), in place."""
        step = max(1, CACHED_VALUES // max(1, block.shape[1]))
        for start in range(0, block.shape[0], step):
            part = block[start : start + step]
            part *= 2.0
            part -= left[start : start + step, None]
            part -= right
            np.minimum(part, 0.0, out=part)
            part *= self._scale
            np.exp(part, out=part)
        return block

    def _of_differences(self, X, Z):
        """exp(−Σ(x − z)²·scale), each difference by itself; of sparse rows with few entries those
        alone that are not 0 − 0."""
        result = np.empty((X.shape[0], Z.shape[0]))
        width = sum(M.nnz / max(1, M.shape[0]) if sparse.issparse(M) else np.inf for M in (X, Z))
        few = SPARSE_DIFFERENCE_COST * width < Z.shape[1]
        step = max(1, CACHED_VALUES // max(1, int(width) if few else Z.shape[1]))
        for start in range(0, Z.shape[0], step):
            columns = slice(start, start + step)
            centres = Z[columns].astype(np.float64) if few else _dense(Z[columns])
            for i in range(X.shape[0]):
                row = X[np.full(centres.shape[0], i)] if few else _dense(X[[i]])
                result[i, columns] = squares(centres - row)
        with np.errstate(over="ignore"):  # Beyond all range: the exponential is 0.
            result *= -self._scale
        return np.exp(result, out=result)

    def diagonal(self, X):
        return np.ones(self.examples(X).shape[0])

    def _by_norms(self, d: int, left, right) -> float:
        """What the formula by norms promises: see `rounding`."""
        longest = float(np.max(left, initial=0.0)), float(np.max(right, initial=0.0))
        return float(self.off_by_norms(d, *longest))

    def off_by_norms(self, d: int, left, right):
        """The same for each x, if no ‖z‖² exceeds `right`."""
        exponent = gamma(d + 6) * 2.0 * self._scale * (left + right)
        exponent = exponent + 6 * (d + 2) * TINY * self._scale
        off = np.expm1(1.01 * np.minimum(exponent, 1.0)) + 2.0 * gamma(4) + ULPS
        return np.where(exponent < 1, off, np.inf)

    def _underflow(self, d: int) -> float:
        """B: see `rounding`."""
        return 1.02 * d * TINY * self._scale

    def rounding(self, X, Z):
        r"""Let t = ‖x − z‖²/(2·variance) and s = 1/(2·variance); √K(x,x)·√K(z,z) = 1.

        By norms. ‖x‖², ‖z‖² and x·z are within γ_d of their magnitudes, and the two additions
        round once each, so 2·x·z − ‖x‖² − ‖z‖² is within γ_{d+2}·(‖x‖ + ‖z‖)² ≤
        γ_{d+2}·2(‖x‖² + ‖z‖²); cutting it at 0, where the truth never lies beyond, only helps.
        A common shift c first rounds each coordinate of x − c by a factor 1 + δ, |δ| ≤ u, which
        moves ‖x − z‖² by at most γ_4·(‖x − c‖ + ‖z − c‖)². Multiplied by s, which is itself
        rounded, the computed exponent is within A + γ_2·t of −t, A = γ_{d+6}·2(‖x‖² + ‖z‖²)·s.
        Then |e^(−t̂) − e^(−t)| ≤ e^(−t)·(e^(A + γ_2 t) − 1) ≤ (e^A − 1) + e^A·γ_2·t·e^(−(1−γ_2)t),
        and t·e^(−(1−γ_2)t) < 1/2: altogether e^A − 1 + γ_4, and a few units of the last place for
        the exponential itself, which pay for its underflow as well.

        By differences. The sum of d squares of rounded differences is within a factor 1 + γ_{d+2},
        and within 2⁻¹⁰⁷⁴ for each square that underflows, times s: t̂ is within γ_{d+4}·t + B of t,
        B = 1.01·d·2⁻¹⁰⁷⁴·s, and the value within e^B − 1 + γ_{d+4}, as above.

        `plain` takes the first way wherever it promises at most MAX_NORM_ERROR, and otherwise the
        second: so the larger of the two numbers, the first cut at MAX_NORM_ERROR, holds of any
        rows. Nothing is known while the variance is open.
        """
        if self.variance == "scale":
            return UNBOUNDED
        d = X.shape[1]
        by_norms = self._by_norms(d, squares(X), squares(Z))
        direct = math.expm1(self._underflow(d)) + gamma(d + 6) + ULPS
        return Rounding(max(min(by_norms, MAX_NORM_ERROR), direct), 0.0)

    def closeness(self, X, Z):
        """As in `rounding`, the computed exponent is within A + γ_2·t of −t by norms, and within
        γ_{d+4}·t + B by differences, so the value is off by that factor's logarithm; and t ≤ 750,
        since beyond both the value and the truth are below 2⁻¹⁰⁷⁰. A is less than what `_by_norms`
        promises; where that is at most MAX_NORM_ERROR for all, the second way is never taken."""
        if self.variance == "scale":
            return math.inf
        d = X.shape[1]
        by_norms = self._by_norms(d, squares(X), squares(Z))
        exponent = min(by_norms, MAX_NORM_ERROR) + 750 * gamma(2)
        if by_norms > MAX_NORM_ERROR:
            exponent = max(exponent, 750 * gamma(d + 6) + self._underflow(d))
        return 1.01 * (math.expm1(1.01 * exponent) + ULPS)


def _repeated(x, times: int) -> sparse.csr_matrix:
    """The CSR matrix with this row so many times, in float64."""
    x = sparse.csr_matrix(x, dtype=np.float64)
    places = np.arange(times + 1) * x.nnz
    parts = np.tile(x.data, times), np.tile(x.indices, times), places
    return sparse.csr_matrix(parts, shape=(times, x.shape[1]))


def _dense(X) -> np.ndarray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
