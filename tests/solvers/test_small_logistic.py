"""The short way for few dense examples agrees with the general one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.problems.logistic import LogisticProblem
from certo.solvers.logistic import logistic
from certo.solvers.newton import NewtonLimits
from certo.solvers.small_logistic import small_logistic
from certo.stop import Stop
from tests.solvers.test_small_soft_margin import clouds


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["free", "none"]), st.integers(2, 4))
def test_small_logistic_agrees_with_the_general_way(seed, intercept, classes):
    rng = np.random.default_rng(seed)
    X, _, weights = clouds(seed)
    codes = rng.integers(0, classes, len(X))
    problem = LogisticProblem(X, codes, np.arange(classes), None, weights, intercept, 0.05)
    limits = NewtonLimits(tol=1e-10)
    found, general = small_logistic(problem, limits), logistic(problem, limits)
    assert found is not None
    assert found.stop is general.stop is Stop.CONVERGED
    assert found.objective == pytest.approx(general.objective, rel=1e-9)
    assert np.allclose(found.coef, general.coef, atol=1e-4)
    if classes == 2:  # For more, the general way keeps an older one.
        assert np.allclose(found.hessian, general.hessian, atol=1e-3)


def test_small_logistic_needs_a_ridge():
    X, signs, _ = clouds(2)
    problem = LogisticProblem(X, (signs > 0) * 1, np.arange(2), None, None, "free", 0.0)
    assert small_logistic(problem, NewtonLimits()) is None
