"""`certo.MinDisagreement` as scikit-learn's users will use it, beside brute force."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import types
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo import MinDisagreement
from certo.certificates import Composite, LeastErrorsByCells, LeastErrorsByTree
from certo.certificates.errors import cells
from certo.solvers import interrupt
from certo.solvers import min_disagreement as solver
from certo.stop import Stop
from tests.oracles.rays import least_errors


@parametrize_with_checks([MinDisagreement(time_limit=2, random_state=0)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_own_checks(estimator, check, monkeypatch):
    """By a clock that counts its readings: which of several best hyperplanes is found depends on
    the time that was left, and checks compare fits; nor need labels without a rule take seconds."""
    readings = itertools.count()
    clock = types.SimpleNamespace(monotonic=lambda: next(readings) / 64)
    monkeypatch.setattr(interrupt, "time", clock)
    check(estimator)


ENTRIES = {
    "whole": [-2.0, -1.0, 0.0, 1.0, 2.0],
    "decimal": [-0.3, -0.1, 0.0, 0.1, 0.2, 0.3],
    "tiny": [-2e-130, 0.0, 1e-130, 3e-130],
    "huge": [-2e130, 0.0, 1e130, 3e130],
    "offset": [1e8, 1e8 + 0.1, 1e8 + 0.2, 1e8 - 0.1],
    "nearly": [1.0, 1.0 + 2.0**-52, -1.0, -1.0 - 2.0**-52, 0.5],
    "apart": [1e-6, 2e-6, -1e-6, 1e6, -2e6, 1.0],
}


@st.composite
def tables(draw, most=9, features=3):
    """Examples with ties, repetitions, zeros, multiples, constant and collinear columns."""
    m, d = draw(st.integers(1, most)), draw(st.integers(1, features))
    entry = st.sampled_from(ENTRIES[draw(st.sampled_from(sorted(ENTRIES)))])
    X = np.array(draw(st.lists(st.lists(entry, min_size=d, max_size=d), min_size=m, max_size=m)))
    match draw(st.integers(0, 5)):
        case 0:
            X[:, 0] = X[0, 0]
        case 1:
            X[:, 0] = 2 * X[:, -1]
        case 2 if m > 1:
            X[0] = -X[1]
        case 3:
            X[-1] = 0.0
    signs = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m)))
    return X, signs


WEIGHTS = [0.0, 1.0, 2.0, 3.0, 0.1, 0.3, 0.7, 1e-3]


def truth_of(model, X, y, weights=None):
    signs = np.where(y == model.classes_[-1], 1, -1)
    return least_errors(X, signs, model.intercept == "free", weights)


def check_against_truth(model, X, y, weights=None):
    truth = truth_of(model, X, y, weights)
    assert Fraction(model.lower_bound_) <= truth <= Fraction(model.errors_)
    assert model.certificate_.verify(X, y)
    assert model.certificate_[0].errors == model.errors_
    assert model.certificate_[1].at_least == model.lower_bound_
    if model.optimal_:
        assert model.errors_ == pytest.approx(model.lower_bound_, rel=1e-8)
    assert np.all(np.diff(model.trace_.upper) <= 0)
    assert np.all(np.diff(model.trace_.lower) >= 0)
    assert np.all(np.diff(model.trace_.seconds) >= 0)
    # predictions are computed in floats: they are compared where that is good enough
    size = np.abs(X) @ np.abs(model.coef_[0]) + np.abs(model.intercept_[0])
    clear = np.abs(model.decision_function(X)) > 1e-9 * size
    weights = np.ones(len(y)) if weights is None else weights
    assert weights[clear & (model.predict(X) != y)].sum() <= model.errors_ * (1 + 1e-12)
    return truth


class TestAgainstBruteForce:
    @given(tables(), st.sampled_from(["free", "none"]))
    @settings(max_examples=50)
    def test_by_cells(self, table, intercept):
        X, y = table
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MinDisagreement(intercept=intercept, random_state=0).fit(X, y)
        assert check_against_truth(model, X, y) == model.lower_bound_
        # Weights that attain the bound may be finer than float64: then the stop says so.
        assert model.optimal_ or model._stop is Stop.NO_PROGRESS

    @given(tables(8, 2), st.sampled_from(["free", "none"]), st.data())
    @settings(max_examples=35)
    def test_with_weights(self, table, intercept, data):
        X, y = table
        some = st.lists(st.sampled_from(WEIGHTS), min_size=len(y), max_size=len(y))
        weights = np.array(data.draw(some))
        weights[0] += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MinDisagreement(intercept=intercept, random_state=0).fit(X, y, weights)
        truth = check_against_truth(model, X, y, weights)
        assert model.lower_bound_ == pytest.approx(float(truth), rel=1e-9)
        assert model.optimal_ or model._stop is Stop.NO_PROGRESS

    @pytest.mark.slow
    @given(tables(10), st.sampled_from(["free", "none"]), st.booleans(), st.integers(0, 5))
    @settings(max_examples=40)
    def test_by_tree(self, table, intercept, weighted, seed):
        X, y = table
        weights = np.random.default_rng(seed).integers(1, 4, len(y)) if weighted else None
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            patch.setattr(solver, "SORTED_PER_SECOND", 0.0)
            model = MinDisagreement(intercept=intercept, time_limit=20, random_state=0).fit(
                X, y, weights
            )
        assert type(model.certificate_[1]) is LeastErrorsByTree
        check_against_truth(model, X, y, weights)

    @pytest.mark.parametrize("weight", [1.0, 0.1])
    def test_the_tree_reaches_the_optimum(self, monkeypatch, weight):
        random = np.random.default_rng(2)
        X = np.round(random.normal(size=(14, 3)), 1)
        y = random.integers(0, 2, 14)
        weights = np.full(14, weight) * random.integers(1, 4, 14)
        monkeypatch.setattr(solver, "SORTED_PER_SECOND", 0.0)
        model = MinDisagreement(random_state=0).fit(X, y, weights)
        assert model.optimal_
        assert type(model.certificate_[1]) is LeastErrorsByTree
        check_against_truth(model, X, y, weights)

    @pytest.mark.parametrize("seed", [20, 32, 56, 65, 94, 104, 117])
    def test_by_tree_of_rounded_thirds(self, monkeypatch, seed):
        """Where floats take examples in one plane to be at odds, exact arithmetic decides."""
        random = np.random.default_rng(seed)
        X, y = random.integers(1, 5, (12, 3)) / 3, random.integers(0, 2, 12)
        monkeypatch.setattr(solver, "SORTED_PER_SECOND", 0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MinDisagreement(time_limit=20, random_state=0).fit(X, y)
        assert type(model.certificate_[1]) is LeastErrorsByTree
        assert check_against_truth(model, X, y) == model.lower_bound_
        assert model.optimal_ or model._stop is Stop.NO_PROGRESS


class TestTies:
    def test_everything_cancels(self):
        """Whatever w, one of each pair is an error; w = 0 would make both so."""
        for intercept in ("free", "none"):
            model = MinDisagreement(intercept=intercept).fit(
                [[1.0], [1.0], [2.0], [2.0]], [0, 1, 1, 0]
            )
            assert (model.errors_, model.lower_bound_, model.optimal_) == (2, 2, True)

    def test_a_cancelled_pair_is_not_left_at_score_zero(self):
        X = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [-1.0, 0.0]]
        model = MinDisagreement(intercept="none").fit(X, [1, 0, 1, 1, 0])
        assert (model.errors_, model.lower_bound_) == (1, 1)

    def test_symmetric_classes_around_an_example(self):
        grid = np.array(np.meshgrid(*[[-1, 0, 1]] * 3)).reshape(3, -1).T
        model = MinDisagreement().fit(grid, np.abs(grid).sum(axis=1) > 1)
        assert (model.errors_, model.lower_bound_) == (7, 7)

    def test_all_zero(self):
        X, y = np.zeros((5, 2)), [0, 1, 1, 1, 0]
        assert MinDisagreement().fit(X, y).errors_ == 2
        none = MinDisagreement(intercept="none").fit(X, y)
        assert (none.errors_, none.lower_bound_) == (5, 5)
        assert "score of exactly zero" in none.status_

    def test_one_example_and_one_class(self):
        model = MinDisagreement().fit([[3.0]], ["only"])
        assert (model.errors_, model.optimal_) == (0, True)
        assert "only one class" in model.status_
        assert model.predict([[-7.0]]).tolist() == ["only"]
        model = MinDisagreement(intercept="none").fit([[1.0], [-1.0], [2.0]], [1, 1, 1])
        assert (model.errors_, model.lower_bound_) == (1, 1)


class TestWeights:
    @given(tables(6, 2), st.lists(st.integers(0, 3), min_size=6, max_size=6))
    @settings(max_examples=25)
    def test_whole_weights_are_repetitions(self, table, counts):
        X, y = table
        counts = np.array(counts[: len(y)])
        counts[0] += 1
        kept = np.repeat(np.arange(len(y)), counts)
        if len(np.unique(y[kept])) < len(np.unique(y)):
            return
        with warnings.catch_warnings():  # float64 may be too coarse for numbers that are near.
            warnings.simplefilter("ignore", ConvergenceWarning)
            weighted = MinDisagreement(random_state=0).fit(X, y, counts)
            repeated = MinDisagreement(random_state=0).fit(X[kept], y[kept])
        if weighted.optimal_ and repeated.optimal_:
            assert weighted.errors_ == repeated.errors_
        assert weighted.lower_bound_ <= repeated.errors_
        assert repeated.lower_bound_ <= weighted.errors_

    @pytest.mark.parametrize("pair", [(1e-10, 1e10), (1e-200, 1e200), (5e-324, 1e300)])
    @pytest.mark.parametrize("by_tree", [False, True])
    def test_weights_far_apart(self, monkeypatch, pair, by_tree):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(12, 2)), random.integers(0, 2, 12)
        weights = random.choice(pair, 12)
        if by_tree:
            monkeypatch.setattr(solver, "SORTED_PER_SECOND", 0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MinDisagreement(time_limit=5, random_state=0).fit(X, y, weights)
        check_against_truth(model, X, y, weights)

    def test_optimal_is_said_only_of_what_is_proved(self):
        """Costs of whole units, far apart: the last unit counts as well."""
        X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
        weights = np.array([2.0**52, 2.0**40, 2.0**40 + 1, 2.0**52])
        model = MinDisagreement(random_state=0).fit(X, y, weights)
        assert model.errors_ == 2.0**40
        if "proved that no hyperplane makes fewer." in model.status_:
            assert model.lower_bound_ == model.errors_

    @pytest.mark.parametrize("bad", [[-1.0, 1, 1], [0.0, 0, 0], [np.nan, 1, 1], [1e308] * 3, [1.0]])
    def test_bad_weights(self, bad):
        with pytest.raises(ValueError, match=r"weight|NaN|Sample"):
            MinDisagreement().fit([[0.0], [1.0], [2.0]], [0, 1, 0], bad)


class TestTarget:
    def test_the_three_answers(self):
        X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
        answers = [MinDisagreement(target=k).fit(X, y).answer_ for k in (0, 0.5, 1, 3, 10**6)]
        assert answers == ["no", "no", "yes", "yes", "yes"]
        assert MinDisagreement().fit(X, y).answer_ is None

    @pytest.mark.parametrize("size", [1e-120, 1.0, 1e130])
    def test_equal_examples_at_the_origin_are_one_error(self, size):
        """The best hyperplane may not pass through them: then both would be errors."""
        X, y = size * np.array([[2.0], [-2.0], [0.0], [0.0]]), [-1, 1, -1, 1]
        model = MinDisagreement(random_state=0).fit(X, y)
        assert (model.errors_, model.lower_bound_) == (1, 1)

    @given(tables(8, 2), st.integers(0, 5))
    @settings(max_examples=40)
    def test_it_decides(self, table, target):
        X, y = table
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MinDisagreement(target=target, random_state=0).fit(X, y)
        answer = "yes" if check_against_truth(model, X, y) <= target else "no"
        if model.answer_ == "undecided":  # The weights that would show it may be too fine.
            assert (answer, model._stop) == ("yes", Stop.NO_PROGRESS)
        else:
            assert model.answer_ == answer

    def test_pairs_alone_may_decide(self):
        """Repeated places with both labels cost more than the target: no search is needed."""
        random = np.random.default_rng(0)
        X = random.normal(size=(60, 8))
        X, y = np.vstack([X, X[:5]]), np.r_[random.integers(0, 2, 60), np.zeros(5, int)]
        y[:5] = 1
        model = MinDisagreement(target=4, time_limit=10, random_state=0).fit(X, y)
        assert model.answer_ == "no"
        assert model.n_iter_ == 0

    @pytest.mark.slow
    def test_undecided(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(150, 8)), random.integers(0, 2, 150)
        with pytest.warns(ConvergenceWarning, match="neither reached nor excluded"):
            model = MinDisagreement(target=25, time_limit=0.5, random_state=0).fit(X, y)
        assert model.answer_ == "undecided"
        assert model.lower_bound_ <= 25 < model.errors_
        assert model.certificate_.verify(X, y)


class TestInput:
    @pytest.mark.parametrize(
        ("settings_", "words"),
        [
            ({"intercept": "lifted"}, "intercept must be"),
            ({"intercept": True}, "intercept must be"),
            ({"time_limit": 0}, "time_limit must be"),
            ({"time_limit": -1}, "time_limit must be"),
            ({"time_limit": float("nan")}, "time_limit must be"),
            ({"time_limit": "1"}, "time_limit must be"),
            ({"time_limit": True}, "time_limit must be"),
            ({"target": -1}, "target must be"),
            ({"target": float("inf")}, "target must be"),
            ({"target": float("nan")}, "target must be"),
            ({"target": "3"}, "target must be"),
        ],
    )
    def test_bad_settings(self, settings_, words):
        with pytest.raises(ValueError, match=words):
            MinDisagreement(**settings_).fit([[0.0], [1.0]], [0, 1])

    def test_several_classes_are_refused(self):
        with pytest.raises(ValueError, match=r"Only binary classification.*y has 3"):
            MinDisagreement().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])

    @pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
    def test_numbers_that_cannot_be(self, value):
        with pytest.raises(ValueError, match=r"X\[1, 0\]|length"):
            MinDisagreement().fit([[0.0], [value]], [0, 1])

    @pytest.mark.slow
    def test_storage_does_not_matter(self):
        random = np.random.default_rng(1)
        X = random.integers(-2, 3, (40, 3)).astype(float)
        y = np.where(random.random(40) < 0.5, "yes", "no")
        dense = MinDisagreement(random_state=0).fit(X, y)
        for store in (
            sparse.csr_matrix,
            sparse.csc_array,
            lambda X: X.astype(np.float32),
            lambda X: pd.DataFrame(X, columns=["a", "b", "c"]),
            np.asfortranarray,
        ):
            model = MinDisagreement(random_state=0).fit(store(X), y)
            assert (model.errors_, model.lower_bound_) == (dense.errors_, dense.lower_bound_)
            assert model.certificate_.verify(X, y)
            assert dense.certificate_.verify(store(X), y)

    def test_text_labels_of_a_series(self):
        X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]})
        y = pd.Series(["no", "no", "yes", "yes"])
        model = MinDisagreement().fit(X, y)
        assert model.errors_ == 0
        assert model.predict(X).tolist() == y.tolist()

    def test_many_features(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(30, 300)), random.integers(0, 2, 30)
        assert MinDisagreement(random_state=0).fit(X, y).errors_ == 0

    def test_more_cells_than_float64_can_count(self):
        assert cells.work(400, 131) > cells.MAX_SORTED_NUMBERS


class TestState:
    def fitted(self):
        random = np.random.default_rng(4)
        X, y = random.normal(size=(25, 2)), random.integers(0, 2, 25)
        return MinDisagreement(random_state=3).fit(X, y), X, y

    def test_deterministic(self):
        (a, _, _), (b, _, _) = self.fitted(), self.fitted()
        assert np.array_equal(a.coef_, b.coef_)
        assert a.certificate_ == b.certificate_
        assert type(a.certificate_[1]) is LeastErrorsByCells

    def test_pickle_clone_and_json(self):
        model, X, y = self.fitted()
        again = pickle.loads(pickle.dumps(model))
        assert again.certificate_ == model.certificate_
        assert np.array_equal(again.trace_.upper, model.trace_.upper)
        assert np.array_equal(again.predict(X), model.predict(X))
        assert not hasattr(clone(model), "coef_")
        read = Composite.from_dict(json.loads(json.dumps(model.certificate_.to_dict())))
        assert read == model.certificate_
        assert read.verify(X, y)

    @pytest.mark.slow
    def test_time_limit_keeps_an_honest_gap(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(200, 10)), random.integers(0, 2, 200)
        with pytest.warns(ConvergenceWarning, match="time limit"):
            model = MinDisagreement(time_limit=0.5, random_state=0).fit(X, y)
        assert model.lower_bound_ < model.errors_
        assert not model.optimal_
        assert model.certificate_.verify(X, y)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_returns_the_best_so_far():
    script = textwrap.dedent("""
        import warnings
        warnings.simplefilter("ignore")
        import numpy as np
        from certo import MinDisagreement
        random = np.random.default_rng(0)
        X, y = random.normal(size=(300, 10)), random.integers(0, 2, 300)
        MinDisagreement(time_limit=0.1).fit(X, y)
        print("ready", flush=True)
        model = MinDisagreement(time_limit=None, random_state=0).fit(X, y)
        print(model.status_, bool(model.certificate_.verify(X, y)), flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert process.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.7)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0
    assert out.startswith("Stopped by hand")
    assert out.rstrip().endswith("True")


