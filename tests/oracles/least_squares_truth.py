"""Least squares in rational arithmetic, on examples few and small enough for it."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np


def rational(table) -> list[list[Fraction]]:
    return [[Fraction(float(entry)) for entry in row] for row in np.atleast_2d(table)]


def dot(a, b) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def eliminated(rows: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """The reduced row echelon form, and where its pivots are."""
    left, pivots, done = [list(row) for row in rows], [], 0
    for column in range(len(left[0]) if left else 0):
        at = next((i for i in range(done, len(left)) if left[i][column]), None)
        if at is None:
            continue
        left[done], left[at] = left[at], left[done]
        pivot = left[done][column]
        left[done] = [entry / pivot for entry in left[done]]
        for i, row in enumerate(left):
            if i != done and row[column]:
                left[i] = [a - row[column] * b for a, b in zip(row, left[done], strict=True)]
        pivots.append(column)
        done += 1
    return left[:done], pivots


def solved(A: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Some v with Av = right, which there must be."""
    rows, pivots = eliminated([[*row, b] for row, b in zip(A, right, strict=True)])
    v = [Fraction(0)] * len(right)
    assert len(right) not in pivots
    for row, place in zip(rows, pivots, strict=True):
        v[place] = row[-1]
    return v


class Truth(NamedTuple):
    """min over (W, b) of (1/S) Σ s_i ‖y_i − W x_i − b‖² + ridge·‖W‖², exactly."""

    X: np.ndarray
    Y: np.ndarray  # (m, q)
    lifted: bool
    ridge: float = 0.0
    sample_weight: np.ndarray | tuple = ()

    @property
    def s(self) -> list[Fraction]:
        weights = self.sample_weight if len(self.sample_weight) else np.ones(len(self.X))
        return [Fraction(float(w)) for w in weights]

    @property
    def rows(self) -> list[list[Fraction]]:
        return [[*row, Fraction(1)] if self.lifted else row for row in rational(self.X)]

    def objective(self, coef, intercept) -> Fraction:
        squares, S = Fraction(0), sum(self.s)
        for k, w in enumerate(rational(coef)):
            a = [*w, Fraction(float(intercept[k]))] if self.lifted else w
            parts = zip(self.s, self.rows, self.Y[:, k], strict=True)
            squares += sum(s * (Fraction(float(y)) - dot(row, a)) ** 2 for s, row, y in parts) / S
            squares += Fraction(self.ridge) * dot(w, w)
        return squares

    def normal_matrix(self) -> list[list[Fraction]]:
        columns, S = list(zip(*self.rows, strict=True)), sum(self.s)
        A = [[sum(s * x * z for s, x, z in zip(self.s, a, b, strict=True)) / S for b in columns]
             for a in columns]  # fmt: skip
        for j in range(self.X.shape[1]):
            A[j][j] += Fraction(self.ridge)
        return A

    def minimum(self) -> Fraction:
        """F(0) − Σ_k g_k·v_k with A v_k = g_k, the gradient at 0."""
        columns, S, A = list(zip(*self.rows, strict=True)), sum(self.s), self.normal_matrix()
        q, d = self.Y.shape[1], self.X.shape[1]
        found = self.objective(np.zeros((q, d)), np.zeros(q))
        for y in zip(*rational(self.Y), strict=True):
            g = [sum(s * x * t for s, x, t in zip(self.s, column, y, strict=True)) / S
                 for column in columns]  # fmt: skip
            found -= dot(g, solved(A, g))
        return found

    def null_space(self) -> list[list[Fraction]]:
        """Slopes that do not change the predictions, but for the intercept, on rows that count."""
        rows = [row for row, s in zip(self.rows, self.s, strict=True) if s]
        d, (left, pivots) = self.X.shape[1], eliminated(rows)
        basis = []
        for free in sorted(set(range(d + self.lifted)) - set(pivots)):
            v = [Fraction(0)] * (d + self.lifted)
            v[free] = Fraction(1)
            for row, place in zip(left, pivots, strict=True):
                v[place] = -row[free]
            basis.append(v[:d])
        return [v for v in basis if any(v)]

    def distance_squared(self, coef) -> Fraction:
        """Of the coefficients from the shortest that predict the same."""
        basis, found = self.null_space(), Fraction(0)
        if not basis:
            return found
        gram = [[dot(a, b) for b in basis] for a in basis]
        for w in rational(coef):
            inner = [dot(n, w) for n in basis]
            found += dot(inner, solved(gram, inner))
        return found

    def columns(self) -> tuple[np.ndarray, tuple[tuple[Fraction, ...], ...]]:
        """Independent columns of (x, 1) with the ones among them, and the others combined."""
        d = self.X.shape[1]
        order = [d, *range(d)] if self.lifted else list(range(d))
        rows = [row for row, s in zip(self.rows, self.s, strict=True) if s]
        left, pivots = eliminated([[row[j] for j in order] for row in rows])
        kept = [order[p] for p in pivots]
        rest = [j for j in range(d) if j not in kept]
        lines = []
        for j in rest:
            by = {k: row[order.index(j)] for k, row in zip(kept, left, strict=True)}
            lines.append(tuple(by[k] for k in sorted(kept)))
        return np.array(sorted(kept), dtype=np.int64), tuple(lines)
