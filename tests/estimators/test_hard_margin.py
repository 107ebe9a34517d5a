"""`certo.HardMarginSVM` as scikit-learn's users will use it."""

import copy
import pickle
import signal
import threading

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
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo.estimators.hard_margin as module
from certo import HardMarginSVM, NotSeparable
from certo.certificates import Inseparable, MaximumMargin, Separable
from certo.estimators import _limits
from certo.facts import InputError
from certo.kernels import Polynomial
from certo.words.reader import reading

MODES = ("free", "lifted", "none")

# These checks fit labels, mostly random ones, that no hyperplane can give (through the origin): an
# error with a proof is the right answer. All other checks pass.
REFUSED = [
    "check_fit_score_takes_y",
    "check_dont_overwrite_parameters",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_dtype_object",
    "check_estimators_nan_inf",
    "check_estimator_sparse_tag",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_f_contiguous_array_estimator",
    "check_classifier_data_not_an_array",
    "check_supervised_y_2d",
    "check_non_transformer_estimators_n_iter",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
    "check_classifiers_train",
    "check_dict_unchanged",
]
REFUSED_THROUGH_THE_ORIGIN = [
    "check_estimators_overwrite_params",
    "check_readonly_memmap_input",
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_estimators_fit_returns_self",
]


def refused(estimator):
    names = REFUSED + (REFUSED_THROUGH_THE_ORIGIN if estimator.intercept == "none" else [])
    return dict.fromkeys(names, "NotSeparable: no hyperplane can give the labels of this check")


@parametrize_with_checks(
    [HardMarginSVM(), HardMarginSVM(intercept="none")], expected_failed_checks=refused
)
def test_scikit_learns_own_checks(estimator, check):
    if check.func.__name__ in refused(estimator):
        pytest.xfail("refused, as said above: to run it shows nothing")
    check(estimator)


def separable(m=120, d=4, mode="free", seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    score = X @ random.standard_normal(d) + (0.0 if mode == "none" else 0.3)
    keep = np.abs(score) > 0.2
    return X[keep], np.where(score[keep] > 0, "yes", "no")


def fitted_or_refused(model, X, y):
    try:
        return model.fit(X, y), None
    except NotSeparable as refusal:
        return None, refusal.proof


XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])


