"""Looking at points and a hyperplane of R^d from the side, in a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import sparse

from certo.facts import InputError
from certo.geometry.hyperplane import ArrayValue, Hyperplane, dense, inner
from certo.words import points as sentences

MAX_VIEWED_ROWS = 2000  # Enough to see a main direction: the view is a picture, not a claim.
# The randomised SVD has an error of (σ₉/σ₁)¹⁷, so that only ties are left undecided.
SVD_COLUMNS, SVD_SWEEPS = 8, 8


@final
@dataclass(frozen=True, eq=False)
class PlaneView(ArrayValue):
    """A plane to look at a hyperplane w·x + b = 0 of R^d in.

    Axes          two orthonormal directions: w/‖w‖, so that the hyperplane is seen as a line,
                  and the main direction of the points' part orthogonal to w
    Coordinates   of a point, along the two axes
    Boundary      the line S((a₁, a₂), c) that is seen, ‖a‖ = 1: its signed distances in the
                  view are the hyperplane's in R^d

    In the plane itself (d = 2) the axes are the features; on a line (d = 1) the first axis is
    the feature and the second coordinate is 0.

    >>> view = PlaneView.of([0.0, 0.0, 2.0], -1.0, [[0, 0, 1], [3, 3, 0], [-3, -3, 0]])
    >>> view.coordinates([[1.0, 1.0, 4.0]]).round(6)
    array([[4.      , 1.414214]])
    >>> view.boundary
    Hyperplane(v=[1.0, 0.0], c=0.5)
    """

    axes: np.ndarray
    boundary: Hyperplane

    def __post_init__(self) -> None:
        axes = np.array(self.axes, dtype=np.float64)
        if axes.ndim != 2 or len(axes) != 2 or self.boundary.v.size != 2:
            raise InputError(sentences.no_view, axes.shape, self.boundary)
        axes.flags.writeable = False
        object.__setattr__(self, "axes", axes)

    @classmethod
    def of(cls, w, b: float, X) -> PlaneView:
        """The view of the hyperplane w·x + b = 0 and of the points X, dense or sparse."""
        hyperplane = Hyperplane(w, -b)
        normal, offset = hyperplane.unit_normal, hyperplane.distance_from_origin
        d = normal.size
        if d <= 2:
            return cls(np.eye(2, d), Hyperplane(np.append(normal, 0.0)[:2], offset))
        along = np.atleast_1d(inner(X, normal))
        if along.size == 0 or not np.isfinite(along).all():
            raise ValueError("PlaneView.of: X must hold at least one point, and only finite ones.")
        axes = np.stack([normal, _main_direction(X, normal)])
        return cls(axes, Hyperplane(np.array([1.0, 0.0]), offset))

    def coordinates(self, X) -> np.ndarray:
        """(m, 2): where each point is seen. A 1-D X is one point, seen at 2 numbers."""
        first, second = (inner(X, axis) for axis in self.axes)
        return np.stack([first, second], axis=-1)


def _main_direction(X, normal: np.ndarray) -> np.ndarray:
    """The unit vector orthogonal to `normal` along which the rows of X vary most.

    Problem     the first right singular vector of A = H X (I − n nᵀ), H the centring of columns
    Step        Z ← orth(Aᵀ orth(A Z)) on a block Z of few columns, then the SVD of A Z
    Cost        products of X with blocks only: X stays sparse and A is never formed
    Reference   Halko, Martinsson, Tropp (SIAM Review 2011), Algorithm 4.4
    """
    X = X.tocsr() if sparse.issparse(X) else np.atleast_2d(dense(X))
    m, d = X.shape
    if m > MAX_VIEWED_ROWS:
        X = X[np.linspace(0, m - 1, MAX_VIEWED_ROWS).astype(int)]
    X = X.astype(np.float64, copy=False)

    def off_normal(Z):
        return Z - np.multiply.outer(normal, normal @ Z)

    def forward(Z):
        seen = X @ off_normal(Z)
        return seen - seen.mean(axis=0)

    def backward(R):
        return off_normal(X.T @ (R - R.mean(axis=0)))

    Z = np.random.default_rng(0).standard_normal((d, min(SVD_COLUMNS, X.shape[0], d)))
    for _ in range(SVD_SWEEPS):
        Z = np.linalg.qr(backward(np.linalg.qr(forward(Z)).Q)).Q
    direction = off_normal(Z @ np.linalg.svd(forward(Z), full_matrices=False).Vh[0])
    length = np.linalg.norm(direction)
    if length < 0.5:  # Nothing varies off the normal: any direction will do.
        direction = off_normal(np.eye(1, d, int(np.abs(normal).argmin()))[0])
        length = np.linalg.norm(direction)
    direction = off_normal(direction / length)
    return np.copysign(1.0, direction[np.abs(direction).argmax()]) * direction
