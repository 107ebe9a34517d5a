"""Logistic regression by blocks with more coefficients than a Hessian may have: the Newton method
of `solvers.logistic_wide`, whose products with the Hessian are passes over the blocks.

No score is kept beside a row: what that method calls scores are the weights themselves here, and a
pass computes the scores of a block anew. So each product of the conjugate gradients is a pass, and
so is the search for the length of a step, which tries several at once.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.blocks.sums import Sums
from certo.certificates.sample.labels import Labels
from certo.compiled.logistic import several_classes, two_classes
from certo.compiled.logistic_wide import bend_several
from certo.problems.logistic import Weights
from certo.scale.blocks import Block, Blocks
from certo.scale.first_look import in_float64
from certo.solvers.logistic_system import conjugate_gradients, diagonal_scale
from certo.solvers.logistic_wide import Point
from certo.solvers.newton import ARMIJO_SHARE
from certo.stop import Asked

#: The share of the gradient that a step may leave. A step costs two passes beside its products, so
#: that it is worth while to solve its system well.
MAX_RESIDUAL_BY_BLOCKS = 0.005
#: A relative difference of two objectives that the sums over blocks may not show.
NOISE = 2.0**-44
LENGTHS = (1.0, 2.0, 0.5, 0.25, 0.1, 0.03, 0.01, 1e-3, 1e-5)  # Of a step, tried in one pass.


class Rows(NamedTuple):
    """A block as the functions here take it."""

    X: Any
    codes: np.ndarray
    classes: int
    shares: np.ndarray
    lift: bool

    def times(self, W: np.ndarray) -> np.ndarray:
        scores = np.asarray(self.X @ W[: self.X.shape[1]])
        return scores + W[-1] if self.lift else scores

    def sums(self, S: np.ndarray) -> np.ndarray:
        found = np.asarray(self.X.T @ S)
        return np.vstack([found, S.sum(axis=0)]) if self.lift else found

    def seen(self, scores: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The loss, its curvature and its slopes in the scores."""
        if scores.shape[1] == 1:
            slopes, roots = np.empty((2, len(scores)))
            signs = np.where(self.codes == 1, 1.0, -1.0)
            loss = two_classes(np.ravel(scores), signs, self.shares, slopes, roots)
            return float(loss), (roots * roots)[:, None], slopes[:, None]
        parts, scores = np.empty_like(scores), np.ascontiguousarray(scores)
        alive = np.ones(scores.shape, bool)
        loss = several_classes(scores, self.codes, self.shares, alive, parts)
        slopes = parts * self.shares[:, None]
        slopes[np.arange(len(slopes)), self.codes] -= self.shares
        return float(loss), parts, slopes


def rows_of(block: Block, labels: Labels, m: int, lift: bool) -> Rows:
    X = in_float64(block.X)
    X = X if sparse.issparse(X) else np.ascontiguousarray(X)
    codes = labels.places(block.y)
    return Rows(X, codes, len(labels.classes), np.full(len(codes), 1 / m), lift)


def class_sums(block: Block, labels: Labels, m: int) -> Sums:
    """Of each class the share of its rows, and their sum."""
    rows = rows_of(block, labels, m, False)
    own = rows.shares[:, None] * (rows.codes[:, None] == np.arange(rows.classes))
    return Sums([own.sum(axis=0), rows.sums(own)])


def look_at(block: Block, labels: Labels, m: int, lift: bool, W: np.ndarray) -> Sums:
    """Loss, gradient, and the diagonal of the Hessian."""
    rows = rows_of(block, labels, m, lift)
    loss, parts, slopes = rows.seen(rows.times(W))
    weights = parts if W.shape[1] == 1 else rows.shares[:, None] * parts * (1 - parts)
    squares = rows.X.multiply(rows.X) if sparse.issparse(rows.X) else rows.X * rows.X
    return Sums([loss, rows.sums(slopes), rows._replace(X=squares).sums(weights)])


def product_at(
    block: Block, labels: Labels, m: int, lift: bool, W: np.ndarray, V: np.ndarray
) -> np.ndarray:
    """The Hessian of the mean loss at W, times V."""
    rows = rows_of(block, labels, m, lift)
    _, parts, _ = rows.seen(rows.times(W))
    moved = np.ascontiguousarray(rows.times(V))
    if W.shape[1] == 1:
        moved *= parts
    else:
        bend_several(moved, parts, rows.shares)
    return rows.sums(moved)


def losses_along(
    block: Block, labels: Labels, m: int, lift: bool, W: np.ndarray, step: np.ndarray
) -> np.ndarray:
    """The losses at W + t·step, for all LENGTHS t."""
    rows = rows_of(block, labels, m, lift)
    scores, moves = rows.times(W), rows.times(step)
    return np.array([rows.seen(scores + t * moves)[0] for t in LENGTHS])


