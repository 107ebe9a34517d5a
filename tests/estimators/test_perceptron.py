"""`certo.Perceptron` as scikit-learn's users will use it."""

import copy
import dataclasses
import pickle
import re
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo import HardMarginSVM, KernelPerceptron, Perceptron, certify, separability
from certo.certificates import CompressionBound, Inseparable, MistakeBound, Separable
from certo.estimators import _separation_words
from certo.kernels import Gaussian
from certo.plots.update_curves import update_curves
from certo.rates import Constant, Geometric, Power
from tests.oracles.boxes import perceptron_box


@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(average=True, epochs=20),
        Perceptron(order="shuffled", learning_rate=Power(), zero_sign=-1, random_state=0),
        Perceptron(order="misclassified", init="random", random_state=0, update_at_zero="positive"),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def separable(seed=0, m=120, d=4):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    score = X @ random.standard_normal(d) + 0.3
    keep = np.abs(score) > 0.2
    return X[keep], np.where(score[keep] > 0, "yes", "no")


STORAGES = [
    lambda X: X,
    lambda X: X.astype(np.float32),
    np.asfortranarray,
    sparse.csr_matrix,
    sparse.csr_array,
    sparse.csc_matrix,
    lambda X: sparse.csr_matrix(X.astype(np.float32)),
    pd.DataFrame,
    lambda X: pl.DataFrame(X, schema=[f"c{i}" for i in range(X.shape[1])]),
    lambda X: X.tolist(),
]


class TestTheBox:
    @given(
        X=st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=4, max_size=12),
        seed=st.integers(0, 99),
    )
    @settings(max_examples=30)
    def test_weights_updates_and_updated_are_those_of_the_notes(self, X, seed):
        signs = np.where(np.random.default_rng(seed).random(len(X)) < 0.5, 1, -1)
        signs[:2] = (-1, 1)
        w, updates, _ = perceptron_box(X, signs, 6)
        for store in STORAGES[:7]:
            model = Perceptron(epochs=6, intercept="none").fit(store(np.array(X, float)), signs)
            assert np.array_equal(model.coef_[0], w[:-1])
            assert model.updates_.tolist() == [len(updates)]
            assert model.updated_[0].tolist() == sorted(set(updates))

    def test_agrees_with_scikit_learn_on_the_plain_algorithm(self):
        X, y = separable(3, m=500)
        y[:60] = "no"
        for kind in (np.asarray, sparse.csr_matrix):
            ours = Perceptron(epochs=15, intercept="none").fit(kind(X), y)
            theirs = SklearnPerceptron(
                max_iter=15, tol=None, shuffle=False, fit_intercept=False
            ).fit(kind(X), y)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)

    def test_lifted_is_a_feature_of_ones(self):
        X, y = separable(1)
        lifted = Perceptron().fit(X, y)
        by_hand = Perceptron(intercept="none").fit(np.c_[X, np.ones(len(X))], y)
        np.testing.assert_allclose(np.r_[lifted.coef_[0], lifted.intercept_], by_hand.coef_[0])

    def test_the_rule_at_zero_and_the_sign_of_zero_are_two_things(self):
        X, y = np.array([[0.0], [0.0]]), np.array([-1, 1])
        counts = {
            rule: Perceptron(epochs=1, intercept="none", update_at_zero=rule).fit(X, y).updates_[0]
            for rule in ("always", "positive", "negative")
        }
        assert counts == {"always": 2, "positive": 1, "negative": 1}
        plus, minus = (Perceptron(intercept="none", zero_sign=s).fit(X, y) for s in (1, -1))
        assert plus.predict([[0.0]]) == [1]
        assert minus.predict([[0.0]]) == [-1]
        assert np.array_equal(plus.coef_, minus.coef_)


