"""What holds of every feature map: scikit-learn's conventions, refusals, memory asked for first."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo.features import Conic, GaussianTaylor, Monomials, Nystroem, RandomFeatures, explicit_map
from certo.kernels import Gaussian, Polynomial, Precomputed

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
