"""LSQR beside SciPy's, and LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import lsqr as theirs

from certo.solvers.lsqr import lsqr
from certo.stop import Stop, go_on

damps = st.sampled_from([0.0, 0.0, 0.1, 10.0])


def solve(A, b, damp=0.0, max_iter=1000, asked=go_on):
    return lsqr(
        lambda v: A @ v, lambda u: A.T @ u, b, damp=damp, tol=1e-12, max_iter=max_iter, asked=asked
    )


@given(st.integers(0, 10**6), damps)
@settings(max_examples=60)
def test_finds_the_minimum_norm_solution(seed, damp):
    rng = np.random.default_rng(seed)
    m, d, rank = (int(k) for k in rng.integers(1, 12, 3))
    A = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, d))
    b = rng.standard_normal(m)
    found = solve(A, b, damp)
    expected = np.linalg.lstsq(
        np.vstack([A, damp * np.eye(d)]), np.append(b, np.zeros(d)), rcond=1e-10
    )[0]
    assert found.stop == Stop.CONVERGED
    np.testing.assert_allclose(found.x, expected, atol=1e-6 * (1 + np.max(np.abs(expected))))


@given(st.integers(0, 10**6), damps, st.integers(1, 6))
@settings(max_examples=60)
def test_its_steps_are_those_of_scipy(seed, damp, most):
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((20, 12)) * np.geomspace(1, 5, 12), rng.standard_normal(20)
    found = solve(A, b, damp, most)
    x, code, _, _, _, _, condition, *_ = theirs(
        A, b, damp=damp, atol=1e-12, btol=1e-12, conlim=0, iter_lim=most
    )
    np.testing.assert_allclose(found.x, x, rtol=1e-6, atol=1e-9)
    assert found.condition == pytest.approx(condition, rel=1e-6)
    assert (found.stop == Stop.MAX_ITER) == (code == 7)


def test_stop_request_returns_the_best_iterate():
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((30, 20)), rng.standard_normal(30)
    looks = iter([None, None, Stop.BY_HAND])
    found = solve(A, b, asked=lambda: next(looks))
    assert found.stop == Stop.BY_HAND
    np.testing.assert_array_equal(found.x, solve(A, b, max_iter=3).x)


def test_zero_target_or_zero_matrix_has_zero_solution():
    for A, b in ((np.eye(3), np.zeros(3)), (np.zeros((3, 2)), np.ones(3))):
        found = solve(A, b)
        assert found.stop == Stop.CONVERGED
        assert not found.x.any()
