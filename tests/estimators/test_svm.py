"""`certo.SVM` as scikit-learn's users will use it; what must hold of it is in test_svm_laws."""

import copy
import pickle
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo import SVM
from certo.certificates import CannotClaim, NotClaimed, SoftMarginGap
from certo.certificates.encoding import to_plain
from certo.estimators import _limits, _soft_margin
from certo.estimators._spaces import Vectors
from certo.stop import Stop

MODES = ("free", "lifted", "none")


@parametrize_with_checks([SVM(), SVM(lam=0.01, intercept="lifted")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def overlapping(m=120, d=4, seed=0, classes=("no", "yes")):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    score = X @ random.standard_normal(d) + 0.3 + 0.8 * random.standard_normal(m)
    if len(classes) == 2:
        return X, np.where(score > 0, classes[1], classes[0])
    return X, np.array(classes)[np.argmax(X[:, :3] + random.standard_normal((m, 3)), axis=1)]


@pytest.mark.parametrize("mode", MODES)
class TestFitted:
    def test_what_a_fit_proves(self, mode):
        X, y = overlapping()
        model = SVM(intercept=mode).fit(X, y)
        (claim,) = model.certificate_
        assert type(claim) is SoftMarginGap
        assert model.certificate_.verify(X, y)
        assert not model.certificate_.verify(X, np.roll(y, 1))
        assert claim.relative_gap <= 1e-4
        assert model.converged_
        assert model.status_.startswith("Converged")
        signs, rows, dual_coef = np.where(y == "yes", 1, -1), model.support_, model.dual_coef_[0]
        assert np.all(dual_coef * signs[rows] >= 0)
        assert np.abs(dual_coef).max() <= 1
        np.testing.assert_allclose(dual_coef @ X[rows], model.coef_[0], atol=1e-2)
        if mode == "free":
            assert dual_coef.sum() == pytest.approx(0, abs=1e-12)
        scores = model.decision_function(X)
        slacks = model.slacks(X, y)
        np.testing.assert_allclose(slacks, np.maximum(0, 1 - signs * scores))
        extra = model.intercept_[0] ** 2 if mode == "lifted" else 0
        primal = 0.5 * (model.coef_[0] @ model.coef_[0] + extra) + slacks.sum()
        assert model.objective_[0] == pytest.approx(primal)
        assert claim.primal >= primal * (1 - 1e-12)
        assert model.n_support_.tolist() == [np.sum(signs[rows] < 0), np.sum(signs[rows] > 0)]
        assert model.n_samples_fit_ == len(y)
        assert model.C_ == 1
        assert model.trace_.gap[-1] <= 1e-4
        assert np.all(np.diff(model.trace_.seconds) >= 0)

    @pytest.mark.parametrize(
        "store",
        [np.float32, np.asfortranarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame, list],
    )
    def test_every_storage(self, mode, store):
        X, y = overlapping(seed=7)
        kept = store(X.astype(np.float32).astype(float))
        model = SVM(intercept=mode, tol=1e-8).fit(kept, y)
        plain = SVM(intercept=mode, tol=1e-8).fit(X.astype(np.float32), y)
        assert model.certificate_.verify(kept, y)
        assert model.coef_.dtype == np.float64
        np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-4)

    def test_classes_against_the_rest(self, mode):
        X, y = overlapping(classes=("a", "b", "c"))
        model = SVM(intercept=mode).fit(X, y)
        assert model.coef_.shape == (3, 4)
        assert model.slacks(X, y).shape == (len(y), 3)
        assert set(model.trace_.output.tolist()) == {0, 1, 2}
        assert len(model.certificate_) == 3
        assert model.certificate_.verify(X, y)
        assert set(model.predict(X).tolist()) == {"a", "b", "c"}

    def test_a_path_is_as_many_machines(self, mode):
        X, y = overlapping(classes=("a", "b", "c"))
        Cs = [0.01, 0.1, 1.0, 10.0, 0.5]
        path = SVM.path(X, y, Cs, intercept=mode, tol=1e-6)
        assert path.Cs.tolist() == Cs
        assert len(path) == 5
        assert path.coefs.shape == (5, 3, 4)
        assert path.intercepts.shape == path.objectives.shape == path.supports.shape == (5, 3)
        assert path.gaps.max() <= 1e-6
        for C, model in zip(Cs, path.models, strict=True):
            assert model.certificate_.verify(X, y)
            alone = SVM(C=C, intercept=mode, tol=1e-6).fit(X, y)
            np.testing.assert_allclose(model.objective_, alone.objective_, rtol=2e-6)
        assert path[2].C == 1.0


class TestIntercept:
    def test_the_smallest_of_the_best(self):
        """All multipliers at their bounds: every b in an interval is best."""
        X, y = np.array([[-1.0], [-0.1], [0.1], [1.0]]), [0, 0, 1, 1]
        model = SVM(C=0.01).fit(X, y)  # α = C for all, w = 0.022, and 1 − w·x − b ≥ 0 within ±0.978
        w = 0.01 * 2.2
        assert model.coef_[0, 0] == pytest.approx(w)
        assert model.intercept_[0] == pytest.approx(-1 + w)
        # none of the supports fixes it: they are the same four rows whatever b is
        assert model.support_.tolist() == [0, 1, 2, 3]

    def test_the_row_that_fixes_it_is_kept(self):
        """α = C at −1 and 1, so w = 0.2, and nothing at 2, whose margin stops b from falling."""
        X, y = np.array([[-1.0], [1.0], [2.0], [9.0]]), np.array([0, 1, 1, 1])
        model = SVM(C=0.1).fit(X, y)
        assert model.coef_[0, 0] == pytest.approx(0.2)
        assert model.intercept_[0] == pytest.approx(1 - 0.2 * 2)
        assert model.support_.tolist() == [0, 1, 2]
        assert model.dual_coef_[0].tolist() == [-0.1, 0.1, 0.0]
        assert model.certificate_.verify(X, y)
        for rows, b in (([0, 1, 2], 0.6), ([0, 1], -0.8)):
            assert SVM(C=0.1).fit(X[rows], y[rows]).intercept_[0] == pytest.approx(b)

    def test_svc_has_the_same_hyperplane(self):
        X, y = overlapping(200, seed=5)
        for C in (0.1, 1.0, 10.0):
            model = SVM(C=C, tol=1e-8).fit(X, y)
            other = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
            np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-4)
            np.testing.assert_allclose(model.intercept_, other.intercept_, atol=1e-4)


