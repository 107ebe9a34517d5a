"""Dependent columns: kept, combined, and the shortest coefficients."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.solvers.dependence import (
    combinations,
    kept_columns,
    minimum_norm,
    others,
    pivoted_cholesky,
    rational,
)


def dependent_table(seed, m=30):
    """Small integers; some columns are combinations of others, or constant."""
    random = np.random.default_rng(seed)
    X = random.integers(-5, 6, (m, 3)).astype(float)
    extra = [X[:, 0] + 2 * X[:, 1] - 3, 1 - X[:, 2] / 2, np.full(m, 7.0), np.zeros(m), X[:, 1]]
    X = np.column_stack([X, *(extra[k] for k in random.permutation(5)[: random.integers(6)])])
    return X[:, random.permutation(X.shape[1])]


@given(seed=st.integers(0, 500), lifted=st.booleans())
@settings(max_examples=60)
def test_kept_columns_are_independent_and_give_the_others_exactly(seed, lifted):
    X = dependent_table(seed)
    full = np.column_stack([X, np.ones(len(X))]) if lifted else X
    gram = full.T @ full
    kept = kept_columns(gram, lifted)
    assert np.linalg.matrix_rank(full[:, kept]) == kept.size == np.linalg.matrix_rank(full)
    assert not lifted or kept[-1] == X.shape[1]
    combined = combinations(gram, kept, lifted, full[0])
    for j, line in zip(others(kept, full.shape[1]), combined, strict=True):
        for row in full:
            parts = zip(line, kept, strict=True)
            assert Fraction(row[j]) == sum(c * Fraction(row[k]) for c, k in parts)


@given(seed=st.integers(0, 500), lifted=st.booleans())
@settings(max_examples=60)
def test_the_shortest_coefficients_are_those_of_the_pseudo_inverse(seed, lifted):
    X, y = dependent_table(seed), np.random.default_rng(seed).standard_normal((30, 2))
    full = np.column_stack([X, np.ones(len(X))]) if lifted else X
    kept = kept_columns(full.T @ full, lifted)
    combined = combinations(full.T @ full, kept, lifted, full[0])
    a = np.linalg.lstsq(full[:, kept], y)[0].T
    coef, intercept = minimum_norm(a, kept, combined, lifted)
    centre = (X.mean(axis=0), y.mean(axis=0)) if lifted else (0.0, 0.0)
    shortest = np.linalg.lstsq(X - centre[0], y - centre[1])[0].T
    np.testing.assert_allclose(coef, shortest, atol=1e-12)
    scores = X @ coef.T + intercept
    np.testing.assert_allclose(scores, full[:, kept] @ a.T, atol=1e-12)


def test_without_columns_or_with_none_kept():
    assert kept_columns(np.zeros((3, 3)), False).size == 0
    coef, intercept = minimum_norm(np.zeros((2, 0)), np.arange(0), ((), ()), False)
    assert coef.tolist() == [[0.0, 0.0]] * 2
    assert intercept.tolist() == [0.0, 0.0]
    assert pivoted_cholesky(np.zeros((0, 0))).rank == 0


def test_pivots_do_not_depend_on_scale():
    random = np.random.default_rng(0)
    X = random.standard_normal((50, 4))
    scale = np.array([1e8, 1e-8, 1.0, 1e3])
    first, second = (pivoted_cholesky(part.T @ part) for part in (X, X * scale))
    assert first.rank == second.rank == 4
    np.testing.assert_allclose(np.abs(first.factor), np.abs(second.factor), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("value", [Fraction(1), Fraction(-2, 3), Fraction(7, 48), Fraction(0)])
def test_simple_fractions_are_found_and_others_kept(value):
    near, far = float(value) + 1e-12, float(np.pi)
    ((found, other),) = rational(
        np.array([[near, far]]), np.array([0, 1]), np.array([2]), np.ones(3)
    )
    assert found == value
    assert abs(other - Fraction(far)) <= Fraction(1e-7)
