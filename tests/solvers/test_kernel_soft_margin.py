"""The kernel SVM's solver: what must hold whenever it stops, a quadratic program and LIBSVM beside
it, and bounded memory."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.svm import SVC

from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.solvers import gram, kernel_soft_margin
from certo.solvers.gram import Images
from certo.stop import Stop
from tests.oracles.box_qp import box_qp

INTERCEPTS = ["free", "none", "lifted"]
MODES = pytest.mark.parametrize("intercept", INTERCEPTS)
KERNELS = [
    Gaussian(0.1), Gaussian(1.0), Gaussian(50.0), Linear(), Polynomial(2), Polynomial(3),
    Gaussian(1.0) + Linear(), Polynomial(2).normalised(), 0.01 * Gaussian(2.0),
]  # fmt: skip
solve = kernel_soft_margin.kernel_soft_margin


@pytest.fixture(params=["as it is", "tiny blocks"])
def blocks(request, monkeypatch):
    """Blocks so small that few examples need several, some are left out for a while, and again
    within those."""
    if request.param == "tiny blocks":
        monkeypatch.setattr(kernel_soft_margin, "MIN_BLOCK_ROWS", 12)
        monkeypatch.setattr(kernel_soft_margin, "MAX_BLOCK_ROWS", 40)
        monkeypatch.setattr(kernel_soft_margin, "BLOCKS_PER_PASS", 30)
        monkeypatch.setattr(kernel_soft_margin, "MAX_PAIR_STEPS_PER_ROW", 3)


def example(seed, m=60, d=3, noise=0.5):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    signs = np.where(X[:, 0] + noise * random.standard_normal(m) > 0, 1, -1).astype(np.int8)
    signs[:2] = 1, -1
    return X, signs


@st.composite
def problems(draw, most=120):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, d = draw(st.integers(2, most)), draw(st.integers(1, 5))
    X = random.standard_normal((m, d)) * draw(st.sampled_from([0.1, 1.0, 5.0]))
    story = draw(st.sampled_from(["plain", "plain", "whole", "repeated", "constant", "float32"]))
    if story == "whole":
        X = X.round()
    elif story == "repeated":
        X = X[random.integers(0, max(1, m // 3), m)]
    elif story == "constant":
        X = np.c_[X, np.full((m, 1), 3.0)]
    elif story == "float32":
        X = X.astype(np.float32)
    signs = np.where(X[:, 0] + 0.5 * random.standard_normal(m) > 0, 1, -1).astype(np.int8)
    if draw(st.booleans()):
        signs[:2] = 1, -1  # otherwise there may be one class alone
    costs = np.full(m, draw(st.sampled_from([0.01, 1.0, 100.0])))
    if draw(st.booleans()):
        costs *= random.choice([0.0, 1.0, 2.5], m, p=[0.1, 0.6, 0.3])
    return draw(st.sampled_from(KERNELS)), X, signs, costs


def plain(kernel, X):
    return kernel.plain(X, kernel.take(X, slice(None)))


def right(kernel, X, signs, costs, intercept, found):
    """All that holds however the solver came to stop; the two objectives as they are."""
    assert np.all((found.alpha >= 0) & (found.alpha <= costs))
    if intercept == "free":
        assert math.fsum(found.alpha * signs) == 0.0
    K, beta = plain(kernel, X), found.alpha * signs
    f, b = K @ beta, found.b
    reach = np.abs(K) @ np.abs(beta)
    np.testing.assert_allclose(found.scores, f, atol=1e-11 * (1 + reach.max()))
    if intercept == "none":
        assert b == 0.0
    elif intercept == "lifted":
        assert b == pytest.approx(beta.sum(), abs=1e-12 * (1 + np.abs(beta).sum()))
    half = 0.5 * (beta @ f + (b * b if intercept == "lifted" else 0.0))
    primal = half + costs @ np.maximum(0, 1 - signs * (f + b))
    dual = found.alpha.sum() - half
    last = 1e-11 * (np.abs(beta) @ reach + costs.sum() * (1 + reach.max()))
    assert found.primal == pytest.approx(primal, rel=1e-10, abs=last)
    assert found.dual == pytest.approx(dual, rel=1e-10, abs=last)
    assert dual <= primal + last
    history = found.trace
    assert history.passes[-1] == found.passes
    for rising in (history.seconds, history.passes, -history.primal, history.dual):
        assert np.all(np.diff(rising) >= 0)
    return primal, dual, last


def reached(kernel, X, signs, costs, intercept, found, tol):
    primal, dual, last = right(kernel, X, signs, costs, intercept, found)
    assert primal - dual <= tol * primal * (1 + 1e-6) + last
    return primal, dual, last


# --- against a quadratic program ----------------------------------------------------------------


@settings(max_examples=40)
@given(problems(), st.sampled_from(INTERCEPTS), st.sampled_from([1e-2, 1e-4, 1e-7]))
def test_the_quadratic_program_agrees(blocks, problem, intercept, tol):
    kernel, X, signs, costs = problem
    found = solve(kernel, X, signs, costs, intercept, tol=tol, max_iter=3000)
    primal, dual, last = reached(kernel, X, signs, costs, intercept, found, tol)
    assert found.stop in (Stop.CONVERGED, Stop.NO_PROGRESS)
    K = plain(kernel, X) + float(intercept == "lifted")
    low, high = np.where(signs > 0, 0.0, -costs), np.where(signs > 0, costs, 0.0)
    other = box_qp(K, low, high, signs.astype(float), intercept == "free")
    if other is not None:
        best = float(signs @ other - 0.5 * other @ K @ other)
        slack = 1e-6 * (abs(best) + 1e-6) + last
        assert dual - slack <= best <= primal + slack


@MODES
@pytest.mark.parametrize("seed", range(3))
def test_many_blocks_and_those_near_the_margin(intercept, seed, monkeypatch):
    """Few examples violate, so that only some are followed, and of these again only some."""
    for name, value in {"MIN_BLOCK_ROWS": 16, "MAX_BLOCK_ROWS": 64, "BLOCKS_PER_PASS": 50}.items():
        monkeypatch.setattr(kernel_soft_margin, name, value)
    X, signs = example(seed, m=700, noise=0.2)
    depth, deepest = [0], [0]
    improve = kernel_soft_margin._Search._improve

    def followed(*args):
        depth[0] += 1
        deepest[0] = max(deepest[0], depth[0])
        improve(*args)
        depth[0] -= 1

    monkeypatch.setattr(kernel_soft_margin._Search, "_improve", followed)
    found = solve(Gaussian(1.0), X, signs, np.ones(700), intercept, tol=1e-6)
    reached(Gaussian(1.0), X, signs, np.ones(700), intercept, found, 1e-6)
    assert deepest[0] >= 2


# --- stopping and starting anywhere -------------------------------------------------------------


@settings(max_examples=25)
@given(problems(60), st.sampled_from(INTERCEPTS), st.integers(1, 6))
def test_the_best_so_far_is_true_wherever_it_stops(blocks, problem, intercept, k):
    kernel, X, signs, costs = problem
    looks = iter(range(1, 10**9))
    by_look = solve(
        kernel,
        X,
        signs,
        costs,
        intercept,
        tol=1e-9,
        after_look=lambda P, D: Stop.CALLBACK if next(looks) >= k else None,
    )
    right(kernel, X, signs, costs, intercept, by_look)
    assert len(by_look.trace) <= k
    calls = iter(range(1, 10**9))
    asked = solve(
        kernel,
        X,
        signs,
        costs,
        intercept,
        tol=1e-9,
        asked=lambda: Stop.BY_HAND if next(calls) >= k else None,
    )
    right(kernel, X, signs, costs, intercept, asked)
    few = solve(kernel, X, signs, costs, intercept, tol=1e-9, max_iter=k)
    right(kernel, X, signs, costs, intercept, few)
    assert few.passes <= k


@MODES
def test_every_look_is_better_than_the_one_before(blocks, intercept):
    X, signs = example(1, m=150)
    gaps, k = [np.inf], 0
    while True:
        k += 1
        looks = iter(range(1, k + 1))
        found = solve(
            Gaussian(0.5), X, signs, np.full(150, 10.0), intercept, tol=1e-8,
            after_look=lambda P, D, looks=looks, k=k: Stop.CALLBACK if next(looks) >= k else None,
        )  # fmt: skip
        primal, dual, _ = right(Gaussian(0.5), X, signs, np.full(150, 10.0), intercept, found)
        gaps.append(primal - dual)
        assert gaps[-1] <= gaps[-2] + 1e-9 * primal
        if found.stop is not Stop.CALLBACK or found.gap <= 1e-8 * found.primal:
            break
    assert k > 1


@MODES
def test_asked_to_stop_at_once(intercept):
    X, signs = example(2)
    found = solve(Gaussian(1.0), X, signs, np.ones(60), intercept, asked=lambda: Stop.BY_HAND)
    assert found.stop is Stop.BY_HAND
    assert len(found.trace) == 1
    right(Gaussian(1.0), X, signs, np.ones(60), intercept, found)


@settings(max_examples=25)
@given(problems(60), st.sampled_from(INTERCEPTS), st.sampled_from([0.0, 0.3, 1.0, 5.0]))
def test_any_start(blocks, problem, intercept, size):
    """Also one that is outside its box, or does not balance."""
    kernel, X, signs, costs = problem
    start = size * np.random.default_rng(0).random(signs.size)
    found = solve(kernel, X, signs, costs, intercept, start=start, tol=1e-5, max_iter=3000)
    reached(kernel, X, signs, costs, intercept, found, 1e-5)


@MODES
def test_a_solution_is_a_good_start(intercept):
    X, signs = example(3, m=300)
    costs = np.ones(300)
    first = solve(Gaussian(0.5), X, signs, costs, intercept, tol=1e-7)
    again = solve(Gaussian(0.5), X, signs, costs, intercept, tol=1e-6, start=first.alpha)
    assert again.passes == 1
    np.testing.assert_allclose(again.alpha, first.alpha, atol=1e-12)


@MODES
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Polynomial(2)], ids=repr)
def test_problems_that_share_their_images(kernel, intercept, monkeypatch):
    """One Gram matrix serves all, whatever the labels and costs; a block of each would be small."""
    monkeypatch.setattr(kernel_soft_margin, "MIN_BLOCK_ROWS", 16)
    X, _ = example(5, m=150)
    shared: dict = {}
    for k in range(3):
        signs, costs = np.where(X[:, k] > 0.3, 1, -1).astype(np.int8), np.full(150, 1.0 + k)
        found = solve(kernel, X, signs, costs, intercept, tol=1e-6, shared=shared)
        assert found.stop is Stop.CONVERGED
        right(kernel, X, signs, costs, intercept, found)
        assert shared["images"].whole(0.0).shape == (150, 150)


def test_pair_steps_ask_whether_to_stop(monkeypatch):
    monkeypatch.setattr(kernel_soft_margin, "MAX_SCANNED_PER_CALL", 60)
    X, signs = example(6)
    asked = []
    found = solve(
        Gaussian(0.5), X, signs, np.full(60, 100.0), "free", tol=1e-9,
        asked=lambda: asked.append(1) or (Stop.BY_HAND if len(asked) > 5 else None),
    )  # fmt: skip
    assert found.stop is Stop.BY_HAND
    assert len(asked) <= 8
    right(Gaussian(0.5), X, signs, np.full(60, 100.0), "free", found)


# --- data of all kinds --------------------------------------------------------------------------


@MODES
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Linear(), Polynomial(2)], ids=repr)
@pytest.mark.parametrize("story", ["two", "alike", "zero", "one class", "no cost", "one-sided"])
def test_next_to_nothing(kernel, story, intercept):
    X, signs = example(4, m=12)
    costs = np.ones(12)
    if story == "two":
        X, signs, costs = X[:2], signs[:2], costs[:2]
    elif story in ("alike", "zero"):
        X = np.full((12, 3), float(story == "alike"))
    elif story == "one class":
        signs = np.ones(12, np.int8)
    elif story == "no cost":
        costs = np.zeros(12)
    else:
        costs = (signs > 0).astype(float)
    for tol in (1e-9, 0.0):
        found = solve(kernel, X, signs, costs, intercept, tol=tol, max_iter=100)
        reached(kernel, X, signs, costs, intercept, found, 1e-9)


@MODES
@pytest.mark.parametrize("store", [np.float32, sparse.csr_array, sparse.csr_matrix])
def test_storage_does_not_matter(intercept, store):
    X, signs = example(5, m=80, d=8)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.3, X, 0).astype(np.float32)
    for kernel in (Gaussian(1.0), Polynomial(2)):
        found, twin = (
            solve(kernel, kernel.examples(Z), signs, np.ones(80), intercept, tol=1e-8)
            for Z in (store(X), X.astype(float))
        )
        assert found.dual == pytest.approx(twin.dual, rel=1e-7)


@MODES
def test_matrices_and_objects_of_the_same_values(intercept):
    X, signs = example(6, m=25)
    kernel = Gaussian(1.0)
    truth = solve(kernel, X, signs, np.ones(25), intercept, tol=1e-8)
    same = Function(lambda x, z: float(kernel.plain(x[None], z[None])[0, 0]))
    for other, points in [(Precomputed(), kernel.plain(X, X)), (same, list(X))]:
        found = solve(other, points, signs, np.ones(25), intercept, tol=1e-8)
        reached(kernel, X, signs, np.ones(25), intercept, found, 1e-8)
        assert found.dual == pytest.approx(truth.dual, rel=1e-7)


@MODES
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Linear()], ids=repr)
def test_repetitions_are_as_good_as_costs(kernel, intercept):
    X, signs = example(7, m=40)
    times = np.random.default_rng(1).integers(1, 5, 40)
    many = np.repeat(X, times, axis=0), np.repeat(signs, times)
    found = solve(kernel, *many, np.full(times.sum(), 0.7), intercept, tol=1e-8)
    reached(kernel, *many, np.full(times.sum(), 0.7), intercept, found, 1e-8)
    once = solve(kernel, X, signs, 0.7 * times, intercept, tol=1e-8)
    assert found.dual == pytest.approx(once.dual, rel=1e-7)
    start = solve(kernel, *many, np.full(times.sum(), 0.7), intercept, start=found.alpha, tol=1e-7)
    assert start.passes == 1


def test_neighbours_far_from_each_other():
    """Two clusters so far apart that their inner products tell nothing of distances within."""
    X, signs = example(8, m=60)
    X = X + np.where(np.arange(60) % 2 == 0, 1e6, -1e6)[:, None]
    found = solve(Gaussian(1.0), X, signs, np.ones(60), "free", tol=1e-8)
    reached(Gaussian(1.0), X, signs, np.ones(60), "free", found, 1e-8)


# --- hard cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2), Polynomial(3)], ids=repr)
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_features_that_nobody_scaled(load, kernel):
    X, y = load(return_X_y=True)
    X, y = X[:400], y[:400]
    signs = np.where(y == (8 if load is load_digits else 1), 1, -1).astype(np.int8)
    found = solve(kernel, X, signs, np.ones(400), "free", tol=1e-3, max_iter=300)
    reached(kernel, X, signs, np.ones(400), "free", found, 1e-3)


@pytest.mark.parametrize("C", [0.1, 1e3, 1e6])
@pytest.mark.parametrize("variance", [0.05, 1.0, 1e4])
def test_agrees_with_libsvm_within_the_two_gaps(C, variance):
    X, signs = example(9, m=200)
    kernel, costs = Gaussian(variance), np.full(200, C)
    found = solve(kernel, X, signs, costs, "free", tol=1e-6, max_iter=3000)
    primal, dual, _ = reached(kernel, X, signs, costs, "free", found, 1e-6)
    K = kernel.plain(X, X)
    rival = SVC(C=C, kernel="precomputed", tol=1e-4, cache_size=100).fit(K, signs)
    beta = np.zeros(200)
    beta[rival.support_] = rival.dual_coef_[0]
    f, b = K @ beta, float(rival.intercept_[0])
    theirs = costs @ np.maximum(0, 1 - signs * (f + b)) + 0.5 * beta @ f
    lower = beta @ signs - 0.5 * beta @ f
    slack = 1e-9 * abs(theirs)
    assert lower <= primal + slack
    assert dual <= theirs + slack
    # strong convexity: ½‖f − f*‖² is at most the gap, of either
    apart = float((found.alpha * signs - beta) @ (found.scores - f))
    most = math.sqrt(2 * max(primal - dual, 0)) + math.sqrt(2 * max(theirs - lower, 0))
    assert math.sqrt(max(apart, 0)) <= most * (1 + 1e-6) + 1e-6
    assert np.all(np.abs(found.scores - f) <= most * (1 + 1e-6) + 1e-6)


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache_mb", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("kernel", [Gaussian(2.0), Polynomial(2)], ids=repr)
def test_no_block_is_larger_than_the_cache(kernel, cache_mb, monkeypatch):
    X, signs = example(10, m=900, d=6)
    sizes = []
    for kind in (Images, gram.GaussianImages):
        block = kind.block

        def noted(self, rows, dtype, block=block):
            sizes.append(rows.size)
            return block(self, rows, dtype)

        monkeypatch.setattr(kind, "block", noted)
    found = solve(
        kernel, X, signs, np.full(900, 10.0), "free", tol=1e-3, cache_mb=cache_mb, max_iter=30
    )
    right(kernel, X, signs, np.full(900, 10.0), "free", found)
    assert max(sizes) <= max(16, math.isqrt(int(cache_mb * 2**20 / 16))) + 2
    assert 8 * max(sizes) ** 2 <= max(0.5 * cache_mb * 2**20, 8 * 16**2) * 1.5


def test_rows_that_are_kept_fit_into_the_cache(monkeypatch):
    monkeypatch.setattr(gram, "KEEP_ABOVE_NANOSECONDS", 0.0)
    X, signs = example(11, m=500, d=6)
    kept = []
    init = gram.GaussianImages.__init__

    def noted(self, *args):
        init(self, *args)
        kept.append(self._kept.nbytes)

    monkeypatch.setattr(gram.GaussianImages, "__init__", noted)
    for cache_mb in (0.0, 0.5, 100.0):
        found = solve(Gaussian(1.0), X, signs, np.ones(500), "free", tol=1e-5, cache_mb=cache_mb)
        reached(Gaussian(1.0), X, signs, np.ones(500), "free", found, 1e-5)
        assert kept[-1] <= cache_mb / 2 * 2**20
    assert kept[-1] == 8 * 500**2


def test_a_step_on_a_dear_block_is_given_up_once_somebody_waits(monkeypatch):
    """The block is made, and no more: the multipliers are those of before, and what is said too."""
    random = np.random.default_rng(0)
    X, signs = random.standard_normal((300, 3)), np.resize([1, -1], 300).astype(np.int8)
    blocks = []

    def gram(self, at, dtype):
        blocks.append(at.size)
        return made(self, at, dtype)

    made = kernel_soft_margin._Search._gram
    monkeypatch.setattr(kernel_soft_margin._Search, "_gram", gram)
    monkeypatch.setattr(kernel_soft_margin, "LONG_BLOCK_SECONDS", 0.0)
    found = kernel_soft_margin.kernel_soft_margin(
        Gaussian(1.0), X, signs, np.ones(300), "free", tol=1e-6, max_iter=100,
        asked=lambda: Stop.TIME_LIMIT if blocks else None,
    )  # fmt: skip
    assert len(blocks) == 1
    assert found.stop is Stop.TIME_LIMIT
    assert not found.alpha.any()
