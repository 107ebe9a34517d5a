"""Statements of note 004, kernels, each run as literally as it can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certo import SVM, KernelPerceptron, Perceptron
from certo.features import Monomials
from certo.kernels import Gaussian, Polynomial, is_psd
from certo.rkhs import Expansion
from certo.worlds import Checkerboard, Ring, Waves

law = settings(max_examples=15, deadline=None)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "m"), [(0, 60), (1, 400)])
def test_no_line_comes_near_the_bayes_risk_of_the_ring(seed, m):
    """The error of bias: whatever the sample, a line errs on a third of the ring's examples or
    more, and a circle on a twentieth."""
    world = Ring()
    X, y = world.draw(m, rng=seed)
    for machine in (SVM(tol=1e-2), Perceptron(epochs=1)):
        fitted = machine.fit(X, y)
        risk = world.hyperplane_risk(fitted.coef_[0], fitted.intercept_[0])
        assert risk > world.bayes_risk + 0.25


@law
@given(st.integers(0, 10**6), st.floats(0.3, 5))
def test_the_gaussian_is_the_normalised_exponential_sum_of_polynomials(seed, variance):
    """Σ (x·x′)ⁿ/(n! γⁿ), scaled to ones on the diagonal; 60 terms, of which the rest is at most
    e^u u⁶⁰/60! < 1e-30 for u ≤ 10."""
    X = np.random.default_rng(seed).uniform(-1, 1, (6, 2))
    inner = X @ X.T / variance
    total = sum(inner**n / math.factorial(n) for n in range(60))
    length = np.sqrt(np.diag(total))
    assert total / np.outer(length, length) == pytest.approx(Gaussian(variance)(X), abs=1e-12)
    assert Gaussian(variance).diagonal(X).tolist() == [1.0] * 6


def nearest_function(f, variance: float, N: int, ends: tuple[float, float]) -> Expansion:
    """A function of the Gaussian kernel with N centres, by least squares at 400 points."""
    centres, points = np.linspace(*ends, N)[:, None], np.linspace(*ends, 400)[:, None]
    block = Gaussian(variance)(points, centres)
    return Expansion(Gaussian(variance), centres, np.linalg.lstsq(block, f(points[:, 0]))[0])


@pytest.mark.parametrize("f", [np.abs, lambda x: np.sin(5 * x)], ids=["abs", "sin 5x"])
def test_the_gaussian_kernel_is_universal_on_a_compact_set_and_not_on_the_line(f):
    """The largest error on [−2, 2] falls as centres are added; far away every function is 0."""
    fine = np.linspace(-2, 2, 2001)[:, None]
    errors = []
    for N in (5, 10, 20, 40):
        g = nearest_function(f, 0.02, N, (-2, 2))
        errors.append(np.max(np.abs(g(fine) - f(fine[:, 0]))))
        assert abs(g([[1000.0]])[0]) == 0.0
    assert errors[-1] < 0.05
    assert errors[-1] < errors[1] < errors[0] + 0.5


def test_signs_of_functions_of_the_gaussian_kernel_reach_the_bayes_risk():
    """η of the waves is continuous: with sup |g − (2η − 1)| ≤ ε the risk of sgn(g) is at most ε
    above the Bayes risk, and ε goes to 0."""
    world, fine = Waves(), np.linspace(0, 1, 4001)[:, None]

    def target(x):
        return 2 * world.eta(x[:, None]) - 1

    last = math.inf
    for N in (4, 8, 16):
        g = nearest_function(target, 0.005, N, (0, 1))
        error = np.max(np.abs(g(fine) - target(fine[:, 0])))
        excess = world.risk(lambda X, g=g: np.where(g(X) >= 0, 1, -1)) - world.bayes_risk
        assert 0 <= excess <= error
        assert error < last
        last = error
    assert last < 0.05


def test_the_terms_of_a_gaussian_machine_grow_with_the_examples():
    """A polynomial machine has 10 coefficients, however many examples come."""
    terms = []
    for m in (100, 200, 400):
        X, y = Checkerboard().draw(m, rng=0)
        terms.append(SVM(Gaussian(0.01), C=10).fit(X, y).support_.size)
        assert Monomials(3).fit(X).n_output_features_ == 10
    assert terms == sorted(terms)
    assert terms[2] > 2 * terms[0]


@law
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6))
def test_a_matrix_is_that_of_inner_products_exactly_if_it_is_positive_semi_definite(seed, m, d):
    """Inner products make such a matrix; such a matrix is made of inner products of the rows of
    U√Λ; and of any other one a witness shows that it is none."""
    random = np.random.default_rng(seed)
    images = random.normal(size=(m, d))
    K = images @ images.T
    assert is_psd(K)
    values, U = np.linalg.eigh(K)
    made = U * np.sqrt(np.maximum(values, 0))
    assert made @ made.T == pytest.approx(K, abs=1e-12 * max(1.0, np.trace(K)))
    other = K - (0.1 + values[0]) * np.eye(m)  # its least eigenvalue is −0.1
    verdict = is_psd(other)
    assert not verdict
    assert verdict.witness @ other @ verdict.witness < 0


@law
@given(st.integers(0, 10**6), st.sampled_from([Gaussian(0.7), Polynomial(2), Polynomial(3)]))
def test_lengths_of_images_and_of_functions(seed, kernel):
    random = np.random.default_rng(seed)
    X, alpha = random.normal(size=(5, 2)), random.normal(size=5)
    for x in X:
        image = Expansion(kernel, x[None], [1.0])
        assert image.norm() == pytest.approx(math.sqrt(kernel(x[None])[0, 0]), rel=1e-12)
    g = Expansion(kernel, X, alpha)
    form = alpha @ kernel(X) @ alpha
    assert g.norm() ** 2 == pytest.approx(form, rel=1e-8, abs=1e-10)


def one_pass(seed: int, variance: float):
    """The examples S of one pass of the kernel Perceptron, as points and signs, and others."""
    X, y = Ring().draw(80, rng=seed)
    S = KernelPerceptron(Gaussian(variance)).fit(X, y).trace_.example
    return X[S], y[S], Ring().draw(40, rng=seed + 1).X


@law
@given(st.integers(0, 10**6), st.floats(0.01, 0.3))
def test_a_small_variance_is_the_nearest_neighbour(seed, variance):
    """Where 2γ ln(n − 1) < d₂² − d₁² the sign is that of the nearest example of S; and all of S
    are right once that holds of each of them."""
    centres, signs, new = one_pass(seed, variance)
    assume(len(centres) > 2)
    g = Expansion(Gaussian(variance), centres, signs.astype(float))
    squared = np.sum((new[:, None] - centres) ** 2, axis=2)
    order = np.argsort(squared, axis=1)
    first, second = np.take_along_axis(squared, order[:, :2], axis=1).T
    sure = 2 * variance * math.log(len(centres) - 1) < second - first
    # Far from all examples every value underflows to 0.
    sure &= first < 2 * variance * 600
    assert np.array_equal(np.sign(g(new))[sure], signs[order[:, 0]][sure])
    apart = np.sum((centres[:, None] - centres) ** 2, axis=2) + np.diag(np.full(len(centres), 9e9))
    tiny = 0.9 * apart.min() / (2 * math.log(len(centres) - 1) + 1e-9)
    narrow = Expansion(Gaussian(tiny), centres, signs.astype(float))
    assert np.array_equal(np.sign(narrow(centres)), signs)


@law
@given(st.integers(0, 10**6))
def test_a_large_variance_is_the_vote_of_all(seed):
    """Where 2γ|b| > nD², b = Σ y_s ≠ 0, the answer is sgn b everywhere."""
    centres, signs, new = one_pass(seed, 0.5)
    b = int(np.sum(signs))
    assume(b != 0)
    largest = np.max(np.sum((new[:, None] - centres) ** 2, axis=2))
    variance = 1.01 * len(centres) * largest / (2 * abs(b))
    g = Expansion(Gaussian(variance), centres, signs.astype(float))
    assert np.all(np.sign(g(new)) == np.sign(b))