class TestWeights:
    def test_class_weight_is_a_sample_weight(self):
        for classes in (("no", "yes"), ("a", "b", "c")):
            X, y = overlapping(seed=2, classes=classes)
            by_class = dict(zip(classes, (3.0, 0.5, 1.0), strict=False))
            model = SVM(class_weight=by_class, tol=1e-8).fit(X, y)
            same = SVM(tol=1e-8).fit(X, y, np.array([by_class[label] for label in y]))
            np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-5)
            assert model.certificate_.verify(X, y)

    def test_balanced(self):
        X, y = overlapping(seed=2)
        y[: len(y) * 2 // 3] = "no"
        weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
        model = SVM(class_weight="balanced", tol=1e-8).fit(X, y, weights)
        shares = {label: weights.sum() / (2 * weights[y == label].sum()) for label in ("no", "yes")}
        same = SVM(class_weight=shares, tol=1e-8).fit(X, y, weights)
        np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-5)

    def test_weight_zero_is_absence(self):
        X, y = overlapping()
        weights = (np.arange(len(y)) % 3 > 0).astype(float)
        model = SVM(lam=0.1, tol=1e-8).fit(X, y, weights)
        alone = SVM(lam=0.1, tol=1e-8).fit(X[weights > 0], y[weights > 0])
        assert model.C_ == alone.C_
        np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-5)
        np.testing.assert_allclose(model.objective_, alone.objective_, rtol=1e-7)
        assert not set(model.support_) & set(np.flatnonzero(weights == 0))
        assert model.certificate_.verify(X, y)

    @pytest.mark.parametrize(
        ("weights", "what"),
        [
            (np.zeros(120), "at least one non-zero"),
            (-np.ones(120), "[Nn]egative"),
            (np.full(120, np.nan), "NaN"),
            (np.full(120, 1e308), "moderate size"),
            (np.ones(7), "shape"),
        ],
    )
    def test_weights_that_mean_nothing(self, weights, what):
        with pytest.raises(ValueError, match=what):
            SVM().fit(*overlapping(), weights)

    def test_a_class_without_weight(self):
        X, y = overlapping()
        with pytest.raises(ValueError, match="all of class 'yes'"):
            SVM().fit(X, y, (y == "no").astype(float))


