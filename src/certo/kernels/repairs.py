r"""A symmetric similarity made into a kernel's matrix: the nearest one, or another by its spectrum.

K = UΛUᵀ may have negative eigenvalues, and then no points anywhere have it for their Gram matrix.

    clip          U max(Λ, 0) Uᵀ: of all positive semi-definite matrices the nearest, in the
                  Frobenius norm (Higham, Computing a nearest symmetric positive semidefinite
                  matrix, Linear Algebra Appl. 103, 1988)
    flip          U |Λ| Uᵀ
    shift         K − λ_min·I
    correlation   of those with a diagonal of ones the nearest (Higham, Computing the nearest
                  correlation matrix, IMA J. Numer. Anal. 22, 2002)

New points. Let s be the similarities of a new point to those of K, and K' the repaired matrix. A
kernel that extends K' needs s' in the range of K', since otherwise K' bordered by s' is indefinite
whatever stands in its corner. Clip takes s' = Ps, P the projection onto the eigenvectors with
λ > 0, and flip s' = U sign(Λ) Uᵀ s: the linear maps that take K to K' (Chen, Garcia, Gupta, Rahimi,
Cazzanti, Similarity-based classification, JMLR 10, 2009). Directions whose λ is 0 up to rounding
are left out of both, so that a machine's scores Σ αᵢ s'ᵢ do not depend on the part of α that its
training could not see. A shift moves K(x, x) only, so new points keep s. The nearest correlation
matrix depends on all entries together, and no map of s is consistent with it.

The nearest correlation matrix. With A₊ for A clipped, the dual of
min ½‖X − K‖² over X positive semi-definite with diag X = 1 is the smooth, convex problem
                  min θ(y) = ½‖(K + Diag y)₊‖² − Σ y_i,      ∇θ(y) = diag (K + Diag y)₊ − 1,
whose solution gives X = (K + Diag y)₊. Newton's method with conjugate gradients inside (Qi and Sun,
A quadratically convergent Newton method for computing the nearest correlation matrix, SIAM J.
Matrix Anal. Appl. 28, 2006): the derivative of A ↦ A₊ at A = QMQᵀ in the direction H is
Q(W∘(QᵀHQ))Qᵀ with W_ij = (max(μ_i, 0) − max(μ_j, 0))/(μ_i − μ_j).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, norm
from scipy.sparse.linalg import LinearOperator, cg

from certo.kernels.semidefinite import (
    ISSUER_MARGIN_FACTOR,
    Definiteness,
    as_symmetric,
    is_psd,
    proof_margin,
)
from certo.numbers.decimals import rounded_up
from certo.numbers.rounding import OVERFLOW_LIMIT, UNIT

REPAIRS = ("clip", "flip", "shift", "correlation")
DIAGONAL_TOLERANCE = 2.0**-20  # A diagonal so near to ones is called one of ones.
MAX_DIAGONAL_ERROR = 1e-6  # If the last diagonal is further from ones, a warning says so.
MAX_CORRELATION_ENTRY = 1e100  # Squares of larger entries overflow in sums.
MAX_NEWTON_STEPS = 100  # Newton's method takes about ten.


@dataclass(frozen=True, eq=False, repr=False)
class Repaired:
    """A kernel's matrix made of a similarity, and what that took.

    Attributes
    ----------
    kernel : array of shape (n, n)
        The repaired matrix, to be used with `Precomputed` kernels.
    how : str
        "clip", "flip", "shift" or "correlation".
    proof : Definiteness
        That `kernel`, with the small allowance stated there, is positive semi-definite.
    moved : float
        The Frobenius norm of the change.
    eigenvalue_moved : float
        The largest eigenvalue of the change, in size: no eigenvalue moved further.
    negative : int
        How many eigenvalues of the similarity were negative by more than rounding. If none was,
        clip, flip and shift leave the matrix as it is.
    negative_share : float
        The sum of their sizes, divided by that of all.
    """

    kernel: np.ndarray
    how: str
    proof: Definiteness
    moved: float
    eigenvalue_moved: float
    negative: int
    negative_share: float
    _map: np.ndarray | None  # M of s' = sM, or None for the identity.

    def transform(self, S) -> np.ndarray:
        """The similarities of new points to those of the matrix, made consistent with the repair.

        Parameters
        ----------
        S : array of shape (m, n)
            Row i holds the similarities of new point i to the n points of the matrix, computed as
            those in the matrix were.

        Returns
        -------
        array of shape (m, n)
            Rows for a machine that was trained with `kernel`.

        Notes
        -----
        With clip and flip, the rows of the old matrix become those of the new one, up to rounding.
        After a shift every new point counts as another point than those of the matrix: the rows
        come back as they are, without what was added to K(x, x).

        K(x, x) of a new point x itself is left open. Machines need it neither for scores nor for
        labels. The least value that leaves the larger matrix positive semi-definite is s'K'⁺s',
        K'⁺ the pseudo-inverse of `kernel`.
        """
        if self.how == "correlation":
            raise ValueError(
                "there is no transform of new points for the nearest correlation matrix: each "
                "entry of it depends on all others. Put the new points into the matrix before it "
                "is repaired (their labels are not needed), or use how='clip'."
            )
        n = self.kernel.shape[0]
        try:
            S = np.asarray(S, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as wrong:
            raise ValueError(f"similarities must be a table of numbers: {wrong}.") from wrong
        if S.ndim != 2 or S.shape[1] != n:
            raise ValueError(
                f"new points are rows of {n} similarities, one to each point of the repaired "
                f"matrix, got shape {S.shape}. Reshape a single one with s.reshape(1, -1)."
            )
        bad = np.argwhere(~(np.abs(S) < OVERFLOW_LIMIT))
        if bad.size:
            i, j = bad[0].tolist()
            raise ValueError(f"similarities must be finite, but S[{i}, {j}] is {S[i, j]}.")
        return S.copy() if self._map is None else S @ self._map

    def __repr__(self):
        n = self.kernel.shape[0]
        return (
            f"{n}×{n} kernel matrix by {self.how}: {self.negative} of {n} eigenvalues were "
            f"negative ({100 * self.negative_share:.3g} % of the sum of sizes); moved by "
            f"{self.moved:.3g} (Frobenius), no eigenvalue by more than "
            f"{rounded_up(self.eigenvalue_moved, 3)}"
        )


def repair(K, how: str = "clip") -> Repaired:
    """A kernel's matrix near a symmetric matrix of similarities.

    Parameters
    ----------
    K : array of shape (n, n)
        Similarities, symmetric up to rounding.
    how : "clip", "flip", "shift" or "correlation"
        Negative eigenvalues become 0 ("clip": the nearest positive semi-definite matrix), change
        their sign ("flip"), or all eigenvalues grow by the same number ("shift": only the diagonal
        changes). "correlation" is the nearest of the positive semi-definite matrices that have ones
        on the diagonal, as K must have.

    Returns
    -------
    Repaired
        With the matrix as `kernel`, how far it `moved`, and `transform` for new points.

    Examples
    --------
    >>> similarity = [[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]]
    >>> repaired = repair(similarity)
    >>> repaired
    3×3 kernel matrix by clip: 1 of 3 eigenvalues were negative (6.49 % of the sum of sizes); moved
    by 0.224 (Frobenius), no eigenvalue by more than 0.224
    >>> repaired.kernel.round(3)
    array([[1.054, 0.821, 0.154],
           [0.821, 1.116, 0.821],
           [0.154, 0.821, 1.054]])
    >>> repaired.transform([[0.5, 0.9, 0.3]]).round(3)
    array([[0.626, 0.715, 0.426]])
    >>> repair(similarity, "correlation").kernel.round(3)
    array([[1.   , 0.77 , 0.185],
           [0.77 , 1.   , 0.77 ],
           [0.185, 0.77 , 1.   ]])
    """
    if how not in REPAIRS:
        raise ValueError(f"how must be one of {', '.join(map(repr, REPAIRS))}, got {how!r}.")
    K = as_symmetric(K)
    n = K.shape[0]
    values, U = _spectrum(K)
    noise = 8.0 * n * UNIT * np.max(np.abs(values), initial=0.0)  # The error of eigh.
    signs = np.where(np.abs(values) > noise, np.sign(values), 0.0)
    below = values[signs < 0]
    kernel, change, turned = K.copy(), 0.0, None
    if how == "correlation":
        kernel = _nearest_correlation(K)
        change = float(np.max(np.abs(eigh(kernel - K, eigvals_only=True)), initial=0.0))
    elif below.size and how == "shift":
        # A little is added, so that the proof needs no allowance.
        change = -float(below[0]) + 4.0 * ISSUER_MARGIN_FACTOR * proof_margin(K, -float(below[0]))
        kernel = K + change * np.eye(n)
    elif below.size:
        kept = np.maximum(signs, 0.0) if how == "clip" else signs
        V = U * np.sqrt(np.abs(kept * values))
        kernel = _symmetric_part(
            V @ V.T
        )  # A product of this form is off by γ of its own trace only.
        turned = (U * kept) @ U.T
        change = -float(below[0]) * (1.0 if how == "clip" else 2.0)
    proof = is_psd(kernel)
    if not proof:
        raise ArithmeticError(
            f"the repaired {n}×{n} matrix could not be proved positive semi-definite in float64: "
            f"{proof!r}. Rescale the similarities to a smaller range."
        )
    share = float(np.sum(np.abs(below)) / np.sum(np.abs(values))) if below.size else 0.0
    moved = _frobenius_norm(kernel - K)
    return Repaired(kernel, how, proof, moved, change, below.size, share, turned)


def _spectrum(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, increasing, and eigenvectors; of nothing, none."""
    return eigh(K, driver="evd") if K.size else (np.zeros(0), K)


