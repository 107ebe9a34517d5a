"""Functions of a kernel's space: the laws of a Hilbert space, and the reproducing property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo.features import Monomials
from certo.kernels import Function, Gaussian, Linear, NotPositive, Polynomial, Precomputed
from certo.rkhs import Expansion

KERNELS = [
    Linear(),
    Polynomial(3),
    Gaussian(variance=2.0),
    Linear().normalised() + 0.5 * Gaussian(1.0),
    Function(np.dot),
]
functions = st.tuples(st.sampled_from(KERNELS), st.integers(0, 10**6))


def some(kernel, seed, count=3):
    """A few functions of the kernel's space, of up to six centres each, and points."""
    rng = np.random.default_rng(seed)

    def one():
        n = int(rng.integers(1, 7))
        return Expansion(kernel, rng.standard_normal((n, 2)), rng.standard_normal(n))

    return [*(one() for _ in range(count)), rng.standard_normal((5, 2))]


@given(functions)
def test_the_reproducing_property(drawn):
    f, X = some(*drawn, count=1)
    for x, value in zip(X, f(X), strict=True):
        at = Expansion(f.kernel, [x], [1.0])
        assert f.inner(at) == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert at.norm() ** 2 == pytest.approx(f.kernel.diagonal([x])[0])


@given(functions, st.floats(-3, 3))
def test_it_is_a_space_with_an_inner_product(drawn, factor):
    f, g, h, X = some(*drawn)
    close = {"rel": 1e-8, "abs": 1e-8 * (1 + f.norm() * (g.norm() + h.norm()))}
    assert f.inner(g) == pytest.approx(g.inner(f), **close)
    assert (f + factor * g).inner(h) == pytest.approx(f.inner(h) + factor * g.inner(h), **close)
    np.testing.assert_allclose((f + g)(X), f(X) + g(X), atol=1e-9)
    np.testing.assert_allclose((f - g)(X), f(X) - g(X), atol=1e-9)
    np.testing.assert_allclose((f * factor)(X), factor * f(X), atol=1e-9)
    np.testing.assert_allclose((-f / 2)(X), -f(X) / 2, atol=1e-9)


@given(functions)
def test_cauchy_schwarz_and_the_triangle(drawn):
    f, g, h, X = some(*drawn)
    room = 1 + 1e-9
    assert abs(f.inner(g)) <= f.norm() * g.norm() * room + 1e-9
    assert f.distance(h) <= (f.distance(g) + g.distance(h)) * room + 1e-7
    assert f.distance(f) == 0.0
    assert f.distance(g) == pytest.approx(g.distance(f), abs=1e-7)
    lengths = np.sqrt(f.kernel.diagonal(X))
    assert np.all(np.abs(f(X)) <= f.norm() * lengths * room + 1e-9)


@given(functions, st.integers(1, 4))
def test_the_projection_is_nearest_and_idempotent_and_what_is_left_is_orthogonal(drawn, k):
    f, g, X = some(*drawn, count=2)
    centres = X[:k]
    near = f.project(centres)
    size = 1 + f.norm()
    left = f - near
    for x in centres:
        assert abs(left.inner(Expansion(f.kernel, [x], [1.0]))) <= 1e-5 * size
    assert near.project(centres).distance(near) <= 1e-5 * size
    rng = np.random.default_rng(k)
    for _ in range(5):
        other = Expansion(f.kernel, centres, rng.standard_normal(k))
        assert left.norm() <= f.distance(other) + 1e-5 * size
    assert near.norm() <= f.norm() * (1 + 1e-9) + 1e-9
    assert len(near) == k
    assert g.project(g.centres).distance(g) <= 1e-5 * (1 + g.norm())


def test_a_projection_on_dependent_functions():
    f = Expansion(Gaussian(1.0), [[0.0], [1.0]], [1.0, 2.0])
    near = f.project([[0.5], [0.5], [0.5]])
    np.testing.assert_allclose(near.coef, near.coef[0])
    np.testing.assert_allclose(near([[0.5]]), f([[0.5]]))
    nothing = Expansion(Linear(), [[1.0]], [1.0]).project([[0.0]])
    assert nothing.norm() == 0.0


def test_in_the_feature_space_it_is_a_vector():
    f, g, X = some(Polynomial(3), 7, count=2)
    phi = Monomials(3).fit(X)
    u, v = (phi.transform(e.centres).T @ e.coef for e in (f, g))
    assert f.inner(g) == pytest.approx(u @ v)
    assert f.norm() == pytest.approx(np.linalg.norm(u))
    assert f.distance(g) == pytest.approx(np.linalg.norm(u - v))
    np.testing.assert_allclose(f(X), phi.transform(X) @ u)


def test_every_storage_and_any_objects():
    f, g, X = some(Gaussian(1.0), 3, count=2)
    thin = Expansion(Gaussian(1.0), sparse.csr_array(f.centres), f.coef)
    np.testing.assert_allclose(thin(sparse.csr_array(X)), f(X))
    np.testing.assert_allclose((thin + g)(X), (f + g)(X))
    assert thin.inner(g) == pytest.approx(f.inner(g))

    def shared(a, b):
        return len(set(a) & set(b))

    words = Expansion(Function(shared), ["tea", "coffee"], [1.0, -1.0])
    np.testing.assert_array_equal(words(["meat"]), [2.0])
    twice = words + Expansion(Function(shared), ["milk"], [3.0])
    assert twice.centres == ["tea", "coffee", "milk"]
    assert repr(twice) == f"Expansion({Function(shared)!r}, 3 centres)"
    assert words.norm() == pytest.approx(np.sqrt(3 - 2 + 4))