class TestWarmStart:
    def test_it_begins_where_the_last_fit_ended(self):
        X, y = overlapping(400, 10)
        model = SVM(tol=1e-6, warm_start=True).fit(X, y)
        passes = model.n_iter_
        model.fit(X, y)
        assert model.n_iter_ <= passes
        assert model.trace_.gap[0] <= 1e-3, "the first look finds the last answer"
        model.set_params(C=2.0).fit(X, y)
        fresh = SVM(C=2.0, tol=1e-6).fit(X, y)
        np.testing.assert_allclose(model.objective_, fresh.objective_, rtol=1e-6)

    def test_other_examples_or_classes_begin_anew(self):
        X, y = overlapping()
        model = SVM(warm_start=True).fit(X, y)
        assert model.fit(X[:50], y[:50]).certificate_.verify(X[:50], y[:50])
        other = np.where(y == "yes", "c", "a")
        other[:40] = "b"
        assert model.fit(X, other).certificate_.verify(X, other)
        assert model.fit(X, y).certificate_.verify(X, y)


class TestStopping:
    """Whenever it stops there is a feasible pair, and a proof of what it is worth."""

    def ways(self, model, X, y):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.fit(X, y)
        assert model.certificate_.verify(X, y)
        gap = max(claim.relative_gap for claim in model.certificate_)
        assert model.converged_ == (gap <= model.tol) == (not said)
        assert not said or said[0].category is ConvergenceWarning
        assert not said or str(said[0].message) == model.status_
        return model.status_

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_a_time_limit(self, mode, classes, monkeypatch):
        X, y = overlapping(300, 6, classes=classes)
        clock = iter(range(10**9))
        monkeypatch.setattr(_limits.time, "monotonic", lambda: next(clock) / 100)
        limit = 0.005 if len(classes) == 2 else 0.025  # The first of three pairs is begun.
        status = self.ways(SVM(C=100.0, intercept=mode, tol=0, time_limit=limit), X, y)
        assert status.startswith(f"Stopped at the time limit of {limit:g} seconds")

    def test_ctrl_c(self):
        if threading.current_thread() is not threading.main_thread():
            pytest.skip("signals reach the main thread only")
        X, y = overlapping(300, 6, classes=("a", "b", "c"))
        model = SVM(C=100.0, tol=0).set_callbacks(At(2, lambda: signal.raise_signal(signal.SIGINT)))
        status = self.ways(model, X, y)
        assert status.startswith("Stopped by hand: ")

    def test_ctrl_c_ends_a_path(self, monkeypatch):
        X, y = overlapping(100)
        monkeypatch.setattr(_limits, "ctrl_c_asks", Pressed)
        with pytest.warns(ConvergenceWarning, match="by hand"):
            path = SVM.path(X, y, [1.0, 10.0, 100.0], tol=0)
        assert len(path) == 1

    def test_a_callback_may_ask(self):
        X, y = overlapping(300, 6, classes=("a", "b", "c"))
        status = self.ways(SVM(C=100.0, tol=0).set_callbacks(At(1, lambda: True)), X, y)
        assert status.startswith("Stopped by a callback")

    def test_max_iter(self):
        X, y = overlapping(1500, 5)
        status = self.ways(SVM(C=100.0, max_iter=1), X, y)
        assert status.startswith("Stopped at max_iter = 1")

    def test_a_tol_of_zero_is_out_of_reach_and_says_so(self):
        X, y = overlapping()
        status = self.ways(SVM(tol=0), X, y)
        assert "float64 allows no further progress" in status

    def test_progress_bar(self):
        SVM().set_callbacks(ProgressBar()).fit(*overlapping())

    def test_nothing_proved_says_so(self, monkeypatch):
        def refuse(*args, **settings):
            raise CannotClaim("numbers overflow float64.")

        monkeypatch.setattr(_soft_margin, "issue_soft_margin_gap", refuse)
        X, y = overlapping()
        with pytest.warns(ConvergenceWarning, match="nothing is proved"):
            model = SVM().fit(X, y)
        assert len(model.certificate_) == 0
        assert isinstance(model.certificate_.not_claimed[0], NotClaimed)
        assert model.leave_one_out(X, y).errors <= len(y)


