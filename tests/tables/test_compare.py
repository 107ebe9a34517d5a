"""Machines compared by the same folds, and on the same test rows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor

from certo import SVM, LeastSquares, LogisticRegression, MinDisagreement, Pegasos, Perceptron
from certo.bounds import clopper_pearson
from certo.data.columns import read_table
from certo.data.problem import Problem
from certo.issue.risk import error_cap
from certo.stop import Stop
from certo.tables import compare as module
from certo.tables.candidates import Candidate
from certo.tables.compare import compare_machines, proved_gap, shared_delta
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut

IRIS = read_table(Path(__file__).parents[2] / "examples" / "iris.csv")[0]


def rows(m=200, seed=0, noise=0.2):
    """One number between 0 and 1, and a class that depends on it but for noise."""
    draw = np.random.default_rng(seed)
    x = draw.uniform(size=m)
    right = (x > 0.5) ^ (draw.uniform(size=m) < noise)
    return pa.table({"x": x, "y": np.where(right, "yes", "no")})


class Threshold(ClassifierMixin, BaseEstimator):
    """A rule that learns nothing: "yes" above a number. Of each fit it keeps what it was given."""

    seen: list = []  # noqa: RUF012

    def __init__(self, at=0.5, wrong=None):
        self.at = at
        self.wrong = wrong

    def fit(self, X, y):
        Threshold.seen.append((X, y))
        if self.wrong is not None:
            raise self.wrong
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > self.at, "yes", "no")


def rule(at=0.5, wrong=None, name=None):
    return Candidate(name or f"above {at}", "a rule", "baseline", Threshold(at, wrong))


def compared(*some, table=None, held_out=HeldOut(0.25, 1), **more):  # noqa: B008
    Threshold.seen = []
    more = {"scale": "none", "folds": 4, **more}
    table = rows() if table is None else table
    return compare_machines(table, "y", "classes", held_out=held_out, compared=some, **more)


@pytest.mark.slow
def test_every_suitable_machine_has_its_numbers_on_iris():
    found = compare_machines(IRIS, "species", "classes", held_out=HeldOut(0.2), folds=3)
    assert found.compared == 10
    assert found.counted == 30
    assert found.no_bound == ""
    errors = [one.cv_error for one in found.results[:-1]]
    assert errors == sorted(errors)
    assert found.best is found.results[0]
    last = found.results[-1]
    assert (last.candidate.name, last.missing) == ("min-disagreement", "unsuitable")
    for one in found.results[:-1]:
        assert (one.missing, len(one.fold_errors)) == ("", 3)
        assert one.interval == clopper_pearson(30, one.errors, 0.05 / 10)
        off = np.std(one.fold_errors, ddof=1) / np.sqrt(3)
        assert one.standard_error == pytest.approx(off)
    by = {one.candidate.name: one for one in found.results}
    assert by["majority class"].cv_error == pytest.approx(2 / 3, abs=0.05)
    assert by["svm, Gaussian"].supports > 0
    assert by["svm, linear"].gap <= 1e-4
    assert by["gradient boosting"].gap is None


def test_numbers_have_bounds_on_their_mean_errors_and_gaps():
    found = compare_machines(IRIS, "petal_width", "numbers", held_out=HeldOut(0.2), folds=3)
    by = {one.candidate.name: one for one in found.results}
    assert found.no_bound == ""
    assert found.cap == error_cap(found.examples.y - found.examples.y.mean(), 2.0)
    for one in found.results:
        assert one.absolute_error < one.mean < found.cap
    assert by["least-squares"].mean < found.usual_error
    off = np.abs(found.test.y[found.counts] - found.examples.y.mean())
    assert by["mean"].absolute_error == pytest.approx(off.mean())
    assert found.usual_error == pytest.approx(np.minimum(off, found.cap).mean())
    assert found.usual_error < by["mean"].mean
    assert found.majority_error is None
    assert all(one.interval is None and one.errors is None for one in found.results)
    assert by["least-squares"].absolute_error < by["mean"].absolute_error
    assert by["least-squares"].gap < 1e-9
    assert found.best_own.candidate.name.startswith("least-squares")
    y = np.array(IRIS.column("petal_width"))
    assert by["mean"].cv_error == pytest.approx(y.std(), rel=0.1)
    assert "the numeric columns are not scaled for least-squares." in found.examples.notes


def test_all_candidates_have_the_same_folds_and_held_out_rows():
    table = rows()
    found = compared(rule(0.5), rule(0.4), table=table)
    first, second = Threshold.seen[:5], Threshold.seen[5:]
    for (X, y), (same, labels) in zip(first, second, strict=True):
        np.testing.assert_array_equal(X, same)
        np.testing.assert_array_equal(y, labels)
    unseen = HeldOut(0.25, 1).of(200)
    x, y = np.array(table.column("x")), np.array(table.column("y"))
    np.testing.assert_array_equal(first[0][0][:, 0], x[~unseen])
    for one, at in zip(sorted(found.results, key=lambda r: -r.candidate.estimator.at), (0.5, 0.4),
                       strict=True):  # fmt: skip
        said = np.where(x > at, "yes", "no")
        assert one.errors == np.sum((said != y)[unseen])
        assert one.cv_error == pytest.approx(np.mean((said != y)[~unseen]), abs=0.01)


def test_columns_are_scaled_by_the_training_rows_of_each_fold_alone():
    compared(rule(0.0), scale=None)
    for X, _ in Threshold.seen:
        assert np.mean(X) == pytest.approx(0, abs=1e-12)
        assert np.std(X) == pytest.approx(1, abs=1e-12)


def test_delta_is_shared_out_over_all_candidates_that_suit():
    never = Candidate("never", "never", "baseline", None, unsuitable="only for graphs")
    found = compared(rule(0.5), rule(0.4), never, delta=0.1)
    assert (found.compared, found.level) == (2, shared_delta(0.1, 2))
    assert found.level == pytest.approx(0.05)
    for one in found.results[:2]:
        assert one.interval == clopper_pearson(50, one.errors, 0.05)


@pytest.mark.slow
def test_all_intervals_hold_together_as_often_as_is_claimed():
    delta, times, failed = 0.2, 200, 0
    some = [rule(at) for at in (0.2, 0.35, 0.5, 0.65, 0.8)]
    for seed in range(times):
        found = compared(*some, table=rows(80, seed), held_out=HeldOut(0.5, seed), folds=2,
                         delta=delta)  # fmt: skip
        risks = [0.2 + 0.6 * abs(one.candidate.estimator.at - 0.5) for one in found.results]
        held = (
            one.interval.lower <= risk <= one.interval.upper
            for one, risk in zip(found.results, risks, strict=True)
        )
        failed += not all(held)
    assert failed / times <= delta + 3 * np.sqrt(delta * (1 - delta) / times)
    assert failed  # The intervals are not so wide that nothing is claimed.


def test_a_machine_that_raises_becomes_a_row_that_says_why():
    wrong = ValueError("this needs\nmore columns")
    odd = KeyError("lost")
    found = compared(rule(0.5), rule(wrong=wrong, name="bad"), rule(wrong=odd, name="odd"))
    by = {one.candidate.name: one for one in found.results}
    assert (by["bad"].missing, by["bad"].reason) == ("failed", "this needs more columns")
    assert by["odd"].reason == "KeyError: 'lost'"
    assert not by["bad"].tried
    assert len(by["above 0.5"].fold_errors) == 4
    assert found.best is by["above 0.5"]


class Clock:
    """Seconds pass when a machine is fitted."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Slow(Threshold):
    clock = Clock()

    def fit(self, X, y):
        Slow.clock.now += 10
        return super().fit(X, y)


