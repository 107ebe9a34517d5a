"""Fewer errors, step by step: from w, look at whole planes of other weights and take the best.

In the plane of w and a direction d the errors of all weights are found by one sort (as in
`certificates.cells`, here in rounded arithmetic: what is found is counted exactly later).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

PLANES = 2**16  # Numbers sorted at a time.


def surrogate(vectors: np.ndarray, costs: np.ndarray, stop: Callable[[], bool]) -> np.ndarray:
    """The weights of a logistic regression, or as far as it came: a good start."""
    total = costs.sum()

    def risk(w):
        margins = vectors @ w
        value = costs @ np.logaddexp(0.0, -margins) / total + 1e-6 * (w @ w)
        return value, -(vectors.T @ (costs * expit(-margins))) / total + 2e-6 * w

    def look(intermediate_result):
        if stop():
            raise StopIteration

    start = np.zeros(vectors.shape[1])
    found = minimize(
        risk, start, jac=True, method="L-BFGS-B", callback=look, options={"maxiter": 200}
    )
    return found.x


def cost_of(vectors: np.ndarray, costs: np.ndarray, w: np.ndarray) -> float:
    """What the errors of w cost, in rounded arithmetic."""
    return float(costs[~(vectors @ w > 0)].sum())


def local_search(
    vectors: np.ndarray,
    costs: np.ndarray,
    w: np.ndarray,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    patience: int = 20,
) -> tuple[float, np.ndarray]:
    """The best weights found near w, and what their errors cost.

    Directions are coordinates, random ones, and examples that are errors now. After `patience`
    looks without a gain it is over.
    """
    n, dimension = vectors.shape
    width = max(1, min(4 * dimension, PLANES // n))
    w = w / max(np.linalg.norm(w), 1e-300)
    best, found = cost_of(vectors, costs, w), w
    idle = 0
    while idle < patience and best > 0 and not stop():
        kinds = rng.integers(3, size=width)
        directions = rng.normal(size=(width, dimension))
        axes = np.flatnonzero(kinds == 0)
        directions[axes] = np.eye(dimension)[rng.integers(dimension, size=axes.size)]
        wrong = np.flatnonzero(vectors @ w <= 0)
        fixing = np.flatnonzero(kinds == 1)
        directions[fixing] = vectors[rng.choice(wrong, fixing.size)] if wrong.size else w
        directions[fixing] += 0.3 * rng.normal(size=(fixing.size, dimension))
        w = _best_plane(vectors, costs, w, directions, rng)
        w = w / np.abs(w).max()  # The squares of the entries may overflow.
        w = w / np.linalg.norm(w)
        value = cost_of(vectors, costs, w)
        idle = 0 if value < best else idle + 1
        if value <= best:
            best, found = value, w  # Accept an equally good w, too.
        else:
            w = found
    return best, found


def _best_plane(vectors, costs, w, directions, rng) -> np.ndarray:
    """The cheapest weights in the planes of w and each direction. ±(d − c·w) is right, or wrong,
    on z with w·z > 0 where d·z/w·z exceeds c; z with w·z < 0 are turned around."""
    scores = vectors @ w
    tiny = 1e-12 * np.abs(scores).max() + 1e-150  # Quotients must not overflow.
    scores = np.where(np.abs(scores) < tiny, tiny, scores)
    quotients = (directions @ vectors.T) / scores
    order = np.argsort(quotients, axis=1)
    flip = scores < 0
    steps = np.where(flip, -costs, costs)[order]
    errors = np.empty((len(directions), len(costs) + 1))
    errors[:, 0] = costs[flip].sum()
    np.cumsum(steps, axis=1, out=errors[:, 1:])
    errors[:, 1:] += errors[:, :1]
    total = costs.sum()
    least, most = errors.min(), total - errors.max()
    ties = np.argwhere(errors == least if least <= most else errors == errors.max())
    row, gap = ties[rng.integers(len(ties))]
    ends = quotients[row][order[row][max(gap - 1, 0) : gap + 1]]
    if gap == 0:
        c = ends[0] - 1 - abs(ends[0])
    elif gap == len(costs):
        c = ends[-1] + 1 + abs(ends[-1])
    else:
        c = np.tan((np.arctan(ends[0]) + np.arctan(ends[1])) / 2)
    turned = directions[row] - c * w
    return turned if least <= most else -turned