@pytest.mark.parametrize("mode", MODES)
class TestFitted:
    def test_what_a_fit_proves(self, mode):
        X, y = separable(mode=mode)
        model = HardMarginSVM(intercept=mode).fit(X, y)
        assert [type(claim) for claim in model.certificate_] == [Separable, MaximumMargin]
        assert model.certificate_.verify(X, y)
        assert not model.certificate_.verify(X, np.roll(y, 1))
        largest = model.certificate_[1]
        assert largest.relative_gap < 1e-10
        assert np.isclose(largest.lower, model.margin_[0], rtol=1e-12)
        assert model.converged_
        assert model.status_.startswith("Converged")
        assert model.score(X, y) == 1
        signs = np.where(y == "yes", 1, -1)
        assert (signs * (X @ model.coef_[0] + model.intercept_[0])).min() >= 1 - 1e-14
        assert model.certificate_[0].functional_margin >= 1, "feasible, in exact arithmetic"
        assert np.array_equal(np.sign(model.dual_coef_[0]), signs[model.support_])
        np.testing.assert_allclose(model.dual_coef_[0] @ X[model.support_], model.coef_[0])
        assert model.n_support_.sum() == len(model.support_)
        length2 = model.coef_[0] @ model.coef_[0]
        assert np.isclose(model.geometric_margin_[0], length2**-0.5)
        extra = model.intercept_[0] ** 2 if mode == "lifted" else 0.0
        assert np.isclose(model.margin_[0], (length2 + extra) ** -0.5)
        assert np.isclose(model.objective_[0], 0.5 * (length2 + extra))
        assert len(model.trace_) == model.n_iter_
        assert model.trace_.gap[-1] < 1e-10

    @given(seed=st.integers(0, 10_000), d=st.integers(1, 6), m=st.integers(4, 60))
    @settings(max_examples=25)
    def test_scikit_learns_svc_agrees(self, mode, seed, d, m):
        X, y = separable(m, d, mode, seed)
        if len(set(y.tolist())) < 2:
            return
        model = HardMarginSVM(intercept=mode).fit(X, y)
        assert model.converged_
        assert model.certificate_.verify(X, y)
        if mode == "free":
            other = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
            # (it does not come nearer to its own optimum: the gap that is proved here is smaller)
            assert np.isclose(np.linalg.norm(other.coef_), 1 / model.margin_[0], rtol=1e-4)
            np.testing.assert_allclose(
                other.coef_[0], model.coef_[0], rtol=1e-2, atol=1e-2 / model.margin_[0]
            )

    @pytest.mark.parametrize(
        "store",
        [np.float32, np.asfortranarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame, list],
    )
    def test_every_storage(self, mode, store):
        X, y = separable(mode=mode, seed=7)
        kept = store(X.astype(np.float32).astype(float))
        model = HardMarginSVM(intercept=mode).fit(kept, y)
        plain = HardMarginSVM(intercept=mode).fit(X.astype(np.float32), y)
        assert model.certificate_.verify(kept, y)
        assert model.coef_.dtype == np.float64
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)

    def test_dropping_what_is_no_support_changes_nothing(self, mode):
        X, y = separable(300, mode=mode)
        whole = HardMarginSVM(intercept=mode).fit(X, y)
        alone = HardMarginSVM(intercept=mode).fit(X[whole.support_], y[whole.support_])
        np.testing.assert_allclose(alone.coef_, whole.coef_, rtol=1e-9)
        np.testing.assert_allclose(alone.intercept_, whole.intercept_, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda X, y: (np.r_[X, X, X[:9]], np.r_[y, y, y[:9]]),  # repetitions
            lambda X, y: (np.c_[X, X @ [[1.0], [2], [0], [0]], 0 * X[:, :1]], y),  # collinear
            lambda X, y: (X * [1e6, 1e-6, 1, 1], y),  # scales
            lambda X, y: (np.round(X * 3), y),  # ties
            lambda X, y: (X * 1e130, y),
            lambda X, y: (X * 1e-130, y),
        ],
        ids=["repetitions", "collinear", "scales", "ties", "large", "small"],
    )
    def test_awkward_data_give_the_answer_or_say_so(self, mode, spoil):
        X, y = spoil(*separable(mode=mode, seed=5))
        with pytest.MonkeyPatch.context() as patch:
            said = []
            patch.setattr(module.warnings, "warn", lambda text, *a, **k: said.append(text))
            model, proof = fitted_or_refused(HardMarginSVM(intercept=mode), X, y)
        if proof is not None:
            assert proof.verify(X, y)
            return
        assert model.certificate_.verify(X, y)
        assert len(model.certificate_) == 2
        assert model.converged_ == (model.certificate_[1].relative_gap <= 1e-6)
        assert bool(said) == (not model.converged_)

    def test_more_tied_supports_than_dimensions(self, mode):
        angle = np.linspace(0, np.pi, 40)
        X = np.r_[np.c_[np.full(40, 1.0), np.cos(angle)], np.c_[np.full(40, -1.0), np.sin(angle)]]
        y = np.repeat([1, 0], 40)
        model = HardMarginSVM(intercept=mode).fit(X, y)
        assert np.isclose(model.margin_[0], 1)
        np.testing.assert_allclose(model.coef_, [[1, 0]], atol=1e-7)
        assert model.certificate_.verify(X, y)

    @pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
    def test_tiny_margins(self, mode, gap):
        X, y = separable(mode=mode, d=3)
        X[:, 0] = np.where(y == "yes", gap, -gap)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module.warnings, "warn", lambda *a, **k: None)
            model = HardMarginSVM(intercept=mode).fit(X[:, :1] if gap < 1e-6 else X, y)
        claim = model.certificate_[1]
        assert model.certificate_.verify(X[:, :1] if gap < 1e-6 else X, y)
        if gap < 1e-6:
            assert claim.lower <= gap <= claim.upper
            assert model.converged_


