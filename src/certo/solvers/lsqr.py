"""LSQR: least squares from products with a matrix and its transpose alone.

Problem    min over x of ‖Ax − b‖² + damp²‖x‖²; of several minima the shortest x.
Method     Golub and Kahan's bidiagonalisation of A, begun with b; a rotation in each step makes the
           bidiagonal matrix triangular, so that x is updated, and nothing kept but four vectors.
Reference  Paige and Saunders (1982), LSQR, ACM Transactions on Mathematical Software 8, 43-71.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np

from certo.stop import Asked, Stop

Product = Callable[[np.ndarray], np.ndarray]


class Iterated(NamedTuple):
    x: np.ndarray
    condition: float  # Condition number of A with damping, estimated in the Frobenius norm.
    stop: Stop


def lsqr(
    forward: Product, back: Product, b: np.ndarray, *, damp: float, tol: float, max_iter: int,
    asked: Asked,
) -> Iterated:  # fmt: skip
    """x from Av = forward(v) and Aᵀu = back(u). Converged: ‖Aᵀr‖ ≤ tol·‖A‖‖r‖ (with damp for A), or
    ‖r‖ ≤ tol·(‖b‖ + ‖A‖‖x‖). It ends after `max_iter` steps, or when it is asked to."""
    length, u = _unit(b)
    alpha, v = _unit(back(u))
    x, w = np.zeros_like(v), v.copy()
    if not alpha:
        return Iterated(x, 0.0, Stop.CONVERGED)
    phi_left, rho_left = length, alpha
    squares = damped = inverse = 0.0  # ‖A‖², the part of ‖r‖² from damp, ‖A⁻¹‖².
    for _ in range(max_iter):
        beta, u = _unit(forward(v) - alpha * u)
        squares += alpha**2 + beta**2 + damp**2
        alpha, v = _unit(back(u) - beta * v)
        # The rotations take damp into the diagonal, and then beta, which is below it.
        with_damp = hypot(rho_left, damp)
        damped += (damp / with_damp * phi_left) ** 2
        phi_left *= rho_left / with_damp
        rho = hypot(with_damp, beta)
        cosine, sine = with_damp / rho, beta / rho
        theta, rho_left = sine * alpha, -cosine * alpha
        phi, phi_left = cosine * phi_left, sine * phi_left
        x += (phi / rho) * w
        inverse += float(w @ w) / rho**2
        w = v - (theta / rho) * w
        size, residual = sqrt(squares), sqrt(phi_left**2 + damped)
        slope = alpha * abs(sine * phi)  # ‖Aᵀr‖
        near = residual <= tol * (length + size * float(np.linalg.norm(x)))
        stop = Stop.CONVERGED if near or slope <= tol * size * residual else asked()
        if stop is not None:
            break
    return Iterated(x, sqrt(squares * inverse), stop or Stop.MAX_ITER)


def _unit(vector: np.ndarray) -> tuple[float, np.ndarray]:
    """Its length and its direction; 0 as it is."""
    length = float(np.linalg.norm(vector))
    return length, vector / length if length else vector
