"""Sequential minimal optimisation against plain NumPy, and against a quadratic program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.compiled.smo import smo_pairs, smo_single
from tests.oracles.box_qp import box_qp, gain

KINDS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
LOOPS = pytest.mark.parametrize("smo", [smo_pairs, smo_single])


@st.composite
def problems(draw):
    """K of some rank, boxes (some of them a point), any β inside, and the slopes there."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, rank = draw(st.integers(1, 40)), draw(st.integers(1, 10))
    Z = random.standard_normal((n, rank)) * draw(st.sampled_from([0.3, 1.0, 3.0]))
    if draw(st.booleans()):
        Z = Z.round()  # repetitions, and rows of 0
    signs = random.choice([-1.0, 1.0], n)
    costs = random.choice([0.0, 0.5, 1.0, 3.0], n)
    low, high = np.where(signs > 0, 0.0, -costs), np.where(signs > 0, costs, 0.0)
    part = random.choice([0.0, 0.0, 1.0, random.random()], n)
    return Z @ Z.T, low, high, low + part * (high - low), signs


def run(smo, problem, eps, most, dtype=np.float64):
    """Steps, β, and v as the loop has it; v of the solver that was given, too."""
    K, low, high, beta, signs = problem
    K, beta = K.astype(dtype), beta.copy()
    v = (signs - problem[0] @ beta).astype(dtype)
    made = smo(K, K.diagonal().copy(), beta, low, high, v, dtype(eps), most)
    return made, beta, v


def violation(smo, problem, beta, v) -> float:
    _, low, high, _, _ = problem
    rise = np.max(v, where=beta < high, initial=-np.inf)
    fall = np.min(v, where=beta > low, initial=np.inf)
    return rise - fall if smo is smo_pairs else max(rise, -fall, 0.0)


@KINDS
@LOOPS
@given(problem=problems(), eps=st.sampled_from([0.3, 1e-3]), most=st.sampled_from([0, 1, 7, 10**5]))
def test_invariants_hold_after_any_number_of_steps(smo, dtype, problem, eps, most):
    K, low, high, before, signs = problem
    made, beta, v = run(smo, problem, eps, most, dtype)
    assert 0 <= made <= most
    assert np.all((beta >= low) & (beta <= high))
    if smo is smo_pairs:
        assert beta.sum() == pytest.approx(before.sum(), abs=1e-12)
    if made < most:
        assert violation(smo, problem, beta, v) <= dtype(eps)
    scale = np.finfo(dtype).eps * (1 + made) * (1 + np.abs(K).max() * np.abs(high - low).sum())
    np.testing.assert_allclose(v, signs - K @ beta, atol=scale)


@LOOPS
@given(problems())
def test_every_step_gains(smo, problem):
    K, _, _, before, signs = problem
    v, reached = signs - K @ before, [0.0]
    for most in range(1, 15):
        made, beta, _ = run(smo, problem, 1e-3, most)
        reached.append(gain(K, v, beta - before))
        assert reached[-1] >= reached[-2] - 1e-12 * (1 + abs(reached[-1]))
        if made < most:
            return


@LOOPS
@given(problems())
def test_a_quadratic_program_finds_no_more(smo, problem):
    """By concavity, what is left to gain is at most violation × (the sum of all widths)."""
    K, low, high, before, signs = problem
    v, eps = signs - K @ before, 1e-4
    made, beta, _ = run(smo, problem, eps, 10**6)
    assert made < 10**6
    best = box_qp(K, low - before, high - before, v, smo is smo_pairs)
    if best is not None:
        found, most = gain(K, v, beta - before), gain(K, v, best)
        width = float(np.sum(high - low))
        assert most - 1e-6 * (1 + abs(most)) <= found + eps * width
        assert found <= most + 1e-6 * (1 + abs(most))


def pair(K, low, high, beta, v):
    """One step on the pair that the second-order rule chooses, in NumPy."""
    i = int(np.argmax(np.where(beta < high, v, -np.inf)))
    fall = np.where(beta > low, np.maximum(v[i] - v, 0.0), 0.0)
    curve = np.maximum(K[i, i] + K.diagonal() - 2 * K[i], 1e-7 * K[i, i])
    j = int(np.argmax(fall**2 / curve))
    size = min(fall[j] / curve[j], high[i] - beta[i], beta[j] - low[j])
    beta[i] += size
    beta[j] -= size
    v -= size * (K[i] - K[j])


def single(K, low, high, beta, v):
    use = np.maximum(np.where(beta < high, v, 0.0), np.where(beta > low, -v, 0.0))
    i = int(np.argmax(use**2 / K.diagonal()))
    size = np.clip(beta[i] + v[i] / K[i, i], low[i], high[i]) - beta[i]
    beta[i] += size
    v -= size * K[i]


@pytest.mark.parametrize(("smo", "step"), [(smo_pairs, pair), (smo_single, single)])
@pytest.mark.parametrize("n", [3, 50, 1100])  # more than one piece of the loops
def test_the_same_steps_as_numpy(smo, step, n):
    random = np.random.default_rng(n)
    Z = random.standard_normal((n, 20))
    signs = random.choice([-1.0, 1.0], n)
    low, high = np.where(signs > 0, 0.0, -0.7), np.where(signs > 0, 0.7, 0.0)
    K, steps = Z @ Z.T, 1 if n < 10 else 60  # of few, two are soon alike
    beta, v = np.zeros(n), signs.copy()
    for _ in range(steps):
        step(K, low, high, beta, v)
    made, found, slopes = run(smo, (K, low, high, np.zeros(n), signs), 1e-9, steps)
    np.testing.assert_allclose(found, beta, atol=1e-12)
    if made == steps:  # v lacks the last step, which nobody asked for
        slopes = signs - K @ found
    np.testing.assert_allclose(slopes, v, atol=1e-10)


@KINDS
@LOOPS
def test_no_curvature_at_all(smo, dtype):
    """Images that are 0: the bounds alone end a step."""
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    low, high = np.minimum(signs, 0), np.maximum(signs, 0)
    made, beta, _ = run(smo, (np.zeros((4, 4)), low, high, np.zeros(4), signs), 1e-3, 100, dtype)
    assert made < 100
    assert np.array_equal(beta, signs)


@LOOPS
def test_optimal_start_takes_no_step(smo):
    nothing = np.zeros(5)
    made, beta, _ = run(smo, (np.eye(5), nothing, nothing, nothing, np.ones(5)), 0.0, 10)
    assert made == 0
    assert np.array_equal(beta, nothing)