class TestFitted:
    def test_on_separable_data(self):
        X, y = separable()
        model = Perceptron(epochs=1000).fit(X, y)
        assert model.converged_
        assert model.score(X, y) == 1
        assert "Converged" in model.status_
        assert isinstance(model.status_, str)
        assert [type(claim) for claim in model.certificate_] == [
            Separable,
            MistakeBound,
            CompressionBound,
        ]
        assert model.certificate_.verify(X, y)
        (bound,) = model.certificate_.of_kind(MistakeBound)
        assert bound.separable
        assert model.updates_[0] <= bound.bound
        n, norms = model.trace_.update, model.trace_.squared_norm
        lower, upper = update_curves(bound, n)
        assert np.all(lower <= norms * (1 + 1e-9))
        assert np.all(norms <= upper * (1 + 1e-9))

    @pytest.mark.parametrize("store", STORAGES)
    def test_every_storage_gives_a_certificate_that_verifies(self, store):
        X, y = separable(7)
        kept = store(X)
        model = Perceptron(epochs=50).fit(kept, y)
        verification = model.certificate_.verify(kept, y)
        assert verification, verification
        assert model.coef_.dtype == np.float64

    @pytest.mark.parametrize("intercept", ["lifted", "none"])
    def test_the_bound_is_that_of_the_largest_margin(self, intercept):
        X, y = separable(2)
        if intercept == "none":
            y = np.where(X[:, 0] > 0, "yes", "no")
        model = Perceptron(epochs=5000, intercept=intercept).fit(X, y)
        assert model.converged_
        own = model.certificate_.of_kind(MistakeBound)[0]
        best = HardMarginSVM(intercept=intercept).fit(X, y)
        strong = model.mistake_bound(X, y, best.coef_, best.intercept_)
        weak = model.mistake_bound(X, y, model.coef_, model.intercept_)
        assert strong.verify(X, y)
        assert model.updates_[0] <= own.bound <= strong.claims[0].bound * 1.001
        assert own.bound < weak.claims[0].bound

    def test_equality_in_the_bound_happens(self):
        X, y = np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([1, 0])
        model = Perceptron(intercept="none").fit(X, y)
        bound = model.mistake_bound(X, y, [3.0, 4.0]).claims[0]
        assert bound.bound == model.updates_[0] == 1
        assert bound.verify(X, y)

    def test_not_separable_says_so_and_claims_nothing_false(self):
        X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])
        model = Perceptron(epochs=30).fit(X, y)
        assert not model.converged_
        assert "Not converged" in model.status_
        assert not model.certificate_.of_kind(Separable)
        assert any(item.name == "Separable" for item in model.certificate_.not_claimed)
        assert model.certificate_.verify(X, y)

    def test_an_epoch_without_updates_need_not_separate_under_other_rules_at_zero(self):
        X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
        model = Perceptron(intercept="none", update_at_zero="positive").fit(X, y)
        assert model.converged_
        assert not model.certificate_.of_kind(Separable)

    def test_a_data_dependent_order_has_no_compression_bound(self):
        X, y = separable()
        model = Perceptron(order="misclassified", random_state=0, epochs=1000).fit(X, y)
        assert not model.certificate_.of_kind(CompressionBound)
        (reason,) = (c.reason for c in model.certificate_.not_claimed if "Compression" in c.name)
        assert "order depends on the data" in reason

    def test_several_classes_are_a_layer(self):
        X, y = load_iris(return_X_y=True)
        names = np.array(["a", "b", "c"])[y]
        model = Perceptron(epochs=40).fit(X, names)
        assert model.coef_.shape == (3, 4)
        assert model.decision_function(X).shape == (150, 3)
        assert len(model.updated_) == len(model.updates_) == 3
        alone = Perceptron(epochs=40).fit(X, names == "a")
        assert np.array_equal(alone.coef_[0], model.coef_[0])
        assert model.certificate_.verify(X, names)
        assert not model.certificate_.verify(X, np.roll(names, 1))
        assert len(model.trace_.of_output(1).epoch_updates) == 40

    def test_multi_label(self):
        X, Y = make_multilabel_classification(80, 5, n_classes=3, random_state=0)
        model = Perceptron(epochs=20).fit(X, Y)
        assert model.predict(X).shape == Y.shape
        for j in range(3):
            alone = Perceptron(epochs=20).fit(X, Y[:, j])
            assert np.array_equal(alone.coef_[0], model.coef_[j])
        assert model.certificate_.verify(X, Y)
        assert np.array_equal(Perceptron(epochs=20).fit(X, sparse.csr_matrix(Y)).coef_, model.coef_)

    def test_neurons_to_look_at(self):
        X, y = separable(d=2)
        (neuron,) = Perceptron().fit(X, y).neurons_
        x1 = 0.7
        assert abs(neuron.induced_local_field([[x1, neuron.boundary(x1)]])[0]) < 1e-9

    def test_random_state_decides_and_clone_repeats(self):
        X, y = separable(5)
        model = Perceptron(order="shuffled", init="random", random_state=7, epochs=3).fit(X, y)
        assert np.array_equal(clone(model).fit(X, y).coef_, model.coef_)
        other = Perceptron(order="shuffled", init="random", random_state=8, epochs=3).fit(X, y)
        assert not np.array_equal(other.coef_, model.coef_)

    @pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
    def test_copies_keep_everything(self, again):
        X, y = separable()
        model = Perceptron(learning_rate=Geometric(1, 0.99)).fit(X, y)
        twin = again(model)
        assert np.array_equal(twin.predict(X), model.predict(X))
        assert twin.certificate_ == model.certificate_
        assert np.array_equal(twin.trace_.weights, model.trace_.weights)
        assert twin.certificate_.verify(X, y)

    def test_claims_hold_for_sparse_and_dense_forms_of_the_same_data(self):
        X, y = separable(11, m=400)
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.4, 0.0, X) / 3
        for fitted, shown in ((X, sparse.csr_matrix(X)), (sparse.csr_matrix(X), X)):
            model = Perceptron(epochs=30).fit(fitted, y)
            verification = model.certificate_.verify(shown, y)
            assert verification, verification


