"""The Gaussian kernel's variance: a number, or what the examples of a fit make it."""

import json
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from certo import SVM, KernelPerceptron, certify
from certo.certificates import Certificate
from certo.kernels import Frobenius, Gaussian, Kernel, Linear, Polynomial


@pytest.mark.parametrize("make", [np.asarray, np.float32, sparse.csr_array])
def test_scale_is_scikit_learns(make):
    random = np.random.default_rng(0)
    X = make(random.normal(3, 2, size=(30, 4)) * random.integers(0, 2, (30, 4)))
    gamma = SVC(gamma="scale").fit(X, np.arange(30) % 2)._gamma
    kernel = Gaussian().fitted_to(X)
    assert kernel.variance == pytest.approx(1 / (2 * gamma), rel=1e-5)
    np.testing.assert_array_equal(Gaussian()(X), kernel(X))


def test_scale_of_equal_entries_is_scikit_learns_gamma_of_one():
    X = [[2.0, 2.0], [2.0, 2.0]]
    assert SVC(gamma="scale").fit(X, [0, 1])._gamma == 1.0
    assert Gaussian().fitted_to(X) == Gaussian(0.5)


def test_scale_is_the_default_and_a_number_stays():
    assert Gaussian() == Gaussian("scale") == Gaussian(variance="scale") != Gaussian(1.0)
    assert repr(Gaussian()) == "Gaussian(variance='scale')"
    assert Kernel.from_dict(Gaussian().to_dict()) == pickle.loads(pickle.dumps(Gaussian()))
    assert Gaussian(2.0).fitted_to([[0.0], [9.0]]) == Gaussian(variance=2)
    with pytest.raises(ValueError, match="must be a number or \"scale\", got 'auto'"):
        Gaussian("auto")


def test_scale_inside_other_kernels_is_fitted_too():
    X, fixed = [[0.0, 1.0], [2.0, 3.0]], Gaussian(1.25)
    kernel = 2 * Gaussian() * Polynomial(2) + Linear()
    assert kernel.fitted_to(X) == 2 * fixed * Polynomial(2) + Linear()
    assert kernel.agrees(kernel.fitted_to(X))
    assert not kernel.agrees(3 * fixed * Polynomial(2) + Linear())
    assert not kernel.fitted_to(X).agrees(kernel)
    assert Gaussian().normalised().fitted_to(X) == fixed.normalised()
    assert Frobenius(Gaussian()).fitted_to([X]) == Frobenius(Gaussian(2.5))
    np.testing.assert_array_equal(kernel(X), kernel.fitted_to(X)(X))


def test_two_sets_of_points_need_a_number():
    with pytest.raises(ValueError, match=r"kernel\.fitted_to\(X\), or pass a number"):
        Gaussian()([[0.0]], [[1.0]])


@pytest.mark.parametrize(
    ("kind", "given", "advice"),
    [
        (Gaussian, {"gamma": 0.5}, r"Gaussian has no gamma: pass variance = 1/\(2·gamma\)\."),
        (Gaussian, {"length_scale": 2.0}, "pass variance = length_scale²"),
        (Polynomial, {"degree": 2, "gamma": 0.5}, "Polynomial has no gamma: pass scale = gamma"),
        (Polynomial, {"degree": 2, "coef0": 0.5}, "has no coef0: pass offset = coef0"),
        (Linear, {"gamma": 0.5}, "gamma"),
    ],
)
def test_scikit_learns_keywords_are_answered_with_ours(kind, given, advice):
    with pytest.raises(TypeError, match=advice):
        kind(**given)


def test_the_default_is_as_accurate_as_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours, theirs = (
        cross_val_score(make_pipeline(StandardScaler(), machine), X, y, cv=folds).mean()
        for machine in (SVM(Gaussian()), SVC())
    )
    assert abs(ours - theirs) <= 0.01


def test_the_scale_of_each_fit_in_pipelines_and_grids():
    random = np.random.default_rng(1)
    X = 50 * random.normal(size=(60, 2))
    y = np.linalg.norm(X, axis=1) > 50
    grid = GridSearchCV(SVM(Gaussian()), {"kernel__variance": ["scale", 1e-3]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"kernel__variance": "scale"}
    assert grid.best_estimator_.kernel == Gaussian()
    assert grid.best_estimator_.kernel_ == Gaussian().fitted_to(X)
    assert grid.best_estimator_.certificate_.verify(X, y)


@pytest.mark.parametrize("machine", [SVM(Gaussian()), KernelPerceptron(Gaussian())])
def test_a_claim_about_an_open_variance_is_rejected(machine):
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 2))
    y = np.linalg.norm(X, axis=1) > 1.2
    machine = clone(machine)
    machine.set_params(kernel=Gaussian(1.0)).fit(X, y)
    page = certify(machine, X, y)
    changed = 0
    for claim in page.claims:
        text = json.dumps(claim.to_dict())
        forged = text.replace(json.dumps(Gaussian(1.0).to_dict()), json.dumps(Gaussian().to_dict()))
        if forged != text:
            changed += 1
            assert not Certificate.from_dict(json.loads(forged)).verify(X, y)
    assert changed >= 2


@pytest.mark.parametrize("machine", [SVM(Gaussian()), KernelPerceptron(Gaussian())])
def test_bounds_that_need_a_kernel_chosen_beforehand_are_not_claimed(machine):
    random = np.random.default_rng(2)
    X = random.normal(size=(80, 2))
    y = np.linalg.norm(X, axis=1) > 1.2
    page = certify(machine.fit(X, y), X, y)
    assert page.verify(X, y)
    assert "the kernel was completed from the examples of the fit" in repr(page)
    fixed = certify(machine.set_params(kernel=machine.kernel_).fit(X, y), X, y)
    assert "completed from the examples" not in repr(fixed)


@pytest.mark.slow
def test_distances_of_sparse_points_by_differences_are_those_of_dense_ones():
    """One long point lets distances by inner products lose digits, so each difference is taken;
    float32 points, entries that are equal, rows without entries and unsorted indices, too."""
    rng = np.random.default_rng(0)
    X = sparse.random(60, 4000, 0.005, format="csr", random_state=rng)
    X.data = np.round(8 * X.data)
    scale = np.ones(60)
    scale[5], scale[6] = 0, 1e5
    X = sparse.csr_matrix(sparse.diags(scale) @ X[[0, 1, 2, 4, *range(4, 60)]])
    X.eliminate_zeros()
    kernel = Gaussian(20.0)
    shuffled = X[:, rng.permutation(4000)]  # Its indices are not sorted.
    for points in (X, X.astype(np.float32), shuffled):
        dense = points.toarray().astype(np.float64)
        square = ((dense[:, None] - dense) ** 2).sum(axis=2)  # Whole numbers: exact.
        found = kernel.plain(points, points)
        relative = kernel.rounding(points, points)[0]
        assert np.all(np.abs(found - np.exp(-square / 40)) <= relative)
        assert found[3, 4] == 1.0
        np.testing.assert_array_equal(kernel._of_differences(points, points)[6, 6], 1.0)
