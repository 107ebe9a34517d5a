"""`certo.KernelPerceptron` as scikit-learn's users will use it."""

import copy
import pickle
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo.estimators.kernel_perceptron as module
from certo import SVM, HardMarginSVM, KernelPerceptron, Perceptron, plots
from certo.certificates import Composite, MistakeBound
from certo.kernels import Function, Gaussian, Linear, NotPositive, Polynomial, Precomputed
from certo.solvers import kernel_hard_margin, nearest_point

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
        KernelPerceptron(),
        KernelPerceptron(Polynomial(2), epochs=20, intercept="lifted", order="shuffled"),
        KernelPerceptron(budget=30),
        KernelPerceptron(Precomputed()),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def ring(m=200, seed=0, gap=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, 2))
    far = (X**2).sum(axis=1) - 1.2
    X, far = X[np.abs(far) > gap], far[np.abs(far) > gap]
    return X, np.where(far > 0, "out", "in")


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    intercept=st.sampled_from(["none", "lifted"]),
    rule=st.sampled_from(["negative", "always", "positive"]),
)
def test_with_the_linear_kernel_it_is_the_perceptron(seed, intercept, rule):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (40, 3)).astype(float)
    y = np.where(X @ rng.standard_normal(3) + rng.standard_normal(40) > 0, "b", "a")
    y[:2] = ("a", "b")
    options = {"intercept": intercept, "update_at_zero": rule}
    ours = KernelPerceptron(Linear(), epochs=20, **options).fit(X, y)
    theirs = Perceptron(epochs=20, **options).fit(X, y)
    assert np.array_equal(ours.updates_, theirs.updates_)
    assert np.array_equal(ours.support_, theirs.updated_[0])
    assert np.array_equal(ours.dual_coef_[0] @ X[ours.support_], theirs.coef_[0])
    assert np.array_equal(ours.intercept_, theirs.intercept_)
    assert (ours.n_iter_, ours.converged_) == (theirs.n_iter_, theirs.converged_)
    assert np.array_equal(ours.trace_.update, theirs.trace_.update)
    assert np.allclose(ours.trace_.squared_norm, theirs.trace_.squared_norm)
    assert np.allclose(ours.trace_.angle, theirs.trace_.angle, atol=1e-6)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_the_first_examples_of_the_box():
    """f = 0 has the sign +1, so a first example of y = +1 is no mistake."""
    X = [[1.0], [2.0], [-1.0], [-3.0]]
    model = KernelPerceptron(Linear()).fit(X, [1, 1, -1, -1])
    assert model.support_.tolist() == [2]
    assert model.dual_coef_[0].tolist() == [-1.0]
    always = KernelPerceptron(Linear(), update_at_zero="always").fit(X, [1, 1, -1, -1])
    assert always.support_.tolist() == [0]


def test_what_a_fit_leaves():
    X, y = ring(gap=0.1)
    model = KernelPerceptron(Gaussian(0.5), epochs=500).fit(X, y)
    assert model.converged_
    assert model.score(X, y) == 1
    assert model.status_.startswith("Converged: after ")
    (claim,) = model.certificate_
    assert claim.separable
    assert claim.updates == model.updates_[0] == np.abs(model.dual_coef_[0]).sum()
    assert claim.bound >= claim.updates
    assert model.certificate_.verify(X, y)
    assert not model.certificate_.verify(X, np.roll(y, 1))
    assert model.trace_.epoch_updates.sum() == model.updates_[0]
    assert model.n_support_.sum() == model.support_.size
    (f,) = model.expansions_
    assert f(X) == pytest.approx(model.decision_function(X), abs=1e-9)
    assert f.norm() ** 2 == pytest.approx(model.trace_.squared_norm[-1], rel=1e-9)
    assert isinstance(repr(model), str)


def test_the_comparison_keeps_to_the_memory_too(monkeypatch):
    X, y = ring(gap=0.1)
    seen, best = [], module.kernel_hard_margin

    def watched(*args, **words):
        seen.append(words["cache_mb"])
        return best(*args, **words)

    monkeypatch.setattr(module, "kernel_hard_margin", watched)
    model = KernelPerceptron(Gaussian(0.5), epochs=500, cache_mb=0).fit(X, y)
    assert seen == [0.0]
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Polynomial(2), Linear() + Gaussian(2.0)])
def test_storage_and_precision_change_nothing_but_rounding(kernel):
    X, y = ring()
    X = X.astype(np.float32).astype(np.float64)
    base = KernelPerceptron(kernel, epochs=5).fit(X, y)
    stores = (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, np.asfortranarray)
    for other in (*(store(X) for store in stores), X.astype(np.float32), X.tolist()):
        model = KernelPerceptron(kernel, epochs=5).fit(other, y)
        assert np.array_equal(model.support_, base.support_)
        assert np.array_equal(model.dual_coef_[0], base.dual_coef_[0])
        assert model.decision_function(X) == pytest.approx(base.decision_function(X), abs=1e-9)
        assert model.certificate_.verify(other, y)