class TestSeveralClasses:
    def test_each_against_the_rest(self):
        X = np.array([[0.0, 0], [1, 0], [9, 0], [10, 0], [0, 9], [0, 10]])
        y = np.array(["a", "a", "b", "b", "c", "c"])
        model = HardMarginSVM(multiclass="rest").fit(X, y)
        assert model.coef_.shape == (3, 2)
        assert model.decision_function(X).shape == (6, 3)
        assert model.predict(X).tolist() == y.tolist()
        assert len(model.certificate_) == 6
        assert model.certificate_.verify(X, y)
        alone = HardMarginSVM().fit(X, y == "b")
        np.testing.assert_allclose(alone.coef_[0], model.coef_[1])
        assert set(model.trace_.output.tolist()) == {0, 1, 2}

    def test_a_class_that_cannot_be_told_from_the_rest_is_named(self):
        X, y = load_iris(return_X_y=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        with pytest.raises(NotSeparable, match="'versicolor' from the rest") as caught:
            HardMarginSVM(multiclass="rest").fit(X, names)
        assert caught.value.proof.verify(X, names)
        assert caught.value.proof.labels.positive == 1


class TestNotSeparable:
    @pytest.mark.parametrize("mode", MODES)
    def test_the_error_carries_a_proof(self, mode):
        y = np.array(["no", "no", "yes", "yes"])
        with pytest.raises(NotSeparable, match=r"examples? .*counting from 0") as caught:
            HardMarginSVM(intercept=mode).fit(XOR, y)
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value.proof, Inseparable)
        assert caught.value.proof.verify(XOR, y)
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.proof == caught.value.proof

    @given(
        X=st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=9),
        seed=st.integers(0, 99),
        mode=st.sampled_from(MODES),
    )
    @settings(max_examples=60)
    def test_every_answer_is_proved(self, X, seed, mode):
        X = np.array(X, float)
        y = np.where(np.random.default_rng(seed).random(len(X)) < 0.5, 1, -1)
        y[:2] = -1, 1
        model, proof = fitted_or_refused(HardMarginSVM(intercept=mode), X, y)
        assert (proof or model.certificate_).verify(X, y)
        assert proof is not None or model.converged_

    def test_more_examples_than_are_solved_for_at_once(self):
        X, y = separable(5000, 3)
        y[17] = "no" if y[17] == "yes" else "yes"
        with pytest.raises(NotSeparable) as caught:
            HardMarginSVM().fit(X, y)
        assert caught.value.proof.verify(X, y)
        assert caught.value.proof.rows.size <= 5


class TestStopping:
    @pytest.mark.parametrize("seconds", [0.5, 2.0, 8.0])
    def test_a_time_limit_returns_the_best_so_far_or_says_that_there_is_none(
        self, monkeypatch, seconds
    ):
        X, y = separable(5000, 20)
        clock = iter(range(10**6))
        monkeypatch.setattr(_limits.time, "monotonic", lambda: next(clock) / 100)
        said = []
        monkeypatch.setattr(module.warnings, "warn", lambda text, *a, **k: said.append(text))
        model = HardMarginSVM(time_limit=seconds)
        try:
            model.fit(X, y)
        except RuntimeError as none_yet:
            said.append(str(none_yet))
            assert not hasattr(model, "coef_")
        else:
            assert model.certificate_.verify(X, y)
            assert model.converged_ == (model.certificate_[1].relative_gap <= 1e-6) == (not said)
        assert not said or "time limit of" in said[0] or "before it found a hyperplane" in said[0]

    def test_ctrl_c(self):
        X, y = separable(5000, 20)
        if threading.current_thread() is not threading.main_thread():
            pytest.skip("signals reach the main thread only")

        class Interrupter:
            looks = 0

            def setup(self, estimator, context): ...
            def teardown(self, estimator, context): ...
            def on_fit_task_begin(self, estimator, context):
                self.looks += context.parent is not None
                if self.looks == 2:
                    signal.raise_signal(signal.SIGINT)

            def on_fit_task_end(self, estimator, context): ...

        with pytest.warns(ConvergenceWarning, match="Stopped by hand"):
            model = HardMarginSVM(tol=0).set_callbacks(Interrupter()).fit(X, y)
        assert model.n_iter_ == 2
        assert model.certificate_.verify(X, y)

    def test_few_looks(self):
        X, y = separable(5000, 20)
        with pytest.raises(RuntimeError, match="before it found a hyperplane"):
            HardMarginSVM(max_iter=1).fit(X, y)
        with pytest.warns(ConvergenceWarning, match="max_iter = 2 looks"):
            model = HardMarginSVM(max_iter=2, tol=0).fit(X, y)
        assert model.certificate_.verify(X, y)

    def test_a_tol_of_zero_is_out_of_reach_and_says_so(self):
        X, y = separable()
        with pytest.warns(ConvergenceWarning, match="float64 allows no further progress"):
            model = HardMarginSVM(tol=0).fit(X, y)
        assert model.certificate_[1].relative_gap < 1e-12

    def test_progress_bar(self):
        X, y = separable()
        HardMarginSVM().set_callbacks(ProgressBar()).fit(X, y)


