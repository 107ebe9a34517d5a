"""Newton's method for the logistic risk, beside SciPy's general minimisers and the notes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from scipy.special import logsumexp

from certo.problems.logistic import LogisticProblem, Weights
from certo.solvers import logistic as module
from certo.solvers.newton import NewtonLimits
from certo.stop import Stop


def logistic(
    X,
    codes,
    classes,
    *,
    sample_weight=None,
    intercept="free",
    ridge=0.0,
    alive=None,
    start=None,
    doubts=True,
    **limits,
):
    problem = LogisticProblem(X, codes, np.arange(classes), None, sample_weight, intercept, ridge)
    start = None if start is None else Weights(*start)
    return module.logistic(problem, NewtonLimits(**limits), alive=alive, start=start, doubts=doubts)


def problem(seed: int, m: int, d: int, K: int, noise: float = 1.5):
    """Examples whose classes overlap."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d)) * rng.uniform(0.1, 10, d) + rng.uniform(-5, 5, d)
    scores = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.standard_normal((d, K))
    codes = np.argmax(scores + noise * rng.gumbel(size=(m, K)), axis=1)
    codes[:K] = np.arange(K)
    return X, codes


def scores(X, coef, intercept):
    f = X @ coef.T + intercept
    return np.column_stack([np.zeros(len(f)), f[:, 0]]) if f.shape[1] == 1 else f


def objective(X, codes, coef, intercept, ridge=0.0, weights=None):
    f = scores(X, coef, intercept)
    losses = logsumexp(f, axis=1) - f[np.arange(len(f)), codes]
    return np.average(losses, weights=weights) + ridge / 2 * np.sum(coef**2)


def gradient(X, codes, coef, intercept, ridge=0.0, weights=None):
    f = scores(X, coef, intercept)
    shares = np.ones(len(f)) if weights is None else np.asarray(weights)
    R = np.exp(f - logsumexp(f, axis=1)[:, None])
    R[np.arange(len(f)), codes] -= 1
    R = R[:, -len(coef) :] * (shares / shares.sum())[:, None]
    return R.T @ X + ridge * coef, R.sum(axis=0)


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("ridge", [0.0, 0.01])
@pytest.mark.parametrize("kind", ["dense", "float32", "csr"])
def test_the_gradient_vanishes_and_scipy_finds_nothing_better(K, intercept, ridge, kind):
    X, codes = problem(1, 150, 4, K)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    given = {"dense": X, "float32": X.astype(np.float32), "csr": sparse.csr_array(X)}[kind]
    found = logistic(
        given, codes, K, sample_weight=weights, intercept=intercept, ridge=ridge, tol=1e-12
    )
    X = X.astype(given.dtype).astype(float)
    assert found.stop == Stop.CONVERGED
    slopes, biases = gradient(X, codes, found.coef, found.intercept, ridge, weights)
    assert np.abs(slopes).max() < 1e-8
    value = objective(X, codes, found.coef, found.intercept, ridge, weights)
    assert found.objective == pytest.approx(value, rel=1e-12)
    if intercept == "free":
        assert np.abs(biases).max() < 1e-8  # expected = observed counts
    else:
        assert not found.intercept.any()
    if K > 2:
        assert np.abs(found.coef.sum(axis=0)).max() < 1e-10

    def flat(w):
        W = w.reshape(found.coef.shape[0], -1)
        b = W[:, -1] * (intercept == "free")
        g, c = gradient(X, codes, W[:, :-1], b, ridge, weights)
        full = np.column_stack([g, c * (intercept == "free")])
        return objective(X, codes, W[:, :-1], b, ridge, weights), full.ravel()

    best = optimize.minimize(flat, np.zeros(found.coef.size + len(found.coef)), jac=True)
    assert value <= best.fun + 1e-9


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_damped_risk_never_rises(seed, K):
    X, codes = problem(seed, 60, 3, K, noise=0.7)
    trace = logistic(X, codes, K, max_iter=30).trace
    assert np.all(np.diff(trace.objective) <= 1e-14)
    assert trace.risk[0] == pytest.approx(np.log(K))


def test_bare_newton_diverges_where_damped_converges():
    """56 examples of one feature, two of them far out; at w = 0 all of them pull, after a step or
    two the far ones are settled, and the step that is left is far too long."""
    x, y, times = [1, -1, 236, -167, 2], [0, 1, 0, 1, 1], [48, 3, 3, 1, 1]
    X, codes = np.repeat(x, times)[:, None].astype(float), np.repeat(y, times)
    bare = logistic(X, codes, 2, solver="newton")
    assert bare.stop == Stop.DIVERGED
    assert np.max(bare.trace.risk) > np.log(2)
    damped = logistic(X, codes, 2, tol=1e-14, doubts=False)
    assert damped.stop == Stop.CONVERGED
    assert np.any(damped.trace.step < 1)
    slopes, biases = gradient(X, codes, damped.coef, damped.intercept)
    assert abs(slopes).max() < 1e-9
    assert abs(biases).max() < 1e-9


