"""`certo.Pegasos` as scikit-learn's users will use it."""

import copy
import pickle
import signal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo.estimators._spaces as module
from certo import SVM, Pegasos
from certo.certificates import ExpectedExcess, SoftMarginGap


@parametrize_with_checks(
    [Pegasos(max_iter=20_000), Pegasos(max_iter=20_000, intercept="none", average=False)]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def noisy(seed=0, m=150, d=4):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    return X, np.where(X[:, 0] + random.standard_normal(m) > 0.3, "yes", "no")


def awkward(kind: str):
    random = np.random.default_rng(len(kind))
    X, y = noisy(3, 60)
    if kind == "two rows":
        X, y = X[:2], np.array(["a", "b"])
    elif kind == "contradiction":
        X, y = np.repeat(X[:1], 10, axis=0), np.array(["a", "b"] * 5)
    elif kind == "zeros":
        X = 0.0 * X
    elif kind == "integers":
        X = random.integers(-3, 4, (60, 4))
    elif kind == "large":
        X = X * 1e130
    elif kind == "small":
        X = X * 1e-130
    elif kind == "mixed scales":
        X = X * 10.0 ** np.array([-60, -3, 4, 60])
    elif kind == "wide":
        X = random.standard_normal((10, 700))
        y = y[:10]
    elif kind == "three classes":
        y = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    return X, y


AWKWARD = [
    "two rows", "contradiction", "zeros", "integers", "large", "small", "mixed scales", "wide",
    "three classes",
]  # fmt: skip
STORAGES = [
    np.asarray,
    np.float32,
    np.asfortranarray,
    sparse.csr_matrix,
    sparse.csc_array,
    lambda X: sparse.csr_array(X.astype(np.float32)),
    pd.DataFrame,
]


@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("lam", [1e-6, 0.1, 100.0])
def test_what_a_fit_issues_verifies(kind, lam):
    X, y = awkward(kind)
    for store in (np.asarray, np.float32, sparse.csr_array):
        if kind in ("large", "small", "mixed scales") and store is np.float32:
            continue
        for intercept in ("lifted", "none"):
            model = Pegasos(lam=lam, max_iter=300, intercept=intercept, random_state=1).fit(
                store(X), y
            )
            assert len(model.certificate_) == len(model.coef_), model.certificate_
            verdict = model.certificate_.verify(store(X), y)
            assert verdict, verdict


@pytest.mark.parametrize("store", STORAGES)
def test_every_storage_gives_the_same_weights(store):
    X, y = noisy()
    model = Pegasos(max_iter=500, random_state=0).fit(store(X), y)
    plain = Pegasos(max_iter=500, random_state=0).fit(X.astype(np.float32), y)
    exact = Pegasos(max_iter=500, random_state=0).fit(X, y)
    close = any(
        np.allclose(model.coef_, other.coef_, rtol=1e-9, atol=1e-9) for other in (plain, exact)
    )
    assert close
    assert model.coef_.dtype == np.float64
    assert model.certificate_.verify(store(X), y)


def test_the_objective_is_that_of_the_notes_and_near_the_best():
    X, y = noisy(1)
    for intercept in ("lifted", "none"):
        model = Pegasos(lam=0.05, max_iter=200_000, intercept=intercept, random_state=0).fit(X, y)
        margins = np.where(y == "yes", 1, -1) * model.decision_function(X)
        length2 = np.sum(model.coef_**2) + np.sum(model.intercept_**2)
        F = np.mean(np.maximum(0, 1 - margins)) + 0.05 / 2 * length2
        assert model.objective_[0] == pytest.approx(F, rel=1e-9)
        assert model.objective_[0] >= F * (1 - 1e-15)
        best = SVM(lam=0.05, intercept=intercept, tol=1e-8).fit(X, y)
        assert 0 <= model.objective_[0] - best.objective_[0] < 1e-3
        assert model.certificate_[0].objective == model.objective_[0]
        assert "200,000 steps" in model.status_


class TestExcess:
    @pytest.mark.parametrize("intercept", ["lifted", "none"])
    def test_it_is_measured_against_a_certified_optimum(self, intercept):
        X, y = noisy(2)
        model = Pegasos(lam=0.1, max_iter=30_000, intercept=intercept, random_state=0).fit(X, y)
        found = model.excess(X, y)
        assert found.step.tolist() == model.trace_.step.tolist()
        assert found.step[-1] == 30_000
        best = SVM(lam=0.1, intercept=intercept, tol=1e-10).fit(X, y).objective_[0]
        assert np.all(found.least <= best)
        assert found.least[0] == pytest.approx(best, rel=1e-5)
        assert 0 < found.excess[-1] < 1e-2
        assert found.excess[-1] < found.bound[-1] == model.certificate_[0].bound
        assert np.all(np.diff(found.bound[1:]) < 0)
        assert len(found.certificate.of_kind(SoftMarginGap)) == 1
        assert found.certificate.verify(X, y)
        assert "30,000 steps" in repr(found)

    def test_of_several_classes_and_without_a_guarantee(self):
        X, y = load_iris(return_X_y=True)
        model = Pegasos(lam=0.1, max_iter=2000, average=False, random_state=0).fit(X, y)
        found = model.excess(X, y)
        assert found.output.tolist() == model.trace_.output.tolist()
        assert np.all(found.excess > 0)
        assert np.all(np.isinf(found.bound))
        assert "no guarantee" in repr(found)
        assert not found.certificate.of_kind(ExpectedExcess)

    def test_other_data_are_refused(self):
        X, y = noisy(2)
        model = Pegasos(max_iter=100, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match="very examples of the last fit"):
            model.excess(2 * X, y)

    def test_data_frames(self):
        X, y = noisy(2)
        frame = pd.DataFrame(X, columns=list("abcd"))
        model = Pegasos(max_iter=1000, random_state=0).fit(frame, y)
        assert model.excess(frame, y).certificate.verify(frame, y)


class TestStreams:
    @settings(max_examples=20)
    @given(st.integers(1, 149), st.booleans())
    def test_calls_continue_each_other(self, cut, average):
        X, y = noisy()
        whole = Pegasos(average=average).partial_fit(X, y)
        parts = Pegasos(average=average).partial_fit(X[:cut], y[:cut], classes=["no", "yes"])
        parts.partial_fit(X[cut:], y[cut:])
        assert np.array_equal(whole.coef_, parts.coef_)
        assert np.array_equal(whole.intercept_, parts.intercept_)
        assert whole.n_iter_ == parts.n_iter_ == 150

    def test_it_continues_a_fit(self):
        X, y = noisy()
        model = Pegasos(max_iter=1000, random_state=0).fit(X, y)
        model.partial_fit(X, y)
        assert model.n_iter_ == 1150
        assert not model.certificate_.claims
        assert "partial_fit" in model.certificate_.not_claimed[0].reason

    def test_lam_classes_and_intercept_must_stay(self):
        X, y = noisy()
        model = Pegasos().partial_fit(X, y)
        with pytest.raises(ValueError, match="lam must stay"):
            model.set_params(lam=0.5).partial_fit(X, y)
        model.set_params(lam=0.01)
        with pytest.raises(ValueError, match="classes must stay"):
            model.partial_fit(X, y, classes=["no", "maybe"])
        with pytest.raises(ValueError, match="intercept cannot become"):
            model.set_params(intercept="none").partial_fit(X, y)
        with pytest.raises(ValueError, match="none of the classes"):
            model.set_params(intercept="lifted").partial_fit(X, np.full(150, "maybe"))


def test_the_last_iterate_has_no_guarantee():
    X, y = noisy()
    model = Pegasos(max_iter=100, average=False, random_state=0).fit(X, y)
    assert not model.certificate_.claims
    assert "average of the iterates" in model.status_


def test_several_classes_have_draws_of_their_own():
    X, y = load_iris(return_X_y=True)
    model = Pegasos(max_iter=5000, random_state=0).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.score(X, y) > 0.7
    assert len(model.certificate_) == 3
    assert model.certificate_.verify(X, y)
    assert not model.certificate_.verify(X, np.roll(y, 30))
    first = Pegasos(max_iter=5000, random_state=0).fit(X, y == 0)
    assert np.array_equal(first.coef_[0], model.coef_[0])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"lam": 0}, "lam must"),
        ({"lam": "1"}, "lam must"),
        ({"lam": np.inf}, "lam must"),
        ({"lam": True}, "lam must"),
        ({"max_iter": 0}, "max_iter must"),
        ({"max_iter": 2.5}, "max_iter must"),
        ({"average": 1}, "average must"),
        ({"intercept": "free"}, "intercept must"),
        ({"intercept": None}, "intercept must"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    X, y = noisy()
    with pytest.raises(ValueError, match=words):
        Pegasos(**settings).fit(X, y)


def test_a_matrix_of_labels_is_refused():
    X, _ = noisy()
    with pytest.raises(ValueError, match="one label for each example"):
        Pegasos().fit(X, np.eye(3, dtype=int)[np.arange(150) % 3])


def test_it_is_stored_and_copied_whole():
    X, y = noisy()
    model = Pegasos(max_iter=1000, random_state=0).fit(X, y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.certificate_ == model.certificate_
        assert np.array_equal(again.trace_.weights, model.trace_.weights)
        copied = again.partial_fit(X, y).coef_
        assert np.array_equal(copied, copy.deepcopy(model).partial_fit(X, y).coef_)
    assert not hasattr(clone(model), "coef_")


def test_it_searches_a_grid():
    X, y = noisy()
    search = GridSearchCV(Pegasos(max_iter=500, random_state=0), {"lam": [0.01, 0.1, 1.0]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.6


def test_callbacks_are_told_and_the_progress_bar_works(capsys):
    X, y = noisy()
    model = Pegasos(max_iter=60_000, random_state=0)
    model.set_callbacks(ProgressBar())
    model.fit(X, y)
    assert model.n_iter_ == 60_000


def test_ctrl_c_returns_what_there_is(monkeypatch):
    X, y = noisy()

    def interrupting(*args, after_block, **options):
        def told():
            signal.raise_signal(signal.SIGINT)
            return after_block()

        return pegasos(*args, after_block=told, **options)

    pegasos = module.pegasos
    monkeypatch.setattr(module, "pegasos", interrupting)
    with pytest.warns(ConvergenceWarning, match="Stopped by hand after 1 step:"):
        model = Pegasos(random_state=0).fit(X, y)
    assert model.steps_.tolist() == [1]
    assert not model.certificate_.claims