class TestConventions:
    def test_pipelines_and_grid_search(self):
        X, y = separable(m=200)
        pipe = make_pipeline(StandardScaler(), Perceptron())
        assert cross_val_score(pipe, X, y, cv=3).min() > 0.8
        grid = {"perceptron__learning_rate": [0.5, Constant(1.0), Power()]}
        assert GridSearchCV(pipe, grid, cv=2).fit(X, y).best_score_ > 0.8

    def test_feature_names(self):
        X, y = separable()
        frame = pd.DataFrame(X, columns=list("abcd"))
        model = Perceptron().fit(frame, y)
        assert model.feature_names_in_.tolist() == list("abcd")
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame.rename(columns={"a": "z"}))

    def test_partial_fit_in_pieces_is_one_epoch_in_one_piece(self):
        X, y = separable(m=300)
        whole = Perceptron(epochs=1).fit(X, y)
        pieces = Perceptron()
        for k in range(0, len(y), 70):
            pieces.partial_fit(X[k : k + 70], y[k : k + 70], classes=["no", "yes"])
            part = pieces.certificate_.verify(X[k : k + 70], y[k : k + 70])
            assert part, part
        assert np.array_equal(pieces.coef_, whole.coef_)
        assert np.array_equal(pieces.updates_, whole.updates_)
        assert pieces.status_.startswith("One pass over a batch of")
        assert not pieces.certificate_.of_kind(CompressionBound)

    def test_partial_fit_refuses_a_label_it_was_not_told_of(self):
        X, y = separable()
        model = Perceptron().partial_fit(X, y)
        with pytest.raises(ValueError, match="none of the classes"):
            model.partial_fit(X, np.where(y == "yes", "maybe", y))

    def test_progress_bar_and_callbacks(self):
        X, y = separable()
        y[:20] = "no"
        seen = []

        class Spy:
            def setup(self, estimator, context): ...
            def teardown(self, estimator, context): ...
            def on_fit_task_begin(self, estimator, context): ...
            def on_fit_task_end(self, estimator, context, *, fitted_estimator):
                if context.parent is not None:
                    seen.append(fitted_estimator.coef_)
                return len(seen) == 5

        with pytest.warns(ConvergenceWarning):
            stopped = Perceptron(epochs=30).set_callbacks(Spy()).fit(X, y)
        assert len(seen) == stopped.n_iter_ == 5
        assert np.array_equal(seen[-1], stopped.coef_)
        Perceptron(epochs=3).set_callbacks(ProgressBar()).fit(X, y)

    def test_a_callback_that_wants_the_estimator_as_it_is_can_predict_with_it(self):
        X, y = separable()

        class Scorer:
            scores = []  # noqa: RUF012

            def setup(self, estimator, context): ...
            def teardown(self, estimator, context): ...
            def on_fit_task_begin(self, estimator, context): ...
            def on_fit_task_end(self, estimator, context, *, fitted_estimator):
                self.scores.append(fitted_estimator.score(X, y))

        model = Perceptron(epochs=4).set_callbacks(Scorer()).fit(X, y)
        assert Scorer.scores[-1] == model.score(X, y)

    def test_the_data_are_not_copied(self):
        X = np.random.default_rng(0).standard_normal((40_000, 50))
        y = (X[:, 0] > 0).astype(int)
        Perceptron(epochs=2).fit(X[:100], y[:100])
        for kept in (X, sparse.csr_matrix(X)):
            size = X.nbytes
            tracemalloc.start()
            Perceptron(epochs=2).fit(kept, y)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < size / 3, f"{peak / size:.2f} of the size of X"

    def test_read_only_and_memory_mapped_input(self, tmp_path):
        X, y = separable()
        np.save(tmp_path / "X.npy", X)
        mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
        assert np.array_equal(Perceptron().fit(mapped, y).coef_, Perceptron().fit(X, y).coef_)

    def test_csr_with_64_bit_indices_duplicates_and_unsorted_entries(self):
        X, y = separable()
        S = sparse.csr_matrix(X)
        wide = sparse.csr_matrix(
            (S.data, S.indices.astype(np.int64), S.indptr.astype(np.int64)), shape=S.shape
        )
        expected = Perceptron().fit(S, y).coef_
        assert np.array_equal(Perceptron().fit(wide, y).coef_, expected)
        halves = sparse.csr_matrix(
            (np.repeat(S.data / 2, 2), np.repeat(S.indices, 2), 2 * S.indptr), shape=S.shape
        )
        before = halves.nnz
        assert np.array_equal(Perceptron().fit(halves, y).coef_, expected)
        assert halves.nnz == before, "the user's matrix is left as it was"


