r"""The examples of a logistic problem, and the passes over them that Newton's method makes.

Two classes have one vector of weights, K have K − 1: scores against the last class, whose own
score is 0. With a free intercept x̃ = (x − centre, 1), else x̃ = x; dense examples are centred while
they are copied to where they are worked on, a block that stays in the cache, sparse ones are not
(centre = 0).

With p_k the probabilities and Y the indicators of the classes, over shares s_t that add up to 1,

    loss      Σ s_t (log Σ_k e^{f_k} − f_y)
    gradient  G_k  = Σ s_t (p_k − Y_k) x̃_t
    Hessian   H_kl = Σ s_t p_k (1[k = l] − p_l) x̃_t x̃_tᵀ
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk

from certo.compiled.logistic import add_weighted_squares, several_classes, two_classes
from certo.compiled.rows import rows_of
from certo.compiled.threads import in_pieces, one_thread, pieces
from certo.problems.logistic import Weights
from certo.solvers.interrupt import Stopped
from certo.stop import Asked, go_on

PASS_NUMBERS = 2**18  # Numbers worked on at a time: two megabytes.
MIN_LOGISTIC_BLOCK_ROWS = 64  # Rows of a block, however long they are.
HEAVY_HESSIAN = 1e9  # Multiplications of a Hessian.
SPARSE_COST = 8  # A multiplication of the sparse loop costs as much as so many of BLAS.
CONSTANT_NOISE = 1e-13  # What rounding leaves of a constant column, relative to its value.
CENTRE_ROWS = 4096  # About so many rows give the centre: any point near the mean does.
MAX_PLAIN_MEAN = 0.5  # In standard deviations: columns with smaller means are not centred.


def centre_of(X, lift: bool) -> np.ndarray:
    """A point near the mean of dense examples with a free intercept; else 0, and also where all
    means are small beside the deviations: passes over the rows then need no copies of them."""
    if not lift or sparse.issparse(X):
        return np.zeros(X.shape[1])
    some = X[:: max(1, X.shape[0] // CENTRE_ROWS)]
    means = some.mean(axis=0, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        small = np.abs(means) <= MAX_PLAIN_MEAN * some.std(axis=0, dtype=np.float64)
    return np.zeros_like(means) if small.all() else means


def centred_weights(weights: Weights, centre: np.ndarray, lift: bool) -> np.ndarray:
    """Weights (outputs, p) of x̃ with the scores of coef·x + intercept."""
    coef, intercept = weights
    return np.column_stack([coef, intercept + coef @ centre]) if lift else coef.copy()


def plain_weights(W: np.ndarray, centre: np.ndarray, lift: bool) -> Weights:
    """coef and intercept with the scores W·x̃."""
    coef = W[:, : centre.size]
    return Weights(coef, W[:, -1] - coef @ centre if lift else np.zeros(len(W)))


class Look(NamedTuple):
    loss: float
    gradient: np.ndarray  # (K − 1, p)
    hessian: Any  # The lower triangle for stacked rows; None if not requested.


def noise_of(centre: np.ndarray, lift: bool, vectors: int) -> np.ndarray:
    """What rounding may leave of a constant column when its value is taken away."""
    return np.tile(CONSTANT_NOISE * np.append(np.abs(centre), np.zeros(int(lift))), vectors)


class RowSums(Protocol):
    """What Newton's method asks of rows, wherever they are."""

    classes: int
    d: int
    p: int
    vectors: int
    lift: bool
    centre: np.ndarray
    asked: Asked

    @property
    def heavy(self) -> bool: ...

    @property
    def noise(self) -> np.ndarray: ...

    @property
    def loss_at_zero(self) -> float: ...

    def look(self, W: np.ndarray, curvature: bool) -> Look: ...


