"""The active set on a Gram matrix, against a quadratic program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.solvers.box_newton import box_newton
from certo.stop import Stop
from tests.oracles.box_qp import box_qp, gain

MODES = pytest.mark.parametrize("free", [True, False])


@st.composite
def problems(draw):
    """K of low rank, with repetitions, rows of 0, images far from the origin, any scale; boxes of
    several sizes, some a point; β at bounds, inside, or both."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, rank = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    Z = random.standard_normal((n, rank))
    if draw(st.booleans()):
        Z = Z.round()[random.integers(0, n, n)]
    Z = (Z + draw(st.sampled_from([0.0, 0.0, 100.0]))) * draw(st.sampled_from([1e-3, 1.0, 1e3]))
    signs = random.choice([-1.0, 1.0], n)
    C = draw(st.sampled_from([1e-3, 1.0, 1e3]))
    costs = C * random.choice([0.0, 0.3, 1.0, 1.0], n)
    low, high = np.where(signs > 0, 0.0, -costs), np.where(signs > 0, costs, 0.0)
    part = random.choice(draw(st.sampled_from([[0.0], [1.0], [0.5], [0.0, 0.2, 1.0]])), n)
    return Z @ Z.T, low, high, low + part * (high - low), signs


def rounding(K, v, *moves):
    """What float64 may do to the gains of such moves."""
    most = sum(np.abs(v) @ np.abs(d) + np.abs(d) @ np.abs(K) @ np.abs(d) for d in moves)
    return 1e-13 * float(most)


@MODES
@given(problem=problems())
def test_feasible_and_no_worse_than_a_quadratic_program(free, problem):
    K, low, high, beta, signs = problem
    v = signs - K @ beta
    found = box_newton(K, beta, low, high, v, free=free)
    assert np.all((found >= low) & (found <= high))
    move = found - beta
    if free:
        assert move.sum() == pytest.approx(0, abs=1e-12 * np.abs(beta).sum() + 1e-12)
    reached = gain(K, v, move)
    assert reached >= -rounding(K, v, move)
    best = box_qp(K, low - beta, high - beta, v, free)
    if best is not None:
        best = np.clip(best, low - beta, high - beta)
        most = gain(K, v, best)
        unbalanced = np.abs(v).max() * abs(best.sum()) if free else 0.0
        assert reached >= most - 1e-6 * (abs(most) + 1e-6) - rounding(K, v, move, best) - unbalanced


@MODES
@given(problem=problems(), most=st.integers(0, 5))
def test_stopped_anywhere_it_is_feasible_and_no_worse(free, problem, most):
    K, low, high, beta, signs = problem
    v = signs - K @ beta
    found = box_newton(K, beta, low, high, v, free=free, most=most)
    assert np.all((found >= low) & (found <= high))
    assert gain(K, v, found - beta) >= -rounding(K, v, found - beta)
    asked = box_newton(K, beta, low, high, v, free=free, asked=lambda: Stop.BY_HAND)
    assert np.array_equal(asked, box_newton(K, beta, low, high, v, free=free, most=1))


def test_one_step_where_no_bound_is_met():
    random = np.random.default_rng(0)
    Z = random.standard_normal((12, 12))
    K, v = Z @ Z.T + np.eye(12), random.standard_normal(12)
    wide = np.full(12, 1e6)
    found = box_newton(K, np.zeros(12), -wide, wide, v, free=False, most=1)
    np.testing.assert_allclose(found, np.linalg.solve(K, v), rtol=1e-9)
    found = box_newton(K, np.zeros(12), -wide, wide, v, free=True, most=1)
    assert found.sum() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(v - K @ found, np.mean(v - K @ found), atol=1e-9)


@MODES
def test_eps_is_what_is_left(free):
    random = np.random.default_rng(1)
    Z = random.standard_normal((60, 5))
    K, signs = np.exp(-((Z[:, None] - Z) ** 2).sum(-1) / 4), np.where(Z[:, 0] > 0, 1.0, -1.0)
    low, high = np.minimum(signs, 0), np.maximum(signs, 0)
    beta = box_newton(K, np.zeros(60), low, high, signs, free=free, eps=1e-10)
    v = signs - K @ beta
    rise, fall = v[beta < high].max(), v[beta > low].min()
    assert (rise - fall if free else max(rise, -fall)) <= 1e-9


@MODES
@pytest.mark.parametrize("gram", [np.zeros((4, 4)), np.ones((4, 4)), np.diag([0.0, 0.0, 1.0, 1.0])])
def test_no_curvature(gram, free):
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    low, high = np.minimum(signs, 0), np.maximum(signs, 0)
    found = box_newton(gram, np.zeros(4), low, high, signs, free=free)
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found, signs, atol=1e-9)


@MODES
def test_zero_and_empty_problems(free):
    nothing = np.zeros(3)
    found = box_newton(np.eye(3), nothing, nothing, nothing, np.ones(3), free=free)
    assert np.array_equal(found, nothing)
    empty = np.zeros(0)
    assert box_newton(np.zeros((0, 0)), empty, empty, empty, empty, free=free).size == 0


@pytest.mark.parametrize("seed", range(20))
def test_equal_images_far_from_the_origin_do_not_stop_it(seed):
    """Differences of equal images are rounding, which once shortened the steps of all others."""
    random = np.random.default_rng(seed)
    n = 12
    Z = (random.standard_normal((n, 8)).round()[random.integers(0, n, n)] + 100.0) * 1e-3
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    low, high = np.where(signs > 0, 0.0, -1e-3), np.where(signs > 0, 1e-3, 0.0)
    K, beta = Z @ Z.T, (low + high) / 2
    v = signs - K @ beta
    best = np.clip(box_qp(K, low - beta, high - beta, v, True), low - beta, high - beta)
    reached = gain(K, v, box_newton(K, beta, low, high, v, free=True) - beta)
    unbalanced = np.abs(v).max() * abs(best.sum())
    assert reached >= (1 - 1e-6) * gain(K, v, best) - rounding(K, v, best) - unbalanced
