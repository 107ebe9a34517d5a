"""Statements of the lecture notes, each run as literally as it can be.

`docs/course/statements.toml` lists all statements with their tests. Those that no other test runs
are here, in the order of the notes.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize

from certo import SVM, HardMarginSVM, MinDisagreement, Neuron, Perceptron, risk, separability
from certo.certificates import Inseparable, Separable
from certo.exercises import claim_answers
from certo.geometry import Hyperplane
from certo.kernels import Gaussian
from certo.losses import Hinge
from certo.worlds import Ring, SplitCloud

law = settings(max_examples=15, deadline=None)
few = settings(max_examples=5, deadline=None)


# --- note 000: linear classifiers ---------------------------------------------------------------


def covering_examples(sets: list[set[int]], elements: int) -> tuple[np.ndarray, np.ndarray]:
    """The reduction of set cover: a set j is (e_j, +1), an element i is (Σ_{j ∋ i} e_j, −1)."""
    rows = [np.eye(len(sets))[j] for j in range(len(sets))]
    rows += [np.array([float(i in one) for one in sets]) for i in range(elements)]
    return np.array(rows), np.array([1] * len(sets) + [-1] * elements)


def smallest_cover(sets: list[set[int]], elements: int) -> int:
    """By trying all of them."""
    for size in range(len(sets) + 1):
        for some in itertools.combinations(sets, size):
            if len(set().union(*some)) == elements:
                return size
    raise ValueError("nothing covers all elements")


@pytest.mark.slow
@few
@given(st.integers(0, 10**6), st.integers(3, 5))
def test_the_fewest_errors_are_the_smallest_vertex_cover(seed, vertices):
    """Theorem 1: the reduction from vertex cover, where an edge is in the sets of its two ends."""
    pairs = list(itertools.combinations(range(vertices), 2))
    count = min(len(pairs), vertices + 1)
    chosen = np.random.default_rng(seed).choice(len(pairs), count, replace=False)
    edges = [pairs[k] for k in chosen]
    sets = [{k for k, edge in enumerate(edges) if v in edge} for v in range(vertices)]
    X, y = covering_examples(sets, len(edges))
    assert set(np.unique(X)) <= {0.0, 1.0}
    model = MinDisagreement(intercept="none").fit(X, y)
    assert model.optimal_
    assert model.errors_ == smallest_cover(sets, len(edges))


@pytest.mark.slow
@few
@given(st.integers(0, 10**6))
def test_the_fewest_errors_are_the_smallest_set_cover(seed):
    """Theorem 2 follows from the hardness of set cover by the same reduction; and a w with E errors
    gives a cover with at most E sets."""
    random = np.random.default_rng(seed)
    sets = [set(np.flatnonzero(random.random(6) < 0.5).tolist()) for _ in range(4)]
    for element in range(6):
        sets[random.integers(4)].add(element)
    X, y = covering_examples(sets, 6)
    model = MinDisagreement(intercept="none").fit(X, y)
    assert model.errors_ == smallest_cover(sets, 6)
    for w in (model.coef_[0], random.normal(size=4)):
        errors = int(np.sum(y * (X @ w) <= 0))
        wrong = [i for i in range(6) if -(X[4 + i] @ w) <= 0]
        cover = {j for j in range(4) if w[j] <= 0}
        cover |= {next(j for j in range(4) if i in sets[j]) for i in wrong}
        assert set().union(*(sets[j] for j in cover)) == set(range(6))
        assert len(cover) <= errors


def separable_sample(seed: int):
    X, y = SplitCloud(gap=0.2).draw(20, rng=seed)
    return (X, y) if len(set(y)) == 2 else separable_sample(seed + 1)


@law
@given(st.integers(0, 10**6))
def test_a_separator_can_be_scaled_to_a_margin_of_one(seed):
    X, y = separable_sample(seed)
    u = Hyperplane([1.0, 0.0])
    scaled = Hyperplane(u.v / u.margin(X, y))
    assert abs(scaled.margin(X, y) - 1) <= 1e-12
    assert np.array_equal(scaled.side(X), u.side(X))


@law
@given(st.integers(0, 10**6), st.floats(0, 1))
def test_the_linear_program_and_the_verdict_agree(seed, noise):
    """min 0 subject to y_t w·x_t ≥ 1 is feasible exactly if the examples are separable."""
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (8, 2)).astype(float)
    y = np.where(X[:, 0] + noise * random.normal(size=8) > 0, 1, -1)
    program = optimize.linprog(np.zeros(2), -(y[:, None] * X), -np.ones(8), bounds=(None, None))
    if len(set(y)) == 2:
        assert (program.status == 0) == isinstance(separability(X, y, intercept="none"), Separable)


@law
@given(st.integers(0, 10**6))
def test_a_run_converges_within_the_bound_and_one_epoch(seed):
    X, y = separable_sample(seed)
    u = HardMarginSVM(intercept="none").fit(X, y).coef_[0]
    u = u / np.min(y * (X @ u)) * (1 + 1e-12)
    bound = int(u @ u * np.max(np.sum(X**2, axis=1)) * (1 + 1e-9))
    model = Perceptron(epochs=bound + 1, intercept="none").fit(X, y)
    assert model.converged_
    assert model.updates_[0] <= bound
    assert model.n_iter_ <= bound + 1


# --- note 001: support vector machines ----------------------------------------------------------


@law
@given(st.integers(0, 10**6))
def test_the_shortest_weights_are_unique_and_those_of_a_quadratic_program(seed):
    """min ½‖w‖² s.t. y_t w·x_t ≥ 1, by another solver, from two starts."""
    X, y = separable_sample(seed)
    w = HardMarginSVM(intercept="none").fit(X, y).coef_[0]
    constraint = {"type": "ineq", "fun": lambda v: y * (X @ v) - 1, "jac": lambda v: y[:, None] * X}
    for start in (np.array([20.0, 0.0]), np.array([5.0, 5.0])):
        found = optimize.minimize(
            lambda v: 0.5 * v @ v, start, jac=lambda v: v, constraints=[constraint], method="SLSQP"
        )
        if found.success:
            assert found.x == pytest.approx(w, rel=1e-4, abs=1e-4)


@law
@given(st.integers(0, 10**6))
def test_the_largest_margin_at_length_one_is_the_shortest_at_margin_one(seed):
    """No direction of the plane has a larger margin than γ* = 1/‖w*‖, and u* = γ* w* has it."""
    X, y = separable_sample(seed)
    model = HardMarginSVM(intercept="none").fit(X, y)
    w = model.coef_[0]
    gamma = 1 / np.linalg.norm(w)
    turn = np.linspace(0, 2 * np.pi, 3000)
    margins = np.min(y * (np.column_stack([np.cos(turn), np.sin(turn)]) @ X.T), axis=1)
    assert margins.max() <= gamma * (1 + 1e-6)
    assert np.min(y * (X @ (gamma * w))) == pytest.approx(gamma, rel=1e-6)
    assert model.margin_[0] == pytest.approx(gamma, rel=1e-6)


@law
@given(st.integers(0, 10**6))
def test_the_kkt_conditions_hold_at_the_largest_margin(seed):
    """Stationarity w* = Σ α_t y_t x_t, α ≥ 0, and α_t > 0 only where the margin is exactly 1."""
    X, y = separable_sample(seed)
    model = HardMarginSVM(intercept="none").fit(X, y)
    w, rows = model.coef_[0], model.support_
    signed = model.dual_coef_[0]
    assert np.all(signed * y[rows] >= 0)
    assert signed @ X[rows] == pytest.approx(w, rel=1e-6, abs=1e-8)
    assert y[rows] * (X[rows] @ w) == pytest.approx(1.0, abs=1e-6)
    assert np.min(y * (X @ w)) >= 1 - 1e-6


def test_the_printed_condition_of_fritz_john_fails_without_a_qualification():
    """min w subject to w² ≤ 0: the solution is 0, where ∇f = 1 and ∇g = 0, so that no α has
    ∇f + α∇g = 0. With α₀ = 0, α₁ = 1 the full condition holds."""
    grad_f, grad_g = 1.0, 2 * 0.0
    assert all(grad_f + alpha * grad_g != 0 for alpha in (-10.0, 0.0, 1.0, 1e9))
    assert 0.0 * grad_f + 1.0 * grad_g == 0


def test_a_kernel_that_suits_needs_fewer_supports():
    X, y = Ring().draw(150, rng=0)
    line, curve = SVM(intercept="none").fit(X, y), SVM(Gaussian(1.0), intercept="none").fit(X, y)
    assert len(curve.support_) < 0.7 * len(line.support_)


vectors = arrays(np.float64, 3, elements=st.floats(-3, 3))


@settings(max_examples=50, deadline=None)
@given(vectors, vectors, vectors, st.sampled_from([-1, 1]), st.floats(0.01, 2))
def test_the_losses_are_strongly_convex(w, u, x, y, lam):
    """ℓ(u) ≥ ℓ(w) + g·(u − w) + λ/2 ‖u − w‖² with g the subgradient of the notes."""

    def loss(v):
        return Hinge().of(y, v @ x) + lam / 2 * v @ v

    g = Hinge().gradient(y, w @ x) * x + lam * w
    below = loss(w) + g @ (u - w) + lam / 2 * (u - w) @ (u - w)
    assert loss(u) >= below - 1e-12 * (1 + abs(below))


@law
@given(st.integers(0, 10**6), st.floats(0.01, 1))
def test_the_mean_of_the_losses_is_the_objective(seed, lam):
    """E over a uniform draw of ℓ_Z(w) is F(w), which is what an SVM with this λ minimises."""
    X, y = separable_sample(seed)
    w = np.random.default_rng(seed).normal(size=2)
    losses = Hinge().of(y, X @ w) + lam / 2 * w @ w
    F = risk(Hyperplane(w), X, y, Hinge()) + lam / 2 * w @ w
    assert np.mean(losses) == pytest.approx(F, rel=1e-12)
    best = SVM(lam=lam, intercept="none", tol=1e-6).fit(X, y)
    assert best.objective_[0] * (1 - 1e-5) <= F


@law
@given(st.integers(0, 10**6), st.floats(0.05, 2))
def test_the_recursion_of_pegasos_has_its_closed_form_and_short_gradients(seed, lam):
    """w_{t+1} = (1 − 1/t) w_t + v_t/(λt) is Σ v_s/(λt); ‖w‖ ≤ X/λ and ‖∇ℓ_t(w_t)‖ ≤ 2X."""
    X, y = separable_sample(seed)
    longest = np.max(np.linalg.norm(X, axis=1))
    w, total = np.zeros(2), np.zeros(2)
    for t, z in enumerate(np.random.default_rng(seed).integers(len(y), size=60), start=1):
        v = y[z] * X[z] * (y[z] * (w @ X[z]) < 1)
        assert np.linalg.norm(lam * w - v) <= 2 * longest * (1 + 1e-12)
        w, total = (1 - 1 / t) * w + v / (lam * t), total + v
        assert w == pytest.approx(total / (lam * t), rel=1e-10, abs=1e-12)
        assert np.linalg.norm(w) <= longest / lam * (1 + 1e-12)


# --- note 002: the Perceptron as a neuron -------------------------------------------------------


@law
@given(st.integers(0, 10**6), st.floats(0.1, 10))
def test_the_bias_is_the_distance_of_the_boundary_times_the_length_of_the_weights(seed, length):
    """ "The bias is the distance from the origin" is true of weights of length 1 alone."""
    random = np.random.default_rng(seed)
    direction = random.normal(size=3)
    neuron = Neuron(length * direction / np.linalg.norm(direction), bias=random.normal())
    distance = abs(neuron.hyperplane.distance_from_origin)
    assert distance * length == pytest.approx(abs(neuron.bias), rel=1e-12)


@law
@given(st.integers(0, 10**6))
def test_with_a_bias_the_two_meanings_of_separable_are_one(seed):
    """w·x > 0 for the positive and ≤ 0 for the negative: then a lower bias is strict on both sides.
    Without a bias that is weaker than strict separability: x = 1 and x = 0."""
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (10, 2)).astype(float)
    w, b = random.integers(-2, 3, 2).astype(float), float(random.integers(-2, 3))
    y = np.where(X @ w + b > 0, 1, -1)
    if len(set(y)) == 2:
        lower = b - np.min((X @ w + b)[y == 1]) / 2
        assert np.all(y * (X @ w + lower) > 0)
        assert isinstance(separability(X, y), Separable)
    assert isinstance(separability([[1.0], [0.0]], [1, -1], intercept="none"), Inseparable)


@law
@given(st.integers(0, 10**6))
def test_mirroring_the_negative_examples_changes_nothing(seed):
    """The box run on C = C1 ∪ −C2, with all labels +1, gives the same weights."""
    X, y = separable_sample(seed)
    runs = []
    for points, signs in ((X, y), (y[:, None] * X, np.ones(len(y)))):
        w = np.zeros(2)
        for x, sign in zip(np.tile(points, (50, 1)), np.tile(signs, 50), strict=True):
            w = w + sign * x if sign * (w @ x) <= 0 else w
        runs.append(w)
    assert np.array_equal(*runs)


@law
@given(st.integers(0, 10**6))
def test_the_weights_are_the_sum_of_the_mirrored_updates(seed):
    X, y = separable_sample(seed)
    model = Perceptron(epochs=500, intercept="none").fit(X, y)
    rows = model.trace_.example
    total = np.sum(y[rows, None] * X[rows], axis=0)
    # So many additions are rounded once each.
    size = np.sum(np.abs(X[rows]), axis=0)
    assert np.all(np.abs(total - model.coef_[0]) <= len(rows) * 2.0**-52 * size)


def test_the_lower_bound_needs_the_square_that_the_notes_lost():
    """One example x = 1, and w* = 2: α = 2, and after one update ‖w‖² = 1. The notes' k²α²/‖w*‖ is
    2, the right k²α²/‖w*‖² is 1."""
    w, w_star, k = 1.0, 2.0, 1
    alpha = w_star * 1.0
    assert w**2 < k**2 * alpha**2 / abs(w_star)
    assert w**2 >= k**2 * alpha**2 / w_star**2


def test_three_neurons_are_an_exclusive_or():
    """And one is not."""
    corners, xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
    hidden = Neuron([1, 1], -0.5), Neuron([-1, -1], 1.5)
    outputs = Neuron([1, 1], -1)(np.column_stack([one(corners) for one in hidden]))
    claim = claim_answers(corners, xor, outputs)
    assert (claim.errors, bool(claim.verify(corners, xor))) == (0, True)
    assert isinstance(separability(corners, xor), Inseparable)