def test_a_precomputed_kernel_is_that_kernel():
    X, y = ring()
    K = Gaussian(0.5)(X)
    base = KernelPerceptron(Gaussian(0.5), epochs=10).fit(X, y)
    model = KernelPerceptron(Precomputed(), epochs=10).fit(K, y)
    assert np.array_equal(model.dual_coef_[0], base.dual_coef_[0])
    assert model.decision_function(K[:7]) == pytest.approx(base.decision_function(X[:7]), abs=1e-9)
    assert model.certificate_.verify(K, y)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(NotPositive) as refused:
        KernelPerceptron(Precomputed()).fit(np.array([[1.0, 2.0], [2.0, 1.0]]), [0, 1])
    z = refused.value.witness
    assert z @ np.array([[1.0, 2.0], [2.0, 1.0]]) @ z < 0
    with pytest.raises(ValueError, match="symmetric"):
        KernelPerceptron(Precomputed()).fit(np.array([[1.0, 0.5], [0.2, 1.0]]), [0, 1])
    with pytest.raises(ValueError, match="square"):
        KernelPerceptron(Precomputed()).fit(K[:, :5], y)


def test_objects_through_pipelines_and_grid_search():
    model = KernelPerceptron(Function(letters), epochs=20).fit(WORDS, DRINKS)
    assert model.predict(["steam", "coffees"]).tolist() == ["t", "c"]
    assert model.certificate_.verify(WORDS, DRINKS)
    assert isinstance(model.support_vectors_, list)
    lower = make_pipeline(FunctionTransformer(lambda words: [w.lower() for w in words]), model)
    assert lower.fit([w.upper() for w in WORDS], DRINKS).predict(["STEAM"]).tolist() == ["t"]
    kernels = [Function(letters), Function(letters).normalised()]
    grid = GridSearchCV(KernelPerceptron(epochs=5), {"kernel": kernels}, cv=2)
    assert grid.fit(WORDS, DRINKS).best_params_["kernel"] in kernels
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(WORDS).tolist() == model.predict(WORDS).tolist()


def test_over_kernel_objects_in_a_grid():
    X, y = ring()
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), KernelPerceptron(epochs=5)),
        {"kernelperceptron__kernel": [Linear(), Gaussian(0.5), Polynomial(2)]},
    ).fit(X, y)
    assert grid.best_params_["kernelperceptron__kernel"] != Linear()
    scores = cross_val_score(KernelPerceptron(Precomputed(), epochs=5), Gaussian(0.5)(X), y)
    assert scores.mean() > 0.8


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron(Gaussian(1.0), epochs=30).fit(X, y)
    assert model.score(X, y) > 0.9
    assert len(model.dual_coef_) == len(model.certificate_) == 3
    assert model.decision_function(X).shape == (150, 3)
    assert model.certificate_.verify(X, y)
    for k in range(3):
        one = KernelPerceptron(Gaussian(1.0), epochs=30).fit(X, (y == k).astype(int))
        rows, coef = model.supports_of_output(k)
        assert np.array_equal(one.support_, rows)
        assert np.array_equal(one.dual_coef_[0], coef)


@pytest.mark.parametrize("budget", [None, 7])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_stream_is_one_pass(budget, store):
    X, y = ring(150)
    whole = KernelPerceptron(Gaussian(0.5), budget=budget).fit(store(X), y)
    stream = KernelPerceptron(Gaussian(0.5), budget=budget)
    for start in range(0, 150, 11):
        part = slice(start, start + 11)
        stream.partial_fit(store(X[part]), y[part], classes=["in", "out"])
    assert np.array_equal(stream.support_, whole.support_)
    assert np.array_equal(stream.dual_coef_, whole.dual_coef_)
    assert np.array_equal(stream.n_support_, whole.n_support_)
    assert np.array_equal(stream.updates_, whole.updates_)
    assert stream.decision_function(X) == pytest.approx(whole.decision_function(X), abs=1e-9)
    assert stream.n_iter_ == 14
    assert "not among these" in stream.certificate_.not_claimed[0].reason or budget
    # it goes on after fit, too, and what it is made of is its own
    kept = X.copy()
    more = KernelPerceptron(Gaussian(0.5), budget=budget).fit(X, y)
    X[:] = 0
    before = more.decision_function(kept)
    assert before == pytest.approx(whole.decision_function(kept), abs=1e-9)
    assert more.partial_fit(kept, y).updates_[0] > whole.updates_[0]


