"""Validation curves: the errors are those of scikit-learn's own cross-validation."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier

from certo import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    NotSeparable,
    Pegasos,
    Perceptron,
    compare_kernels,
    selection,
)
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.selection import DEFAULT_NEIGHBOURS, ValidationCurve, _parts, gaussians
from certo.stop import Stop

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 2))
Y = np.where((X**2).sum(axis=1) + 0.3 * RANDOM.normal(size=120) > 1.2, "out", "in")
THREE = np.digitize(X[:, 0] + 0.3 * RANDOM.normal(size=120), [-0.5, 0.5])
KERNELS = [Gaussian(0.01), Gaussian(1.0), Gaussian(100.0)]


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "machine",
    [
        SVM(C=2.0),
        KernelPerceptron(epochs=3, intercept="lifted"),
        Pegasos(lam=0.1, max_iter=200, random_state=0),
    ],
    ids=str,
)
def test_errors_are_those_of_cross_validation(machine, y):
    curve = compare_kernels(X, y, KERNELS, machine, cv=3, random_state=5)
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    for k, kernel in enumerate(KERNELS):
        expected = cross_validate(
            machine.set_params(kernel=kernel), X, y, cv=folds, return_train_score=True,
            return_estimator=True,
        )  # fmt: skip
        np.testing.assert_allclose(curve.training_errors[k], 1 - expected["train_score"])
        np.testing.assert_allclose(curve.validation_errors[k], 1 - expected["test_score"])
        supports = [m.support_.size for m in expected["estimator"]]
        assert curve.support_counts[k].tolist() == supports
    assert machine.kernel == KERNELS[-1], "the machine given is not fitted, nor changed"


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_neighbours_are_those_of_scikit_learn_on_the_same_folds(make, y):
    curve = compare_kernels(make(X), y, [Gaussian(1.0)], cv=4, random_state=1)
    near = curve.neighbours
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    assert near.ks == DEFAULT_NEIGHBOURS
    for k, train, valid in zip(near.ks, near.training_errors, near.validation_errors, strict=True):
        rule = KNeighborsClassifier(k)
        expected = cross_validate(rule, make(X), y, cv=folds, return_train_score=True)
        np.testing.assert_allclose(train, 1 - expected["train_score"])
        np.testing.assert_allclose(valid, 1 - expected["test_score"])
    assert near.validation_error == near.validation_errors.mean(axis=1).min()
    assert near.best in near.ks


def test_under_and_over_fitting_are_seen():
    curve = compare_kernels(X, Y, KERNELS, SVM(C=10.0), random_state=0)
    narrow, good, wide = range(3)
    assert curve.training_error[narrow] == 0
    assert curve.validation_error[narrow] > curve.validation_error[good] + 0.1
    assert curve.training_error[wide] > curve.training_error[good] + 0.05
    assert curve.supports[narrow] > curve.supports[good]
    assert curve.best == KERNELS[good]
    name, values = curve.parameter
    assert (name, values.tolist()) == ("variance", [0.01, 1.0, 100.0])
    assert np.all(curve.standard_error >= 0)


def test_a_given_validation_set():
    curve = compare_kernels(
        X[:80], Y[:80], KERNELS, SVM(), validation=(X[80:], Y[80:]), neighbours=7
    )
    for k, kernel in enumerate(KERNELS):
        model = SVM(kernel).fit(X[:80], Y[:80])
        assert curve.validation_error[k] == pytest.approx(1 - model.score(X[80:], Y[80:]))
        assert curve.supports[k] == model.support_.size
    assert not np.any(curve.standard_error)
    assert curve.neighbours.best == 7
    rule = KNeighborsClassifier(7).fit(X[:80], Y[:80])
    assert curve.neighbours.validation_error == pytest.approx(1 - rule.score(X[80:], Y[80:]))
    assert "validated on 40 other examples than the 80 of the fit" in repr(curve)


def test_precomputed_matrices_are_cut_on_both_sides():
    gram = Gaussian(1.0)(X)
    folds = {"cv": 3, "random_state": 0}
    matrix = compare_kernels(gram, Y, [Precomputed()], **folds)
    vectors = compare_kernels(X, Y, [Gaussian(1.0)], **folds)
    np.testing.assert_array_equal(matrix.validation_errors, vectors.validation_errors)
    assert matrix.neighbours is None


def shared(a, b):
    return float(len(set(a) & set(b)))


def test_lists_of_objects():
    words = [f"{a}{b}" for a in "abc" for b in "abcdefgh"]
    y = [word[0] == "a" for word in words]
    curve = compare_kernels(words, y, [Function(shared)], KernelPerceptron(), cv=2)
    assert curve.neighbours is None
    assert curve.to_dict()["kernels"] == [repr(Function(shared))]
    assert curve.parameter is None


def test_kernels_of_several_kinds_and_splitters():
    kernels = [Linear(), Polynomial(2), Gaussian(1.0) + Linear()]
    split = ShuffleSplit(2, test_size=0.3, random_state=0)
    curve = compare_kernels(X, Y, kernels, cv=split)
    assert curve.parameter is None
    assert curve.kernels == tuple(kernels)
    assert "2 folds of 120 examples" in repr(curve)
    degrees = compare_kernels(X, Y, [Polynomial(n) for n in (1, 2)], cv=split, neighbours=None)
    assert degrees.parameter[0] == "degree"
    assert degrees.neighbours is None


def test_several_at_once_are_the_same():
    one = compare_kernels(X, Y, KERNELS, random_state=3)
    with parallel_config(backend="threading"):  # processes take long to begin
        two = compare_kernels(X, Y, KERNELS, random_state=3, n_jobs=2)
    assert one.to_dict() == two.to_dict()
    machine, *parts = clone(SVM(Gaussian(1.0))), *_parts(X, Y, None, 5, 0)[1]
    assert pickle.loads(pickle.dumps((machine, parts)))


def test_comparison_to_dict_and_repr():
    curve = compare_kernels(X, Y, KERNELS, SVM(C=3.0), cv=2, random_state=0)
    known = json.loads(json.dumps(curve.to_dict()))
    assert known["kernels"][1] == {"name": "Gaussian", "variance": 1.0}
    assert known["best"] == curve.best.to_dict()
    assert np.shape(known["validation_errors"]) == (3, 2)
    lines = repr(curve).splitlines()
    assert lines[0] == "Validation curve of SVM(C=3.0); 2 stratified folds of 120 examples"
    assert [line[0] for line in lines[2:5]].count("*") == 1
    assert curve.neighbours.name in lines[-1]


def test_of_equal_errors_the_fewest_supports_are_best():
    errors = np.array([[0.2], [0.1], [0.1]])
    supports = np.array([[1], [9], [3]])
    curve = ValidationCurve("m", tuple(KERNELS), errors, errors, supports, None, "here")
    assert curve.best_index == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kernels": []}, "at least one kernel"),
        ({"kernels": ["rbf"]}, "at 0 there is 'rbf'"),
        ({"machine": Perceptron()}, "must have a parameter 'kernel'"),
        ({"neighbours": 4}, "odd numbers"),
        ({"neighbours": [1, 2.5]}, "odd numbers"),
        ({"neighbours": []}, "odd numbers"),
    ],
)
def test_invalid_arguments_are_refused(given, expected):
    with pytest.raises(ValueError, match=expected):
        compare_kernels(X, Y, **{"kernels": KERNELS} | given)


def test_lists_and_data_frames_are_examples_too():
    folds = {"cv": 3, "random_state": 0}
    expected = compare_kernels(X, Y, [Gaussian(1.0)], **folds).to_dict()
    assert compare_kernels(X.tolist(), Y.tolist(), [Gaussian(1.0)], **folds).to_dict() == expected
    for frame in (pd.DataFrame(X, columns=["a", "b"]), pl.DataFrame(X, schema=["a", "b"])):
        assert compare_kernels(frame, pd.Series(Y), [Gaussian(1.0)], **folds).to_dict() == expected


def test_few_examples_have_few_neighbours():
    few = compare_kernels(X[:8], [0, 1] * 4, [Gaussian(1.0)], cv=2)
    assert few.neighbours.ks == (1, 3)
    none = compare_kernels(X[:8], [0, 1] * 4, [Gaussian(1.0)], cv=2, neighbours=99)
    assert none.neighbours is None


def stop_after(count):
    def report(done, total):
        assert total == 15
        if done == count:
            raise KeyboardInterrupt

    return report


def test_ctrl_c_leaves_the_kernels_that_are_done():
    curve = compare_kernels(X, Y, KERNELS, random_state=0, report=stop_after(12))
    assert curve.kernels == tuple(KERNELS[:2])
    assert not curve.complete
    assert "stopped by hand" in repr(curve)
    whole = compare_kernels(X, Y, KERNELS, random_state=0)
    np.testing.assert_array_equal(curve.validation_errors, whole.validation_errors[:2])
    with pytest.raises(KeyboardInterrupt):
        compare_kernels(X, Y, KERNELS, report=stop_after(4))


def test_a_fit_that_is_stopped_by_hand_ends_it(monkeypatch):
    fit = SVM.fit

    def stopped(self, X, y):
        fit(self, X, y)
        if self.kernel == KERNELS[0]:
            self._stop = Stop.BY_HAND
        return self

    monkeypatch.setattr(SVM, "fit", stopped)
    curve = compare_kernels(X, Y, KERNELS, random_state=0)
    assert curve.kernels == (KERNELS[1],)  # The one in the middle is tried first.
    assert not curve.complete


class Clock:
    """Seconds that pass only while a kernel is fitted."""

    def __init__(self, monkeypatch, slow):
        self.now, fit = 0.0, SVM.fit

        def timed(machine, X, y):
            asked.append(machine.time_limit)
            fit(machine, X, y)
            self.now += 10.0 if machine.kernel == slow else 1.0
            if self.now > 20.0:  # As if the solver had heard its limit.
                machine._stop = Stop.TIME_LIMIT
                warnings.warn("not converged", ConvergenceWarning, stacklevel=2)
            return machine

        asked = self.asked = []
        monkeypatch.setattr(SVM, "fit", timed)
        monkeypatch.setattr(selection, "monotonic", lambda: self.now)


def test_a_time_limit_leaves_the_kernels_that_are_done(monkeypatch):
    clock = Clock(monkeypatch, slow=KERNELS[0])
    curve = compare_kernels(X, Y, KERNELS, cv=3, random_state=0, time_limit=20.0)
    assert curve.kernels == (KERNELS[1],)
    assert (curve.complete, curve.timed_out) == (False, True)
    assert "stopped by the time limit" in repr(curve)
    assert curve.neighbours is None
    assert clock.asked == [20.0, 19.0, 18.0, 17.0, 7.0]  # What is left for each fit.


def test_a_hard_margin_that_has_no_answer_in_time_ends_it(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(selection, "monotonic", lambda: now[0])

    def unfinished(self, X, y):
        now[0] += 20.0
        raise RuntimeError("nothing to return")

    monkeypatch.setattr(HardMarginSVM, "fit", unfinished)
    with pytest.raises(ValueError, match="no kernel was fitted in all 5 folds"):
        compare_kernels(X, Y, KERNELS, HardMarginSVM(), time_limit=10.0)
    with pytest.raises(RuntimeError, match="nothing to return"):
        compare_kernels(X, Y, KERNELS, HardMarginSVM(), time_limit=1e3)


def test_a_time_limit_that_is_not_reached_changes_nothing(monkeypatch):
    whole = compare_kernels(X, Y, KERNELS, cv=3, random_state=0)
    Clock(monkeypatch, slow=None)
    curve = compare_kernels(X, Y, KERNELS, cv=3, random_state=0, time_limit=20.0)
    assert curve.to_dict() == whole.to_dict()
    assert curve.complete
    assert not curve.timed_out


def test_a_time_limit_without_an_answer_says_so(monkeypatch):
    Clock(monkeypatch, slow=KERNELS[1])
    with pytest.raises(ValueError, match=r"all 3 folds within the limit of 15 s.*time_limit"):
        compare_kernels(X, Y, KERNELS, cv=3, time_limit=15.0)
    with pytest.raises(ValueError, match="time_limit must be seconds above 0, or None, got 0"):
        compare_kernels(X, Y, KERNELS, time_limit=0)


def test_the_hard_margin_can_be_compared_too():
    y = (X**2).sum(axis=1) > 1.2
    curve = compare_kernels(X, y, [Gaussian(0.3), Polynomial(2)], HardMarginSVM(), cv=3)
    assert curve.training_error.tolist() == [0, 0]


def test_a_kernel_that_does_not_separate_is_marked_and_the_others_go_on():
    y = (X**2).sum(axis=1) > 1.2
    kernels = [Polynomial(n) for n in (1, 2, 3)]
    curve = compare_kernels(X, y, kernels, HardMarginSVM(), cv=3, random_state=0)
    assert curve.separable.tolist() == [False, True, True]
    assert np.isnan(curve.validation_error[0])
    assert curve.best != kernels[0]
    assert "not separable" in repr(curve).splitlines()[2]
    assert (
        json.loads(json.dumps(curve.to_dict(), allow_nan=False))["validation_errors"][0][0] is None
    )
    with pytest.raises(NotSeparable, match="no kernel separates"):
        compare_kernels(X, y, kernels[:1], HardMarginSVM(), cv=3)


@pytest.mark.slow
def test_a_best_value_at_an_end_of_the_range_is_remarked():
    def remark(*kernels):
        return compare_kernels(X, Y, kernels, SVM(C=10.0), random_state=0).best_is_at_end

    assert remark(*KERNELS) == ""
    assert "the largest that was tried: larger" in remark(*map(Gaussian, (0.001, 0.01, 1.0)))
    assert "the smallest that was tried: smaller" in remark(*map(Gaussian, (1.0, 300.0, 1000.0)))
    assert remark(Gaussian(1.0), Gaussian(100.0)) == "", "two values are no range"


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_variances_go_from_alone_to_alike(make):
    kernels = gaussians(make(X))
    first, last = kernels[0](X), kernels[-1](X)
    assert np.median(first[~np.eye(len(X), dtype=bool)]) < 1e-6
    assert np.median(last) > 0.99
    assert gaussians(np.ones((3, 2)))[5] == Gaussian(1.0)
    many = gaussians(np.repeat(X, 20, axis=0))
    assert len(many) == 9
    whole = np.rint(1000 * X)  # which stay what they are far from the origin
    assert gaussians(make(whole + 1e12)) == gaussians(make(whole))
    assert gaussians(make((whole + 1e6).astype(np.float32))) == gaussians(make(whole))
    assert gaussians(make(np.full((7, 2), 1e9 / 3)))[5] == Gaussian(1.0)