class TestConventions:
    @pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
    def test_copies_keep_everything(self, again):
        X, y = separable()
        model = HardMarginSVM().fit(X, y)
        twin = again(model)
        assert np.array_equal(twin.predict(X), model.predict(X))
        assert twin.certificate_ == model.certificate_
        assert np.array_equal(twin.trace_.upper, model.trace_.upper)

    def test_the_state_is_plain_values(self):
        import skops.io

        X, y = separable()
        model = HardMarginSVM().fit(X, y)
        stored = skops.io.dumps(model)
        name = "certo.estimators.hard_margin.HardMarginSVM"
        assert skops.io.get_untrusted_types(data=stored) == [name]
        twin = skops.io.loads(stored, trusted=[name])
        assert twin.certificate_ == model.certificate_
        assert twin.certificate_.verify(X, y)

    def test_pipelines_and_clones(self):
        X, y = separable()
        pipe = make_pipeline(StandardScaler(), HardMarginSVM(intercept="lifted")).fit(X, y)
        assert pipe.score(X, y) == 1
        assert np.array_equal(clone(pipe).fit(X, y)[1].coef_, pipe[1].coef_)

    @pytest.mark.parametrize(
        ("settings", "what"),
        [
            ({"intercept": "yes"}, "intercept"), ({"intercept": None}, "intercept"),
            ({"tol": -1}, "tol"), ({"tol": float("nan")}, "tol"), ({"tol": "small"}, "tol"),
            ({"max_iter": 0}, "max_iter"), ({"max_iter": 1.5}, "max_iter"),
            ({"time_limit": 0}, "time_limit"), ({"time_limit": "1"}, "time_limit"),
        ],
    )  # fmt: skip
    def test_settings_that_mean_nothing(self, settings, what):
        with pytest.raises(ValueError, match=what):
            HardMarginSVM(**settings).fit(*separable())

    def test_one_class(self):
        """A free intercept alone separates it from nothing; else it is a problem like any other."""
        X = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]]
        model = HardMarginSVM().fit(X, ["a"] * 3)
        assert not np.any(model.coef_)
        assert model.margin_ == np.inf
        assert "one class alone" in model.status_
        for intercept, margin in (("lifted", np.sqrt(5.5)), ("none", np.sqrt(4.5))):
            model = HardMarginSVM(intercept=intercept).fit(X, ["a"] * 3)
            assert model.margin_[0] == pytest.approx(margin)
            assert model.certificate_.verify(X, ["a"] * 3)
            assert model.predict(X).tolist() == ["a"] * 3
        with pytest.raises(NotSeparable):
            HardMarginSVM(intercept="none").fit([[1.0], [-2.0]], [1, 1])

    def test_matrices_of_labels(self):
        X, _ = separable()
        with pytest.raises(ValueError, match="matrix of labels"):
            HardMarginSVM().fit(X, np.tile([[0, 1], [1, 1]], (len(X) // 2 + 1, 1))[: len(X)])

    @pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
    def test_numbers_out_of_range(self, value):
        X, y = separable()
        X[3, 1] = value
        with pytest.raises(ValueError, match=r"X\[3, 1\]"):
            HardMarginSVM().fit(X, y)


def test_errors_carry_rows_and_name_them_as_the_reader_counts():
    X, y = [[0.0], [1.0], [1.0]], ["a", "a", "b"]
    with reading(places=[10, 20, 30]), pytest.raises(NotSeparable) as caught:
        HardMarginSVM(Polynomial(3)).fit(X, y)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.rows == [1, 2]
    assert error.equal_rows == (1, 2)
    assert "already on rows 20, 30, the margin is at most" in str(error)
    assert "rows 20, 30 are equal" in str(error)
    with pytest.raises(InputError, match=r"example 1 \(counting from 0\)") as caught:
        HardMarginSVM(Polynomial(3)).fit([[0.0], [1e100]], ["a", "b"])
    assert pickle.loads(pickle.dumps(caught.value)).rows == [1]
    with reading(places=[10, 20], columns=["age"]), pytest.raises(InputError) as caught:
        HardMarginSVM().fit([[0.0], [np.nan]], ["a", "b"])
    assert "row 20, column 'age' is NaN" in str(caught.value)
    assert (caught.value.rows, caught.value.columns) == ([1], [0])