def test_more_numbers_than_the_search_can_hold(monkeypatch):
    """Separable examples need no search; others are refused in words."""
    monkeypatch.setattr(solver, "MAX_DENSE_NUMBERS", 3)
    X, y = [[0.0], [1.0], [2.0]], [0, 0, 1]
    model = MinDisagreement().fit(X, y)
    assert (model.errors_, model.lower_bound_, model.optimal_) == (0, 0, True)
    assert model.certificate_.verify(X, y)
    with pytest.raises(MemoryError, match="3 examples"):
        MinDisagreement().fit(X, [0, 1, 0])


def test_words_speak_of_the_hyperplanes_that_are_meant():
    # x = 2.5 makes no error, but no hyperplane through the origin makes fewer than two.
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]
    model = MinDisagreement(intercept="none").fit(X, y)
    assert "no hyperplane through the origin makes fewer." in model.status_
    model = MinDisagreement(intercept="none", target=0).fit(X, y)
    assert model.status_.startswith("No: every hyperplane through the origin makes at least 2")
    assert "through the origin" not in MinDisagreement().fit(X, y).status_


def test_words_about_weights_round_to_the_weak_side():
    weights = [1.23456749, 1.3, 1.1, 1.4]
    model = MinDisagreement().fit(np.ones((4, 1)), [0, 1, 0, 1], sample_weight=weights)
    made, fewer = model.certificate_
    assert "a weight of at most 2.33457 in all" in made.claim
    assert "a weight below 2.33456 in all" in fewer.claim
    assert "at most 2.33457, and it is proved that no hyperplane" in model.status_
    assert "weight below 2.33456" in model.status_


