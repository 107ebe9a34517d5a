"""Conics of the plane: where a quadratic function of two coordinates is 0."""

from __future__ import annotations

import numpy as np

from certo.geometry.hyperplane import vector

#: The points at which a quadratic function of the plane is asked for its coefficients.
SIX_POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 1.0]])
CONIC_ROUNDING_SHARE = 1e-9  # A term this much smaller than the largest is taken for rounding.


def conic_map(X) -> np.ndarray:
    """φ(x1, x2) = (1, x1², x2², x1, x2, x1·x2) for each point of the plane.

    >>> conic_map([[2.0, 3.0]])
    array([[1., 4., 9., 2., 3., 6.]])
    """
    x1, x2 = np.asarray(X, dtype=np.float64).T
    return np.stack([np.ones_like(x1), x1**2, x2**2, x1, x2, x1 * x2], axis=1)


def conic_coefficients(score) -> np.ndarray:
    """w with score(x) = w·φ(x), φ as in `conic_map`, of a function that is quadratic: six values
    determine it.

    >>> conic_coefficients(lambda X: X[:, 0] ** 2 + 4 * X[:, 1] ** 2 - 1)
    array([-1.,  1.,  4.,  0.,  0.,  0.])
    """
    values = np.asarray(score(SIX_POINTS), dtype=np.float64)
    return np.linalg.solve(conic_map(SIX_POINTS), values) + 0.0


def conic_name(coefficients) -> str:
    """What w·φ(x) = 0 is in the plane, φ as in `conic_map`: by the signs of two determinants, of
    the quadratic terms and of all. Terms that are 1e-9 of the largest or less count as 0.

    >>> conic_name([-1, 1, 4, 0, 0, 0]), conic_name([0, 1, 0, 0, -1, 0])
    ('ellipse', 'parabola')
    >>> conic_name([-1, 0, 0, 0, 0, 1]), conic_name([-1, 0, 0, 2, 1, 0])
    ('hyperbola', 'line')
    """
    w = vector("conic_name: coefficients", coefficients)
    if w.size != 6:
        raise ValueError(f"conic_name: a conic has 6 coefficients, got {w.size}.")
    w = np.where(np.abs(w) > CONIC_ROUNDING_SHARE * np.abs(w).max(), w, 0.0)
    one, aa, bb, a, b, ab = (w / (np.abs(w).max() or 1.0)).tolist()
    if aa == bb == ab == 0.0:
        return "line" if a or b else ("whole plane" if one == 0.0 else "empty")
    whole = np.linalg.det([[aa, ab / 2, a / 2], [ab / 2, bb, b / 2], [a / 2, b / 2, one]])
    discriminant = aa * bb - ab**2 / 4
    if abs(discriminant) <= CONIC_ROUNDING_SHARE:
        return (
            "parabola" if abs(whole) > CONIC_ROUNDING_SHARE else "parallel lines, one line or none"
        )
    if discriminant < 0:
        return "hyperbola" if abs(whole) > CONIC_ROUNDING_SHARE else "two lines that cross"
    if abs(whole) <= CONIC_ROUNDING_SHARE:
        return "point"
    return "ellipse" if whole * (aa + bb) < 0 else "empty"