class Limited(Slow):
    limits: list = []  # noqa: RUF012

    def __init__(self, at=0.5, time_limit=None):
        super().__init__(at)
        self.time_limit = time_limit

    def fit(self, X, y):
        Limited.limits.append(self.time_limit)
        Slow.clock.now += self.time_limit + 1 - 10
        return super().fit(X, y)


@pytest.fixture
def clock(monkeypatch):
    Slow.clock = Clock()
    Limited.limits = []
    monkeypatch.setattr(module, "monotonic", Slow.clock)
    return Slow.clock


def of(kind, name="some"):
    return Candidate(name, name, "baseline", kind())


def test_folds_that_no_longer_fit_into_the_time_are_left_out(clock):
    found = compared(of(Slow, "first"), of(Slow, "second"), of(Slow, "third"), time_limit=100)
    by = {one.candidate.name: one for one in found.results}
    assert [by[name].missing for name in ("first", "second", "third")] == ["time"] * 3
    assert [len(by[name].fold_errors) for name in ("first", "second", "third")] == [2, 2, 2]
    assert found.seconds <= 100


def test_machines_have_their_share_of_the_time_and_pay_for_what_goes_beyond(clock):
    found = compared(of(Limited), time_limit=100)
    assert len(found.results[0].fold_errors) == 4
    first, *others = Limited.limits
    assert first == pytest.approx(95 / 5)
    assert all(limit < first for limit in others)  # Each fit takes a second more than its limit.
    assert found.seconds <= 100
    kind = Candidate("some", "some", "baseline", Limited(), max_seconds=2.0)
    Limited.limits = []
    compared(kind, time_limit=100)
    assert Limited.limits == [2.0] * 5