def test_a_stream_of_words():
    stream = KernelPerceptron(Function(letters))
    for word, label in zip(WORDS, DRINKS, strict=True):
        stream.partial_fit([word], [label], classes=["c", "t"])
    whole = KernelPerceptron(Function(letters)).fit(WORDS, DRINKS)
    assert np.array_equal(stream.support_, whole.support_)
    assert stream.predict(WORDS).tolist() == whole.predict(WORDS).tolist()


def test_streams_keep_their_settings():
    X, y = ring(40)
    model = KernelPerceptron(Gaussian(0.5)).partial_fit(X, y)
    with pytest.raises(ValueError, match="kernel must stay"):
        copy.deepcopy(model).set_params(kernel=Linear()).partial_fit(X, y)
    with pytest.raises(ValueError, match="intercept must stay"):
        copy.deepcopy(model).set_params(intercept="lifted").partial_fit(X, y)
    with pytest.raises(ValueError, match="classes must stay"):
        model.partial_fit(X, y, classes=["in", "other"])
    with pytest.raises(ValueError, match="none of the classes"):
        model.partial_fit(X, np.where(y == "in", "in", "elsewhere"))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.integers(1, 40))
def test_a_budget_is_kept_and_nothing_is_claimed(seed, budget):
    X, y = ring(120, seed)
    model = KernelPerceptron(Gaussian(0.3), epochs=3, budget=budget).fit(X, y)
    assert model.support_.size <= budget
    assert not model.certificate_.claims
    (refusal,) = model.certificate_.not_claimed
    assert refusal.name == MistakeBound.__name__
    assert "budget" in refusal.reason
    free = KernelPerceptron(Gaussian(0.3), epochs=3).fit(X, y)
    if free.support_.size <= budget:
        assert np.array_equal(free.dual_coef_[0], model.dual_coef_[0])


def test_against_comparators_of_choice():
    X, y = ring(gap=0.1)
    model = KernelPerceptron(Gaussian(0.5), epochs=2).fit(X, y)
    best = HardMarginSVM(kernel=Gaussian(0.5), intercept="none").fit(X, y)
    soft = SVM(kernel=Gaussian(0.5), C=1.0, intercept="none").fit(X, y)
    for machine in (best, soft):
        certificate = model.mistake_bound(X, y, machine)
        assert certificate.verify(X, y)
        assert certificate[0].bound >= model.updates_[0]
    assert model.mistake_bound(X, y, best)[0].separable
    with pytest.raises(ValueError, match="fitted with"):
        model.mistake_bound(X, y, SVM(kernel=Linear(), intercept="none").fit(X, y))
    with pytest.raises(ValueError, match="intercept"):
        model.mistake_bound(X, y, SVM(kernel=Gaussian(0.5)).fit(X, y))
    with pytest.raises(ValueError, match="classes"):
        model.mistake_bound(X, y, clone(soft).fit(X, np.where(y == "in", "a", "b")))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "rbf"}, "kernel must be"), ({"kernel": Gaussian}, "once it is made"),
        ({"epochs": 0}, "epochs"), ({"epochs": 1.5}, "epochs"), ({"epochs": True}, "epochs"),
        ({"budget": 0}, "budget"), ({"budget": 2.5}, "budget"), ({"order": "random"}, "order"),
        ({"intercept": "free"}, "intercept"), ({"update_at_zero": 0}, "update_at_zero"),
        ({"cache_mb": -1}, "cache_mb"), ({"cache_mb": None}, "cache_mb"),
    ],
)  # fmt: skip
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        KernelPerceptron(**settings).fit([[0.0], [1.0]], [0, 1])


def test_input_is_checked():
    model = KernelPerceptron()
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="one class"):
        model.fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="matrix of labels"):
        model.fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="number"):
        KernelPerceptron(Function(lambda a, b: "much")).fit(WORDS, DRINKS)
    with pytest.raises(ValueError, match="finite"):
        KernelPerceptron(Function(lambda a, b: np.nan)).fit(WORDS, DRINKS)


