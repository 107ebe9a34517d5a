"""Kernels that count: K(x, z) = Σ_f c_f(x)·c_f(z), c_f(x) how often the feature f is found in x."""

from __future__ import annotations

import abc
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.kernels.base import compiled
from certo.kernels.objects import Base, StructuredKernel
from certo.kernels.vectors import products, squares
from certo.numbers.rounding import OVERFLOW_LIMIT, UNBOUNDED, Rounding, gamma

EXACT_INTEGERS_BELOW = 2.0**53  # Up to here float64 holds all integers.


class Counts(NamedTuple):
    """How often each feature (a column) is found in each item of a base (a row)."""

    matrix: sparse.csr_array  # Indices increase; without weights the float64 values are integers.
    keys: Sequence[Hashable]  # The features themselves: the same in every collection.


class CountingKernel(StructuredKernel):
    """A kernel whose feature vectors are sparse counts, which can be written down."""

    slow = False
    by_pair = True

    @abc.abstractmethod
    def _count(self, base: Base) -> Counts:
        """The features of all items, by NumPy, SciPy and the standard library alone."""

    def _count_fast(self, base: Base) -> Counts:
        """The same, maybe by compiled loops."""
        return self.counts(base)

    def counts(self, base: Base) -> Counts:
        return base.known((self, "counts"), self._count)

    def fast_counts(self, base: Base) -> Counts:
        return base.known((self, "fast counts"), self._count_fast)

    def _plain(self, base, rows, columns):
        F = self.counts(base).matrix
        return products(F[rows], F[columns])

    def _fast(self, base, rows, columns):
        F = self.fast_counts(base).matrix
        left = F[rows]
        return compiled("counts").count_products(left, left if columns is rows else F[columns])

    def _squares(self, base):
        return squares(self.counts(base).matrix)

    def _diagonal(self, X):
        X = self.examples(X)
        return squares(self._closed(X).fast_counts(X.base).matrix[X.rows])

    def rounding(self, X, Z):
        """Sums of products of integers ≥ 0 are exact while they do not exceed 2⁵³, and none
        exceeds the larger of K(x, x) and K(z, z), by Cauchy and Schwarz. Beyond, γ_n of them for n
        features (`rounding`)."""
        X, Z = self.examples(X), self.examples(Z)
        kernel = self._closed(X, Z)
        most = max(float(np.max(kernel.diagonal(part), initial=0.0)) for part in (X, Z))
        if most < EXACT_INTEGERS_BELOW:
            return Rounding(0.0, 0.0)
        n = max(kernel.counts(part.base).matrix.shape[1] for part in (X, Z))
        return Rounding(gamma(n), 0.0) if most < OVERFLOW_LIMIT else UNBOUNDED