def test_a_precomputed_kernel_needs_its_matrix_for_inner_products():
    X = np.random.default_rng(5).standard_normal((6, 2))
    K = Gaussian(1.0)(X)
    f = Expansion(Precomputed(), [0, 3], [1.0, -2.0], gram=K)
    g = Expansion(Precomputed(), [1, 3, 5], [1.0, 1.0, 1.0])
    F = Expansion(Gaussian(1.0), X[[0, 3]], f.coef)
    G = Expansion(Gaussian(1.0), X[[1, 3, 5]], g.coef)
    np.testing.assert_allclose(f(K[2:4]), F(X[2:4]))
    assert f.inner(g) == pytest.approx(F.inner(G))
    assert g.inner(f) == pytest.approx(F.inner(G))
    assert f.distance(g) == pytest.approx(F.distance(G))
    np.testing.assert_allclose(f.project([1, 2]).coef, F.project(X[[1, 2]]).coef)
    with pytest.raises(ValueError, match="make the Expansion with gram=K"):
        g.norm()
    with pytest.raises(ValueError, match="the same gram"):
        f.inner(Expansion(Precomputed(), [0], [1.0], gram=K + 1))
    with pytest.raises(ValueError, match="square"):
        Expansion(Precomputed(), [0], [1.0], gram=K[:2])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda f: Expansion("rbf", [[1.0]], [1.0]), "kernel must be a Kernel, got str"),
        (lambda f: Expansion(Gaussian(1.0), [[1.0]], [1.0, 2.0]), "each of the 1 centres"),
        (lambda f: Expansion(Gaussian(1.0), [[1.0]], [np.nan]), "coef must be finite"),
        (lambda f: Expansion(Gaussian(1.0), [[1.0]], [1.0], gram=np.eye(1)), "gram is for Precomp"),
        (lambda f: f + Expansion(Linear(), [[1.0]], [1.0]), "same kernel's space"),
        (lambda f: f.inner(Expansion(Linear(), [[1.0]], [1.0])), "same kernel's space"),
    ],
)
def test_invalid_expansions_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make(Expansion(Gaussian(1.0), [[0.0]], [1.0]))


def test_only_numbers_multiply_and_only_functions_add():
    f = Expansion(Gaussian(1.0), [[0.0]], [1.0])
    for act in (lambda: f * "a", lambda: f + 1, lambda: f - 1, lambda: f / f):
        with pytest.raises(TypeError):
            act()
    with pytest.raises(ValueError, match="read-only"):
        f.coef[0] = 2.0


def test_the_matrix_of_a_precomputed_kernel_is_looked_at():
    kernel, K = Precomputed(), np.array([[2.0, 1.0], [1.0, 3.0]])
    with pytest.raises(NotPositive) as refused:
        Expansion(kernel, [0, 1], [1.0, -1.0], gram=[[1.0, 3.0], [3.0, 1.0]])
    assert refused.value.value < 0
    with pytest.raises(ValueError, match=r"symmetric, but K\[0, 1\]"):
        Expansion(kernel, [0], [1.0], gram=[[1.0, 0.5], [0.1, 1.0]])
    for number in (5, -1):
        with pytest.raises(ValueError, match=f"from 0 to 1 of this matrix, but there is {number}"):
            Expansion(kernel, [number], [1.0], gram=K)
        with pytest.raises(ValueError, match=f"there is {number}"):
            Expansion(kernel, [number], [1.0])(K)
        with pytest.raises(ValueError, match=f"there is {number}"):
            Expansion(kernel, [0], [1.0], gram=K) + Expansion(kernel, [number], [1.0])
        with pytest.raises(ValueError, match=f"there is {number}"):
            Expansion(kernel, [0], [1.0], gram=K).project([number])
    f = Expansion(kernel, [0, 1], [1.0, -1.0], gram=K)
    K[:] = 0.0
    assert f.norm() ** 2 == pytest.approx(3.0)


@pytest.mark.parametrize("make", [np.array, sparse.csr_array, lambda X: X.tolist()])
def test_a_function_does_not_change_with_the_data_it_was_made_of(make):
    X = make(np.array([[0.0, 1.0], [2.0, 0.5]]))
    first = Function(lambda x, z: float(x[0] * z[0]))
    f = Expansion(first if type(X) is list else Linear(), X, [1, 2])
    before = f(X)
    points = make(np.array([[0.0, 1.0], [2.0, 0.5]]))
    X[1 if type(X) is list else (1, 0)] = [9.0, 9.0] if type(X) is list else 9.0
    np.testing.assert_array_equal(f(points), before)


def test_functions_are_added_up_if_they_are_of_the_same_points():
    f = Expansion(Gaussian(1.0), [[0.0]], [1.0])
    assert sum([f, 2 * f]).norm() == pytest.approx(3 * f.norm())
    assert len(sum([f, 2 * f])) == 1  # the same centres
    with pytest.raises(TypeError):
        1 + f
    for other in (np.array([[0.0, 1.0]]), sparse.csr_array([[0.0, 1.0]])):
        with pytest.raises(ValueError, match="as many features, got 1 and 2"):
            f + Expansion(Gaussian(1.0), other, [1.0])
    with pytest.raises(ValueError, match="finite"):
        np.inf * f
