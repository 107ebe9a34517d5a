"""The active set for few examples in a kernel's space: optimal, or as near as float64 comes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.kernels import Gaussian, Linear, Polynomial
from certo.solvers.kernel_active_set import finish_soft_margin
from certo.stop import Stop
from tests.oracles.quadratic import objective, soft_margin_qp

MODES = st.sampled_from(["free", "lifted", "none"])
KERNELS = st.sampled_from([Gaussian(0.3), Gaussian(20.0), Polynomial(2), Linear()])


@st.composite
def problems(draw):
    """Also with repeated examples, ties, weights of 0, and any multipliers to start from."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m = draw(st.integers(4, 30))
    X = random.standard_normal((m, 2))
    if draw(st.booleans()):
        X = np.round(X)[random.integers(0, m, m)]
    signs = random.choice([-1, 1], m).astype(np.int8)
    signs[:2] = -1, 1
    costs = draw(st.sampled_from([0.1, 1.0, 100.0])) * random.choice([0.0, 0.5, 1.0, 1.0], m)
    costs[:2] = 1.0
    start = draw(st.sampled_from([0.0, 0.5, 1.0])) * costs * random.random(m)
    return draw(KERNELS), X, signs, costs, start


@given(problems(), MODES)
def test_feasible_exactly_and_never_worse_than_the_start(problem, mode):
    kernel, X, signs, costs, start = problem
    gram = kernel.plain(X, X)
    found = finish_soft_margin(gram, signs, costs, mode, start)
    assert np.all((found.alpha >= 0) & (found.alpha <= costs))
    if mode == "free":
        assert float(np.sum(np.sort(found.alpha * signs))) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found.scores, gram @ (found.alpha * signs), atol=1e-9)
    first = finish_soft_margin(gram, signs, costs, mode, start, asked=lambda: Stop.BY_HAND)
    assert found.gap <= first.gap + 1e-12 * first.primal


@given(problems(), MODES)
def test_a_quadratic_program_finds_the_same(problem, mode):
    kernel, X, signs, costs, start = problem
    gram = kernel.plain(X, X)
    found = finish_soft_margin(gram, signs, costs, mode, start)
    assert found.primal - found.dual <= 1e-8 * max(1.0, found.primal)
    values, vectors = np.linalg.eigh(gram)
    Z, used = vectors * np.sqrt(np.maximum(values, 0)), costs > 0
    w, b = soft_margin_qp(Z[used], signs[used].astype(float), costs[used], mode)
    best = objective(Z[used], signs[used], costs[used], mode, w, b)
    assert found.primal == pytest.approx(best, rel=1e-5, abs=1e-6)