class LogisticRows:
    """Rows x̃_t, classes 0 … K − 1 as codes, and shares; `alive` (m, K) marks the classes whose
    scores count, None for all."""

    def __init__(self, X, codes, classes: int, shares, lift: bool, alive=None, centre=None):
        self.X, self.codes, self.classes, self.shares, self.lift = X, codes, classes, shares, lift
        self.alive = alive
        self.asked: Asked = go_on  # Whether to stop, asked before every block of a Hessian.
        self.m, self.d = X.shape
        self.p, self.vectors = self.d + int(lift), classes - 1
        self.centre = centre_of(X, lift) if centre is None else centre
        self.signs = np.where(codes == 1, 1.0, -1.0)  # The signs of two classes.
        self._step = max(MIN_LOGISTIC_BLOCK_ROWS, PASS_NUMBERS // max(self.p * self.vectors, 1))
        self._by_entries = sparse.issparse(X) and classes == 2 and self._is_thin()

    def _is_thin(self) -> bool:
        counts = np.diff(self.X.indptr).astype(np.float64)
        return SPARSE_COST * float(counts @ counts) < self.m * self.p**2

    @property
    def heavy(self) -> bool:
        """Whether a Hessian costs so much that much is worth doing without one."""
        return self.m * (self.vectors * self.p) ** 2 > HEAVY_HESSIAN

    @property
    def loss_at_zero(self) -> float:
        """All classes alive are equally likely."""
        counts = self.classes if self.alive is None else self.alive.sum(axis=1)
        return float(np.sum(self.shares * np.log(counts)))

    @property
    def noise(self) -> np.ndarray:
        return noise_of(self.centre, self.lift, self.vectors)

    @property
    def peaks(self) -> np.ndarray:
        """max_t |x̃_tj|"""
        if sparse.issparse(self.X):
            peaks = abs(self.X).max(axis=0).toarray().ravel()
        else:
            ends = self.X.max(axis=0), self.X.min(axis=0)
            peaks = np.max(np.abs(np.array(ends, np.float64) - self.centre), axis=0)
        return np.append(peaks, 1.0) if self.lift else peaks

    def take(self, chosen: np.ndarray) -> LogisticRows:
        """A part of the examples, with shares that add up to 1 again."""
        shares = self.shares[chosen]
        alive = None if self.alive is None else self.alive[chosen]
        return LogisticRows(
            self.X[chosen], self.codes[chosen], self.classes, shares / shares.sum(), self.lift,
            alive, self.centre,
        )  # fmt: skip

    def class_moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Shares of the classes (K,), their means of x − centre (K, d), and Σ s_t (x − centre)²."""
        own = sparse.csr_array(
            (self.shares, (self.codes, np.arange(self.m))), shape=(self.classes, self.m)
        )
        X = sparse.csr_array(self.X) if sparse.issparse(self.X) else self.X - self.centre
        sums, squares = own @ X, X.T @ (X * self.shares[:, None])
        if sparse.issparse(X):
            sums, squares = sums.toarray(), squares.toarray()
        pi = np.asarray(own.sum(axis=1)).reshape(-1, 1)
        return pi[:, 0], sums / np.maximum(pi, np.finfo(float).tiny), squares

    def look(self, W: np.ndarray, curvature: bool) -> Look:
        """The loss and its gradient at W (K − 1, p), and, if asked for, its Hessian; or Stopped is
        raised."""
        if self._by_entries:
            return self._look_at_entries(W[0], curvature)
        n = self.vectors * self.p
        work = self.m * self.p * (n if curvature else self.vectors)
        ranges = pieces(self.m, work)
        visit = self._visit_two if self.classes == 2 else self._visit_several
        with one_thread():
            found = in_pieces(ranges, lambda k, a, b: self._piece(visit, W, curvature, a, b))
        loss = sum(part[0] for part in found)
        gradient = sum(part[1] for part in found)
        return Look(loss, gradient, sum(part[2] for part in found) if curvature else None)

    def _piece(self, visit: Callable, W, curvature: bool, first: int, last: int) -> Look:
        n, lift = self.vectors * self.p, int(self.lift)
        plain = isinstance(self.X, np.ndarray) and self.X.dtype == np.float64
        copied = curvature or not plain or self.centre.any()
        buffer = np.empty((min(self._step, last - first), self.p)) if copied else None
        gradient = np.zeros((self.vectors, self.p))
        hessian = np.zeros((n, n), order="F") if curvature else None
        losses = []
        for start in range(first, last, self._step):
            if curvature and self.asked():
                raise Stopped
            here = slice(start, min(start + self._step, last))
            Z = self.X[here] if buffer is None else self._copied(here, buffer)
            scores = Z[:, : self.d] @ W[:, : self.d].T
            scores += W[:, self.d :].sum(axis=1)
            loss, slopes, bends = visit(scores, here)
            gradient[:, : self.d] += slopes.T @ Z[:, : self.d]
            gradient[:, self.d :] += slopes.sum(axis=0)[:, None][:, :lift]
            if hessian is not None:
                hessian = self._curved(Z, bends, here, hessian)
            losses.append(loss)
        return Look(float(np.sum(losses)), gradient, hessian)

    def _copied(self, here: slice, buffer: np.ndarray) -> np.ndarray:
        """The rows x̃ of a block, in the buffer."""
        rows = self.X[here]
        Z = buffer[: rows.shape[0]]
        Z[:, self.d :] = 1.0
        if sparse.issparse(rows):
            Z[:, : self.d] = rows.toarray()
        else:
            np.subtract(rows, self.centre, out=Z[:, : self.d])
        return Z

    def _visit_two(self, scores: np.ndarray, here: slice):
        """The loss, its slopes in the scores, and the roots √(s σ(f)σ(−f)) of its curvature."""
        slopes, roots = np.empty_like(scores), np.empty(len(scores))
        signs, shares = self.signs[here], self.shares[here]
        return two_classes(scores[:, 0], signs, shares, slopes[:, 0], roots), slopes, roots

    def _visit_several(self, scores: np.ndarray, here: slice):
        """The loss, its slopes in the scores, and the probabilities, of all classes but the last"""
        scores = np.column_stack([scores, np.zeros(len(scores))])
        parts = np.empty_like(scores)
        shares, codes = self.shares[here], self.codes[here]
        alive = np.ones(scores.shape, bool) if self.alive is None else self.alive[here]
        loss = several_classes(scores, codes, shares, alive, parts)
        own = parts[:, :-1]
        slopes = own * shares[:, None]
        at = np.flatnonzero(codes < self.vectors)
        slopes[at, codes[at]] -= shares[at]
        return loss, slopes, own

    def _curved(self, Z: np.ndarray, bends: np.ndarray, here: slice, hessian: np.ndarray):
        """The Hessian, with these rows, which are overwritten."""
        if self.classes == 2:
            Z *= bends[:, None]
            return dsyrk(1.0, Z.T, beta=1.0, c=hessian, lower=True, overwrite_c=True)
        # H = blocks of Σ s p_k x̃x̃ᵀ on the diagonal, less MᵀM with M_t = √s (p_k x̃_t)_k
        roots = np.sqrt(self.shares[here])[:, None]
        M = ((bends * roots)[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
        hessian = dsyrk(-1.0, M.T, beta=1.0, c=hessian, lower=True, overwrite_c=True)
        Z *= roots
        for k, block in enumerate((M.T @ Z).reshape(self.vectors, self.p, self.p)):
            some = slice(k * self.p, (k + 1) * self.p)
            hessian[some, some] += block
        return hessian

    def _look_at_entries(self, w: np.ndarray, curvature: bool) -> Look:
        """For CSR rows with few entries."""
        scores = self.X @ w[: self.d] + (w[self.d] if self.lift else 0.0)
        slopes, roots = np.empty(self.m), np.empty(self.m)
        loss = two_classes(scores, self.signs, self.shares, slopes, roots)
        gradient = self.X.T @ slopes
        gradient = np.append(gradient, slopes.sum()) if self.lift else gradient
        if not curvature:
            return Look(loss, gradient[None, :], None)
        rows, lift = rows_of(self.X), float(self.lift)
        ranges = pieces(self.m, SPARSE_COST * self.X.nnz**2 / self.m)
        sums = np.zeros((len(ranges), self.p, self.p))
        in_pieces(ranges, lambda k, a, b: add_weighted_squares(rows, roots, lift, a, b, sums[k]))
        return Look(loss, gradient[None, :], sums.sum(axis=0))
