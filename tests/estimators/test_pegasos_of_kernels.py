"""`certo.Pegasos` with a kernel, as scikit-learn's users will use it."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo import SVM, Pegasos
from certo.certificates import ExpectedExcess, SoftMarginGap
from certo.kernels import Function, Gaussian, Linear, NotPositive, Polynomial, Precomputed

WORDS = ["tea", "tee", "team", "meat", "coffee", "cafe", "face", "fence"]
DRINKS = ["t", "t", "t", "t", "c", "c", "c", "c"]


def letters(a, b):
    return float(len(set(a) & set(b)))


def expected(estimator):
    if isinstance(estimator.kernel, Precomputed):
        reason = "the matrix of this check is not a Gram matrix: it has negative directions"
        return dict.fromkeys(
            ["check_estimators_dtypes", "check_positive_only_tag_during_fit"], reason
        )
    return {}


@parametrize_with_checks(
    [
        Pegasos(max_iter=400, kernel=Gaussian(1.0)),
        Pegasos(max_iter=400, kernel=Polynomial(2), intercept="none", average=False),
        Pegasos(max_iter=400, kernel=Precomputed()),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def ring(m=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, 2))
    far = (X**2).sum(axis=1) - 1.2 + 0.3 * rng.standard_normal(m)
    return X, np.where(far > 0, "out", "in")


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    intercept=st.sampled_from(["none", "lifted"]),
    average=st.booleans(),
    steps=st.integers(1, 600),
)
def test_with_the_linear_kernel_it_is_pegasos(seed, intercept, average, steps):
    X, y = ring(60, seed)
    options = {"intercept": intercept, "average": average, "random_state": seed}
    ours = Pegasos(lam=0.1, max_iter=steps, kernel=Linear(), **options).fit(X, y)
    theirs = Pegasos(lam=0.1, max_iter=steps, **options).fit(X, y)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-9)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-9)
    assert bool(ours.certificate_.claims) == bool(theirs.certificate_.claims) == average
    if average:
        mine, other = ours.certificate_[0], theirs.certificate_[0]
        assert mine.bound == pytest.approx(other.bound, rel=1e-9)
        assert mine.verify(X, y)
    for part in (slice(0, 20), slice(20, 60)):  # and goes on like it
        ours.partial_fit(X[part], y[part])
        theirs.partial_fit(X[part], y[part])
        assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-9)
        assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-9)
        assert ours.steps_.tolist() == theirs.steps_.tolist()
    assert not ours.certificate_.claims


def test_it_comes_near_the_certified_optimum():
    X, y = ring()
    model = Pegasos(lam=0.02, max_iter=20_000, kernel=Gaussian(0.7), random_state=0).fit(X, y)
    found = model.excess(X, y)
    assert found.excess[-1] < 5e-3
    assert np.all(found.excess >= 0)
    assert np.all(found.excess <= found.bound)
    assert model.objective_[0] == pytest.approx(found.objective[-1], rel=1e-9)
    assert found.certificate.verify(X, y)
    assert {claim.name for claim in found.certificate} == {"ExpectedExcess", "SoftMarginGap"}
    best = SVM(kernel=Gaussian(0.7), lam=0.02, intercept="lifted", tol=1e-6).fit(X, y)
    gap = best.certificate_.of_kind(SoftMarginGap)[0]
    # ‖w̄ − w*‖² ≤ 2·excess/λ, and scores differ by no more than that times √(K(x, x) + 1)
    apart = np.abs(model.decision_function(X) - best.decision_function(X)).max()
    reach = np.sqrt(2 * found.excess[-1] / 0.02) + np.sqrt(2 * gap.gap)
    assert apart <= np.sqrt(2) * reach
    with pytest.raises(ValueError, match="very examples"):
        model.partial_fit(X[:5], y[:5]).excess(X, y)


def test_what_a_fit_leaves():
    X, y = ring()
    model = Pegasos(lam=0.05, max_iter=3000, kernel=Gaussian(0.7), random_state=0).fit(X, y)
    assert not hasattr(model, "coef_")
    assert model.kernel_ == Gaussian(0.7)
    (claim,) = model.certificate_
    assert isinstance(claim, ExpectedExcess)
    assert np.array_equal(claim.rows, model.support_)
    assert np.array_equal(claim.dual_coef, model.dual_coef_[0])
    assert model.certificate_.verify(X, y)
    assert not model.certificate_.verify(X, np.where(y == "in", "out", "in"))
    (f,) = model.expansions_
    assert f(X) + model.intercept_[0] == pytest.approx(model.decision_function(X), abs=1e-9)
    assert f.norm() ** 2 + model.intercept_[0] ** 2 <= (2 / 0.05**2) * (1 + 1e-9)
    assert model.score(X, y) > 0.85
    # the same object without a kernel forgets the function, and the other way round
    plain = copy.deepcopy(model).set_params(kernel=None).fit(X, y)
    assert plain.coef_.shape == (1, 2)
    assert not hasattr(plain, "support_vectors_")
    again = plain.set_params(kernel=Gaussian(0.7)).fit(X, y)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_storage_changes_nothing_but_rounding():
    X, y = ring()
    X = X.astype(np.float32).astype(np.float64)
    base = Pegasos(lam=0.05, max_iter=2000, kernel=Polynomial(2), random_state=0).fit(X, y)
    for other in (sparse.csr_array(X), X.astype(np.float32), X.tolist()):
        model = Pegasos(lam=0.05, max_iter=2000, kernel=Polynomial(2), random_state=0).fit(other, y)
        assert model.decision_function(X) == pytest.approx(base.decision_function(X), abs=1e-9)
        assert model.certificate_.verify(other, y)
    K = Polynomial(2)(X)
    model = Pegasos(lam=0.05, max_iter=2000, kernel=Precomputed(), random_state=0).fit(K, y)
    assert model.decision_function(K) == pytest.approx(base.decision_function(X), abs=1e-9)
    assert model.certificate_.verify(K, y)
    assert model.excess(K, y).excess[-1] >= 0
    with pytest.raises(NotPositive):
        Pegasos(kernel=Precomputed()).fit(np.array([[1.0, 2.0], [2.0, 1.0]]), [0, 1])


def test_words_classes_and_grids():
    model = Pegasos(lam=0.1, max_iter=500, kernel=Function(letters), random_state=0).fit(
        WORDS, DRINKS
    )
    assert model.predict(["steam", "coffees"]).tolist() == ["t", "c"]
    assert model.partial_fit(["teas"], ["t"]).steps_.tolist() == [501]
    assert pickle.loads(pickle.dumps(model)).predict(WORDS).tolist() == DRINKS
    X, y = load_iris(return_X_y=True)
    several = Pegasos(lam=0.01, max_iter=3000, kernel=Gaussian(1.0), random_state=0).fit(X, y)
    assert several.score(X, y) > 0.9
    assert len(several.certificate_) == 3
    assert several.certificate_.verify(X, y)
    assert several.excess(X, y).excess.shape == several.trace_.step.shape
    grid = GridSearchCV(
        Pegasos(lam=0.05, max_iter=1000, random_state=0),
        {"kernel": [None, Linear(), Gaussian(0.7)]},
    )
    assert grid.fit(*ring()).best_params_["kernel"] == Gaussian(0.7)


def test_settings_are_checked():
    X, y = ring(20)
    for settings_, message in (
        ({"kernel": "rbf"}, "kernel must be"),
        ({"cache_mb": -1}, "cache_mb"),
        ({"kernel": Gaussian(1.0), "intercept": "free"}, "intercept"),
    ):
        with pytest.raises(ValueError, match=message):
            Pegasos(**settings_).fit(X, y)
    model = Pegasos(kernel=Gaussian(1.0)).partial_fit(X, y)
    with pytest.raises(ValueError, match="kernel must stay"):
        model.set_params(kernel=None).partial_fit(X, y)
    with pytest.raises(ValueError, match="lam must stay"):
        model.set_params(kernel=Gaussian(1.0), lam=0.5).partial_fit(X, y)