class At:
    """A callback that does something at one look."""

    def __init__(self, look, act):
        self.left, self.act = look, act

    def setup(self, estimator, context): ...
    def teardown(self, estimator, context): ...
    def on_fit_task_begin(self, estimator, context): ...
    def on_fit_task_end(self, estimator, context):
        if context.parent is None:
            return None
        self.left -= 1
        return self.act() if self.left == 0 else None


class Pressed:
    def __enter__(self):
        return lambda: Stop.BY_HAND

    def __exit__(self, *what): ...


class TestLeaveOneOut:
    def test_words(self):
        X, y = overlapping(60)
        model = SVM().fit(X, y)
        bound, exact = model.leave_one_out(X, y), model.leave_one_out(X, y, exact=True)
        assert str(bound).startswith("Leave-one-out: at most ")
        assert "at most" not in str(exact)
        assert exact.rate == exact.errors / 60
        assert exact.errors >= np.count_nonzero(model.predict(X) != y) - 2

    @pytest.mark.slow
    def test_several_classes(self):
        X, y = overlapping(20, classes=("a", "b", "c"))
        for mode in MODES:
            model = SVM(intercept=mode).fit(X, y)
            wrong = 0
            for t in range(len(y)):
                rest = np.arange(len(y)) != t
                wrong += SVM(intercept=mode).fit(X[rest], y[rest]).predict(X[[t]])[0] != y[t]
            assert abs(model.leave_one_out(X, y, exact=True).errors - wrong) <= 1
            assert model.leave_one_out(X, y).errors >= wrong

    def test_the_only_one_of_its_class(self):
        X, y = overlapping(30)
        y[:] = "no"
        y[3] = "yes"
        for mode in MODES:
            model = SVM(C=1e-3, intercept=mode).fit(X, y)
            for exact in (False, True):
                found = model.leave_one_out(X, y, exact=exact)
                assert 3 not in found.in_doubt
                assert found.errors >= 1, "nothing else is known of its class"

    def test_it_can_be_interrupted(self, monkeypatch):
        import certo.estimators._leave_one_out as inner

        X, y = overlapping(60)
        model = SVM().fit(X, y)
        monkeypatch.setattr(inner, "ctrl_c_asks", Pressed)
        early = model.leave_one_out(X, y, exact=True)
        assert early == model.leave_one_out(X, y)
        assert early.kind == "upper bound"

    def test_a_fit_that_is_broken_off_decides_nothing(self, monkeypatch):
        import certo.estimators._leave_one_out as inner

        X, y = overlapping(60)
        model = SVM().fit(X, y)
        late = []

        def broken_off(*given):
            late.append(True)
            return soft_margin(*given)

        soft_margin = Vectors.soft_margin
        monkeypatch.setattr(Vectors, "soft_margin", broken_off)
        monkeypatch.setattr(inner.Watch, "stop", lambda self: Stop.TIME_LIMIT if late else None)
        early = model.leave_one_out(X, y, exact=True)
        assert len(late) == 1
        assert early == model.leave_one_out(X, y)

    def test_the_examples_of_the_fit_are_needed(self):
        X, y = overlapping(60)
        model = SVM().fit(X, y)
        with pytest.raises(ValueError, match="the 60 examples of the fit"):
            model.leave_one_out(X[:50], y[:50])
        with pytest.raises(NotFittedError):
            SVM().leave_one_out(X, y)


