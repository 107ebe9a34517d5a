"""What makes a kernel a kernel, for each of them, in each storage."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from certo import kernels
from certo.checks import check_kernel
from certo.kernels import (
    Frobenius,
    Function,
    Gaussian,
    Kernel,
    Linear,
    Normalised,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sum,
)
from certo.kernels.objects import StructuredKernel
from tests.kernels.points import points
from tests.oracles.real_numbers import value

NAMED = [
    Linear(),
    Polynomial(1),
    Polynomial(3),
    Polynomial(5, scale=0.5, offset=0.0),
    Gaussian(1.0),
    Gaussian(variance=0.01),
    Linear() + Gaussian(variance=3.0),
    Polynomial(2) * Gaussian(variance=5.0) * Linear(),
    0.25 * (Linear() + Polynomial(2)),
    (2 * Linear() + Gaussian(1.0)).normalised(),
    Linear().normalised() * Polynomial(2),
]
MATRICES = [Frobenius(), 2 * Frobenius(Gaussian(1.0)).normalised() + Frobenius()]
FUNCTIONS = [Function(np.dot), Function(np.dot) + Gaussian(1.0), 3 * Function(np.dot)]


def scale_of(K):
    return 1e-12 * max(1.0, float(np.max(np.abs(K))))


def test_no_kernel_escapes_the_laws():
    def kinds(kernel):
        below = getattr(kernel, "parts", None) or [getattr(kernel, "kernel", None)]
        return {type(kernel)}.union(*(kinds(part) for part in below if part is not None))

    seen = {Precomputed}.union(*(kinds(kernel) for kernel in [*NAMED, *FUNCTIONS, *MATRICES]))
    every = {getattr(kernels, name) for name in kernels.KERNELS}
    ours = {kind for kind in every if not issubclass(kind, StructuredKernel)}  # see structured_laws
    assert seen == ours


@pytest.mark.parametrize("kernel", [*NAMED, *FUNCTIONS, Gaussian()], ids=repr)
@settings(max_examples=25, deadline=None)
@given(X=points())
def test_it_is_a_kernel_of_vectors(kernel, X):
    check_kernel(kernel, X)


@pytest.mark.parametrize("kernel", MATRICES, ids=repr)
@settings(max_examples=25, deadline=None)
@given(X=points(d=6))
def test_it_is_a_kernel_of_matrices(kernel, X):
    check_kernel(kernel, X.reshape(-1, 3, 2).transpose(0, 2, 1))


@settings(max_examples=25, deadline=None)
@given(X=points())
def test_a_gram_matrix_is_a_kernel(X):
    check_kernel(Precomputed(), Linear()(X))


@pytest.mark.parametrize("kernel", NAMED, ids=repr)
@settings(max_examples=25, deadline=None)
@given(X=points(), Z=points())
def test_every_storage_gives_the_same_values(kernel, X, Z):
    K = kernel(X, Z)
    for left in (X, sparse.csr_array(X), sparse.csr_matrix(X), X.tolist(), np.asfortranarray(X)):
        for right in (Z, sparse.csc_array(Z)):
            np.testing.assert_allclose(kernel(left, right), K, atol=scale_of(K))
    np.testing.assert_allclose(kernel.diagonal(sparse.csr_array(X)), kernel.diagonal(X))
    single = kernel(X.astype(np.float32), Z.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, K, atol=1e8 * scale_of(K))
    assert kernel(X.astype(np.float32), Z).dtype == np.float64


@pytest.mark.parametrize("kernel", NAMED, ids=repr)
@settings(max_examples=40, deadline=None)
@given(
    X=points(most=3),
    Z=points(most=3),
    moved=st.sampled_from([0.0, 1.0, 1e4, 1e9]),
    grown=st.tuples(*[st.sampled_from([1e-170, 1e-30, 1e-3, 1.0, 1e3, 1e7, 1e75])] * 2),
    factor=st.sampled_from([1e-200, 1.0, 1e200]),
    within=st.sampled_from(
        [
            lambda kernel: kernel,
            lambda kernel: kernel.normalised(),
            lambda kernel: kernel + Linear(),
            lambda kernel: (kernel + kernel).normalised(),
            lambda kernel: (kernel * Gaussian(1.0)).normalised(),
        ]
    ),
)
@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
def test_the_error_bound_holds_against_sixty_digits(kernel, X, Z, moved, grown, factor, within):
    kernel = within(kernel if factor == 1.0 else factor * kernel)
    X, Z = grown[0] * X + moved, grown[1] * Z + moved
    for left, right in ((X, Z), (sparse.csr_array(X), sparse.csr_array(Z))):
        relative, absolute = kernel.rounding(left, right)
        if max(relative, absolute) == np.inf:
            continue
        relative, absolute = Decimal(relative), Decimal(absolute)
        K, own = kernel.plain(left, right), kernel.diagonal(left)
        for i, x in enumerate(X.tolist()):
            square = value(kernel, x, x)
            assert abs(Decimal(own[i]) - square) <= relative * square + absolute
            for j, z in enumerate(Z.tolist()):
                most = relative * (square * value(kernel, z, z)).sqrt() + absolute
                assert abs(Decimal(K[i, j]) - value(kernel, x, z)) <= most


def test_products_that_underflow_between_points_that_are_near():
    """The squares of a million differences are each off by a fifth, and their sum is too."""
    kernel, X = Gaussian(2.9e-309), np.zeros((2, 1_000_000))
    X[1] = 1.5e-162
    off = abs(Decimal(kernel.plain(X, X)[0, 1]) - value(kernel, [0.0], [1.5e-159]))
    assert off > Decimal("1e-11")
    assert off <= Decimal(kernel.rounding(X, X).relative)
    assert off <= Decimal(kernel.closeness(X, X))


@settings(max_examples=40, deadline=None)
@given(X=points(most=5), moved=st.sampled_from([0.0, 1e3, 1e5, 1e8]), data=st.data())
def test_the_bound_of_the_gaussian_holds_of_any_rows(X, moved, data):
    X = X + np.where(np.arange(len(X)) % 2, moved, 0.0)[:, None]  # near ones and far ones
    kernel = Gaussian(variance=0.5)
    error = Decimal(kernel.rounding(X, X).relative)
    assert error <= Decimal("1e-11")
    rows = data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1))
    part = kernel.plain(X[rows], X[rows[:1]])
    for k, i in enumerate(rows):
        true = value(kernel, X[i].tolist(), X[rows[0]].tolist())
        assert abs(Decimal(part[k, 0]) - true) <= error


def test_far_from_the_origin_distances_are_still_distances():
    X = np.random.default_rng(0).standard_normal((30, 4))
    K = Gaussian(variance=2.0)(X)
    for far, tolerance in ((1e4, 1e-10), (1e8, 1e-6)):
        for moved in (X + far, sparse.csr_array(X + far)):
            np.testing.assert_allclose(Gaussian(variance=2.0)(moved), K, atol=tolerance)
    single = (X + 1e3).astype(np.float32)
    np.testing.assert_allclose(Gaussian(2.0)(single), K, atol=1e-3)
    exact = Gaussian(2.0)(single.astype(np.float64))
    np.testing.assert_allclose(Gaussian(2.0)(single), exact, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (700, 1300), (257, 513), (0, 5), (5, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_compiled_gaussian_is_the_plain_one(shape, dtype):
    rng = np.random.default_rng(1)
    X, Z = (rng.standard_normal((n, 7)).astype(dtype) for n in shape)
    kernel = Gaussian(variance=7.0)
    K = kernel(X, Z)
    assert K.dtype == dtype
    tolerance = 1e-5 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(K, kernel.plain(X, Z), atol=tolerance)
    np.testing.assert_allclose(kernel(sparse.csr_array(X), Z), kernel.plain(X, Z), atol=tolerance)


def test_it_can_be_called_from_one_of_our_own_threads():
    from certo.compiled.threads import in_pieces

    X = np.random.default_rng(2).standard_normal((600, 30))
    blocks = in_pieces([(0, 300), (300, 600)], lambda _, i, k: Gaussian(9.0)(X[i:k], X))
    np.testing.assert_allclose(np.vstack(blocks), Gaussian(9.0)(X), atol=1e-15)


@pytest.mark.parametrize("kernel", [*NAMED, *MATRICES, Precomputed()], ids=repr)
def test_a_kernel_is_a_value(kernel):
    assert eval(repr(kernel)) == kernel
    back = Kernel.from_dict(json.loads(json.dumps(kernel.to_dict())))
    assert back == kernel
    assert hash(back) == hash(kernel)
    assert repr(back) == repr(kernel)
    assert clone(SVC(kernel=kernel)).kernel == kernel
    assert kernel != Gaussian(variance=77.0)
    assert len({kernel, back}) == 1
    with pytest.raises(AttributeError):
        kernel.variance = 3.0


@pytest.mark.parametrize(
    "kernel",
    [
        (2 * Gaussian(1.0)) * (3 * Linear()),
        Linear() * (2 * (Gaussian(1.0) * Gaussian(1.0))),
        2 * (Linear() + Gaussian(1.0)) * Polynomial(2),
        2 * (Linear() * Gaussian(1.0)) * Polynomial(2) + Linear(),
        (2 * Gaussian(1.0)).normalised() * (3 * Linear()),
        Product((Linear(), Product((Gaussian(1.0), Linear())))),
    ],
    ids=repr,
)
def test_a_kernel_is_written_as_it_is_made(kernel):
    assert eval(repr(kernel)) == kernel


def test_the_json_form_is_the_name_and_the_parameters():
    assert Gaussian(2).to_dict() == {"name": "Gaussian", "variance": 2.0}
    assert (Linear() + Polynomial(2)).to_dict() == {
        "name": "Sum",
        "parts": [
            {"name": "Linear"},
            {"name": "Polynomial", "degree": 2, "scale": 1.0, "offset": 1.0},
        ],
    }
    with pytest.raises(ValueError, match="has no JSON form"):
        Function(np.dot).to_dict()
    with pytest.raises(ValueError, match="has no JSON form"):
        (Linear() + Function(np.dot)).to_dict()


def nested(depth):
    data = {"name": "Linear"}
    for _ in range(depth):
        data = {"name": "Normalised", "kernel": data}
    return data


@pytest.mark.parametrize(
    "data",
    [
        None,
        "Gaussian",
        {},
        {"name": "os.system"},
        {"name": ["Gaussian"]},
        {"name": "Kernel"},
        {"name": "VectorKernel"},
        {"name": "Gaussian"},
        {"name": "Gaussian", "variance": 1.0, "more": 1},
        {"name": "Gaussian", "variance": "1.0"},
        {"name": "Gaussian", "variance": True},
        {"name": "Gaussian", "variance": float("nan")},
        {"name": "Gaussian", "variance": 10**400},
        {"name": "Gaussian", "variance": -1.0},
        {"name": "Polynomial", "degree": 2.5, "scale": 1.0, "offset": 1.0},
        {"name": "Polynomial", "degree": 10**9, "scale": 1.0, "offset": 1.0},
        {"name": "Function", "of": "os.system"},
        {"name": "Sum", "parts": "ab"},
        {"name": "Sum", "parts": [{"name": "Linear"}]},
        {"name": "Sum", "parts": [{"name": "Linear"}, {"name": "Precomputed"}]},
        {"name": "Sum", "parts": [{"name": "Linear"}, 3]},
        {"name": "Scaled", "kernel": {"name": "Linear"}, "factor": 0},
        {"name": "Scaled", "kernel": 1, "factor": 2.0},
        {"name": "Frobenius", "of": {"name": "Precomputed"}},
        {"name": "Normalised", "kernel": {"name": "Precomputed"}},
        {"name": "Product", "parts": [{"name": "Linear"}] * 1100},
        nested(40),
        nested(5000),
    ],
)
def test_invalid_kernel_descriptions_are_refused(data):
    with pytest.raises(ValueError, match=r"must|takes|cannot|deep"):
        Kernel.from_dict(data)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Gaussian(0), "variance must be a finite number above 0, got 0"),
        (lambda: Gaussian("auto"), "variance must be"),
        (lambda: Gaussian(1e-320), "variance must not be as small"),
        (lambda: Gaussian(np.inf), "variance must be"),
        (lambda: Polynomial(0), "degree must be an integer"),
        (lambda: Polynomial(2, offset=-1), "offset must be a finite number of at least 0"),
        (lambda: Polynomial(2, scale=0), "scale must be"),
        (lambda: -1 * Linear(), "the factor of a kernel must be"),
        (lambda: Function(3), "Function takes a function of two objects, got int"),
        (lambda: Precomputed() + Linear(), "a precomputed kernel and a kernel of points"),
        (lambda: Precomputed().normalised(), "normalise the matrix"),
        (lambda: Scaled("rbf", 2.0), "Scaled takes a kernel"),
        (lambda: Normalised(None), "Normalised takes a kernel"),
        (lambda: Sum((Linear(), 1)), "Sum takes kernels"),
    ],
)
def test_parameters_are_looked_at(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_distances_beyond_all_range_are_far():
    X = np.array([[0.0], [1e100]])
    for given_points in (X, sparse.csr_array(X)):
        np.testing.assert_array_equal(Gaussian(1e-250)(given_points), np.eye(2))


def test_an_overflow_has_no_bound():
    X = np.full((1, 1), 1e100)
    for kernel in (Polynomial(1), 1e99 * Linear(), 1e300 * Linear().normalised()):
        assert kernel.rounding(X, X).relative < 1e-14
    for kernel in (
        Polynomial(2),
        Polynomial(1) * Linear(),
        1e200 * Linear(),
        1e101 * Linear() + 1e101 * Linear(),
    ):
        assert kernel.rounding(X, X) == kernel.normalised().rounding(X, X) == (np.inf, np.inf)
    near = np.full((1, 1), 1e-100)  # values are of ordinary size, but those of the diagonal not
    for pair in ((X, near), (near, X)):
        assert (1e200 * Linear()).rounding(*pair).relative == np.inf
        assert (Linear() * Linear()).rounding(*pair).relative == np.inf


def test_scikit_learn_takes_our_kernels_and_has_the_same():
    rng = np.random.default_rng(5)
    X, Z = rng.standard_normal((40, 3)), rng.standard_normal((9, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    np.testing.assert_allclose(Gaussian(2.0)(X, Z), rbf_kernel(X, Z, gamma=0.25))
    expected = polynomial_kernel(X, Z, degree=3, gamma=0.5, coef0=2.0)
    np.testing.assert_allclose(Polynomial(3, scale=0.5, offset=2.0)(X, Z), expected)
    ours, theirs = SVC(kernel=Gaussian(2.0)).fit(X, y), SVC(gamma=0.25).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(Z), theirs.decision_function(Z), atol=1e-3)
    pairwise = pairwise_kernels(X, Z, metric=Gaussian(2.0))
    np.testing.assert_allclose(pairwise, Gaussian(2.0)(X, Z))
    both = Gaussian(2.0) + Linear()
    np.testing.assert_allclose(pairwise_kernels(X, Z, metric=both), both(X, Z))
    ridge = KernelRidge(kernel=Polynomial(2)).fit(X, y).predict(Z)
    same = KernelRidge(kernel="poly", degree=2, gamma=1.0).fit(X, y).predict(Z)
    np.testing.assert_allclose(ridge, same, atol=1e-6)
