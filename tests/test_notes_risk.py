"""Statements of note 003, learning as risk minimisation, each run as literally as it can be."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from certo import LeastSquares, LogisticRegression
from certo.losses import Logistic
from certo.worlds import BetaDensity, LogisticLine, NoisyLine, NoisySine

law = settings(max_examples=15, deadline=None)
few = settings(max_examples=5, deadline=None)
RISK_ROUNDING = 2e-6  # Twice what `World.risk` promises of an integral.


@pytest.mark.slow
@law
@given(st.integers(0, 10**6), st.floats(0, 3))
def test_the_regression_function_has_the_least_squared_risk(seed, size):
    """R(f) = R(g) + E (f(x) − g(x))² ≥ R(g), with the mean over x by another quadrature."""
    a, b, c = size * np.random.default_rng(seed).normal(size=3)

    def other(X):
        return a + b * X[:, 0] + c * np.cos(3 * X[:, 0])

    for world, weight in (
        (NoisyLine(), stats.beta(2, 5).pdf),
        (NoisySine(), stats.uniform(-1, 2).pdf),
    ):
        x, w = np.polynomial.legendre.leggauss(80)
        low, high = world.ends
        x, w = (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w
        gap = other(x[:, None]) - world.regression_function(x[:, None])
        extra = float(np.sum(w * weight(x) * gap**2))
        assert world.risk(world.regression_function) == pytest.approx(world.bayes_risk, abs=1e-9)
        assert world.risk(other) == pytest.approx(world.bayes_risk + extra, rel=1e-5, abs=1e-5)
        assert world.risk(other) >= world.bayes_risk


@law
@given(st.floats(1, 6), st.floats(1, 8))
def test_no_density_has_less_risk_than_the_true_one(a, b):
    """Gibbs' inequality, for densities of the same family and for a mixture."""
    world, other = BetaDensity(), BetaDensity(a, b)
    assert world.risk(other.log_density) >= world.bayes_risk - RISK_ROUNDING

    def mixture(X):
        both = np.stack([world.log_density(X), other.log_density(X)])
        return np.logaddexp.reduce(both, axis=0) - np.log(2)

    assert world.risk(mixture) >= world.bayes_risk - RISK_ROUNDING


@pytest.mark.slow
@few
@given(st.integers(0, 10**6))
def test_the_least_empirical_risk_of_finitely_many_functions_is_near_the_least(seed):
    """R(ŵ) ≤ R(w*) + 2√(ln(2n/δ)/(2N)) with δ = 1e-9, for thresholds on a line."""
    world, cuts, N = LogisticLine(), np.linspace(0, 1, 21), 500
    risks = [world.risk(lambda X, c=c: np.where(X[:, 0] >= c, 1, -1)) for c in cuts]
    X, y = world.draw(N, rng=seed)
    errors = np.mean(np.where(cuts <= X, 1, -1) != y[:, None], axis=0)
    allowed = 2 * np.sqrt(np.log(2 * len(cuts) / 1e-9) / (2 * N))
    assert risks[int(np.argmin(errors))] <= min(risks) + allowed


@law
@given(st.integers(0, 10**6))
def test_the_weights_point_where_a_linear_function_grows_most(seed):
    """No unit step raises f(x) = w0 + w·x by more than ‖w‖, and the step along w does."""
    random = np.random.default_rng(seed)
    w, x = random.normal(size=(2, 4))
    steps = random.normal(size=(200, 4))
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    length = np.linalg.norm(w)
    assert np.max((x + steps) @ w - x @ w) <= length * (1 + 1e-12)
    assert (x + w / length) @ w - x @ w == pytest.approx(length, rel=1e-9)
    slopes = optimize.approx_fprime(x, lambda v: 0.5 + v @ w)
    assert slopes == pytest.approx(w, rel=1e-5, abs=1e-6)