def _frobenius_norm(K: np.ndarray) -> float:
    """The Frobenius norm; squares of entries beyond 1e±154 would be infinite or 0."""
    largest = float(np.max(np.abs(K), initial=0.0))
    return largest * float(norm(K / largest)) if largest else 0.0


def _symmetric_part(K: np.ndarray) -> np.ndarray:
    return 0.5 * (K + K.T)


def _nearest_correlation(K: np.ndarray) -> np.ndarray:
    """Newton's method for the dual problem, each step halved until θ falls as it should."""
    n = K.shape[0]
    off = np.abs(np.diagonal(K) - 1.0)
    if n and np.max(off) > DIAGONAL_TOLERANCE:
        i = int(np.argmax(off))
        raise ValueError(
            "how='correlation' keeps a diagonal of ones, as each point is as similar to itself as "
            f"can be, but K[{i}, {i}] is {float(K[i, i])!r}. If the diagonal is positive, pass "
            "K / np.sqrt(np.outer(d, d)) with d = np.diag(K); or use how='clip'."
        )
    if np.max(np.abs(K), initial=0.0) > MAX_CORRELATION_ENTRY:
        raise ValueError(
            f"how='correlation' takes similarities of a size up to {MAX_CORRELATION_ENTRY:g}, "
            "beside ones for what is the same; rescale them, or use how='clip'."
        )
    dual = _Dual(K, np.zeros(n))
    goal = 16.0 * n * UNIT * max(_frobenius_norm(K), 1.0)
    for _ in range(MAX_NEWTON_STEPS):
        if np.max(np.abs(dual.gradient), initial=0.0) <= goal:
            break
        step = dual.newton_step()
        size, slope = 1.0, float(dual.gradient @ step)
        new = _Dual(K, dual.y + step)
        while new.value > dual.value + 1e-4 * size * slope and size > 2.0**-20:
            size /= 2.0
            new = _Dual(K, dual.y + size * step)
        if norm(new.gradient) >= norm(dual.gradient) and new.value >= dual.value:
            break  # float64 allows no further progress.
        dual = new
    if np.max(np.abs(dual.gradient), initial=0.0) > MAX_DIAGONAL_ERROR:
        warnings.warn(
            "the correlation matrix is one, but may not be the nearest: its diagonal was within "
            f"{np.max(np.abs(dual.gradient)):.1g} of ones before it was scaled to them.",
            RuntimeWarning,
            stacklevel=3,
        )
    roots = np.sqrt(1.0 + dual.gradient)
    X = _symmetric_part(dual.clipped / np.outer(roots, roots))
    np.fill_diagonal(X, 1.0)
    return X


