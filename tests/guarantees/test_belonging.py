"""A true claim about another model, or about other settings, proves nothing of this one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import SVM, Perceptron
from certo.guarantees import belonging
from certo.kernels import Gaussian, Polynomial

random = np.random.default_rng(0)
X = random.normal(size=(40, 2))
Y = np.where(X[:, 0] + 0.5 * random.normal(size=40) > 0, "up", "down")
MACHINES = [Perceptron(epochs=3), SVM(), SVM(Gaussian(1.0)), SVM(Polynomial(2), intercept="none")]


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_the_claims_of_a_fit_belong_to_it(machine):
    model = machine.fit(X, Y)
    assert belonging.objections(model.certificate_, model, X, Y) == []
    for claim in model.certificate_:
        assert belonging.objections_to_one(claim, model, X, Y) == []


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        (SVM(), SVM(C=0.1)),
        (SVM(Gaussian(1.0)), SVM(Gaussian(2.0))),
        (SVM(), SVM(Gaussian(1.0))),
        (Perceptron(epochs=3), Perceptron(epochs=3, learning_rate=0.5)),
        (SVM(), Perceptron(epochs=3)),
    ],
    ids=repr,
)
def test_those_of_another_fit_do_not(mine, other):
    mine, other = mine.fit(X, Y), other.fit(X, Y)
    assert belonging.objections(other.certificate_, mine, X, Y)


def test_a_model_that_was_changed_is_spoken_of_no_more():
    model = SVM().fit(X, Y)
    model.coef_ = model.coef_ * 2
    assert any("coef_" in text for text in belonging.objections(model.certificate_, model, X, Y))


def test_vectors_must_be_the_rows_of_the_table():
    model = SVM(Gaussian(1.0)).fit(X, Y)
    assert belonging.has_same_vectors(model, X)
    assert belonging.has_same_vectors(model, sparse.csr_array(X))
    assert not belonging.has_same_vectors(model, X + 1)
    assert not belonging.has_same_vectors(model, X[:5])
    assert belonging.has_same_vectors(SVM().fit(X, Y), X + 1), "weights are no rows"


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_equal_rows_are_equal_in_any_storage(store):
    assert belonging.are_equal_rows(store(X), X)
    assert belonging.are_equal_rows(X, store(X))
    moved = X.copy()
    moved[3, 1] = np.nextafter(moved[3, 1], 9)
    assert not belonging.are_equal_rows(store(X), moved)
    assert not belonging.are_equal_rows(store(X), X[:, :1])