@law
@given(st.integers(0, 10**6))
def test_the_normal_equation_is_the_minimum(seed):
    """ŵ = (XᵀX)⁻¹Xᵀy, and ‖y − Xv‖² = ‖y − Xŵ‖² + ‖X(ŵ − v)‖² for every other v."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(20, 3)), random.normal(size=20)
    w = LeastSquares(intercept="none").fit(X, y).coef_
    assert w == pytest.approx(np.linalg.solve(X.T @ X, X.T @ y), rel=1e-8, abs=1e-10)
    assert X.T @ (y - X @ w) == pytest.approx(np.zeros(3), abs=1e-10)
    v = random.normal(size=3)
    pythagoras = np.sum((y - X @ w) ** 2) + np.sum((X @ (w - v)) ** 2)
    assert np.sum((y - X @ v) ** 2) == pytest.approx(pythagoras, rel=1e-10)


@pytest.mark.slow
@few
@given(st.integers(0, 10**6))
def test_log_odds_that_are_linear_give_the_probabilities_of_the_notes(seed):
    """Pr(k|x) = e^{x·w_k}/(1 + Σ e^{x·w_l}) with the (K − 1) × p `contrasts_`."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(60, 2)), random.permutation(np.arange(60) % 3)
    model = LogisticRegression(ridge=0.1).fit(X, y)
    assert model.reference_ == 2
    assert model.contrasts_.shape == (2, 2)
    scores = X @ model.contrasts_.T + (model.intercept_[:2] - model.intercept_[2])
    below = 1 + np.sum(np.exp(scores), axis=1)
    expected = np.column_stack([np.exp(scores), np.ones(60)]) / below[:, None]
    assert model.predict_proba(X) == pytest.approx(expected, rel=1e-9)


@law
@given(st.integers(0, 10**6))
def test_the_risk_of_two_classes_its_gradient_and_its_hessian(seed):
    """R̂ = −Σ (y x·w − log(1 + e^{x·w})), −Xᵀ(y − p) and XᵀWX, against differences."""
    random = np.random.default_rng(seed)
    X, w = np.column_stack([np.ones(12), random.normal(size=(12, 2))]), random.normal(size=3)
    y = random.integers(0, 2, 12)

    def risk(v):
        return -np.sum(y * (X @ v) - np.log1p(np.exp(X @ v)))

    p = 1 / (1 + np.exp(-X @ w))
    losses = Logistic().of(2 * y - 1, X @ w)
    assert np.sum(losses) == pytest.approx(risk(w), rel=1e-12)
    assert risk(w) == pytest.approx(-np.sum(y * np.log(p) + (1 - y) * np.log1p(-p)), rel=1e-10)
    gradient, h = -X.T @ (y - p), 1e-5
    steps = h * np.eye(3)
    numeric = [(risk(w + step) - risk(w - step)) / (2 * h) for step in steps]
    assert gradient == pytest.approx(np.array(numeric), abs=1e-6)

    def slope(v):
        return -X.T @ (y - 1 / (1 + np.exp(-X @ v)))

    hessian = X.T @ ((p * (1 - p))[:, None] * X)
    numeric = [(slope(w + step) - slope(w - step)) / (2 * h) for step in steps]
    assert hessian == pytest.approx(np.array(numeric), abs=1e-6)
    assert np.min(np.linalg.eigvalsh(hessian)) >= -1e-12


@pytest.mark.slow
@law
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_newtons_steps_are_weighted_least_squares_fits(seed, steps):
    """(1.22) = (1.24) = (1.26): `LeastSquares` with the weights p(1 − p) on the working response z
    does the steps of `LogisticRegression(solver="newton")` from w = 0."""
    X, y = LogisticLine().draw(150, rng=seed)
    ones, t, w = np.column_stack([X, np.ones(150)]), (y == 1).astype(float), np.zeros(2)
    for _ in range(steps):
        p = 1 / (1 + np.exp(-ones @ w))
        W = p * (1 - p)
        bare = w + np.linalg.solve(ones.T @ (W[:, None] * ones), ones.T @ (t - p))
        z = ones @ w + (t - p) / W
        fit = LeastSquares().fit(X, z, sample_weight=W)
        w = np.array([fit.coef_[0], fit.intercept_])
        assert w == pytest.approx(bare, rel=1e-7, abs=1e-8)
    with warnings.catch_warnings(action="ignore"):  # it stops before it converges
        model = LogisticRegression(solver="newton", max_iter=steps, tol=1e-15).fit(X, y)
    assert [model.coef_[0, 0], model.intercept_[0]] == pytest.approx(w, rel=1e-7, abs=1e-8)
