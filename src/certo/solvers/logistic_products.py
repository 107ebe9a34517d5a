r"""Logistic problems with many coordinates: Newton steps by conjugate gradients.

The Hessian is never made. Its product with V (K, p) is Σ s_t (p_k (u_k − Σ_l p_l u_l)) x̃_t + ridge·V
with u_k = v_k·x̃_t: two products with the examples. All K vectors are kept, in the symmetric form,
whose sum stays 0: gradients have no part along a common shift.

Preconditioner   dense examples of not too many features: for each class Σ s_t p_k (1 − p_k) x̃_t x̃_tᵀ
                 over the examples of greatest weight, factorised; else the diagonal of the Hessian
Inexact          a step is good enough when its residual is a small share of the gradient, the
                 smaller the nearer the end (Eisenstat and Walker 1996)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from certo.compiled.logistic import several_classes, two_classes
from certo.compiled.threads import in_pieces, pieces

BLOCKS = 2048  # features up to which classes get a factorised block
ROWS = 4  # examples for each feature that make such a block
LOOSEST, MOST = 0.5, 400  # residual and number of inner steps


class _Look(NamedTuple):
    objective: float
    loss: float
    gradient: np.ndarray  # (outputs, p)
    parts: np.ndarray  # probabilities (m, K), or σ(f)σ(−f) (m, 1) for two classes
    W: np.ndarray


class Iterative:
    """The same problem as `Direct`, its vectors in the symmetric form."""

    hessian = None

    def __init__(self, X, codes, classes: int, shares, lift: bool, ridge: float, alive=None):
        self.X, self.codes, self.classes, self.ridge, self.lift = X, codes, classes, ridge, lift
        self.shares, self.alive = shares, alive
        self.m, self.d = X.shape
        self.p, self.outputs = self.d + int(lift), 1 if classes == 2 else classes
        self.turned = X.T.tocsr() if sparse.issparse(X) else X.T
        self.centre = np.zeros(self.d)
        if lift and not sparse.issparse(X):
            self.centre = X[:: max(1, self.m // 4096)].mean(axis=0, dtype=np.float64)
        self.signs = np.where(codes == 1, 1.0, -1.0)
        self.slopes = np.where(np.arange(self.p) < self.d, ridge, 0.0)
        self._condition: Callable | None = None
        self._first = 0.0

    def scores(self, W: np.ndarray) -> np.ndarray:
        """(m, outputs): w_k·(x − centre) + b_k."""
        coef = W[:, : self.d]
        out = _product(self.X, np.ascontiguousarray(coef.T))
        if self.lift:
            out += W[:, self.d] - coef @ self.centre
        return out

    def sums(self, R: np.ndarray) -> np.ndarray:
        """Σ R_t x̃_tᵀ, (outputs, p)."""
        out = np.empty((R.shape[1], self.p))
        out[:, : self.d] = _product(self.turned, R).T
        if self.lift:
            total = R.sum(axis=0)
            out[:, : self.d] -= total[:, None] * self.centre
            out[:, self.d] = total
        return out

    def look(self, W: np.ndarray, again: bool) -> _Look:
        F = self.scores(W)
        if self.outputs == 1:
            slopes, roots = np.empty(self.m), np.empty(self.m)
            loss = two_classes(F[:, 0], self.signs, self.shares, slopes, roots)
            R, parts = slopes[:, None], (roots * roots)[:, None]
        else:
            parts = np.empty_like(F)
            alive = np.ones((1, 1), bool) if self.alive is None else self.alive
            alive = np.broadcast_to(alive, F.shape)
            loss = several_classes(F, self.codes, self.shares, alive, parts)
            R = parts * self.shares[:, None]
            R[np.arange(self.m), self.codes] -= self.shares
        penalty = 0.5 * float(np.sum(self.slopes * W * W))
        return _Look(loss + penalty, loss, self.sums(R) + self.slopes * W, parts, W)

    def product(self, look: _Look, V: np.ndarray) -> np.ndarray:
        U, P = self.scores(V), look.parts
        if self.outputs == 1:
            U *= P
        else:
            U -= np.einsum("tk,tk->t", P, U)[:, None]
            U *= P
            U *= self.shares[:, None]
        return self.sums(U) + self.slopes * V

    def step(self, look: _Look) -> tuple[np.ndarray, float]:
        size = float(np.linalg.norm(look.gradient))
        self._first = self._first or size
        goal = min(LOOSEST, np.sqrt(size / self._first)) if size else 1.0
        if __import__("os").environ.get("G"):
            goal = float(__import__("os").environ["G"])
        precondition = self._preconditioner(look)
        step = _conjugate_gradients(
            lambda V: self.product(look, V), precondition, -look.gradient, goal
        )
        return step, -float(np.sum(step * look.gradient))

    def _preconditioner(self, look: _Look) -> Callable[[np.ndarray], np.ndarray]:
        P, s = look.parts, self.shares[:, None]
        weights = P if self.outputs == 1 else s * P * (1 - P)
        if sparse.issparse(self.X) or self.p > BLOCKS:
            squares = _product(self.turned.multiply(self.turned) if sparse.issparse(self.X)
                               else self.turned**2, weights).T  # fmt: skip
            diagonal = np.column_stack([squares, weights.sum(axis=0)]) if self.lift else squares
            diagonal = diagonal + self.slopes
            scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
            return lambda R: R * scale
        factors = [self._block(weights[:, k]) for k in range(self.outputs)]
        return lambda R: np.array([cho_solve(f, r) for f, r in zip(factors, R, strict=True)])

    def _block(self, weights: np.ndarray):
        n = min(self.m, ROWS * self.p)
        chosen = np.argpartition(weights, self.m - n)[self.m - n :]
        Z = np.ones((n, self.p))
        np.subtract(self.X[chosen], self.centre, out=Z[:, : self.d])
        Z *= np.sqrt(weights[chosen])[:, None]
        H = Z.T @ Z
        left = max(float(weights.sum() - weights[chosen].sum()), 0.0)
        H[np.diag_indices(self.p)] += self.slopes + 1e-9 * np.trace(H) / self.p
        if self.lift:
            H[self.d, self.d] += left
        return cho_factor(H, lower=True)


def _product(A, B: np.ndarray) -> np.ndarray:
    """A @ B on all cores: BLAS does so itself, sparse rows are shared out."""
    if not sparse.issparse(A):
        return A @ B
    ranges = pieces(A.shape[0], A.nnz * B.shape[1])
    return np.concatenate(in_pieces(ranges, lambda k, a, b: A[a:b] @ B))


def _conjugate_gradients(product, precondition, b: np.ndarray, goal: float) -> np.ndarray:
    """x that nearly maximises Q(x) = b·x − ½ x·Hx: until the last of n steps brought less than
    `goal`/n of all that was gained (Nash and Sofer 1990)."""
    x, r = np.zeros_like(b), b.copy()
    z = precondition(r)
    rz, v, gained = float(np.sum(r * z)), z, 0.0
    for n in range(1, MOST + 1):
        if not rz > 0:
            break
        Hv = product(v)
        curve = float(np.sum(v * Hv))
        if curve <= 0:
            break
        a = rz / curve
        x += a * v
        gained += 0.5 * a * rz
        if n * 0.5 * a * rz <= goal * gained:
            break
        r -= a * Hv
        z = precondition(r)
        rz, before = float(np.sum(r * z)), rz
        v = z + (rz / before) * v
    return x