class _Dual:
    """θ and what belongs to it at y."""

    def __init__(self, K: np.ndarray, y: np.ndarray):
        self.y = y
        self.values, self.Q = _spectrum(K + np.diag(y))
        above = np.maximum(self.values, 0.0)
        V = self.Q * np.sqrt(above)
        self.clipped = V @ V.T
        self.gradient = np.einsum("ij,ij->i", V, V) - 1.0
        self.value = 0.5 * float(above @ above) - float(np.sum(y))

    def newton_step(self) -> np.ndarray:
        """−V⁻¹∇θ by conjugate gradients, V h = diag(Q(W∘(Qᵀ Diag(h) Q))Qᵀ), W = 1 between positive
        eigenvalues, 0 between negative ones, and μ/(μ − ν) for μ > 0 ≥ ν."""
        Q, values = self.Q, self.values
        first = int(np.searchsorted(values, 0.0, side="right"))  # The first positive eigenvalue.
        up, down = Q[:, first:], Q[:, :first]
        W = values[first:, None] / (values[first:, None] - values[:first])
        square, other = up**2, down**2
        diagonal = square.sum(axis=1) ** 2 + 2.0 * np.einsum("ij,ij->i", square @ W, other)
        # A little of the identity, less and less, where V is nearly singular.
        ridge = min(1e-3, 1e-2 * float(norm(self.gradient))) * float(np.mean(diagonal))

        def product(h):
            h = np.ravel(h)
            among = up.T @ (h[:, None] * up)
            across = W * (up.T @ (h[:, None] * down))
            twice = 2.0 * np.einsum("ij,ij->i", up @ across, down)
            return np.einsum("ij,ij->i", up @ among, up) + twice + ridge * h

        shape, scale = (self.y.size, self.y.size), diagonal + ridge
        V = LinearOperator(shape, matvec=product, dtype=np.float64)
        M = LinearOperator(shape, matvec=lambda r: np.ravel(r) / scale, dtype=np.float64)
        rtol = min(1e-2, float(norm(self.gradient)))
        return cg(V, -self.gradient, M=M, rtol=rtol, maxiter=200)[0]
