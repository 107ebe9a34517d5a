"""The short way for few dense examples agrees with the general one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.solvers.small_soft_margin import SmallRows
from certo.solvers.soft_margin import soft_margin
from certo.stop import Stop

INTERCEPTS = ("free", "lifted", "none")


def clouds(seed: int, m: int = 60, d: int = 3):
    rng = np.random.default_rng(seed)
    signs = rng.permutation(np.where(np.arange(m) < m // 3, 1, -1)).astype(np.int8)
    X = rng.standard_normal((m, d)) + 0.8 * signs[:, None] + (5.0 if seed % 2 else 0.0)
    return X, signs, np.exp(rng.standard_normal(m))


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(INTERCEPTS))
def test_small_soft_margin_is_exact(seed, intercept):
    X, signs, costs = clouds(seed)
    found = SmallRows(X, intercept).soft_margin(signs, costs, 1e-4, 1000)
    general = soft_margin(X, signs, costs, intercept, tol=1e-10)
    assert found is not None
    assert found.stop is Stop.CONVERGED
    assert found.primal == pytest.approx(general.primal, rel=1e-9)
    assert np.all((found.alpha >= 0) & (found.alpha <= costs))
    assert len(found.trace) == found.passes


def test_slack_that_is_too_dear_or_free_of_charge_is_left_to_the_general_way():
    X, signs, costs = clouds(0)
    rows = SmallRows(X, "free")
    assert rows.soft_margin(signs, 1e9 * costs, 1e-4, 1000) is None
    assert rows.soft_margin(signs, np.where(signs > 0, costs, 0.0), 1e-4, 1000) is None


@pytest.mark.parametrize("away", [0.0, 20.0])
@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_in_the_form_that_the_loop_takes(away, intercept, dtype):
    X = (np.random.default_rng(3).standard_normal((50, 4)) + away).astype(dtype)
    rows = X.astype(np.float64)
    if away and intercept == "free":  # Only then is nothing lost by it, and much gained.
        rows = rows - rows.mean(axis=0)
    ready = SmallRows(X, intercept)
    wanted = rows if intercept == "none" else np.column_stack([rows, np.ones(50)])
    np.testing.assert_allclose(ready.Z, wanted, rtol=0, atol=1e-13)
    assert ready.size == pytest.approx(np.mean(np.sum(rows**2, axis=1)), rel=1e-12)
