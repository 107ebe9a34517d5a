"""Hyperplanes that all of some points seem to lie on, as fractions, to be checked exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from certo.solvers.dependence import combinations, kept_columns, others


def hyperplanes(X: np.ndarray) -> Iterator[tuple[list[Fraction], Fraction]]:
    """(coef, level) with coef·x = level, or nearly so, for all rows x of X: one for each column
    that the others combine. The first row satisfies it exactly."""
    X = X.astype(np.float64)
    lifted = np.hstack([X - X[0], np.ones((len(X), 1))])
    gram = lifted.T @ lifted
    kept = kept_columns(gram, True)
    rest = others(kept, len(gram)).tolist()
    for j, terms in zip(rest, combinations(gram, kept, True), strict=True):
        coef = [Fraction(0)] * X.shape[1]
        coef[j] = Fraction(1)
        for i, term in zip(kept.tolist()[:-1], terms, strict=False):  # The last is constant.
            coef[i] = -term
        yield (
            coef,
            sum((c * Fraction(v) for c, v in zip(coef, X[0].tolist(), strict=True)), Fraction(0)),
        )
