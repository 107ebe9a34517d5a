"""Angles between vectors, and how far one reaches along another."""

from __future__ import annotations

import numpy as np

from certo.geometry.hyperplane import dense, inner, vector


def projection_length(X, v):
    """v·x/‖v‖ for each point x: how long its projection on v is, negative if it points backwards.

    Since v·x = ‖v‖‖x‖cos θ, it is ‖x‖cos θ, with θ the angle between v and x.

    >>> projection_length([[3.0, 4.0], [0.0, -2.0]], [0.0, 5.0])
    array([ 4., -2.])
    """
    v = _direction("projection_length", v)
    scaled = v / np.abs(v).max()  # No square can overflow or vanish.
    return inner(X, scaled) / np.linalg.norm(scaled)


def angle(X, v):
    """The angle between v and each point x, in radians from 0 to π; 0 for x = 0, which has none.

    v·x is positive where the angle is below a right angle, 0 at a right angle, and negative beyond.
    By Kahan's formula 2·atan2(‖a − b‖, ‖a + b‖) for unit vectors a and b, which is accurate also
    where they nearly agree and the cosine is flat.

    >>> angle([[1.0, 1.0], [-3.0, 0.0]], [1.0, 0.0]) / np.pi
    array([0.25, 1.  ])
    """
    v = _direction("angle", v)
    a, b = _unit(v), _unit(dense(X).astype(np.float64))
    inner(b, v)  # refuses points of another dimension
    found = 2 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return np.where(np.any(b, axis=-1), found, 0.0)[()]


def _unit(X: np.ndarray) -> np.ndarray:
    """Each vector divided by its length; 0 stays 0."""
    largest = np.abs(X).max(axis=-1, keepdims=True)
    scaled = X / np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(scaled, axis=-1, keepdims=True)
    return scaled / np.where(length > 0, length, 1.0)


def _direction(what: str, v) -> np.ndarray:
    v = vector(f"{what}: v", v)
    if not v.any():
        raise ValueError(f"{what}: v must have a direction, but all its {v.size} entries are 0.")
    return v