class TestBadInput:
    @pytest.mark.parametrize(
        ("value", "what"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf"), (1e200, "1e.200")]
    )
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
    def test_unusable_numbers_are_named_with_their_place(self, value, what, store):
        X, y = separable()
        X[3, 2] = value
        with pytest.raises(ValueError, match=rf"X\[3, 2\] is .*{what}"):
            Perceptron().fit(store(X), y)

    @pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e141])
    def test_lengths_that_float64_cannot_multiply(self, scale):
        X, y = separable()
        with pytest.raises(ValueError, match="length between"):
            Perceptron().fit(X * scale, y)

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
    def test_whole_numbers_that_float64_cannot_hold(self, store):
        X = np.array([[2**53 + 1, 1], [1, 2]])
        with pytest.raises(ValueError, match=r"X\[0, 0\] is 9007199254740993"):
            Perceptron().fit(store(X), [0, 1])

    def test_one_class(self):
        with pytest.raises(ValueError, match="only one class: 'a'"):
            Perceptron().fit([[1.0], [2.0]], ["a", "a"])

    def test_continuous_target(self):
        with pytest.raises(ValueError, match="continuous"):
            Perceptron().fit([[1.0], [2.0], [3.0]], [0.5, 1.7, 2.2])

    def test_multi_output_classes(self):
        with pytest.raises(ValueError, match="0/1 matrix"):
            Perceptron().fit([[1.0], [2.0], [3.0]], [[0, 2], [1, 1], [2, 0]])

    def test_column_vector(self):
        X, y = separable()
        with pytest.warns(DataConversionWarning):
            Perceptron().fit(X, y[:, None])

    @pytest.mark.parametrize(
        "wrong",
        [
            {"learning_rate": 0.0},
            {"learning_rate": -1},
            {"learning_rate": np.nan},
            {"epochs": 0},
            {"epochs": 2.5},
            {"order": "random"},
            {"init": "ones"},
            {"intercept": "free"},
            {"update_at_zero": "never"},
            {"zero_sign": 0},
        ],
    )
    def test_wrong_parameters(self, wrong):
        X, y = separable()
        with pytest.raises(ValueError, match="must be"):
            Perceptron(**wrong).fit(X, y)

    @pytest.mark.parametrize("rate", [lambda n: 1 / n, "fast", None, True])
    def test_rates_must_be_values(self, rate):
        X, y = separable()
        with pytest.raises(TypeError, match=r"certo\.rates"):
            Perceptron(learning_rate=rate).fit(X, y)

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            Perceptron().predict([[1.0]])

    def test_ugly_but_normal(self):
        X, y = separable()
        X = np.c_[X, np.ones(len(X)), X[:, 0], np.zeros(len(X))]
        X, y = np.r_[X, X], np.r_[y, y]
        model = Perceptron(epochs=1000).fit(X, y)
        assert model.converged_
        assert model.certificate_.verify(X, y)
        # mixed with tiny numbers, which are harmless beside others
        X[:, 1] *= 1e-300
        assert Perceptron(epochs=5).fit(X, y).certificate_.verify(X, y)

    def test_labels_that_no_certificate_could_name(self):
        y = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")
        with pytest.raises((TypeError, ValueError), match=r"labels that are text|label type"):
            Perceptron().fit([[1.0], [2.0]], y)

    @pytest.mark.parametrize("values", [(-1, 1), (1, 2), (0, 2)])
    def test_multi_label_must_be_zero_or_one(self, values):
        Y = np.array(values)[np.random.default_rng(0).integers(0, 2, (20, 2))]
        with pytest.raises(ValueError, match="0 or 1"):
            Perceptron().fit(np.random.default_rng(1).standard_normal((20, 3)), Y)

    def test_indices_outside_the_matrix(self):
        S = sparse.csr_matrix(np.eye(3))
        S.indices[1] = 3
        with pytest.raises(ValueError, match=r"ind(ex|ices)"):
            Perceptron().fit(S, [0, 1, 0])

    def test_a_failed_fit_leaves_the_old_model_whole(self):
        X, y = load_iris(return_X_y=True)
        model = Perceptron(epochs=3).fit(X, y)
        expected = model.predict(X)
        model.set_params(learning_rate=Geometric(1e300, 10.0))
        with pytest.raises(ValueError, match="overflow"):
            model.fit(X * 1e100, y > 0)
        assert model.classes_.tolist() == [0, 1, 2]
        assert np.array_equal(model.predict(X), expected)

    def test_partial_fit_keeps_to_its_classes_and_intercept(self):
        X, y = separable()
        model = Perceptron().partial_fit(X, y)
        with pytest.raises(ValueError, match="classes must stay"):
            model.partial_fit(X, y, classes=["no", "yes", "maybe"])
        with pytest.raises(ValueError, match="cannot become"):
            model.set_params(intercept="none").partial_fit(X, y)

    @pytest.mark.parametrize("coef", [[1.0, 2.0], [np.nan] * 4, [[1.0] * 4] * 2])
    def test_a_comparator_of_the_wrong_kind(self, coef):
        X, y = separable()
        with pytest.raises(ValueError, match="coef must hold finite numbers of shape"):
            Perceptron().fit(X, y).mistake_bound(X, y, coef)


