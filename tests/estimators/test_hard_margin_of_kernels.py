"""`certo.HardMarginSVM` with a kernel: the largest margin in a space one never writes down."""

import copy
import pickle
import signal
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo.solvers.kernel_hard_margin as module
from certo import SVM, HardMarginSVM, NotSeparable
from certo.certificates import MaximumMargin
from certo.features import Monomials
from certo.kernels import Function, Gaussian, Linear, NotPositive, Polynomial, Precomputed
from certo.numbers.rounding import gamma
from certo.solvers.kernel_hard_margin import kernel_hard_margin

MODES = ("free", "lifted", "none")


def refused(estimator):
    """Checks that give the same example several labels, or labels by chance to many near ones."""
    names = [
        "check_estimator_sparse_tag",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_fit_idempotent",
        "check_fit_check_is_fitted",
        "check_n_features_in",
    ]
    return dict.fromkeys(names, "no margin that float64 can tell from 0 separates these labels")


@parametrize_with_checks([HardMarginSVM(Gaussian(0.1))], expected_failed_checks=refused)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def curved(m=100, d=2, seed=0, classes=("no", "yes")):
    """Classes with a curved boundary and a gap."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (20 * m, d))
    score = X[:, 0] * X[:, 1]
    cuts = [0.0] if len(classes) == 2 else [-0.5, 0.5]
    clear = np.min(np.abs(score[:, None] - cuts), axis=1) > 0.15
    X, score = X[clear][:m], score[clear][:m]
    return X, np.array(classes)[np.digitize(score, cuts)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Polynomial(4), Gaussian(1.0) + Polynomial(2)])
class TestFitted:
    def test_what_a_fit_proves(self, kernel, mode):
        X, y = curved()
        model = HardMarginSVM(kernel, intercept=mode).fit(X, y)
        (claim,) = model.certificate_
        assert type(claim) is MaximumMargin
        assert model.certificate_.verify(X, y)
        assert not model.certificate_.verify(X, np.roll(y, 1))
        assert model.converged_
        assert claim.relative_gap <= 1e-6
        signs = np.where(y == "yes", 1, -1)
        assert np.all(model.predict(X) == y)
        assert np.min(signs * model.decision_function(X)) == pytest.approx(1)
        (f,), b = model.expansions_, model.intercept_[0]
        length = np.hypot(f.norm(), b if mode == "lifted" else 0)
        assert model.margin_[0] == pytest.approx(1 / length)
        assert model.geometric_margin_[0] == pytest.approx(1 / f.norm())
        assert model.objective_[0] == pytest.approx(0.5 * length**2)
        assert claim.lower * (1 - 1e-9) <= model.margin_[0] <= claim.upper * (1 + 1e-9)
        if mode == "free":
            assert model.dual_coef_[0].sum() == pytest.approx(0, abs=1e-9)
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])

    def test_classes_against_the_rest(self, kernel, mode):
        X, y = curved(classes=("a", "b", "c"))
        model = HardMarginSVM(kernel, intercept=mode).fit(X, y)
        assert len(model.certificate_.of_kind(MaximumMargin)) == len(model.expansions_) == 3
        assert model.certificate_.verify(X, y)
        assert np.all(model.predict(X) == y)

    def test_a_dear_soft_margin_is_hard(self, kernel, mode):
        X, y = curved(60)
        hard = HardMarginSVM(kernel, intercept=mode).fit(X, y)
        dear = 10 * np.abs(hard.dual_coef_[0]).max()
        soft = SVM(kernel, C=dear, intercept=mode, tol=1e-7).fit(X, y)
        np.testing.assert_allclose(soft.objective_, hard.objective_, rtol=1e-6)


def provable_gap(model, X) -> float:
    """The relative gap that float64 lets a MaximumMargin prove, whatever the multipliers.

    At the largest margin Σα = ‖f‖² = 1/γ². Scores f(x_t) of size 1 are sums of n products in all of
    which |α k| adds up to R²Σα, R² = max K(x, x), so that they are off by s = (2γ_{n+4} + ε)·R²Σα,
    ε being that of the kernel; the claim takes 4s, for its checker. So margins are proved to be
    1 − 4s, and ‖f‖² = Σαf up to a factor of 1 + 4s, in both bounds of γ*: together 16s of
    (lower/upper)².
    """
    kernel, lifted = model.kernel_, model.intercept == "lifted"
    square = float(kernel.diagonal(X).max()) + lifted
    mass = float(np.abs(model.dual_coef_[0]).sum())
    n = model.dual_coef_[0].size
    slack = 1.1 * (2 * gamma(n + 4) + kernel.rounding(X, X).relative) * square * mass
    return 16.5 * slack


class TestAgainstOthers:
    @given(st.integers(0, 2**32 - 1), st.sampled_from(MODES))
    @example(33457, "free")  # margins of 3e-4 among images of length 10
    @example(259280, "lifted")
    @example(259280, "none")
    @settings(max_examples=20)
    def test_the_explicit_space_agrees(self, seed, mode):
        random = np.random.default_rng(seed)
        X = random.standard_normal((25, 2))
        y = np.where(X[:, 0] * X[:, 1] + 0.3 * X[:, 0] > 0.1, 1, -1)
        y[:2] = -1, 1
        phi = Monomials(2).fit(X)
        try:
            explicit = HardMarginSVM(intercept=mode).fit(phi.transform(X), y)
        except NotSeparable:
            with pytest.raises(NotSeparable):
                HardMarginSVM(Polynomial(2), intercept=mode).fit(X, y)
            return
        if explicit.margin_[0] < 1e-5:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = HardMarginSVM(Polynomial(2), intercept=mode).fit(X, y)
        gap = max(model.tol, provable_gap(model, X))
        assert model.certificate_.of_kind(MaximumMargin)[0].relative_gap <= gap
        assert model.converged_ or gap > model.tol
        np.testing.assert_allclose(model.margin_, explicit.margin_, rtol=gap)
        # ½‖w − w*‖² ≤ gap·½‖w‖², as the objective is strongly convex; for both machines.
        w = model.dual_coef_[0] @ phi.transform(X[model.support_])
        scale = np.linalg.norm(explicit.coef_[0])
        assert np.linalg.norm(w - explicit.coef_[0]) <= 2.01 * np.sqrt(gap) * scale

    @pytest.mark.slow
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("cache_mb", [0.01, 0.05, 1000])
    def test_memory_changes_nothing(self, monkeypatch, mode, cache_mb):
        """Gram matrices of 15 and 35 rows, of 200 with about 30 supports."""
        X, y = curved(200)
        kernel, signs = Gaussian(0.2), np.where(y == "yes", 1, -1).astype(np.int8)
        whole, made = kernel_hard_margin(kernel, X, signs, mode), []
        gram = module._Images.gram

        def noted(images, rows):
            made.append(rows.size)
            return gram(images, rows)

        monkeypatch.setattr(module._Images, "gram", noted)
        bounded = kernel_hard_margin(kernel, X, signs, mode, cache_mb=cache_mb)
        assert 8 * max(made) ** 2 <= cache_mb * 1e6
        near = 0.01 if cache_mb == 0.01 else 1e-6  # fewer rows than supports: slowly
        assert bounded.trace.gap[-1] <= near
        assert bounded.trace.lower[-1] == pytest.approx(whole.trace.lower[-1], rel=near)


class TestKinds:
    def test_precomputed(self):
        X, y = curved()
        kernel = Gaussian(0.5)
        K, new = kernel(X), curved(20, seed=1)[0]
        model = HardMarginSVM(Precomputed()).fit(K, y)
        assert model.certificate_.verify(K, y)
        direct = HardMarginSVM(kernel).fit(X, y)
        np.testing.assert_allclose(model.margin_, direct.margin_, rtol=1e-6)
        np.testing.assert_allclose(
            model.decision_function(kernel(new, X)), direct.decision_function(new), rtol=0.01
        )
        K[[3, 5], [5, 3]] += 3
        with pytest.raises(NotPositive):
            HardMarginSVM(Precomputed()).fit(K, y)

    @pytest.mark.parametrize("store", [np.float32, sparse.csr_matrix, list])
    def test_every_storage(self, store):
        X, y = curved()
        kept = store(X.astype(np.float32).astype(float))
        model = HardMarginSVM(Gaussian(0.5)).fit(kept, y)
        assert model.certificate_.verify(kept, y)
        assert np.all(model.predict(kept) == y)

    def test_words(self):
        def letters(a, b):
            return float(len(set(a) & set(b)))

        words, y = ["tea", "coffee", "beet", "dog", "frog", "hog"], [1, 1, 1, 0, 0, 0]
        model = HardMarginSVM(Function(letters)).fit(words, y)
        assert model.certificate_.verify(words, y)
        assert model.predict(words).tolist() == y
        other = copy.deepcopy(model)
        np.testing.assert_array_equal(
            other.decision_function(words), model.decision_function(words)
        )

    def test_grid_search_and_copies(self):
        X, y = curved()
        kernels = [Gaussian(0.1), Gaussian(1.0), Polynomial(2)]
        search = GridSearchCV(HardMarginSVM(), {"kernel": kernels}, cv=3).fit(X, y)
        assert search.best_params_["kernel"] in kernels
        model = search.best_estimator_
        same = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))
        assert clone(model).kernel == model.kernel

    def test_one_class(self):
        X = curved(20)[0]
        model = HardMarginSVM(Gaussian(1.0)).fit(X, ["a"] * 20)
        assert model.n_support_.tolist() == [0]
        assert set(model.predict(X)) == {"a"}
        assert len(model.certificate_) == 0
        through = HardMarginSVM(Gaussian(1.0), intercept="none").fit(X, ["a"] * 20)
        assert through.certificate_.verify(X, ["a"] * 20)


class TestRefusals:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(3)])
    def test_the_same_example_twice(self, kernel, mode):
        X, y = curved()
        X, y = np.vstack([X, X[7]]), np.append(y, "no" if y[7] == "yes" else "yes")
        with pytest.raises(NotSeparable, match=r"examples .*7.* at most about") as refused:
            HardMarginSVM(kernel, intercept=mode).fit(X, y)
        assert refused.value.proof is None
        assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)

    def test_classes_that_no_conic_separates(self):
        random = np.random.default_rng(0)
        X, y = random.standard_normal((60, 2)), random.choice([0, 1], 60)
        with pytest.raises(NotSeparable, match="Polynomial"):
            HardMarginSVM(Polynomial(2)).fit(X, y)

    def test_an_intercept_is_no_kernel(self):
        with pytest.raises(ValueError, match="intercept='none'"):
            HardMarginSVM("none").fit(*curved())


class TestStopping:
    def test_nothing_found_in_time(self):
        X, y = curved(1500)
        with pytest.raises(RuntimeError, match="stopped before it found a function"):
            HardMarginSVM(Polynomial(2), time_limit=1e-9).fit(X, np.roll(y, 1))

    @pytest.mark.slow
    def test_by_hand(self):
        class Interrupter:
            def setup(self, estimator, context): ...
            def teardown(self, estimator, context): ...
            def on_fit_task_begin(self, estimator, context, **more): ...
            def on_fit_task_end(self, estimator, context, **more):
                if context.task_name == "look":
                    signal.raise_signal(signal.SIGINT)

        X, y = curved(1500)
        model = HardMarginSVM(Gaussian(0.05), tol=0).set_callbacks(Interrupter())
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            try:
                model.fit(X, y)
            except RuntimeError as nothing:
                assert "stopped before" in str(nothing)  # noqa: PT017
                return
        assert "Stopped by hand" in str(said[0].message)
        assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_refusal_names_equal_examples_only_where_there_are_some(make):
    xor, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    with pytest.raises(NotSeparable, match=r"richer kernel .* may separate them\. SVM"):
        HardMarginSVM(Linear()).fit(make(xor), y)
    with pytest.raises(
        NotSeparable, match=r"No kernel can: examples 1, 4 \(counting from 0\) are equal"
    ):
        HardMarginSVM(Gaussian(1.0)).fit(make(np.vstack([xor, [[1, 1]]])), [*y, 1])


def test_kernel_values_hear_a_wish_to_stop(monkeypatch):
    """The Gram matrix of many rows is made in strips, between which the time is looked at."""
    from certo.solvers import kernel_hard_margin as solver
    from certo.stop import Stop

    monkeypatch.setattr(solver, "MAX_UNHEARD_VALUES", 100)
    rng = np.random.default_rng(0)
    X, signs = rng.standard_normal((400, 2)), np.where(np.arange(400) % 2, 1, -1)
    asked = []

    def ask():
        asked.append(None)
        return Stop.TIME_LIMIT if len(asked) > 3 else None

    outcome = solver.kernel_hard_margin(Gaussian(1.0), X, signs, "free", asked=ask)
    assert outcome.stop is Stop.TIME_LIMIT
    assert len(asked) <= 5
    assert not outcome.scores.any()