@pytest.mark.parametrize("K", [2, 3])
def test_collinear_and_constant_columns_change_no_score(K):
    X, codes = problem(3, 120, 3, K)
    wide = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 7.0), np.zeros(len(X))])
    plain = logistic(X, codes, K, tol=1e-13)
    found = logistic(wide, codes, K, tol=1e-13)
    assert found.stop == Stop.CONVERGED
    np.testing.assert_allclose(
        scores(wide, found.coef, found.intercept), scores(X, plain.coef, plain.intercept), atol=1e-6
    )


def test_a_part_alive_is_a_problem_of_its_own():
    X, codes = problem(5, 200, 3, 2)
    alive = np.arange(200) % 3 > 0
    whole = logistic(X, codes, 2, alive=alive, tol=1e-13)
    part = logistic(X[alive], codes[alive], 2, tol=1e-13)
    np.testing.assert_allclose(whole.coef, part.coef, rtol=1e-6)
    assert whole.risk == pytest.approx(part.risk * alive.mean(), rel=1e-12)
    X, codes = problem(6, 200, 3, 3)
    alive = np.ones((200, 3), bool)
    alive[codes != 2, 2] = False  # class 2 competes with its own examples only
    found = logistic(X, codes, 3, alive=alive, tol=1e-13)
    f = np.where(alive, scores(X, found.coef, found.intercept), -np.inf)
    risk = np.mean(logsumexp(f, axis=1) - f[np.arange(200), codes])
    assert found.risk == pytest.approx(risk, rel=1e-12)


def test_separable_examples_run_away():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    found = logistic(X, np.array([0, 0, 1, 1]), 2)
    assert found.stop == Stop.RUNS_AWAY
    assert found.direction is not None
    further = logistic(X, np.array([0, 0, 1, 1]), 2, doubts=False, tol=1e-10)
    assert further.stop == Stop.CONVERGED
    assert further.risk < 1e-9


def test_huge_scores_do_not_overflow():
    X, codes = problem(8, 80, 2, 2)
    start = (np.array([[1e4, -1e4]]), np.array([3e4]))
    found = logistic(X, codes, 2, start=start, tol=1e-12)
    plain = logistic(X, codes, 2, tol=1e-12)
    assert found.objective == pytest.approx(plain.objective, rel=1e-10)


def test_a_sample_first_gives_the_same_answer(monkeypatch):
    X, codes = problem(9, 4000, 3, 2)
    monkeypatch.setattr(module, "MIN_SAMPLED_NUMBERS", 0)
    sampled = logistic(X, codes, 2, tol=1e-14)
    monkeypatch.setattr(module, "MIN_SAMPLED_NUMBERS", 2**40)
    plain = logistic(X, codes, 2, tol=1e-14)
    np.testing.assert_allclose(sampled.coef, plain.coef, rtol=1e-6)


def test_thresholds_limits_and_wishes_are_told_apart():
    X, codes = problem(10, 100, 3, 2)
    assert logistic(X, codes, 2, risk_threshold=0.69).stop == Stop.RISK_THRESHOLD
    assert logistic(X, codes, 2, max_iter=1).stop == Stop.MAX_ITER
    assert logistic(X, codes, 2, asked=lambda: Stop.BY_HAND).stop == Stop.BY_HAND
    told = iter([None, Stop.CALLBACK])
    called = logistic(X, codes, 2, after_step=lambda: next(told))
    assert (called.steps, called.stop) == (1, Stop.CALLBACK)


def test_a_constant_column_that_rounds_has_no_weight_of_its_own():
    X, codes = problem(11, 3000, 2, 2)
    wide = np.column_stack([X, np.full(len(X), 0.1)])  # whose mean is not 0.1 in float64
    found = logistic(wide, codes, 2, tol=1e-12)
    assert abs(found.coef[0, 2]) < 10


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_a_start_at_discriminants_ends_at_the_same_minimum_in_fewer_steps(kind, monkeypatch):
    X, codes = problem(3, 400, 4, 5)
    given = X if kind == "dense" else sparse.csr_array(X)
    from_zero = logistic(given, codes, 5, tol=1e-12)
    monkeypatch.setattr("certo.solvers.logistic_rows.HEAVY_HESSIAN", 0)
    found = logistic(given, codes, 5, tol=1e-12)
    assert found.steps <= from_zero.steps
    assert found.trace.risk[0] == pytest.approx(np.log(5))
    np.testing.assert_allclose(found.coef, from_zero.coef, atol=1e-6)
    assert found.objective == pytest.approx(from_zero.objective, rel=1e-12)