class TestAverage:
    """`average=True` answers with the mean of the weights before every look."""

    @staticmethod
    def plainly(X, signs, epochs, order=None, rates=lambda n: 1.0, start=None):
        """The mean and the last weights, by keeping every one of them."""
        rows = np.c_[X, np.ones(len(X))]
        w = np.zeros(rows.shape[1]) if start is None else start
        kept, n = [], 0
        for epoch in range(epochs):
            made = 0
            for t in order[epoch] if order else range(len(rows)):
                kept.append(w)
                if signs[t] * (rows[t] @ w) <= 0:
                    n, made = n + 1, made + 1
                    w = w + rates(n) * signs[t] * rows[t]
            if not made:
                break
        return np.mean(kept, axis=0), w

    @staticmethod
    def noisy(seed=0, m=120, d=4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(m, d))
        return X, np.where(X[:, 0] + 0.5 * random.normal(size=m) > 0.2, 1, -1)

    @pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
    @pytest.mark.parametrize("epochs", [1, 7])
    def test_averaged_weights_are_the_mean_of_all_weights(self, store, epochs):
        X, y = self.noisy()
        X = store(X)
        model = Perceptron(epochs=epochs, average=True).fit(X, y)
        mean, last = self.plainly(X.toarray() if sparse.issparse(X) else X, y, epochs)
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), mean, rtol=1e-10)
        np.testing.assert_allclose(
            np.append(model.last_coef_[0], model.last_intercept_), last, rtol=1e-10
        )
        plain = Perceptron(epochs=epochs).fit(X, y)
        assert np.array_equal(plain.coef_, model.last_coef_)
        assert not hasattr(plain, "last_coef_")
        assert "average" in model.status_

    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"order": "shuffled", "random_state": 3},
            {"init": "random", "random_state": 5},
            {"learning_rate": Power(0.5)},
            {"intercept": "none"},
            {"update_at_zero": "positive"},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_bounds_are_about_it_and_hold(self, settings, store):
        X, y = self.noisy(2)
        X[:, 0] += y  # few updates
        model = Perceptron(epochs=5, average=True, **settings).fit(store(X), y)
        assert model.certificate_.verify(store(X), y)
        (bound,) = model.certificate_.of_kind(CompressionBound)
        assert np.array_equal(bound.scheme.coef, model.coef_)
        (mistakes,) = model.certificate_.of_kind(MistakeBound)
        assert np.array_equal(mistakes.coef, model.last_coef_[0])
        assert "last weights of the run" in mistakes.claim
        page = certify(model, store(X), y)
        assert page.verify(store(X), y)
        assert page.of_kind("CompressionBound")[0].of_predictions
        last = dataclasses.replace(bound.scheme, coef=model.last_coef_)
        forged = dataclasses.replace(bound, scheme=last)
        assert not forged.verify(store(X), y)

    def test_separating_is_claimed_only_where_it_is_true(self):
        X, y = self.noisy(3)
        X[:, 0] = y * (1 + np.abs(X[:, 0]))
        model = Perceptron(epochs=300, average=True).fit(X, y)
        assert model.converged_
        right = np.array_equal(model.predict(X), y)
        assert bool(model.certificate_.of_kind(Separable)) == right
        assert model.certificate_.verify(X, y)

    def test_skipped_looks_count(self):
        """Late in a long run most examples are not looked at, but the average counts them."""
        X, y = self.noisy(4, m=300)
        X[:, 0] += 0.6 * y
        model = Perceptron(epochs=200, average=True).fit(X, y)
        mean, _ = self.plainly(X, y, 200)
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), mean, rtol=1e-9)

    def test_misclassified_order_averages_its_looks(self):
        X, y = self.noisy(5)
        model = Perceptron(order="misclassified", random_state=0, average=True, epochs=3).fit(X, y)
        assert model.certificate_.verify(X, y)
        assert np.all(np.isfinite(model.coef_))
        X[:, 0] = 3.0 * y
        model = Perceptron(order="misclassified", random_state=0, average=True).fit(X, y)
        assert model._looks[0] <= len(y) * model.n_iter_
        assert model.converged_

    def test_parts_of_a_stream_are_averaged_together(self):
        X, y = self.noisy(6)
        model = Perceptron(average=True).partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
        whole = Perceptron(average=True, epochs=1).fit(X, y)
        assert np.array_equal(model.coef_, whole.coef_)
        assert np.array_equal(model.last_coef_, whole.last_coef_)
        with pytest.raises(ValueError, match="average must stay True"):
            model.set_params(average=False).partial_fit(X, y)
        with pytest.raises(ValueError, match="average must stay False"):
            Perceptron().fit(X, y).set_params(average=True).partial_fit(X, y)
        with pytest.raises(ValueError, match="average must be True or False"):
            Perceptron(average="yes").fit(X, y)

    def test_several_classes_and_columns(self):
        X, y = self.noisy(7)
        three = np.digitize(X[:, 1], [-0.5, 0.5])
        model = Perceptron(epochs=3, average=True).fit(X, three)
        page = certify(model, X, three)
        assert page.verify(X, three)
        assert [claim for claim in page.of_kind("CompressionBound") if claim.of_predictions] or any(
            item.name == "CompressionBound" for item in page.not_claimed
        )
        for k in range(3):
            mean, _ = self.plainly(X, np.where(three == k, 1, -1), 3)
            own = np.append(model.coef_[k], model.intercept_[k])
            np.testing.assert_allclose(own, mean, rtol=1e-10)
        several = np.c_[y > 0, three == 1].astype(int)
        assert Perceptron(epochs=3, average=True).fit(X, several).predict(X).shape == (120, 2)

    def test_a_random_iterate_is_no_bound_of_the_predictions(self):
        X, y = self.noisy(8)
        for average in (True, False):
            page = certify(Perceptron(epochs=1, average=average).fit(X, y), X, y)
            assert not page.of_kind("OnlineToBatch")
            (item,) = [item for item in page.not_claimed if item.name == "OnlineToBatch"]
            assert "is not how the model predicts" in item.reason