@pytest.mark.parametrize("lifted", ["free", "none"])
def test_a_stop_while_a_dense_copy_is_made_is_heard(lifted):
    """Copies of a wide sparse table take seconds, and nothing was searched by then."""
    X, y = np.eye(30), np.where(np.arange(30) < 20, -1, 1)
    with interrupt.stopped_by(lambda: True), pytest.warns(ConvergenceWarning, match="by hand"):
        model = MinDisagreement(intercept=lifted).fit(X, y)
    assert (model.errors_, model.lower_bound_) == (10 if lifted == "free" else 30, 0)
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("lifted", ["free", "none"])
def test_a_table_too_large_for_the_search_keeps_its_limit(lifted, monkeypatch):
    """The best that is known then: all examples on the side of most of them."""
    from certo.solvers import min_disagreement

    monkeypatch.setattr(min_disagreement, "MAX_DENSE_NUMBERS", 1)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.where(np.arange(30) < 20, -1, 1)
    with interrupt.stopped_by(lambda: True), pytest.warns(ConvergenceWarning, match="by hand"):
        model = MinDisagreement(intercept=lifted).fit(X, y)
    # Through the origin all scores are 0 then, and no such example is on its own side.
    assert (model.errors_, model.lower_bound_) == (10 if lifted == "free" else 30, 0)
    assert model.trace_.upper[-1] == model.errors_
    assert model.certificate_.verify(X, y)


def test_scaled_whole_numbers_are_pointed_out():
    """Rounding takes ties away, and with them proofs: nothing is said of the whole numbers."""
    random = np.random.default_rng(0)
    X, y = random.integers(1, 5, (150, 6)) * 1.0, random.integers(0, 2, 150)
    scaled = make_pipeline(StandardScaler(), MinDisagreement(time_limit=0.5, random_state=0))
    with pytest.warns(ConvergenceWarning, match="columns? of X would be whole numbers times"):
        scaled.fit(X, y)
    with pytest.warns(ConvergenceWarning) as said:
        MinDisagreement(time_limit=0.5, random_state=0).fit(X, y)
    assert "whole numbers" not in str(said[0].message)
