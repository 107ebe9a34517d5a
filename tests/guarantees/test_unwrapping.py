"""Pipelines whose steps give the machine other numbers in the fit than in transform."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import linear_model, svm
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from certo import (
    SVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    OnlineGradientDescent,
    Perceptron,
    certify,
)
from certo.certificates import Certified
from certo.guarantees.page import OF_THE_STEPS
from certo.kernels import Gaussian

random = np.random.default_rng(3)
LETTERS = random.choice(list("uvw"), (80, 1))
FRAME = pd.DataFrame({"letter": LETTERS[:, 0], "x": random.standard_normal(80)})
WIDE = random.standard_normal((80, 50))
Y = np.where(random.random(80) < np.where(LETTERS[:, 0] == "u", 0.8, 0.3), "up", "low")


class LessTheMeanOfOneClass(TransformerMixin, BaseEstimator):
    """A step that needs y."""

    def fit(self, X, y):
        self.mean_ = X[y == "up"].mean(axis=0)
        return self

    def transform(self, X):
        return X - self.mean_


class Doubled:
    """A step that is no estimator of scikit-learn, and has no tags."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * X

    def fit_transform(self, X, y=None):
        return 3 * X


STEPS = {
    "target": (TargetEncoder(), LETTERS),
    "columns": (make_column_transformer((TargetEncoder(), ["letter"]), remainder="drop"), FRAME),
    "levels": (OneHotEncoder(), LETTERS),
    "PCA": (PCA(8), WIDE),
    "frames": (StandardScaler().set_output(transform="pandas"), FRAME[["x"]]),
    "y": (LessTheMeanOfOneClass(), WIDE),
    "no tags": (Doubled(), WIDE),
}
MACHINES = [
    Perceptron(epochs=3), SVM(tol=1e-6), SVM(Gaussian(2.0), tol=1e-6), KernelPerceptron(),
    LogisticRegression(ridge=0.1), OnlineGradientDescent(lam=0.1), svm.SVC(), svm.LinearSVC(),
    linear_model.LogisticRegression(),
]  # fmt: skip


def parts(X):
    part = X.iloc if hasattr(X, "iloc") else X
    return part[:40], part[40:]


@pytest.mark.parametrize("name", [*STEPS])
@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_what_can_be_claimed_is(name, machine):
    step, X = STEPS[name]
    fit, test = parts(X)
    model = make_pipeline(step, machine).fit(fit, Y[:40])
    page = certify(model, fit, Y[:40], X_test=test, y_test=Y[40:])
    assert page.verify(fit, Y[:40], test, Y[40:])
    assert [claim.name for claim in page.test] == ["TestErrors"]
    assert "TrainingErrors" in [claim.name for claim in page.claims]
    assert page.test.claims[0].errors >= np.sum(model.predict(test) != Y[40:])
    again = Certified.from_dict(page.to_dict())
    made = model[0].transform
    assert again.verify(made(fit), Y[:40], made(test), Y[40:])
    own = getattr(model[-1], "certificate_", ())
    if own and not own.verify(made(fit), Y[:40]):
        named = {refusal.name: refusal.reason for refusal in page.claims.not_claimed}
        assert all(
            named[claim.name] == OF_THE_STEPS for claim in own if not claim.rigour.statistical
        )


def test_a_regression():
    y = random.standard_normal(80)
    model = make_pipeline(TargetEncoder(target_type="continuous"), LeastSquares()).fit(LETTERS, y)
    page = certify(model, LETTERS, y)
    assert OF_THE_STEPS in [refusal.reason for refusal in page.claims.not_claimed]


def test_other_examples_are_an_error_where_no_step_is_the_reason():
    model = make_pipeline(Doubled(), Perceptron(epochs=3)).fit(WIDE, Y)
    with pytest.raises(ValueError, match="the very examples of the fit"):
        certify(model, WIDE[:40], Y[:40])
    with pytest.raises(ValueError, match="the very examples of the fit"):
        certify(Perceptron(epochs=3).fit(WIDE, Y), WIDE + 1, Y)
    with pytest.raises(ValueError, match="the very examples of the fit"):
        certify(svm.SVC().fit(WIDE, Y), WIDE + 1, Y)


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.bsr_array, sparse.dia_array])
def test_sparse_matrices_without_rows(kind):
    fit, test = parts(np.round(WIDE))
    model = SVM().fit(kind(fit), Y[:40])
    page = certify(model, kind(fit), Y[:40], X_test=kind(test), y_test=Y[40:])
    assert len(page.test) == 1
    assert page.verify(kind(fit), Y[:40], kind(test), Y[40:])
    assert page.verify(fit, Y[:40], test, Y[40:])