def test_state_survives():
    X, y = ring(80)
    model = KernelPerceptron(Gaussian(0.5), epochs=3, intercept="lifted").fit(X, y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.certificate_ == model.certificate_
        assert np.array_equal(again.predict(X), model.predict(X))
        further = copy.deepcopy(model).partial_fit(X, y)
        assert np.array_equal(again.partial_fit(X, y).updates_, further.updates_)
    assert Composite.from_dict(model.certificate_.to_dict()) == model.certificate_


def test_callbacks_are_told(capsys):
    X, y = ring(80)
    model = KernelPerceptron(Gaussian(0.5), epochs=4)
    model.set_callbacks(ProgressBar())
    assert model.fit(X, y).n_iter_ == 4


def test_pictures_of_a_run():
    X, y = ring(80)
    model = KernelPerceptron(Gaussian(0.5), epochs=30).fit(X, y)
    (curve, *_) = plots.squared_norm(model, ax=Figure().add_subplot()).lines
    assert np.array_equal(curve.get_ydata(), model.trace_.squared_norm)
    (counts,) = plots.mistakes(model, ax=Figure().add_subplot()).lines
    assert counts.get_ydata().sum() == model.updates_[0]


def test_ctrl_c_returns_what_there_is(monkeypatch):
    X, y = load_iris(return_X_y=True)
    solve = module.kernel_perceptron

    def interrupting(*args, after_epoch, **options):
        def told():
            signal.raise_signal(signal.SIGINT)
            return after_epoch()

        return solve(*args, after_epoch=told, **options)

    monkeypatch.setattr(module, "kernel_perceptron", interrupting)
    with pytest.warns(ConvergenceWarning, match="Stopped by hand"):
        model = KernelPerceptron(Gaussian(1.0), epochs=50).fit(X, y)
    assert model.n_iter_ == 1
    assert model.updates_[0] > 0
    assert model.updates_[1:].tolist() == [0, 0]
    assert model.certificate_.verify(X, y)
    assert model.predict(X).shape == (150,)


class TestEffortOfTheClaim:
    """The search for a comparison function is bounded by the work of the run, which is counted."""

    @staticmethod
    def data(m=1500, d=60):
        """Twelve clusters, every other one of each class."""
        random = np.random.default_rng(1)
        cluster = random.integers(0, 12, m)
        X = random.normal(size=(12, d))[cluster] + 0.5 * random.normal(size=(m, d))
        return X, np.where(cluster % 2, "a", "b")

    def test_a_narrow_kernel_makes_every_example_a_support(self, monkeypatch):
        """The largest margin then needs all examples, where the run needed few of them."""
        made, solve = [], nearest_point.nearest_point

        def counting(*args, spend, **settings):
            def count(work):
                made.append(work)
                return spend(work)

            return solve(*args, spend=count, **settings)

        monkeypatch.setattr(kernel_hard_margin, "nearest_point", counting)
        monkeypatch.setattr(module, "MIN_SEARCH_WORK", 1e7)
        X, y = self.data()
        model = KernelPerceptron(Gaussian(1.0), epochs=50).fit(X, y)
        assert model.converged_
        assert sum(made) < 1e8  # without a limit: 6.5e8, and more than 1e11 for 4,000 examples
        assert "mistake_bound(X, y, machine)" in model.status_
        assert model.certificate_.verify(X, y)
        again = KernelPerceptron(Gaussian(1.0), epochs=50).fit(X, y)
        assert again.certificate_ == model.certificate_

    def test_a_small_problem_is_searched_to_its_end(self):
        X, y = self.data(60, 10)
        model = KernelPerceptron(Gaussian(1.0), epochs=50).fit(X, y)
        assert model.converged_
        assert "mistake_bound" not in model.status_
        best = HardMarginSVM(kernel=Gaussian(1.0), intercept="none").fit(X, y)
        (asked,) = model.mistake_bound(X, y, best)
        assert asked.bound <= model.certificate_[0].bound <= 1.01 * asked.bound

    def test_values_of_objects_are_bounded_too(self):
        random = np.random.default_rng(0)
        words = ["".join(random.choice(list("ab"), 12)) for _ in range(120)]
        y, counted = [word.count("ab") > 3 for word in words], []

        def alike(a, b):
            counted.append(1)
            return float(a == b)

        KernelPerceptron(Function(alike), epochs=1).fit(words, y)
        in_one_pass = len(counted)
        counted.clear()
        model = KernelPerceptron(Function(alike), epochs=50).fit(words, y)
        assert model.converged_
        assert len(counted) < 40 * in_one_pass
