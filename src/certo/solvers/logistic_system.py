r"""Newton's system Hx = b of a logistic problem with many coordinates, by conjugate gradients.

The Hessian is never made. Its product with V is Σ s_t p_k (u_k − Σ_l p_l u_l) x̃_t + ridge·V with
u_k = v_k·x̃_t: to the scores and back, in float32, since a step need not be exact.

Preconditioner   dense examples of not too many features: for each class the inverse of
                 Σ s_t p_k (1 − p_k) x̃_t x̃_tᵀ + ridge over the examples of greatest weight, anew
                 when the weights have changed. Else the root of the diagonal: the diagonal itself
                 is a poor one where a few long examples make it, and so is none where columns
                 differ in scale
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import ssyrk
from scipy.linalg.lapack import spotrf, spotri

from certo.compiled.logistic_wide import bend_several
from certo.compiled.threads import in_pieces, one_thread, pieces
from certo.solvers.logistic_tables import DenseTable, SparseTable
from certo.stop import Asked, go_on

MAX_BLOCK_DIM = 2048  # Features up to which each class has a preconditioner of its own.
BLOCK_ROWS_PER_FEATURE = 4  # Examples of which the block is made, for each feature.
CHANGED_SHARE = 0.5  # It is made anew after this share of the weights has changed.
DIAGONAL_SHARE = 1e-6  # Added to its diagonal, relative to the mean: float32 has few digits more.
MAX_PRODUCTS = 500  # Products with the Hessian in one solution.
MIN_CURVATURE = 1e-12  # Examples that are all but separated have less: too little for float32.

Vectors = np.ndarray  # (p, outputs)


class NewtonSystem:
    def __init__(self, table: DenseTable | SparseTable, shares: np.ndarray, ridge: float):
        self.table, self.ridge = table, ridge
        self.shares = shares.astype(np.float32)
        self.diagonal = np.where(np.arange(table.p) < table.d, ridge, 0.0)[:, None]
        fits = table.fits_float32 and ridge < np.finfo(np.float32).max
        self.kind: np.dtype = np.dtype(np.float32 if fits else np.float64)
        self.blocked = fits and isinstance(table, DenseTable) and table.p <= MAX_BLOCK_DIM
        self._weights = np.zeros((table.m, 0))  # The weights of the blocks that were made.
        self._inverses = np.empty((0, table.p, table.p), np.float32)

    def solve(
        self, parts: np.ndarray, b: Vectors, share: float, enough: float, asked: Asked = go_on
    ) -> Vectors:
        """x with Hx near b: until the residual is this share of b, or this small, or `asked`.

        `parts` are the probabilities (m, K), for two classes s σ(f)σ(−f), (m, 1).
        """
        size = float(np.linalg.norm(b)) or 1.0
        weights = parts if parts.shape[1] == 1 else self.shares[:, None] * parts * (1 - parts)
        if not self.ridge and float(weights.sum()) < MIN_CURVATURE:
            self.kind, self.blocked = np.dtype(np.float64), False
        parts, diagonal = parts.astype(self.kind), self.diagonal.astype(self.kind)

        def bend(U: np.ndarray, some: slice) -> None:
            if parts.shape[1] == 1:
                U *= parts[some]
            else:
                bend_several(U, parts[some], self.shares[some])

        def product(V: Vectors) -> Vectors:
            out = self.table.through(V, bend)
            out += diagonal * V
            return out

        right = (b / size).astype(self.kind)
        near = self._preconditioner(weights.astype(self.kind))
        x = conjugate_gradients(product, near, right, share, enough / size, asked)
        return size * x.astype(np.float64)

    def _preconditioner(self, weights: np.ndarray) -> Callable[[Vectors], Vectors]:
        if not self.blocked:
            squares = self.table.squared_sums(weights)
            scale = diagonal_scale(squares, self.ridge).astype(self.kind)
            return lambda R: R * scale
        last = self._weights
        if not last.size or np.sum(np.abs(weights - last)) > CHANGED_SHARE * np.sum(last):
            self._weights = weights
            self._inverses = np.empty((weights.shape[1], self.table.p, self.table.p), np.float32)
            self._share_classes(weights.shape[1], self._invert)
        return self._apply

    def _apply(self, R: Vectors) -> Vectors:
        out = np.empty_like(R)

        def some(n: int, first: int, last: int) -> None:
            part = slice(first, last)
            out[:, part] = np.matmul(self._inverses[part], R.T[part, :, None])[:, :, 0].T

        self._share_classes(R.shape[1], some)
        return out

    def _invert(self, n: int, first: int, last: int) -> None:
        for k in range(first, last):
            self._inverses[k] = self._inverse(k)

    def _inverse(self, k: int) -> np.ndarray:
        """Of a class's own part of the Hessian, nearly."""
        table, weights = self.table, self._weights[:, k]
        assert isinstance(table, DenseTable)
        n = min(table.m, BLOCK_ROWS_PER_FEATURE * table.p)
        chosen = np.argpartition(weights, table.m - n)[table.m - n :]
        Z = np.ones((n, table.p), np.float32)
        Z[:, : table.d] = table.short[chosen]
        Z *= np.sqrt(weights[chosen])[:, None]
        H = ssyrk(1.0, Z.T, lower=True)
        H[np.diag_indices(table.p)] += self.diagonal[:, 0]
        H[table.d :, table.d :] += max(float(weights.sum() - weights[chosen].sum()), 0.0)
        more, failed = DIAGONAL_SHARE * float(np.trace(H)) / table.p or 1.0, 1
        while failed and more < np.inf:
            H[np.diag_indices(table.p)] += more
            factor, failed = spotrf(H, lower=True)
            more *= 10
        inverse, _ = spotri(factor, lower=True, overwrite_c=True)
        inverse += inverse.T  # Its upper triangle is 0.
        inverse[np.diag_indices(table.p)] /= 2
        return inverse

    def _share_classes(self, count: int, some: Callable[[int, int, int], None]) -> None:
        with one_thread():
            in_pieces(pieces(count, count * self.table.p**2), some)


def diagonal_scale(squares: np.ndarray, ridge: float) -> np.ndarray:
    """The root of the diagonal, inverted."""
    base = ridge or float(squares.mean()) or 1.0
    return 1 / np.sqrt(1 + squares / base)


def conjugate_gradients(
    product, precondition, b: Vectors, share: float, enough: float, asked: Asked = go_on
) -> Vectors:
    x, r = np.zeros_like(b), b.copy()
    z = precondition(r)
    rz, v = float(np.vdot(r, z)), z.copy()
    first = rz
    for _ in range(MAX_PRODUCTS):
        Hv = product(v)
        curve = float(np.vdot(v, Hv))
        if not curve > 0:
            break
        a = b.dtype.type(rz / curve)
        x += a * v
        r -= a * Hv
        z = precondition(r)
        rz, before = float(np.vdot(r, z)), rz
        if not rz > share * share * first or float(np.vdot(r, r)) <= enough * enough or asked():
            break
        v *= b.dtype.type(rz / before)
        v += z
    return x
