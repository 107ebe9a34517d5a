"""The examples of two classes, as a space of their own that knows what is known of all."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from certo.certificates.spaces.images import KernelSample, among
from certo.estimators._limits import has_callbacks
from certo.estimators._spaces import FINISH_BELOW_ROWS, Functions, Space, Vectors
from certo.solvers.gram import images_of
from certo.solvers.small_kernel import MAX_SMALL_ROWS, PartOfGram, SmallGram
from certo.solvers.small_soft_margin import SmallRows
from certo.solvers.soft_margin import EXACT_BELOW_NUMBERS


class VectorPart(Vectors):
    """Some of the examples of hyperplanes."""

    def __init__(self, whole: Vectors, rows: np.ndarray):
        self.machine, self.intercept, self.fresh = whole.machine, whole.intercept, whole.fresh
        self.X, self.m, self._whole = whole.X[rows], rows.size, whole
        self.computed_square, self.square = whole.computed_square, whole.square

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
        self.X, self.square = among(whole.kernel, whole.X, rows), whole.square
        self.shift = whole.shift
        self.m, self.old, self._seen = rows.size, 0, 0
        self._whole, self._rows = whole, rows
        self._posed, self._gram_rows, self._last_sample = None, None, None
        self._shared = {}

    @property
    def exactly(self) -> bool:
        return self._whole.m <= FINISH_BELOW_ROWS

    def _pose(self, asked):
        if self._posed is None:
            kernel, X = self._whole._pose(asked)
            self._posed = (
                (kernel, self.X) if X is self._whole.X else (kernel, among(kernel, X, self._rows))
            )
        return self._posed

    @cached_property
    def _small_gram(self) -> SmallGram | None:
        if self.exactly or self.m > MAX_SMALL_ROWS:
            return super()._small_gram
        if has_callbacks(self.machine) or 8e-6 * self.m**2 > self.cache_mb:
            return None
        if self._whole.images is None:
            kernel, X = self._whole._posed or (self._whole.kernel, self._whole.X)
            self._whole.images = images_of(kernel, X, 0.0)
        return PartOfGram(self._whole.images, self._rows, self.intercept)

    def sample(self, signs: np.ndarray) -> KernelSample:
        return KernelSample(self.kernel, self.X, signs, self.shift)


def part_of(space: Space, rows: np.ndarray | None) -> Space:
    """The space of these examples alone; None: of all."""
    if rows is None:
        return space
    if isinstance(space, Vectors):
        return VectorPart(space, rows)
    return FunctionPart(space, rows)
