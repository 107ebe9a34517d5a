"""Nearest points and the largest margin, beside brute force and other solvers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from certo.compiled.rows import rows_of
from certo.compiled.soft_margin import signed_products
from certo.solvers.hard_margin import balance_exactly, hard_margin
from certo.stop import Stop
from tests.solvers.scenes import separable

MODES = ("free", "lifted", "none")


def solve(X, signs, mode, **options):
    radius = float(np.sqrt((X**2).sum(axis=1).max()))
    return hard_margin(X, signs, mode, radius, **options)


def brute_force(X, signs, mode):
    """1/γ*² as the largest over all small sets of supports of the value of their equations."""
    m, d = X.shape
    Z = X * signs[:, None]
    if mode == "lifted":
        Z = np.c_[Z, signs]
    best = 0.0
    for size in range(1, min(m, d + 2) + 1):
        for rows in itertools.combinations(range(m), size):
            part = Z[list(rows)]
            A, right = part @ part.T, np.ones(size)
            if mode == "free":
                y = signs[list(rows)].astype(float)
                A, right = np.block([[A, y[:, None]], [y[None], np.zeros((1, 1))]]), np.r_[right, 0]
            found, *_ = np.linalg.lstsq(A, right, rcond=1e-12)
            alpha = found[:size]
            if np.abs(A @ found - right).max() < 1e-9 and alpha.min() > -1e-12:
                best = max(best, float(alpha.sum()))
    return best


def slsqp(X, signs, mode):
    """½‖w‖² by SciPy, from a feasible start."""
    lifted = mode != "none"
    Z = np.c_[X, np.ones(len(X))] * signs[:, None] if lifted else X * signs[:, None]
    cost = np.ones(Z.shape[1])
    if mode == "free":
        cost[-1] = 0
    start = optimize.linprog(np.zeros(Z.shape[1]), -Z, -np.ones(len(Z)), bounds=(None, None)).x
    return optimize.minimize(
        lambda v: 0.5 * np.sum(cost * v * v),
        start,
        jac=lambda v: cost * v,
        constraints={"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda v: Z},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )


@pytest.mark.parametrize("mode", MODES)
class TestLargestMargin:
    @given(
        X=st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=7),
        seed=st.integers(0, 30),
    )
    @settings(max_examples=60)
    def test_brute_force_over_supports_agrees(self, mode, X, seed):
        X = np.array(X, float)
        random = np.random.default_rng(seed)
        u = random.integers(-2, 3, 3)
        score = X @ u[:2] + (u[2] + 0.5 if mode != "none" else 0)
        X, score = X[score != 0], score[score != 0]
        signs = np.where(score > 0, 1, -1).astype(np.int8)
        if len(set(signs.tolist())) < 2:
            return
        outcome = solve(X, signs, mode)
        length2 = outcome.w @ outcome.w + (outcome.b**2 if mode == "lifted" else 0)
        assert np.isclose(length2, brute_force(X, signs, mode), rtol=1e-9)
        assert (signs * (X @ outcome.w + outcome.b)).min() >= 1 - 1e-9

    @pytest.mark.parametrize("seed", range(4))
    def test_scipys_solver_agrees(self, mode, seed):
        X, signs = separable(40, 4, mode, seed)
        outcome, other = solve(X, signs, mode), slsqp(X, signs, mode)
        value = 0.5 * (outcome.w @ outcome.w + (outcome.b**2 if mode == "lifted" else 0))
        assert np.isclose(value, other.fun, rtol=1e-6)
        assert np.allclose(other.x[:4], outcome.w, rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize(("m", "d"), [(3000, 10), (40_000, 6), (300, 400)])
    def test_few_rows_of_many_and_many_features(self, mode, m, d):
        X, signs = separable(m, d, mode)
        for kept in (X, sparse.csr_array(X)):
            outcome = hard_margin(kept, signs, mode, float(np.sqrt((X**2).sum(axis=1).max())))
            margins = signs * (X @ outcome.w + outcome.b)
            assert margins.min() >= 1 - 1e-9
            combined = (outcome.alpha * signs[outcome.rows]) @ X[outcome.rows]
            np.testing.assert_allclose(combined, outcome.w, rtol=1e-6, atol=1e-6)
            assert margins[outcome.rows].max() <= 1 + 1e-6
            assert outcome.trace.gap[-1] < 1e-6
            if mode != "none":
                total = float(np.sum(outcome.alpha * signs[outcome.rows]))
                assert np.isclose(total, outcome.b if mode == "lifted" else 0, atol=1e-6)

    def test_dropping_what_is_no_support_changes_nothing(self, mode):
        X, signs = separable(2000, 5, mode, seed=3)
        whole = solve(X, signs, mode)
        alone = solve(X[whole.rows], signs[whole.rows], mode)
        np.testing.assert_allclose(alone.w, whole.w, rtol=1e-8)
        assert np.isclose(alone.b, whole.b)

    def test_ties_and_repetitions_need_no_more_supports_than_dimensions(self, mode):
        random = np.random.default_rng(0)
        X = np.c_[np.repeat([1.0, -1.0], 100), random.integers(-1, 2, (200, 3))]
        signs = np.repeat([1, -1], 100).astype(np.int8)
        outcome = solve(np.r_[X, X], np.r_[signs, signs], mode)
        assert outcome.rows.size <= 5
        np.testing.assert_allclose(outcome.w, [1, 0, 0, 0], atol=1e-9)
        combined = (outcome.alpha * np.r_[signs, signs][outcome.rows]) @ np.r_[X, X][outcome.rows]
        np.testing.assert_allclose(combined, outcome.w, atol=1e-9)

    @given(seed=st.integers(0, 99), scale=st.sampled_from([1e-100, 1e-3, 7.0, 1e100]))
    @settings(max_examples=15)
    def test_scaling_and_turning(self, mode, seed, scale):
        X, signs = separable(50, 3, mode, seed)
        if len(set(signs.tolist())) < 2:
            return
        plain = solve(X, signs, mode)
        turn, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
        turned = solve(X @ turn, signs, mode)
        np.testing.assert_allclose(turned.w, plain.w @ turn, rtol=1e-7, atol=1e-8)
        if mode != "lifted":
            scaled = solve(X * scale, signs, mode)
            np.testing.assert_allclose(scaled.w * scale, plain.w, rtol=1e-7, atol=1e-8)
            assert np.isclose(scaled.b, plain.b)

    def test_a_known_separator_helps_and_effort_limits(self, mode):
        X, signs = separable(20_000, 8, mode)
        best = solve(X, signs, mode)
        start = np.append(best.w, best.b if mode != "none" else 0.0)
        little = solve(X, signs, mode, start=start, effort=1.0)
        assert little.stop is Stop.MAX_ITER
        assert little.looks == 1
        assert little.separates
        np.testing.assert_allclose(little.w, best.w, rtol=1e-6)

    def test_overlapping_classes_are_inseparable(self, mode):
        X, signs = separable(300, 3, mode)
        signs[:150] *= -1
        outcome = solve(X, signs, mode)
        assert not outcome.separates
        assert outcome.stop in (Stop.CONVERGED, Stop.NO_PROGRESS)
        assert outcome.trace.upper[-1] < 1e-9


def test_translation_moves_a_free_intercept_only():
    X, signs = separable(200, 4)
    plain, shift = solve(X, signs, "free"), np.array([100.0, -3.0, 0.5, 7.0])
    moved = solve(X + shift, signs, "free")
    np.testing.assert_allclose(moved.w, plain.w, rtol=1e-8)
    assert np.isclose(moved.b, plain.b - plain.w @ shift)


@given(
    alpha=st.lists(st.floats(1e-12, 1e3), min_size=2, max_size=9),
    scale=st.sampled_from([1e-250, 1.0, 1e250]),
)
def test_balanced_multipliers_cancel_exactly(alpha, scale):
    from fractions import Fraction

    alpha = np.array(alpha) * scale
    signs = np.where(np.arange(alpha.size) % 2, 1, -1)
    near = balance_exactly(alpha, signs)
    assert sum(Fraction(float(a)) * int(y) for a, y in zip(near, signs, strict=True)) == 0
    assert np.all(near >= 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("store", [np.ascontiguousarray, sparse.csr_array])
def test_signed_scores_are_those_of_numpy(dtype, store):
    X, signs = separable(50, 11)
    X = X.astype(dtype)
    w, out = np.random.default_rng(1).standard_normal(12), np.empty(50)
    signed_products(rows_of(store(X)), signs, w, 1.0, 0, out.size, out)
    np.testing.assert_allclose(out, signs * (X.astype(float) @ w[:-1] + w[-1]), rtol=1e-12)
    signed_products(rows_of(store(X)), signs, w[:-1].copy(), 0.0, 0, out.size, out)
    np.testing.assert_allclose(out, signs * (X.astype(float) @ w[:-1]), rtol=1e-12, atol=1e-14)
