"""`certo.SVM` with a kernel: the same machine in a space one never writes down."""

import copy
import pickle
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo import SVM
from certo.certificates import SoftMarginGap
from certo.features import Monomials
from certo.kernels import Function, Gaussian, Linear, NotPositive, Polynomial, Precomputed
from certo.rkhs import Expansion
from tests.oracles.quadratic import soft_margin_qp

MODES = ("free", "lifted", "none")


def expected(estimator):
    if isinstance(estimator.kernel, Precomputed):
        reason = "the matrix of this check is not a Gram matrix: it has negative directions"
        return dict.fromkeys(
            ["check_estimators_dtypes", "check_positive_only_tag_during_fit"], reason
        )
    return {}


@parametrize_with_checks(
    [
        SVM(Gaussian(1.0)),
        SVM(Polynomial(2, scale=1e-4), intercept="lifted"),
        SVM(Precomputed()),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def curved(m=120, d=3, seed=0, classes=("no", "yes")):
    """Classes with a curved boundary, and noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    score = X[:, 0] * X[:, 1] + 0.3 * random.standard_normal(m)
    if len(classes) == 2:
        return X, np.where(score > 0, classes[1], classes[0])
    return X, np.array(classes)[np.digitize(score, [-0.3, 0.3])]


def letters(a, b):
    """How many letters two words have in common."""
    return float(len(set(a) & set(b)))


def repeated_letters(a, b):
    return letters(a, b) ** 2


WORDS = ["tea", "coffee", "meat", "cat", "dog", "fog", "beet", "boat", "frog", "goat", "elk", "hog"]
DRINK = [1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kernel", [Gaussian(2.0), Polynomial(3), 2.0 * Linear() + Gaussian(1.0)])
class TestFitted:
    def test_what_a_fit_proves(self, kernel, mode):
        X, y = curved()
        model = SVM(kernel, intercept=mode).fit(X, y)
        (claim,) = model.certificate_
        assert type(claim) is SoftMarginGap
        assert model.certificate_.verify(X, y)
        assert not model.certificate_.verify(X, np.roll(y, 1))
        assert not model.certificate_.verify(X + 0.01 * (X > 1), y)
        assert model.converged_
        assert claim.relative_gap <= 1e-4
        signs, rows, dual_coef = np.where(y == "yes", 1, -1), model.support_, model.dual_coef_[0]
        assert np.all(dual_coef * signs[rows] >= 0)
        assert np.abs(dual_coef).max() <= 1
        if mode == "free":
            assert dual_coef.sum() == pytest.approx(0, abs=1e-12)
        scores = model.decision_function(X)
        by_hand = kernel(X, X[rows]) @ dual_coef + model.intercept_[0]
        np.testing.assert_allclose(scores, by_hand, atol=1e-9)
        slacks = model.slacks(X, y)
        np.testing.assert_allclose(slacks, np.maximum(0, 1 - signs * scores))
        np.testing.assert_allclose(slacks, model.slack_[0], atol=1e-6)
        (f,) = model.expansions_
        extra = model.intercept_[0] ** 2 if mode == "lifted" else 0
        assert model.objective_[0] == pytest.approx(0.5 * (f.norm() ** 2 + extra) + slacks.sum())
        np.testing.assert_allclose(f(X) + model.intercept_[0], scores, atol=1e-9)
        assert model.n_support_.tolist() == [np.sum(signs[rows] < 0), np.sum(signs[rows] > 0)]
        assert model.trace_.gap[-1] <= 1e-4

    def test_classes_against_the_rest(self, kernel, mode):
        X, y = curved(classes=("a", "b", "c"))
        model = SVM(kernel, intercept=mode, multiclass="rest").fit(X, y)
        assert len(model.certificate_) == len(model.expansions_) == 3
        assert model.certificate_.verify(X, y)
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        scores = model.decision_function(X)
        assert scores.shape == model.slacks(X, y).shape == (len(y), 3)
        for k, f in enumerate(model.expansions_):
            assert isinstance(f, Expansion)
            np.testing.assert_allclose(f(X) + model.intercept_[k], scores[:, k], atol=1e-9)
        np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


@pytest.mark.parametrize(
    "store",
    [np.float32, np.asfortranarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame, list],
)
def test_every_storage(store):
    X, y = curved(seed=7)
    kept = store(X.astype(np.float32).astype(float))
    model = SVM(Gaussian(2.0), tol=1e-6).fit(kept, y)
    plain = SVM(Gaussian(2.0), tol=1e-6).fit(X.astype(np.float32), y)
    assert model.certificate_.verify(kept, y)
    away = sum(np.sqrt(2 * m.certificate_[0].gap) for m in (model, plain))
    scores = model.decision_function(kept) - model.intercept_
    np.testing.assert_allclose(
        scores, plain.decision_function(X.astype(np.float32)) - plain.intercept_, atol=away + 1e-5
    )


class TestAgainstOthers:
    @given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 30.0]), st.sampled_from(MODES))
    @settings(max_examples=25)
    def test_a_quadratic_program_agrees_to_the_certified_gap(self, seed, C, mode):
        random = np.random.default_rng(seed)
        X = np.round(random.standard_normal((20, 2)), random.integers(0, 3))
        y = random.choice([-1, 1], 20)
        y[:2] = -1, 1
        kernel = [Gaussian(0.5), Polynomial(2), Linear()][seed % 3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = SVM(kernel, C=C, intercept=mode).fit(X, y)
        claim = model.certificate_[0]
        K = kernel.plain(X, X)
        values, vectors = np.linalg.eigh(K)
        Z = vectors * np.sqrt(np.maximum(values, 0))
        costs = np.full(20, C)
        w, b = soft_margin_qp(Z, y.astype(float), costs, mode)
        extra = b * b if mode == "lifted" else 0.0
        best = 0.5 * (w @ w + extra) + costs @ np.maximum(0, 1 - y * (Z @ w + b))
        room = 1e-6 * (1 + best)
        assert claim.dual <= best + room
        assert claim.primal >= best - room
        assert claim.relative_gap <= 1e-4

    @pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
    def test_libsvm_agrees_within_the_two_gaps(self, C):
        """Objectives to the gaps; decision values to √K(x,x)·(√(2 gap₁) + √(2 gap₂)), plus what b
        differs by."""
        X, y = curved(300, seed=5)
        kernel = Gaussian(variance=1.5)
        model = SVM(kernel, C=C).fit(X, y)
        other = SVC(kernel="rbf", gamma=1 / 3, C=C).fit(X, y)
        signs, K = np.where(y == "yes", 1, -1), kernel(X)
        theirs = np.zeros(len(y))
        theirs[other.support_] = other.dual_coef_[0]
        norm2 = theirs @ K @ theirs
        b = other.intercept_[0]
        primal = 0.5 * norm2 + C * np.maximum(0, 1 - signs * (K @ theirs + b)).sum()
        gap = primal - (np.abs(theirs).sum() - 0.5 * norm2)
        own = model.certificate_[0]
        assert abs(model.objective_[0] - primal) <= own.gap + gap
        away = np.sqrt(2 * own.gap) + np.sqrt(2 * gap)
        differ = np.abs(model.decision_function(X) - other.decision_function(X)).max()
        assert differ <= away + abs(model.intercept_[0] - b) + 1e-9

    @pytest.mark.parametrize("mode", MODES)
    def test_the_representer_theorem(self, mode):
        """The best function found in the dual is the best w in the explicit space."""
        X, y = curved(80, 2)
        kernel, phi = Polynomial(3), Monomials(3).fit(X)
        in_kernel = SVM(kernel, intercept=mode, tol=1e-8).fit(X, y)
        explicit = SVM(intercept=mode, tol=1e-8).fit(phi.transform(X), y)
        w = in_kernel.dual_coef_[0] @ phi.transform(X[in_kernel.support_])
        gaps = [model.certificate_[0].gap for model in (in_kernel, explicit)]
        assert np.linalg.norm(w - explicit.coef_[0]) <= sum(np.sqrt(2 * gap) for gap in gaps) + 1e-9
        np.testing.assert_allclose(in_kernel.objective_, explicit.objective_, rtol=1e-7)

    @pytest.mark.parametrize("mode", MODES)
    def test_the_linear_kernel_is_no_kernel(self, mode):
        X, y = curved(seed=3)
        one, other = (SVM(k, intercept=mode, tol=1e-7).fit(X, y) for k in (Linear(), None))
        np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-6)


class TestPrecomputed:
    def test_as_the_kernel_itself(self):
        X, y = curved(classes=("a", "b", "c"))
        new = curved(30, seed=1)[0]
        kernel = Gaussian(2.0)
        direct = SVM(kernel, tol=1e-6).fit(X, y)
        K = kernel(X)
        model = SVM(Precomputed(), tol=1e-6).fit(K, y)
        assert model.certificate_.verify(K, y)
        assert model.n_features_in_ == len(y)
        np.testing.assert_allclose(
            model.decision_function(kernel(new, X)), direct.decision_function(new), atol=1e-2
        )
        with pytest.raises(ValueError, match="features"):
            model.predict(kernel(new, X[:50]))

    def test_grid_search_cuts_rows_and_columns(self):
        X, y = curved()
        K = Gaussian(2.0)(X)
        assert get_tags(SVM(Precomputed())).input_tags.pairwise
        assert not get_tags(SVM(Gaussian(1.0))).input_tags.pairwise
        by_matrix = GridSearchCV(SVM(Precomputed()), {"C": [0.1, 1.0]}).fit(K, y)
        by_vectors = GridSearchCV(SVM(Gaussian(2.0)), {"C": [0.1, 1.0]}).fit(X, y)
        np.testing.assert_allclose(
            by_matrix.cv_results_["mean_test_score"], by_vectors.cv_results_["mean_test_score"],
            atol=0.02,
        )  # fmt: skip

    def test_what_is_no_gram_matrix(self):
        X, y = curved(40)
        K = Gaussian(2.0)(X)
        asymmetric, indefinite, holed = K.copy(), K.copy(), K.copy()
        asymmetric[3, 5] += 0.01
        indefinite[[3, 5], [5, 3]] += 3
        holed[2, 2] = np.nan
        with pytest.raises(ValueError, match=r"symmetric, but K\[3, 5\]"):
            SVM(Precomputed()).fit(asymmetric, y)
        with pytest.raises(NotPositive) as refused:
            SVM(Precomputed()).fit(indefinite, y)
        z = refused.value.witness
        assert z @ indefinite @ z <= refused.value.value < 0
        with pytest.raises(ValueError, match="square"):
            SVM(Precomputed()).fit(K[:, :7], y)
        with pytest.raises(ValueError, match=r"entry \[2, 2\] is nan"):
            SVM(Precomputed()).fit(holed, y)
        with pytest.raises(ValueError, match=r"entry \[2, 2\] is nan"):
            SVM(Precomputed()).fit(K, y).predict(holed)
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            SVM(Precomputed()).fit(sparse.csr_matrix(K), y)

    def test_rounding_is_no_reason_to_refuse(self):
        X, y = curved(60)
        K = Linear()(X).astype(np.float32)  # of rank 3, so rounding makes it indefinite
        model = SVM(Precomputed()).fit(K, y)
        assert model.certificate_[0].space.shift > 0
        assert model.certificate_.verify(K, y)


class TestObjects:
    def test_words(self):
        model = SVM(Function(letters), C=10).fit(WORDS, DRINK)
        (claim,) = model.certificate_
        assert claim.assumes
        assert model.certificate_.verify(WORDS, DRINK)
        assert set(model.support_vectors_) <= set(WORDS)
        assert model.predict(["toffee", "fox"]).shape == (2,)
        assert not hasattr(model, "n_features_in_")
        assert not get_tags(model).input_tags.two_d_array

    def test_through_pipelines_and_grid_search(self):
        kernels = [Function(letters), Function(repeated_letters), Function(letters).normalised()]
        pipe = make_pipeline(FunctionTransformer(lambda words: [w[::-1] for w in words]), SVM())
        search = GridSearchCV(pipe, {"svm__kernel": kernels, "svm__C": [1.0, 10.0]}, cv=3)
        search.fit(WORDS, DRINK)
        assert search.best_params_["svm__kernel"] in kernels
        assert search.predict(["aet"]).shape == (1,)

    def test_pickles_and_copies(self):
        model = SVM(Function(letters)).fit(WORDS, DRINK)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(
                other.decision_function(WORDS), model.decision_function(WORDS)
            )
            assert other.certificate_.verify(WORDS, DRINK)

    @pytest.mark.parametrize(
        ("function", "what"),
        [
            (lambda a, b: float(len(a) - len(b)) + 5 * (a == b), r"symmetric, but K.*[0-9]\.$"),
            (lambda a, b: -1.0, r"zᵀKz is -1 for the z with z\[0\] = 1\."),
            (lambda a, b: 1e281, "at most 1e.280"),
            (lambda a, b: float("nan"), "finite"),
            (lambda a, b: "many", "number"),
        ],
    )
    def test_functions_that_are_no_kernels(self, function, what):
        with pytest.raises(ValueError, match=what):
            SVM(Function(function)).fit(WORDS, DRINK)

    def test_words_need_a_function(self):
        with pytest.raises(ValueError, match=r"'tea'.*Function makes one"):
            SVM(Gaussian(1.0)).fit(["tea", *WORDS], ["t", *DRINK])

    def test_an_indefinite_function_is_refused_with_the_witness(self):
        def near(a, b):
            return 1.0 if a == b else 0.9 * (1 if len(a) == len(b) else -1)

        with pytest.raises(NotPositive) as refused:
            SVM(Function(near)).fit(WORDS, DRINK)
        z = refused.value.witness
        K = np.array([[near(a, b) for b in WORDS] for a in WORDS])
        assert z @ K @ z < 0

    @pytest.mark.parametrize(
        ("X", "y", "what"),
        [
            ([], [], "empty"),
            (WORDS, DRINK[:-1], "12 examples and y holds 11"),
            (WORDS, None, "y"),
            ("tea", DRINK, "sequence"),
            (WORDS, ["x"] * 12, "one class"),
        ],
    )
    def test_what_is_no_list_of_objects(self, X, y, what):
        with pytest.raises(ValueError, match=what):
            SVM(Function(letters)).fit(X, y)


class TestWeights:
    def test_class_weight_is_a_sample_weight(self):
        X, y = curved(seed=2)
        by_class = {"no": 3.0, "yes": 0.5}
        model = SVM(Gaussian(1.0), class_weight=by_class, tol=1e-7).fit(X, y)
        same = SVM(Gaussian(1.0), tol=1e-7).fit(X, y, np.array([by_class[label] for label in y]))
        np.testing.assert_allclose(model.objective_, same.objective_, rtol=1e-6)
        assert model.certificate_.verify(X, y)

    def test_weight_zero_is_absence(self):
        X, y = curved()
        weights = (np.arange(len(y)) % 3 > 0).astype(float)
        model = SVM(Gaussian(1.0), lam=0.1, tol=1e-7).fit(X, y, weights)
        alone = SVM(Gaussian(1.0), lam=0.1, tol=1e-7).fit(X[weights > 0], y[weights > 0])
        assert model.C_ == alone.C_
        np.testing.assert_allclose(model.objective_, alone.objective_, rtol=1e-6)
        assert not set(model.support_) & set(np.flatnonzero(weights == 0))
        assert model.certificate_.verify(X, y)


class TestSettings:
    @pytest.mark.parametrize(
        ("kernel", "what"),
        [
            ("rbf", r"Gaussian\(variance\), whose variance is 1/\(2·gamma\)"),
            ("poly", r"Polynomial\(degree\)"),
            ("none", "intercept='none'"),
            (1.0, r"C=1\.0"),
            (Gaussian, "once it is made"),
            (letters, r"Function\(f\)"),
        ],
    )
    def test_what_is_no_kernel(self, kernel, what):
        with pytest.raises(
            ValueError, match=r"kernel must be an object of certo\.kernels"
        ) as error:
            SVM(kernel).fit(*curved())
        assert error.match(what)

    @pytest.mark.parametrize("cache_mb", [0, -1, np.nan, np.inf, "much", True])
    def test_no_amount_of_memory(self, cache_mb):
        with pytest.raises(ValueError, match="cache_mb"):
            SVM(Gaussian(1.0), cache_mb=cache_mb).fit(*curved())

    def test_numbers_beyond_float64(self):
        X, y = curved()
        with pytest.raises(ValueError, match=r"K\(x, x\)"):
            SVM(Polynomial(9)).fit(1e20 * X, y)
        with pytest.raises(ValueError, match="√K"):
            SVM(Polynomial(2), C=1e100).fit(1e50 * X, y)
        X[3, 1] = np.nan
        with pytest.raises(ValueError, match=r"X\[3, 1\] is NaN"):
            SVM(Gaussian(1.0)).fit(X, y)

    def test_a_grid_of_kernels(self):
        X, y = curved()
        kernels = [Gaussian(0.1), Gaussian(2.0), Polynomial(2), None]
        search = GridSearchCV(
            make_pipeline(StandardScaler(), SVM()), {"svm__kernel": kernels}, n_jobs=1
        ).fit(X, y)
        assert search.best_params_["svm__kernel"] in (Gaussian(2.0), Polynomial(2))
        assert cross_val_score(clone(search.best_estimator_), X, y).mean() > 0.7

    def test_a_cache_too_small_for_two_rows(self):
        X, y = curved()
        model = SVM(Gaussian(1.0), cache_mb=1e-4).fit(X, y)
        assert model.converged_
        assert model.certificate_.verify(X, y)


class TestAttributes:
    def test_weights_are_a_function(self):
        X, y = curved()
        model = SVM(Gaussian(1.0)).fit(X, y)
        assert not hasattr(model, "coef_")
        with pytest.raises(AttributeError, match="expansions_"):
            _ = model.coef_
        with pytest.raises(AttributeError, match="coef_"):
            _ = SVM().fit(X, y).expansions_
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = model.nothing

    def test_another_fit_leaves_nothing_behind(self):
        X, y = curved()
        model = SVM(Gaussian(1.0)).fit(X, y)
        model.set_params(kernel=None).fit(X, y)
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        model.predict(X)
        model.set_params(kernel=Linear()).fit(X, y)
        assert not hasattr(model, "coef_")

    def test_predictions_are_those_of_the_kernel_of_the_fit(self):
        X, y = curved()
        model = SVM(Gaussian(1.0)).fit(X, y)
        before = model.decision_function(X)
        np.testing.assert_array_equal(
            model.set_params(kernel=Linear()).decision_function(X), before
        )

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_copies(self, store):
        X, y = curved()
        X = store(X)
        model = SVM(Gaussian(2.0) * Polynomial(2)).fit(X, y)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert other.kernel == other.kernel_ == model.kernel
            np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
            assert other.certificate_ == model.certificate_
            with pytest.raises(AttributeError, match=r"slacks\(X, y\)"):
                _ = other.slack_


class TestPath:
    def test_a_path_is_as_many_machines(self):
        X, y = curved(classes=("a", "b", "c"))
        Cs = [0.1, 1.0, 10.0]
        path = SVM.path(X, y, Cs, kernel=Gaussian(2.0), tol=1e-6)
        assert path.objectives.shape == path.supports.shape == path.intercepts.shape == (3, 3)
        assert path.gaps.max() <= 1e-6
        for C, model in zip(Cs, path.models, strict=True):
            assert model.certificate_.verify(X, y)
            alone = SVM(Gaussian(2.0), C=C, tol=1e-6).fit(X, y)
            np.testing.assert_allclose(model.objective_, alone.objective_, rtol=2e-6)
        with pytest.raises(AttributeError, match="expansions_"):
            _ = path.coefs

    def test_warm_start(self):
        X, y = curved()
        model = SVM(Gaussian(1.0), C=5.0, warm_start=True).fit(X, y)
        model.set_params(C=6.0).fit(X, y)
        assert model.converged_
        np.testing.assert_allclose(
            model.objective_, SVM(Gaussian(1.0), C=6.0).fit(X, y).objective_, rtol=2e-4
        )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
def test_leave_one_out(mode, classes):
    X, y = curved(40 if len(classes) == 2 else 25, seed=4, classes=classes)
    model = SVM(Gaussian(1.0), intercept=mode, tol=1e-7).fit(X, y)
    bound, found = model.leave_one_out(X, y), model.leave_one_out(X, y, exact=True)
    errors = 0
    for t in range(len(y)):
        rest = np.arange(len(y)) != t
        alone = SVM(Gaussian(1.0), intercept=mode, tol=1e-7).fit(X[rest], y[rest])
        errors += alone.predict(X[[t]])[0] != y[t]
    assert found.kind == "exact"
    assert found.errors == errors <= bound.errors


class TestStopping:
    def stopped(self, model, X, y):
        with pytest.warns(ConvergenceWarning, match="Stopped") as said:
            model.fit(X, y)
        assert not model.converged_
        assert str(said[0].message) == model.status_
        assert model.predict(X).shape == y.shape
        assert model.certificate_.verify(X, y)
        return model.status_

    def test_a_time_limit(self):
        X, y = curved(1500)
        model = SVM(Gaussian(0.5), C=100.0, tol=1e-12, time_limit=1e-4)
        assert "time limit of 0.0001 seconds" in self.stopped(model, X, y)

    def test_max_iter(self):
        X, y = curved(600)
        assert "max_iter = 1" in self.stopped(SVM(Gaussian(0.5), C=1e3, max_iter=1), X, y)

    def test_by_hand(self):
        class Interrupter:
            def setup(self, estimator, context): ...
            def teardown(self, estimator, context): ...
            def on_fit_task_begin(self, estimator, context, **more): ...
            def on_fit_task_end(self, estimator, context, **more):
                if context.task_name == "look":
                    signal.raise_signal(signal.SIGINT)

        X, y = curved(600)
        model = SVM(Gaussian(0.5), C=1e3, tol=0).set_callbacks(Interrupter())
        assert "Stopped by hand" in self.stopped(model, X, y)


def test_the_status_says_that_nearly_all_examples_are_supports():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.sign(X[:, 0])
    assert "Nearly all examples are supports" in SVM(Gaussian(1e-4)).fit(X, y).status_
    assert "supports" not in SVM(Gaussian(1.0), C=100).fit(X, y).status_
    assert "supports" not in SVM(Gaussian(1e-4)).fit(X[:10], y[:10]).status_
    assert "supports" not in SVM(Linear(), C=1e-9).fit(X, y).status_, "there is no variance"


def test_the_status_says_how_large_values_leave_no_room_for_progress():
    random = np.random.default_rng(0)
    X, y = 1000 * random.normal(size=(60, 3)), random.choice([-1, 1], 60)
    with pytest.warns(ConvergenceWarning):
        said = SVM(Polynomial(3), C=1e3).fit(X, y).status_
    assert "no further progress (K(x, x) reaches 4e+20: scale the features, or give Poly" in said


@pytest.mark.parametrize("kernel", [None, Gaussian(1.0)])
def test_leave_one_out_takes_a_data_frame_without_a_warning(kernel):
    X = np.random.default_rng(0).normal(size=(20, 2))
    frame, y = pd.DataFrame(X, columns=["a", "b"]), np.sign(X[:, 0])
    found = SVM(kernel).fit(frame, y).leave_one_out(frame, y, exact=True)
    assert found == SVM(kernel).fit(X, y).leave_one_out(X, y, exact=True)


def test_new_rows_of_a_matrix_need_a_column_for_each_training_example():
    model = SVM(Precomputed()).fit(np.eye(4), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="with each of the training examples"):
        model.predict(np.eye(3))
