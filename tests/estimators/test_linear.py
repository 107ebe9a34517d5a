"""Attributes of a fit that are made when they are first read."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris

from certo import LeastSquares, Perceptron
from certo.estimators import _linear

X, y = load_iris(return_X_y=True)
MACHINES = [
    Perceptron(epochs=20),
    Perceptron(average=True),
    LeastSquares(),
    LeastSquares(ridge=0.1),
]
LATER = ("certificate_", "status_")


def at_once(machine, X, y):
    """The claims and words of a fit that leaves nothing for later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_linear, "MAX_LATER_NUMBERS", -1)
        model = clone(machine).fit(X, y)
    assert "_later" not in vars(model)
    return model.certificate_, model.status_


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
@pytest.mark.parametrize("first", [0, 1])
def test_they_are_those_of_the_fit_whatever_becomes_of_the_examples(machine, form, first):
    given, labels = form(X), y.copy()
    model = clone(machine).fit(given, labels)
    assert not set(LATER) & set(vars(model))
    entries = given.data if sparse.issparse(given) else given
    entries[:], labels[:] = -1.0, 0
    expected = dict(zip(LATER, at_once(machine, form(X), y), strict=True))
    for name in (LATER[first], LATER[1 - first]):
        assert getattr(model, name) == expected[name]
        assert getattr(model, name) is getattr(model, name)
    assert model.certificate_.verify(X, y)
    assert "_later" not in vars(model)  # Nor is the copy of the examples.


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_copies_and_pickles_have_them_and_no_examples(machine):
    for copied in (copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))):
        model = clone(machine).fit(X, y)
        other = copied(model)
        assert "_later" not in vars(other)
        assert (other.certificate_, other.status_) == at_once(machine, X, y)
    assert len(pickle.dumps(model)) == len(pickle.dumps(clone(machine).fit(X, y)))


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_a_new_fit_forgets_those_of_the_old_one(machine):
    for read in (False, True):
        model = clone(machine).fit(X[:100], y[:100])
        if read:
            assert model.certificate_[0].examples == 100
        assert model.fit(X, y).certificate_[0].examples == 150
        assert model.status_ == at_once(machine, X, y)[1]


def test_steps_over_batches():
    model = Perceptron()
    for part in np.array_split(np.arange(150), 3):
        model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert model.certificate_.of_kind("MistakeBound")[0].updates_in_all == model.updates_[0]
    assert model.certificate_.verify(X[100:], y[100:])
    squares = LeastSquares().partial_fit(X[:70], y[:70]).partial_fit(X[70:], y[70:])
    assert squares.certificate_.verify(X, y)


def test_they_are_not_there_before_a_fit():
    for name in LATER:
        with pytest.raises(AttributeError, match=f"no attribute '{name}': fit sets it"):
            getattr(Perceptron(), name)
        assert not hasattr(Perceptron, name)


def test_an_error_is_not_taken_for_a_missing_attribute(monkeypatch):
    model = LeastSquares().fit(X, y)
    with monkeypatch.context() as patch:
        patch.setattr("certo.estimators.least_squares.certified", lambda found, *_, **__: found.no)
        with pytest.raises(RuntimeError, match=r"certificate_ could not be made: .*no attribute"):
            hasattr(model, "certificate_")
    assert model.certificate_.verify(X, y)


def test_large_tables_are_not_kept():
    random = np.random.default_rng(0)
    large = random.standard_normal((_linear.MAX_LATER_NUMBERS // 4 + 1, 4))
    for machine in (Perceptron(epochs=1), LeastSquares()):
        model = machine.fit(large, large[:, 0] > 0)
        assert set(LATER) <= set(vars(model))
