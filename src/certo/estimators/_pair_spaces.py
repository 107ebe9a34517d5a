"""The examples of two classes, as a space of their own that knows what is known of all."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from certo.certificates.spaces.images import KernelSample, among
from certo.estimators._device import DeviceFunctions
from certo.estimators._limits import Limits, has_callbacks
from certo.estimators._spaces import FINISH_BELOW_ROWS, Functions, Space, Vectors
from certo.problems.soft_margin import SoftMargin
from certo.solvers.gram import images_of
from certo.solvers.small_kernel import MAX_SMALL_ROWS, PartOfGram, PartOfProducts, SmallGram
from certo.solvers.small_soft_margin import SmallRows
from certo.solvers.soft_margin import EXACT_BELOW_NUMBERS, SoftOutcome
from certo.stop import Asked

MIN_WIDE_FEATURES = 40  # Features from which on inner products are quicker than Newton's systems.
# The same for more examples than have all inner products in memory: few of them must matter.
MIN_VERY_WIDE_FEATURES, MAX_VERY_WIDE_ROWS = 200, 20_000
LOOKS_IN_PART = 8  # Examples of a part whose known scores are checked.


class VectorPart(Vectors):
    """Some of the examples of hyperplanes."""

    def __init__(self, whole: Vectors, rows: np.ndarray):
        self.machine, self.intercept, self.fresh = whole.machine, whole.intercept, whole.fresh
        self.m, self.width, self._whole, self._rows = rows.size, whole.width, whole, rows
        self.computed_square, self.square = whole.computed_square, whole.square
        self.problems = whole.problems

    @cached_property
    def X(self) -> Any:  # noqa: N802
        """Gathered when it is first needed: a fit may be stopped before it comes to them."""
        return self._whole.X[self._rows]

    def soft_margin(self, signs, costs, start, limits: Limits) -> SoftOutcome:
        """Of many features by pairs of multipliers: there are fewer inner products than numbers in
        Newton's systems."""
        if start is None and not limits.asked() and self._is_wide:
            found = self._by_products(signs, costs, limits)
            if found is not None:
                return found
        return super().soft_margin(signs, costs, start, limits)

    @property
    def _is_wide(self) -> bool:
        X = self.X
        if not isinstance(X, np.ndarray) or X.shape[1] < MIN_WIDE_FEATURES:
            return False
        most = MAX_SMALL_ROWS if X.shape[1] < MIN_VERY_WIDE_FEATURES else MAX_VERY_WIDE_ROWS
        few = self.m <= most and 8e-6 * self._products**2 <= float(self.machine.cache_mb)
        single = 1e-15 < self.square < 1e15
        exactly = self._whole.X.size <= EXACT_BELOW_NUMBERS
        return few and single and not exactly and not has_callbacks(self.machine)

    @property
    def _products(self) -> int:
        """Examples whose inner products are kept together, at most."""
        return min(self.m, MAX_SMALL_ROWS)

    def _by_products(self, signs, costs, limits: Limits) -> SoftOutcome | None:
        X, free = self.X, self.intercept == "free"
        centred = X - X.mean(axis=0, dtype=np.float64) if free else X
        gram = PartOfProducts(centred, self.intercept, self._whole.room(self._products))
        found = gram.soft_margin(signs, costs, limits.tol, False, limits.asked)
        if found is None:
            return None
        problem = SoftMargin(signs, costs, self.intercept)
        w = (found.alpha * signs) @ X.astype(np.float64, copy=False)
        scores = safe_sparse_dot(X, w, dense_output=True)
        b = problem.best_intercept(scores, found.b)
        square = float(w @ w)
        primal, dual = problem.primal(square, scores, b), problem.dual(square, found.alpha)
        if primal - dual > limits.tol * primal:  # Rounding of examples far from the origin.
            return None
        return SoftOutcome(
            w, b, found.alpha, primal, dual, found.passes, found.stop, found.trace, scores
        )

    @property
    def _rng(self) -> np.random.Generator:
        return self._whole._rng

    @cached_property
    def _small_rows(self) -> SmallRows | None:
        suits = SmallRows.suits(self.X) and not has_callbacks(self.machine)
        exactly = self._whole.X.size <= EXACT_BELOW_NUMBERS
        return SmallRows(self.X, self.intercept, exactly) if suits else None


class FunctionPart(Functions):
    """Some of the examples of functions, whose Gram matrix has one memory for all parts."""

    def __init__(self, whole: Functions, rows: np.ndarray):
        self.machine, self.kernel, self.fresh = whole.machine, whole.kernel, True
        self.intercept, self.cache_mb = whole.intercept, whole.cache_mb
        self.square, self.shift = whole.square, whole.shift
        self.m, self.old, self._seen = rows.size, 0, 0
        self._whole, self._rows = whole, rows
        self._posed, self._gram_rows, self._last_sample = None, None, None
        self._shared = {}

    @cached_property
    def X(self) -> Any:  # noqa: N802
        """Gathered when it is first needed."""
        return among(self._whole.kernel, self._whole.X, self._rows)

    @property
    def exactly(self) -> bool:
        return self._whole.m <= FINISH_BELOW_ROWS

    def _pose_all(self, asked: Asked) -> None:
        self._whole._pose(asked)

    def _pose(self, asked):
        if self._posed is None:
            kernel, X = self._whole._pose(asked)
            self._posed = (
                (kernel, self.X) if X is self._whole.X else (kernel, among(kernel, X, self._rows))
            )
        return self._posed

    @cached_property
    def _small_gram(self) -> SmallGram | None:
        if self.exactly and self._whole._small_gram is not None:
            return self._whole._small_gram.part(self._rows)
        if self.exactly or self.m > MAX_SMALL_ROWS:
            return super()._small_gram
        if has_callbacks(self.machine) or 8e-6 * self.m**2 > self.cache_mb:
            return None
        if self._whole.images is None:
            kernel, X = self._whole._posed or (self._whole.kernel, self._whole.X)
            self._whole.images = images_of(kernel, X, 0.0)
        return PartOfGram(self._whole.images, self._rows, self.intercept)

    def sample(self, signs: np.ndarray) -> KernelSample:
        if self.kernel.takes == "matrix":
            return KernelSample(self.kernel, self.X, signs, self.shift)
        part = PartOfSample(self.kernel, self.X, signs, self.shift)
        return part.of_whole(self._whole.sample(np.zeros(self._whole.m, np.int8)), self._rows)


class PartOfSample(KernelSample):
    """Some of the examples of a sample, with what holds of the rounding of all."""

    def of_whole(self, whole: KernelSample, rows: np.ndarray) -> PartOfSample:
        vars(self).update(_rounding=whole._rounding, _lengths=whole._lengths[rows])
        return self

    @property
    def _looks(self) -> int:
        return LOOKS_IN_PART


def part_of(space: Space, rows: np.ndarray | None) -> Space:
    """The space of these examples alone; None: of all."""
    if rows is None:
        return space
    if isinstance(space, DeviceFunctions):
        return space.part(rows)
    if isinstance(space, Vectors):
        return VectorPart(space, rows)
    return FunctionPart(space, rows)