class TestConventions:
    @pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
    def test_copies_keep_everything(self, again):
        X, y = overlapping()
        model = SVM(warm_start=True).fit(X, y)
        twin = again(model)
        assert np.array_equal(twin.predict(X), model.predict(X))
        assert to_plain(twin.certificate_[0]) == to_plain(model.certificate_[0])
        assert np.array_equal(twin.trace_.primal, model.trace_.primal)
        assert twin.fit(X, y).certificate_.verify(X, y)

    def test_the_state_is_plain_values(self):
        import skops.io

        X, y = overlapping()
        model = SVM().fit(X, y)
        stored = skops.io.dumps(model)
        name = "certo.estimators.svm.SVM"
        assert skops.io.get_untrusted_types(data=stored) == [name]
        assert skops.io.loads(stored, trusted=[name]).certificate_.verify(X, y)

    def test_searches_pipelines_and_clones(self):
        X, y = overlapping()
        pipe = make_pipeline(StandardScaler(), SVM(intercept="lifted", random_state=0)).fit(X, y)
        assert np.array_equal(clone(pipe).fit(X, y)[1].coef_, pipe[1].coef_)
        search = GridSearchCV(SVM(), {"C": [0.1, 1.0], "intercept": MODES}, cv=2).fit(X, y)
        assert search.best_estimator_.converged_

    @pytest.mark.parametrize(
        ("settings", "what"),
        [
            ({"C": 0}, "C must"), ({"C": -1.0}, "C must"), ({"C": np.inf}, "C must"),
            ({"C": "1"}, "C must"), ({"C": None}, "C must"), ({"C": True}, "C must"),
            ({"lam": 0}, "lam"), ({"lam": np.nan}, "lam"), ({"lam": "small"}, "lam"),
            ({"intercept": "yes"}, "intercept"), ({"intercept": None}, "intercept"),
            ({"tol": -1}, "tol"), ({"tol": float("nan")}, "tol"), ({"tol": "small"}, "tol"),
            ({"max_iter": 0}, "max_iter"), ({"max_iter": 1.5}, "max_iter"),
            ({"time_limit": 0}, "time_limit"), ({"time_limit": "1"}, "time_limit"),
            ({"class_weight": "fair"}, "class_weight"), ({"class_weight": 2}, "class_weight"),
            ({"class_weight": {"no": 0.0}}, "class_weight"),
            ({"class_weight": {"maybe": 1.0}}, "class_weight"),
            ({"warm_start": "yes"}, "warm_start"),
        ],
    )  # fmt: skip
    def test_settings_that_mean_nothing(self, settings, what):
        with pytest.raises(ValueError, match=what):
            SVM(**settings).fit(*overlapping())

    def test_paths_that_mean_nothing(self):
        X, y = overlapping()
        with pytest.raises(ValueError, match="leave out C and lam"):
            SVM.path(X, y, [1.0], lam=0.1)
        with pytest.raises(ValueError, match="at least one C"):
            SVM.path(X, y, [])
        with pytest.raises(ValueError, match="C must be a positive number"):
            SVM.path(X, y, [1.0, -1.0])

    @pytest.mark.parametrize("settings", [{"C": 1e-290}, {"C": 1e200}, {"lam": 5e-324}])
    def test_prices_out_of_range(self, settings):
        with pytest.raises(ValueError, match="float64"):
            SVM(**settings).fit(*overlapping())

    def test_one_class(self):
        with pytest.raises(ValueError, match="two classes"):
            SVM().fit([[1.0], [2.0]], ["a", "a"])

    def test_matrices_of_labels(self):
        X, _ = overlapping()
        with pytest.raises(ValueError, match="matrix of labels"):
            SVM().fit(X, np.tile([[0, 1], [1, 1]], (len(X) // 2, 1)))

    @pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
    def test_numbers_out_of_range(self, value):
        X, y = overlapping()
        X[3, 1] = value
        with pytest.raises(ValueError, match=r"X\[3, 1\]"):
            SVM().fit(X, y)


def test_the_slacks_of_the_fit_are_kept_but_not_stored():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    model = SVM().fit(X, y)
    np.testing.assert_allclose(model.slack_[0], model.slacks(X, y))
    with pytest.raises(AttributeError, match=r"slacks\(X, y\)"):
        _ = pickle.loads(pickle.dumps(model)).slack_