class WideBlocks:
    """What `solvers.logistic_wide.descend_wide` asks of a problem, from passes over blocks."""

    whole = True

    def __init__(self, blocks: Blocks, labels: Labels, lift: bool, ridge: float):
        self.blocks, self.given, self.ridge = blocks, (labels, len(blocks), lift), ridge
        self.lift, self.d, K = lift, blocks.shape[1], len(labels.classes)
        self.p, self.outputs = self.d + lift, 1 if K == 2 else K
        self.table = SimpleNamespace(times=lambda W: W)
        self.system = SimpleNamespace(kind=np.float64)
        #: Weights, loss and objective of the best point so far, for a fit that is stopped.
        self.best: tuple[np.ndarray, float, float] = (
            np.zeros((self.p, self.outputs)),
            np.inf,
            np.inf,
        )
        self.weights, sums = blocks.total(class_sums, labels, len(blocks))
        self.lengths = np.linalg.norm(sums, axis=0)

    def point(self, W: np.ndarray, scores: np.ndarray) -> Point:
        loss, gradient, diagonal = self.blocks.total(look_at, *self.given, W)
        gradient[: self.d] += self.ridge * W[: self.d]
        objective = loss + self._penalty(W)
        if objective <= self.best[2]:
            self.best = W, loss, objective
        return Point(W, W, loss, objective, diagonal, gradient)

    def _penalty(self, W: np.ndarray) -> float:
        return 0.5 * self.ridge * float(np.sum(W[: self.d] ** 2))

    def left(self, point: Point) -> float:
        """How far the objective can be above its minimum, as `logistic_ridge` has it."""
        if not self.ridge:
            return np.inf
        aside, one = 0.0, self.outputs == 1
        if self.lift:
            bias, moved = point.W[self.d], point.gradient[self.d]
            far = np.sqrt(2 * point.objective / self.ridge) * (1.0 if one else 1.5)
            most = np.max((point.objective + far * self.lengths) / self.weights)
            here = abs(float(bias[0])) if one else float(np.ptp(bias))
            aside = (1.0 if one else 0.5) * float(np.abs(moved).sum()) * (float(most) + here)
        return float(np.sum(point.gradient[: self.d] ** 2)) / (2 * self.ridge) + aside

    def step(self, point: Point, share: float, enough: float, asked: Asked) -> np.ndarray:
        penalty = np.where(np.arange(self.p) < self.d, self.ridge, 0.0)[:, None]
        scale = diagonal_scale(point.parts, self.ridge)

        def product(V: np.ndarray) -> np.ndarray:
            return self.blocks.total(product_at, *self.given, point.W, V) + penalty * V

        b = -point.gradient
        size = float(np.linalg.norm(b)) or 1.0
        share = min(share, MAX_RESIDUAL_BY_BLOCKS)
        # What is left of the intercepts' gradient counts more than what `enough` looks at.
        enough = 0.0 if self.lift else enough
        found = conjugate_gradients(
            product, lambda R: R * scale, b / size, share, enough / size, asked
        )
        step = size * found
        return step if self.outputs == 1 else step - step.mean(axis=1, keepdims=True)

    def length(self, point: Point, step: np.ndarray, moves: np.ndarray) -> float:
        """The best of LENGTHS, or 0 if the objective does not fall enough."""
        t = np.array(LENGTHS)
        losses = self.blocks.total(losses_along, *self.given, point.W, step)
        values = losses + [self._penalty(point.W + s * step) for s in LENGTHS]
        slope = float(np.sum(point.gradient * step))
        noise = NOISE * abs(point.objective)
        enough = values <= point.objective + ARMIJO_SHARE * slope * t + noise
        best = float(np.min(np.where(enough, values, np.inf)))
        for length, value, falls in zip(LENGTHS, values, enough, strict=True):
            if falls and value <= best + noise:  # Newton's own, if it is as good.
                return length
        return 0.0

    def inner(self, weights: Weights) -> np.ndarray:
        """Weights as the method has them, (p, outputs)."""
        whole = weights if self.outputs == 1 else weights.symmetric
        coef = whole.coef.T
        return np.vstack([coef, whole.intercept]) if self.lift else coef.copy()

    def outer(self, W: np.ndarray) -> Weights:
        coef = np.ascontiguousarray(W[: self.d].T)
        found = Weights(coef, W[self.d].copy() if self.lift else np.zeros(self.outputs))
        return found if self.outputs == 1 else found.symmetric
