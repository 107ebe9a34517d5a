"""Bounds are about what the model predicts, whoever has made or changed it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer
from sklearn.svm import SVC
from sklearn.utils import get_tags

from certo import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    LogisticRegression,
    OnlineGradientDescent,
    Perceptron,
    certify,
)
from certo.certificates import RiskBound, TestErrors
from certo.kernels import Gaussian
from certo.losses import Hinge

random = np.random.default_rng(8)
X, NEW = random.normal(size=(400, 2)), random.normal(size=(2000, 2))
Y, TRUE = (X[:, 0] > 0).astype(int), (NEW[:, 0] > 0).astype(int)
MACHINES = [
    SVM(tol=1e-8), HardMarginSVM(), Perceptron(), Perceptron(average=True),
    KernelPerceptron(Gaussian(1.0)), OnlineGradientDescent(loss=Hinge(), lam=0, radius=3.0),
    SVC(kernel="linear", tol=1e-8), SVC(gamma=0.5, tol=1e-8),
]  # fmt: skip


def flipped(kind):
    return type(kind.__name__, (kind,), {"predict": lambda self, X: 1 - kind.predict(self, X)})


def nothing_false(model):
    """No bound that holds of other predictions; and all that is claimed holds."""
    page = certify(model, X, Y, X_test=NEW[:200], y_test=TRUE[:200])
    rate = np.mean(model.predict(NEW) != TRUE)
    assert all(claim.best >= rate for claim in page.risks if claim.of_predictions)
    assert page.verify(X, Y, NEW[:200], TRUE[:200])
    (test,) = page.of_kind(TestErrors)
    assert test.errors >= np.sum(model.predict(NEW[:200]) != TRUE[:200])
    return page


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_a_predict_of_its_own(machine):
    assert any(isinstance(claim, RiskBound) for claim in nothing_false(clone(machine).fit(X, Y)))
    nothing_false(flipped(type(machine))(**machine.get_params(deep=False)).fit(X, Y))
    model = clone(machine).fit(X, Y)
    model.predict = lambda X: 1 - type(model).predict(model, X)
    nothing_false(model)
    nothing_false(make_pipeline(Normalizer(), model))


@pytest.mark.slow
def test_pipelines_and_searches_with_a_predict_of_their_own():
    nothing_false(flipped(Pipeline)([("svm", SVM())]).fit(X, Y))
    nothing_false(flipped(GridSearchCV)(SVM(), {"C": [1.0, 2.0]}, cv=2).fit(X, Y))
    search = GridSearchCV(SVM(), {"C": [1.0, 2.0]}, cv=2).fit(X, Y)
    search.predict = lambda X: 1 - GridSearchCV.predict(search, X)
    nothing_false(search)
    nothing_false(TunedThresholdClassifierCV(SVM(), store_cv_results=True).fit(X, Y))


def test_a_classifier_of_scikit_learn_that_was_changed():
    model = SVC(kernel="linear", tol=1e-8).fit(X, Y)
    model._intercept_ = model._intercept_ + 10
    page = nothing_false(model)
    assert "changed after its fit" in {r.name: r.reason for r in page.not_claimed}["SupportBound"]
    rows = np.hstack([np.round(4 * X), np.eye(400)])
    gram = rows @ rows.T
    model = SVC(kernel="precomputed", tol=1e-8).fit(gram, Y)
    assert certify(model, gram, Y).of_kind("SupportBound")
    model._intercept_ = model._intercept_ + 10
    assert not certify(model, gram, Y).of_kind("SupportBound")


@pytest.mark.parametrize("machine", [SVM(Gaussian(1.0)), KernelPerceptron(Gaussian(1.0))], ids=repr)
def test_vectors_that_are_not_those_of_the_fit(machine):
    model = clone(machine).fit(X, Y)
    model.support_vectors_ = model.support_vectors_[::-1].copy()
    with pytest.raises(ValueError, match="its support vectors are not those examples"):
        certify(model, X, Y)


def test_another_side_at_zero():
    Z = np.where(random.random((400, 1)) < 0.5, X, 0.0)
    y = (Z[:, 0] >= 0).astype(int)
    model = Perceptron(intercept="none", update_at_zero="negative").fit(Z, y)
    assert certify(model, Z, y).best
    with pytest.raises(ValueError, match="another zero_sign"):
        certify(model.set_params(zero_sign=-1), Z, y)


@pytest.mark.parametrize("average", [False, True])
def test_rounding_that_decides_a_prediction_is_an_error(average):
    """1e16 − 1e16 + a is a, and computed as (1e16 + a) − 1e16 it is 0."""

    def draw(m):
        kind, size = random.integers(0, 3, m), random.uniform(1, 2, m).round(6)
        rows = np.array([[-1, -1, -1], [1, 1, 1], [1e16, -1e16, 1]])[kind]
        rows[kind < 2] *= size[kind < 2, None]
        rows[kind == 2, 2] = size[kind == 2] / 4
        return rows, (kind > 0).astype(int)

    (rows, y), (new, truth) = draw(600), draw(3000)
    settings = {"intercept": "none", "update_at_zero": "negative", "zero_sign": -1}
    model = Perceptron(epochs=3, average=average, **settings).fit(rows, y)
    (claim,) = model.certificate_.of_kind("CompressionBound")
    assert claim.verify(rows, y)
    assert np.mean(model.predict(new) != truth) > 0.2
    others = np.setdiff1d(np.arange(600), claim.updated)
    assert claim.errors >= np.sum(model.predict(rows[others]) != y[others])
    assert claim.best > 0.2


class Remembering(FunctionTransformer):
    """Its class needs no fit, and it has one."""

    def fit(self, X, y=None):
        self.known_ = {tuple(x): 2.0 * label - 1 for x, label in zip(X, y, strict=True)}
        return self

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)

    def transform(self, X):
        return np.array([[self.known_.get(tuple(x), 0.0)] for x in X])


class Halved(FunctionTransformer):
    """A subclass that says itself that it needs no fit."""

    def transform(self, X):
        return X / 2

    def __sklearn_tags__(self):
        return super().__sklearn_tags__()


def test_tags_that_were_inherited_say_nothing():
    coin = random.integers(0, 2, 400)
    model = make_pipeline(Remembering(), Perceptron(intercept="none")).fit(X, coin)
    assert not get_tags(model[0]).requires_fit
    page = certify(model, X, coin)
    assert not page.risks
    assert certify(make_pipeline(Halved(), SVM(tol=1e-8)).fit(X, Y), X, Y).risks


def test_a_class_whose_own_score_does_not_separate_it_is_named():
    """Between two others: the highest score is right, but no hyperplane has it on one side."""
    points, y = [[-2.0], [-1.9], [0.0], [0.1], [2.0], [2.1]], ["a", "a", "b", "b", "c", "c"]
    page = certify(LogisticRegression(ridge=0.01).fit(points, y), points, y)
    assert page.of_kind("TrainingErrors")[0].errors == 0
    (refusal,) = (one for one in page.not_claimed if one.name == "Separable")
    assert refusal.reason.startswith("'b' against the rest, by its score alone: example ")