def test_a_fit_that_had_too_little_time_has_what_the_folds_leave_and_is_ranked_last(clock):
    class Hurried(Limited):
        def fit(self, X, y):
            quick = len(Limited.limits) > 0
            super().fit(X, y)
            Slow.clock.now -= (self.time_limit + 1) * quick  # Only the first fit takes time.
            self._stop = Stop.CONVERGED if quick else Stop.TIME_LIMIT
            return self

    (found,) = compared(of(Hurried), time_limit=100).results
    assert found.finished
    assert Limited.limits[-1] == pytest.approx(95 - 20)  # All that is left.

    class Late(Limited):
        def fit(self, X, y):
            self._stop = Stop.TIME_LIMIT
            return super().fit(X, y)

    late = Candidate("late", "late", "certo", Late(0.5))
    found = compared(late, rule(0.9), time_limit=100)
    assert [one.finished for one in found.results] == [True, False]
    first, last = found.results
    assert last.cv_error < first.cv_error
    assert found.best is first


def test_without_time_nothing_is_tried_and_everything_is_listed(clock):
    found = compared(rule(), rule(0.4), time_limit=1, began=-5.0)
    assert [one.missing for one in found.results] == ["time", "time"]
    assert not any(one.tried for one in found.results)
    assert found.best is found.best_own is None


def test_ctrl_c_keeps_what_there_is():
    some = [rule(), rule(wrong=KeyboardInterrupt(), name="long"), rule(0.4)]
    found = compared(*some)
    assert not found.complete
    by = {one.candidate.name: one for one in found.results}
    assert [by[one.name].missing for one in some] == ["", "stopped", "stopped"]
    assert len(by["above 0.5"].fold_errors) == 4
    with pytest.raises(KeyboardInterrupt):
        compared(*some[1:])


def test_a_machine_that_noted_ctrl_c_ends_the_comparison():
    class Noted(Threshold):
        def fit(self, X, y):
            self._stop = Stop.BY_HAND
            return super().fit(X, y)

    found = compared(rule(), of(Noted))
    assert not found.complete
    assert found.results[1].missing == "stopped"
    assert found.results[1].seconds is None


def test_rows_of_another_table_are_tested_on():
    found = compared(rule(), held_out=None, test=rows(60, seed=5), test_name="other.csv")
    assert (found.counted, found.no_bound) == (60, "")
    assert len(Threshold.seen[0][1]) == 200
    strange = pa.table({"x": [0.1, 0.9], "y": ["maybe", "yes"]})
    assert compared(rule(), held_out=None, test=strange).results[0].errors == 1
    with pytest.raises(Problem, match=r"other\.csv: .*'x'"):
        compared(rule(), held_out=None, test=pa.table({"y": ["yes"]}), test_name="other.csv")


