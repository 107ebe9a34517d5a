"""`certo.OnlineGradientDescent` as scikit-learn's users will use it."""

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
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo.estimators.online_gradient_descent as module
from certo import SVM, OnlineGradientDescent
from certo.certificates import Regret, SoftMarginGap
from certo.losses import Hinge, Logistic, NegativeLogLikelihood, Squared, ZeroOne

SETTINGS = [
    {},
    {"loss": Hinge(), "lam": 0.0, "radius": 2.0, "average": False},
    {"loss": Logistic(base=2), "lam": 0.0, "radius": 5.0},
    {"loss": Squared(), "lam": 0.1, "radius": 2.0, "intercept": "none"},
]


@parametrize_with_checks([OnlineGradientDescent(**options) for options in SETTINGS])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def noisy(seed=0, m=150, d=4):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    return X, np.where(X[:, 0] + 0.5 * random.standard_normal(m) > 0.3, "yes", "no")


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize(
    "store",
    [
        np.asarray,
        np.float32,
        np.asfortranarray,
        sparse.csr_matrix,
        lambda X: sparse.csr_array(X.astype(np.float32)),
        pd.DataFrame,
    ],
)
def test_every_storage_gives_a_certificate_that_verifies(options, store):
    X, y = noisy(1)
    model = OnlineGradientDescent(**options).fit(store(X), y)
    (claim,) = model.certificate_
    assert claim.verify(store(X), y), claim.verify(store(X), y)
    assert claim.suffered == model.suffered_[0]
    assert claim.bound == model.regret_bound_[0]
    assert claim.regret <= claim.bound
    assert model.coef_.dtype == np.float64
    assert model.n_iter_ == 150
    assert model.score(store(X), y) > 0.7


@pytest.mark.parametrize("scale", [1e-130, 1e-3, 1e3, 1e60])
def test_scales(scale):
    X, y = noisy(2)
    for options in SETTINGS:
        try:
            model = OnlineGradientDescent(**options).fit(scale * X, y)
        except ValueError as error:
            assert "overflowed" in str(error)  # noqa: PT017
            continue
        verdict = model.certificate_.verify(scale * X, y)
        assert verdict, verdict


class TestRegret:
    @pytest.mark.parametrize("intercept", ["lifted", "none"])
    def test_against_the_best_fixed_weights(self, intercept):
        X, y = noisy()
        model = OnlineGradientDescent(lam=0.1, intercept=intercept).fit(X, y)
        found = model.regret(X, y)
        (claim,) = found.of_kind(Regret)
        (gap,) = found.of_kind(SoftMarginGap)
        assert found.verify(X, y)
        best = SVM(lam=0.1, intercept=intercept, tol=1e-9).fit(X, y)
        assert claim.comparator_loss == pytest.approx(150 * best.objective_[0], rel=1e-5)
        assert gap.relative_gap <= 1e-6
        assert claim.comparator_loss <= model.certificate_[0].comparator_loss
        assert 0 < claim.regret <= claim.bound

    @settings(max_examples=20)
    @given(st.integers(0, 9999), st.sampled_from(SETTINGS))
    def test_against_weights_of_the_users_choice(self, seed, options):
        X, y = noisy()
        u = np.random.default_rng(seed).standard_normal(4)
        model = OnlineGradientDescent(**options).fit(X, y)
        found = model.regret(X, y, u)
        if np.linalg.norm(u) > options.get("radius", np.inf):
            assert not found.claims
            assert "in the ball" in found.not_claimed[0].reason
        else:
            assert found.claims[0].regret <= found.claims[0].bound
            assert found.verify(X, y)

    def test_invalid_comparators_are_refused(self):
        X, y = noisy()
        model = OnlineGradientDescent(loss=Logistic(), intercept="none").fit(X, y)
        with pytest.raises(ValueError, match="pass coef"):
            model.regret(X, y)
        with pytest.raises(ValueError, match="of shape"):
            model.regret(X, y, [1.0, 2.0])
        with pytest.raises(ValueError, match="of shape"):
            model.regret(X, y, [[np.nan] * 4])
        with pytest.raises(ValueError, match="can have none"):
            model.regret(X, y, np.zeros(4), 1.0)


class TestStreams:
    @settings(max_examples=20)
    @given(st.integers(1, 149), st.sampled_from(SETTINGS))
    def test_calls_continue_each_other(self, cut, options):
        X, y = noisy()
        whole = OnlineGradientDescent(**options).fit(X, y)
        parts = OnlineGradientDescent(**options)
        parts.partial_fit(X[:cut], y[:cut], classes=["no", "yes"])
        assert parts.certificate_.verify(X[:cut], y[:cut])
        parts.partial_fit(X[cut:], y[cut:])
        assert np.array_equal(whole.coef_, parts.coef_)
        assert np.array_equal(whole.suffered_, parts.suffered_)
        assert np.array_equal(whole.regret_bound_, parts.regret_bound_)
        assert "earlier call" in parts.certificate_.not_claimed[0].reason

    def test_settings_must_stay(self):
        X, y = noisy()
        model = OnlineGradientDescent().partial_fit(X, y)
        with pytest.raises(ValueError, match="settings must stay"):
            model.set_params(lam=0.5).partial_fit(X, y)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    model = OnlineGradientDescent(loss=Logistic(), lam=0.01).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.suffered_.shape == model.rounds_.shape == (3,)
    assert model.certificate_.verify(X, y)
    assert not model.certificate_.verify(X[::-1], y[::-1])


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"loss": "hinge"}, TypeError, "loss must"),
        ({"loss": ZeroOne()}, TypeError, "loss must"),
        ({"loss": NegativeLogLikelihood()}, TypeError, "loss must"),
        ({"lam": -1}, ValueError, "lam must"),
        ({"lam": "1"}, ValueError, "lam must"),
        ({"lam": 0}, ValueError, "a radius is needed"),
        ({"loss": Squared()}, ValueError, "no limit"),
        ({"radius": 0}, ValueError, "radius must"),
        ({"radius": "2"}, ValueError, "radius must"),
        ({"average": "yes"}, ValueError, "average must"),
        ({"intercept": "free"}, ValueError, "intercept must"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, error, words):
    X, y = noisy()
    with pytest.raises(error, match=words):
        OnlineGradientDescent(**settings).fit(X, y)


def test_pickle_and_clone_keep_the_state():
    X, y = noisy()
    model = OnlineGradientDescent(loss=Logistic(base=2), radius=3).fit(X, y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.certificate_ == model.certificate_
        assert np.array_equal(again.trace_.bound, model.trace_.bound)
        copied = again.partial_fit(X, y).coef_
        assert np.array_equal(copied, copy.deepcopy(model).partial_fit(X, y).coef_)
    assert clone(model).loss == Logistic(base=2)


def test_callbacks_are_told_and_the_progress_bar_works(capsys):
    X, y = noisy()
    model = OnlineGradientDescent()
    model.set_callbacks(ProgressBar())
    model.fit(X, y)
    assert model.n_iter_ == 150


def test_ctrl_c_returns_what_there_is(monkeypatch):
    X, y = noisy()
    play = module.online_gradient

    def interrupting(*args, after_block, **options):
        def told():
            signal.raise_signal(signal.SIGINT)
            return after_block()

        return play(*args, after_block=told, **options)

    monkeypatch.setattr(module, "online_gradient", interrupting)
    with pytest.warns(ConvergenceWarning, match="Stopped by hand after 1 round:"):
        model = OnlineGradientDescent().fit(X, y)
    assert model.rounds_.tolist() == [1]
    assert not model.certificate_.claims
