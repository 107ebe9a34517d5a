"""Hyperplanes that points lie on are found, and their first point is on them exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from certo.solvers.dependence import hyperplanes


def on(coef, level, row) -> bool:
    return sum(c * Fraction(v) for c, v in zip(coef, row, strict=True)) == level


@pytest.mark.parametrize("seed", range(5))
def test_a_column_that_others_combine_gives_a_hyperplane(seed):
    random = np.random.default_rng(seed)
    free = random.integers(-9, 10, (30, 2)).astype(float)
    X = np.column_stack([free, free @ [2.0, -1.0] + 3])
    found = list(hyperplanes(X))
    assert len(found) == 1
    coef, level = found[0]
    assert any(coef)
    assert all(on(coef, level, row) for row in X.tolist())


def test_constant_columns_and_general_positions():
    random = np.random.default_rng(0)
    X = random.standard_normal((20, 3))
    assert list(hyperplanes(X)) == []
    X[:, 1] = 0.1
    ((coef, level),) = hyperplanes(X)
    assert coef == [0, 1, 0]
    assert level == Fraction(0.1)
    X[:, 2] = X[:, 0] / 3  # rounded: nearly on a hyperplane
    assert all(on(coef, level, X[0].tolist()) for coef, level in hyperplanes(X))