def test_without_held_out_rows_nothing_is_said_of_new_data():
    found = compared(rule(), held_out=None)
    assert found.no_bound == "no rows were held out."
    assert found.results[0].interval is found.results[0].errors is None
    assert len(found.results[0].fold_errors) == 4


def test_copies_of_training_rows_prove_nothing():
    table = rows(100)
    found = compared(rule(), table=pa.concat_tables([table, table]))
    assert "copies" in found.no_bound or "training rows" in found.no_bound
    assert found.results[0].interval is None


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"folds": 1}, "folds must be at least 2"),
        ({"folds": 1000}, "folds must be at most"),
        ({"delta": 0.0}, "delta must be"),
        ({"time_limit": 0.0}, "seconds above 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(more, why):
    with pytest.raises(Problem, match=why):
        compared(rule(), **more)


def test_gaps_are_those_that_are_proved():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.5 * draw.normal(size=60) > 0, "a", "b")
    svm = SVM().fit(X, y)
    assert proved_gap(svm) == svm.certificate_.claims[0].relative_gap
    logistic = LogisticRegression(ridge=0.1).fit(X, y)
    assert 0 <= proved_gap(logistic) < 1e-6
    least = LeastSquares().fit(X, X[:, 0] + draw.normal(size=60))
    assert 0 <= proved_gap(least) < 1e-12
    fewest = MinDisagreement(random_state=0).fit(X, y)
    assert proved_gap(fewest) == 1 - fewest.lower_bound_ / fewest.errors_
    for other in (Pegasos(max_iter=10, random_state=0), Perceptron(), DummyClassifier()):
        assert proved_gap(other.fit(X, y)) is None


def test_fewer_folds_rather_than_all_with_far_less_time(clock):
    class Late(Limited):
        def fit(self, X, y):
            Slow.clock.now += 15
            return super().fit(X, y)

    found = compared(of(Late), time_limit=100)
    assert len(found.results[0].fold_errors) == 1
    assert Limited.limits == [pytest.approx(95 / 5)] * 2
    assert found.seconds <= 100


@pytest.mark.slow
def test_a_fit_that_pays_for_the_comparison_has_the_same_bound():
    found = compare_machines(IRIS, "species", "classes", held_out=HeldOut(0.2), folds=2)
    one = next(one for one in found.results if one.candidate.name == "svm, Gaussian")
    fitted = fit_table(
        IRIS, "species", one.candidate.estimator, held_out=HeldOut(0.2), tried=str(found.compared)
    )
    (claim,) = fitted.certified.test
    assert (claim.errors, claim.interval) == (one.errors, tuple(one.interval))


def test_predictions_that_are_not_finite_have_no_error():
    infinite = Candidate(
        "far", "far", "baseline", DummyRegressor(strategy="constant", constant=np.inf)
    )
    table = pa.table({"x": np.arange(40.0), "y": np.arange(40.0)})
    found = compare_machines(table, "y", "numbers", held_out=HeldOut(0.2), compared=[infinite])
    assert found.results[0].missing == "failed"


def test_compilation_takes_no_time_from_the_machines(monkeypatch):
    """The first fit to a few rows may take long; the clock stands still meanwhile."""
    clock = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: clock[0])

    class Slow(Perceptron):
        fitted = 0

        def fit(self, X, y):
            Slow.fitted += 1
            clock[0] += 500.0 if Slow.fitted == 1 else 0.1
            return super().fit(X, y)

    parts = SimpleNamespace(learns="classes")
    race = module._Race(parts, 100.0, 3, np.ones(0, dtype=bool), 0.0)
    X, y = np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, 0])
    race._compile(Slow(), X, y)
    assert Slow.fitted == 1
    assert race.deadline == pytest.approx(600.0)