class TestVerdict:
    """A run that did not converge says whether it could have."""

    XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])

    @pytest.fixture(autouse=True)
    def time_enough(self, monkeypatch):
        monkeypatch.setattr(_separation_words, "LEAST_SECONDS_OF_FEW", 60.0)

    def test_inseparable_examples_are_named(self):
        model = Perceptron().fit(self.XOR, [1, 1, 0, 0])
        assert "No hyperplane separates the examples" in model.status_
        assert "examples 0, 1, 2, 3 (counting from 0) prove it" in model.status_
        assert "ither" not in model.status_

    @pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
    @pytest.mark.parametrize("intercept", ["lifted", "none"])
    def test_the_rows_prove_it(self, store, intercept):
        random = np.random.default_rng(1)
        X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200)
        model = Perceptron(epochs=20, intercept=intercept).fit(store(X), y)
        rows = re.search(r"examples? ([\d, ]+) \(counting from 0\)", model.status_)[1]
        some = [int(row) for row in rows.split(", ")]
        assert len(some) <= 3 + 1 + (intercept == "lifted")
        asked = {"lifted": "free", "none": "none"}[intercept]
        assert isinstance(separability(store(X)[some], y[some], asked), Inseparable)
        assert ("through the origin" in model.status_) == (intercept == "none")

    def test_a_row_of_zeros(self):
        X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.5]])
        model = Perceptron(epochs=3, intercept="none").fit(X, [1, 1, 0])
        assert "example 0 (counting from 0) proves it" in model.status_

    def test_separable_examples_need_more_epochs(self):
        X, y = load_iris(return_X_y=True)
        model = Perceptron(epochs=1).fit(X[:100], y[:100])
        assert "Some hyperplane separates the examples: more epochs are needed." in model.status_
        slow = Perceptron(epochs=1, learning_rate=Geometric(1.0, 0.5)).fit(X[:100], y[:100])
        assert "more epochs" not in slow.status_

    def test_several_neurons(self):
        X, y = load_iris(return_X_y=True)
        status = Perceptron(epochs=50).fit(X, y).status_
        assert "No hyperplane separates 1 from the rest: examples " in status
        columns = np.eye(3, dtype=int)[y]
        assert "No hyperplane separates " in Perceptron(epochs=50).fit(X, columns).status_
        random = np.random.default_rng(0)
        many = Perceptron(epochs=2).fit(random.normal(size=(60, 1)), np.arange(60) % 6).status_
        assert "The same holds of 3 more." in many

    def test_undecided_separability_is_reported(self, monkeypatch):
        for name in ("LEAST_SECONDS", "LEAST_SECONDS_OF_FEW", "SHARE_OF_FIT"):
            monkeypatch.setattr(_separation_words, name, 0.0)
        status = Perceptron(epochs=2).fit(self.XOR, [1, 1, 0, 0]).status_
        assert "was not decided within 0 s; certo.separability(X, y) decides it." in status

    def test_converged_and_streamed_runs_are_not_looked_at(self, monkeypatch):
        monkeypatch.setattr(_separation_words, "separate_after", None)
        X, y = separable()
        assert Perceptron(epochs=1000).fit(X, y).status_.startswith("Converged")
        assert "One pass" in Perceptron().partial_fit(self.XOR, [1, 1, 0, 0]).status_

    def test_equal_points_of_a_kernel(self):
        X, y = np.r_[self.XOR, [[1.0, 1.0]]], np.array([1, 1, 0, 0, 0])
        for form in (np.asarray, sparse.csr_array):
            status = KernelPerceptron(Gaussian(1.0), epochs=3).fit(form(X), y).status_
            assert "examples 1, 4 (counting from 0) are the same point" in status
        clear = KernelPerceptron(Gaussian(1.0), epochs=1).fit(self.XOR, [1, 1, 0, 0]).status_
        assert "same point" not in clear
