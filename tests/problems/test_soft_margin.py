"""The soft-margin problem: no dual value is above a primal one, whatever the intercept is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.problems.soft_margin import SoftMargin

treatments = pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
SEEDS = st.integers(0, 10**6)


def problem(seed, intercept, m=9, d=3):
    random = np.random.default_rng(seed)
    signs = np.where(np.arange(m) % 2, 1, -1)
    costs = random.exponential(size=m)
    return SoftMargin(signs, costs, intercept), random.standard_normal((m, d)), random


@treatments
@given(seed=SEEDS)
def test_no_dual_value_is_above_a_primal_one(intercept, seed):
    soft, X, random = problem(seed, intercept)
    alpha = soft.feasible(random.standard_normal(len(X)) + 0.5)
    w = (alpha * soft.signs) @ X
    dual = soft.dual(float(w @ w), alpha)
    for f in (w, random.standard_normal(X.shape[1])):
        b = 0.0 if intercept == "none" else float(random.standard_normal())
        primal = soft.primal(float(f @ f), X @ f, b)
        assert dual <= primal + 1e-9 * (1 + abs(primal))


@treatments
@given(seed=SEEDS)
def test_feasible_multipliers_are_so_exactly(intercept, seed):
    soft, X, random = problem(seed, intercept)
    alpha = soft.feasible(3 * random.standard_normal(len(X)))
    assert np.all((alpha >= 0) & (alpha <= soft.costs))
    if intercept == "free":
        terms = zip(alpha.tolist(), soft.signs.tolist(), strict=True)
        assert sum(Fraction(a) * sign for a, sign in terms) == 0


@given(seed=SEEDS)
def test_a_free_intercept_is_the_best(seed):
    soft, X, random = problem(seed, "free")
    scores = X @ random.standard_normal(X.shape[1])
    best = soft.best_intercept(scores, 0.0)
    value = soft.primal(1.0, scores, best)
    for b in (best - 0.1, best + 0.1, best + 1e-3, best - 1e-3):
        assert soft.primal(1.0, scores, b) >= value - 1e-12 * (1 + value)


def test_a_lifted_intercept_is_given_and_penalised_and_none_is_zero():
    lifted, X, _ = problem(0, "lifted")
    none, _, _ = problem(0, "none")
    assert lifted.best_intercept(X[:, 0], 2.0) == 2.0
    assert lifted.square(1.0, 2.0) == 5.0
    assert none.best_intercept(X[:, 0], 2.0) == 0.0
    assert none.square(1.0, 2.0) == 1.0
