"""Means and samples under densities on a box: of any features by a table of values, whose error is
estimated, and exact draws where the features are known (`box_features`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from certo.certificates.density.box_features import BoxFeatures, beyond_nodes, nodes, on_grid
from certo.facts import InputError
from certo.words import refusals


class TableMoments(NamedTuple):
    log_mass: float
    mean: np.ndarray
    covariance: np.ndarray


class FeatureTable:
    """Any features φ, a function of points (rows) in the box, at n Gauss–Legendre nodes an axis."""

    def __init__(self, features: Callable, low: np.ndarray, high: np.ndarray, n: int):
        places, weights = np.polynomial.legendre.leggauss(n)
        axes = [a + (b - a) * (places + 1) / 2 for a, b in zip(low, high, strict=True)]
        self.points = np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
        self.values = feature_values(features, self.points)
        self.weights = weights / 2
        for _ in axes[1:]:
            self.weights = np.multiply.outer(self.weights, weights / 2).ravel()

    def moments(self, coef: np.ndarray) -> TableMoments:
        s = self.values @ coef
        top = float(s.max())
        p = self.weights * np.exp(s - top)
        mass = float(p.sum())
        p /= mass
        mean = p @ self.values
        centred = self.values - mean
        return TableMoments(top + math.log(mass), mean, (centred * p[:, None]).T @ centred)


def feature_values(features: Callable, X: np.ndarray) -> np.ndarray:
    """φ of every row of X, (rows, features), or a ValueError."""
    values = np.asarray(features(X), dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != len(X) or not np.all(np.isfinite(values)):
        raise InputError(refusals.unusable_features, len(X), values.shape)
    return values


def draw(
    features: BoxFeatures, coef: np.ndarray, d: int, size: int, random: np.random.RandomState
) -> np.ndarray:
    """Positions in [0, 1]^d drawn from the density exp(coef·φ), by rejection.

    A cell of the box is the neighbourhood |θ − θ_j| ≤ δ = π/(2n) of a node. In it, by Taylor's
    theorem, s exceeds its value at the node by at most Σ δ_i |∂_i s| + ½ Σ|w_k| (Σ δ_i k_i)². So
    a cell is drawn with its size times the exponential of that bound, a point in it uniformly, and
    the point is kept with the probability that is left.
    """
    n, _ = nodes(features, coef, d)
    orders, half = features.orders(d), [math.pi / (2 * k) for k in n]
    angles = [(2 * np.arange(k) + 1) * h for k, h in zip(n, half, strict=True)]
    k = np.arange(features.degree + 1)
    level = [np.cos(np.outer(a, k)) for a in angles]
    slope = [-k * np.sin(np.outer(a, k)) for a in angles]
    bound = on_grid(orders, coef, level)
    for i in range(d):
        tables = [*level[:i], slope[i], *level[i + 1 :]]
        bound = bound + half[i] * np.abs(on_grid(orders, coef, tables))
    bound = bound + beyond_nodes(orders, coef, n)
    edges = [features.positions(np.arange(m + 1) * (math.pi / m)) for m in n]
    chances = np.exp(bound - bound.max())
    for i in range(d):
        shape = [1] * d
        shape[i] = n[i]
        chances = chances * np.abs(np.diff(edges[i])).reshape(shape)
    ladder = np.cumsum(chances.ravel())
    kept: list[np.ndarray] = []
    while sum(map(len, kept)) < size:
        cells = np.searchsorted(ladder, random.random_sample(2 * size + 16) * ladder[-1], "right")
        cells = np.minimum(cells, ladder.size - 1)
        places = np.unravel_index(cells, bound.shape)
        columns = [
            edge[j] + (edge[j + 1] - edge[j]) * random.random_sample(j.size)
            for edge, j in zip(edges, places, strict=True)
        ]
        points = np.clip(np.stack(columns, axis=1), 0.0, 1.0)
        ratio = np.exp(features.at(points) @ coef - bound[places])
        kept.append(points[random.random_sample(len(points)) < ratio])
    return np.concatenate(kept)[:size]
