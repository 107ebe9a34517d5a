"""Descent and conjugate gradients on the dual, where they could go astray."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.solvers import soft_margin
from certo.solvers.dual_descent import DualDescent
from certo.solvers.gap_ledger import Ledger
from certo.solvers.hinge_rows import HingeRows
from tests.oracles.quadratic import objective, soft_margin_qp

MODES = pytest.mark.parametrize("intercept", ["free", "lifted", "none"])


def solved(X, signs, costs, intercept, goal=1e-9, most=3000):
    state = DualDescent(HingeRows(X, signs, costs, False), intercept, np.random.default_rng(0))
    ledger = Ledger(goal, most)
    state.run(ledger)
    return state, ledger


def true_values(X, signs, costs, intercept, state):
    """P and D of the best, from X alone."""
    w, b = state.best_pair
    v = X.T @ (state.best * signs)
    s = state.best @ signs if intercept == "lifted" else 0.0
    dual = state.best.sum() - 0.5 * (v @ v + s * s)
    return objective(X, signs, costs, intercept, w, b), dual


@MODES
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.5, 5.0, 50.0]))
def test_more_free_multipliers_than_features(intercept, seed, d, C):
    """Then directions without curvature exist: the step along one is bounded by the box alone, and
    must not be what rounding makes of a division by zero."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((40, d)).round(1)
    X[20:30] = X[:10]
    signs = np.where(random.random(40) < 0.5, 1, -1).astype(np.int8)
    signs[:2] = 1, -1
    costs = np.full(40, C)
    state, ledger = solved(X, signs, costs, intercept)
    primal, dual = true_values(X, signs, costs, intercept, state)
    assert ledger.primal == pytest.approx(primal, rel=1e-9)
    assert ledger.dual == pytest.approx(dual, rel=1e-9, abs=1e-9 * primal)
    assert np.abs(state.w).max() < 1e6
    least = objective(X, signs, costs, intercept, *soft_margin_qp(X, signs, costs, intercept))
    assert dual - 1e-8 * least <= least <= primal + 1e-8 * least
    if intercept != "free":  # there b may leap to and fro for long, with so few features
        assert ledger.reached
        assert primal - least <= 1e-8 * least


def test_a_free_intercept_does_not_run_away():
    """11 free multipliers of examples with 6 features: b was once thrown to −5·10¹⁴ here."""
    random = np.random.default_rng(66)
    m, d = int(random.integers(2, 40)), int(random.integers(1, 7))
    X = random.standard_normal((m, d))
    signs = np.where(X[:, 0] + 0.7 * random.standard_normal(m) > 0.2, 1, -1).astype(np.int8)
    signs[[0, -1]] = 1, -1
    _, ledger = solved(X, signs, np.ones(m), "free")
    assert ledger.reached


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_a_rare_class_of_documents_of_all_lengths(C):
    """Conjugate gradients that are cut at bounds once broke Σ α y = 0, and b leapt by κ times that,
    to and fro: newsgroups against the rest were not solved in 1000 passes."""
    random = np.random.default_rng(0)
    m, d = 1200, 3000
    lengths = 3 + (random.geometric(1 / 40, m) * np.exp(random.standard_normal(m))).astype(int)
    words = [np.minimum((d ** random.random(n)).astype(int), d - 1) for n in lengths]
    X = sparse.csr_array(np.array([np.bincount(some, minlength=d) for some in words], float))
    scores = X @ random.standard_normal(d) / np.sqrt(lengths)
    signs = np.where(scores > np.quantile(scores, 0.95), 1, -1).astype(np.int8)
    _, ledger = solved(X, signs, np.full(m, C), "free", goal=1e-4, most=140)
    assert ledger.reached


@MODES
def test_opposite_twins_meet_their_bounds(intercept):
    """The same examples in both classes: K is singular, and only bounds hold the multipliers."""
    random = np.random.default_rng(3)
    half = random.standard_normal((30, 50))
    X, costs = np.r_[half, half], np.full(60, 1e4)
    signs = np.r_[np.ones(30), -np.ones(30)].astype(np.int8)
    state, ledger = solved(X, signs, costs, intercept)
    assert ledger.reached
    assert ledger.primal == pytest.approx(60e4)  # w = 0 is all there is
    assert np.all(state.best == 1e4)


@pytest.mark.parametrize("C", [1e-9, 1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("share", [0.5, 0.05])
def test_a_free_intercept_moves_where_errors_are_cheap(C, share):
    random = np.random.default_rng(0)
    S = sparse.random_array((400, 1200), density=0.02, format="csr", rng=random)
    S.sort_indices()
    score = S @ random.standard_normal(1200)
    signs = np.where(score > np.quantile(score, 1 - share), 1, -1).astype(np.int8)
    costs = np.full(400, C)
    state, ledger = solved(S, signs, costs, "free", goal=1e-8, most=500)
    assert ledger.reached
    primal, dual = true_values(S.toarray(), signs, costs, "free", state)
    assert primal - dual <= 2e-8 * primal


@MODES
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("shape", [(5, 9), (400, 3), (500, 1200)])
def test_examples_that_are_all_zero(intercept, store, few, shape, monkeypatch):
    """Only the intercept is left to learn."""
    monkeypatch.setattr(soft_margin, "MAX_NEWTON_FEATURES", few)
    signs = np.where(np.arange(shape[0]) % 5 < 2, 1, -1).astype(np.int8)
    costs = np.ones(shape[0])
    found = soft_margin.soft_margin(store(np.zeros(shape)), signs, costs, intercept, tol=1e-9)
    positive = np.count_nonzero(signs > 0)
    least = {"free": 2.0 * positive, "none": shape[0]}.get(intercept)
    if least is None:
        least = objective(
            np.zeros(shape), signs, costs, intercept, np.zeros(shape[1]), -1.0
        )  # with so many, b is −1 as if it were free
    assert not found.w.any()
    assert found.primal == pytest.approx(least, rel=1e-8)
    assert found.dual == pytest.approx(least, rel=1e-8)
    if intercept == "free":
        assert found.b == -1.0
        assert math.fsum(found.alpha * signs) == 0.0
