"""Feature maps: inner products are the kernel's, exactly or within the stated error."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo.features import (
    Conic,
    GaussianTaylor,
    Monomials,
    Nystroem,
    RandomFeatures,
    explicit_map,
)
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed

MAPS = [
    Monomials(),
    Monomials(3, ordered=True, offset=0.5, scale=2.0),
    Conic(),
    GaussianTaylor(),
    Nystroem(),
    RandomFeatures(),
]


@pytest.mark.filterwarnings("ignore:Skipping check")
@parametrize_with_checks(MAPS)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def points(d, reach=3.0):
    shape = st.tuples(st.integers(1, 5), st.just(d))
    return arrays(np.float64, shape, elements=st.floats(-reach, reach, width=32))


def same(F, K):
    F = F.toarray() if sparse.issparse(F) else F
    np.testing.assert_allclose(F @ F.T, K, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(K))))


@settings(max_examples=30)
@given(
    data=st.data(),
    d=st.integers(1, 4),
    degree=st.integers(1, 4),
    scale=st.sampled_from([1.0, 0.3]),
    offset=st.sampled_from([1.0, 0.0, 2.5]),
)
def test_both_maps_of_the_polynomial_give_its_kernel(data, d, degree, scale, offset):
    X = data.draw(points(d))
    kernel = Polynomial(degree, scale=scale, offset=offset)
    for ordered in (False, True):
        phi = Monomials(degree, scale=scale, offset=offset, ordered=ordered).fit(X)
        assert phi.kernel_ == kernel
        same(phi.transform(X), kernel(X))
        thin = phi.transform(sparse.csr_array(X))
        assert sparse.issparse(thin)
        np.testing.assert_allclose(thin.toarray(), phi.transform(X))
        assert len(set(phi.get_feature_names_out())) == phi.n_output_features_
        if offset:
            count = math.comb(degree + d, degree)
            if ordered:
                count = degree + 1 if d == 1 else (d ** (degree + 1) - 1) // (d - 1)
            assert thin.shape[1] == phi.n_output_features_ == count


def test_the_monomials_are_those_of_scikit_learn_weighted():
    X = np.random.default_rng(0).standard_normal((5, 3))
    ours, theirs = Monomials(3).fit(X), PolynomialFeatures(3).fit(X)
    names = ours.get_feature_names_out().tolist()
    assert names == theirs.get_feature_names_out().tolist()
    ratio = ours.transform(X) / theirs.transform(X)
    np.testing.assert_allclose(ratio, ratio[:1].repeat(5, axis=0))
    weight = dict(zip(names, ratio[0] ** 2, strict=True))
    assert weight["x0 x1 x2"] == pytest.approx(6)
    assert weight["x0^2"] == pytest.approx(3)
    ordered = Monomials(2, ordered=True).fit(X).get_feature_names_out()
    assert {"1", "x0 x1", "x1 x0", "x0 x0"} <= set(ordered)


@given(points(2))
def test_the_conic_map_is_as_in_the_textbook(X):
    F = Conic().fit_transform(X)
    root = math.sqrt(2)
    for row, (a, b) in zip(F, X, strict=True):
        np.testing.assert_allclose(row, [1, a * a, b * b, root * a, root * b, root * a * b])
    same(F, Polynomial(2)(X))
    np.testing.assert_allclose(Conic().fit_transform(sparse.csr_array(X)).toarray(), F)


def test_the_conic_map_in_more_dimensions_and_its_names():
    X = np.random.default_rng(1).standard_normal((4, 5))
    same(Conic().fit_transform(X), Polynomial(2)(X))
    frame = pd.DataFrame(X[:, :2], columns=["age", "dose"])
    names = Conic().fit(frame).get_feature_names_out().tolist()
    assert names == ["1", "age^2", "dose^2", "age", "dose", "age dose"]
    out = Monomials(2).set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["1", "age", "dose", "age^2", "age dose", "dose^2"]
    assert GaussianTaylor(1.0, 1).fit(frame).get_feature_names_out().tolist() == [
        "1",
        "age",
        "dose",
    ]


@settings(max_examples=40)
@given(X=points(2), variance=st.sampled_from([0.5, 2.0, 20.0]), degree=st.integers(1, 8))
def test_the_taylor_map_is_within_its_bound(X, variance, degree):
    phi = GaussianTaylor(variance, degree).fit(X)
    F = phi.transform(X)
    assert np.abs(F @ F.T - Gaussian(variance)(X)).max() <= phi.error_bound(X) + 1e-12
    assert phi.error_bound(X, X[:1]) <= phi.error_bound(X) + 1e-12
    assert F.shape[1] == math.comb(degree + 2, degree)
    np.testing.assert_allclose(phi.transform(sparse.csr_array(X)).toarray(), F, atol=1e-15)


def test_the_taylor_bound_is_reached_and_falls_with_the_degree():
    X = np.array([[2.0]])  # x·z = ‖x‖‖z‖: all the inequalities are equalities
    bounds = []
    for degree in range(1, 9):
        phi = GaussianTaylor(2.0, degree).fit(X)
        bounds.append(phi.error_bound(X))
        assert 1.0 - np.sum(phi.transform(X) ** 2) == pytest.approx(bounds[-1])
    assert bounds == sorted(bounds, reverse=True)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 30))
def test_nystroem_is_within_its_residuals(seed, size):
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((20, 2)), rng.standard_normal((5, 2))
    for kernel in (Gaussian(2.0), Polynomial(3), Linear() + Gaussian(1.0), Function(np.dot)):
        phi = Nystroem(kernel, size, random_state=seed).fit(X)
        F, G = phi.transform(X), phi.transform(Z)
        room = 1e-8 * np.max(kernel.diagonal(np.vstack([X, Z])))
        error = np.abs(F @ G.T - kernel(X, Z))
        assert np.all(error <= np.sqrt(np.outer(phi.residuals(X), phi.residuals(Z))) + room)
        assert np.abs(F @ F.T - kernel(X)).max() <= phi.residual_ + room
        assert np.all(phi.residuals(X)[phi.indices_] <= room)  # nothing of a centre is left out
        assert len(phi.get_feature_names_out()) == F.shape[1] <= size


def test_nystroem_of_objects_and_of_all_examples():
    def shared(a, b):
        return len(set(a) & set(b))

    words = ["tea", "coffee", "meat", "team"]
    phi = Nystroem(Function(shared), 10, random_state=0).fit(words)
    F = phi.transform(words)
    np.testing.assert_allclose(F @ F.T, Function(shared)(words), atol=1e-9)
    assert phi.residual_ < 1e-9
    X = sparse.random_array((30, 8), density=0.3, rng=np.random.default_rng(2), format="csr")
    F = Nystroem(Gaussian(1.0), 30).fit_transform(X)
    np.testing.assert_allclose(F @ F.T, Gaussian(1.0)(X), atol=1e-9)


def test_random_features_are_within_hoeffdings_bound_as_often_as_it_says():
    X = np.random.default_rng(3).standard_normal((15, 4))
    K, outside = Gaussian(4.0)(X), 0
    for seed in range(200):
        phi = RandomFeatures(4.0, 60, random_state=seed).fit(X)
        F = phi.transform(X)
        assert F.shape == (15, 120)
        np.testing.assert_allclose(np.sum(F * F, axis=1), 1.0)
        outside += np.abs(F @ F.T - K).max() > phi.error_bound(15, delta=0.2)
    assert outside <= 40
    np.testing.assert_allclose(phi.transform(sparse.csr_array(X)), F)


@pytest.mark.parametrize(
    "kernel",
    [
        Linear(),
        Polynomial(3, scale=0.5, offset=2.0),
        Linear() + Polynomial(2),
        3 * Polynomial(2),
        Polynomial(2).normalised(),
        (2 * (Linear() + Polynomial(2))).normalised(),
    ],
    ids=repr,
)
def test_the_explicit_map_of_a_kernel(kernel):
    X = np.random.default_rng(4).standard_normal((6, 3))
    same(explicit_map(kernel).fit_transform(X), kernel(X))
    same(explicit_map(kernel).fit_transform(sparse.csr_array(X)), kernel(X))


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda X: explicit_map(Gaussian(1.0)), "infinitely many coordinates"),
        (lambda X: explicit_map(Precomputed()), "no explicit feature map"),
        (lambda X: Monomials(0).fit(X), "degree must be an integer from 1 to 10,000"),
        (lambda X: Monomials(2, scale=-1).fit(X), "scale must be"),
        (lambda X: Monomials(2, offset=-1).fit(X), "offset must be"),
        (lambda X: Monomials(9).fit(np.zeros((1, 90))), "1,731,030,945,644 coordinates"),
        (lambda X: Monomials(40, ordered=True).fit(X), "18,236,498,188,585,393,201 coordinates"),
        (lambda X: GaussianTaylor(0.0).fit(X), "variance must be"),
        (lambda X: Nystroem("rbf").fit(X), "kernel must be a certo.kernels.Kernel"),
        (lambda X: Nystroem(Precomputed()).fit(X), "no Precomputed kernel"),
        (lambda X: Nystroem(n_components=0).fit(X), "n_components must be"),
        (lambda X: RandomFeatures(n_components=0).fit(X), "n_components must be"),
        (lambda X: RandomFeatures().fit(X).error_bound(5, delta=1.0), "delta must be"),
        (lambda X: RandomFeatures().fit(X).error_bound(0), "m must be"),
    ],
)
def test_what_cannot_be_is_refused(act, says):
    X = np.random.default_rng(5).standard_normal((9, 3))
    with pytest.raises(ValueError, match=says):
        act(X)


def test_memory_is_asked_for_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("certo.features._base._memory", lambda: 2**20)
    X = np.zeros((2000, 20))
    for phi in (Monomials(2), Conic(), RandomFeatures(n_components=200)):
        with pytest.raises(ValueError, match=r"2,000 × .* GiB, but this machine has"):
            phi.fit(X).transform(X)


def test_in_a_pipeline_and_a_grid():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((80, 2))
    y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.3).astype(int)
    model = make_pipeline(Conic(), LinearSVC(C=10.0))
    assert model.fit(X, y).score(X, y) > 0.95
    grid = GridSearchCV(
        make_pipeline(Nystroem(n_components=40, random_state=0), LinearSVC()),
        {"nystroem__kernel": [Gaussian(0.1), Gaussian(1.0), Polynomial(2)]},
        cv=3,
    ).fit(X, y)
    assert grid.best_score_ > 0.9


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_far_from_the_origin_the_image_is_zero(make):
    X = np.array([[1e80], [1e200], [40.0], [1.0]])
    F = GaussianTaylor(1.0, 4).fit_transform(make(X))
    F = F.toarray() if sparse.issparse(F) else F
    np.testing.assert_array_equal(F[:3], 0.0)
    np.testing.assert_allclose(F[3] @ F[3], 1.0, atol=0.004)


@pytest.mark.slow
def test_degrees_beyond_float64_are_refused():
    X = np.array([[0.5]])
    F = GaussianTaylor(1.0, 170).fit_transform(np.vstack([X, [[38.0]]]))
    np.testing.assert_allclose(F[0] @ F[0], 1.0)
    assert np.isfinite(F).all()
    with pytest.raises(ValueError, match="degree must be at most 170"):
        GaussianTaylor(1.0, 171).fit(X)
    F = Monomials(900).fit_transform(0.01 * X)
    np.testing.assert_allclose(F @ F.T, Polynomial(900)(0.01 * X))
    for beyond in (Monomials(2000), Monomials(400, scale=1e3), Monomials(400, offset=1e3)):
        with pytest.raises(ValueError, match="beyond the range of float64"):
            beyond.fit(X)
