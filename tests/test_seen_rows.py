"""Rows of the fit are known again when an interval for new examples is asked for."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from certo import (
    SVM,
    GaussianDensity,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
    risk,
)
from certo.kernels import Gaussian
from certo.losses import NegativeLogLikelihood, Squared


class TestRowsOfTheFit:
    """An interval for new examples is not given for the examples that made the model."""

    random = np.random.default_rng(3)
    X = random.normal(size=(400, 3))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=400) > 0, 1, -1)
    X_new = random.normal(size=(300, 3))
    y_new = np.where(X_new[:, 0] > 0, 1, -1)

    MACHINES = (
        Perceptron(epochs=5),
        SVM(tol=1e-3),
        SVM(Gaussian(2.0), tol=1e-3),
        OnlineGradientDescent(),
        Pegasos(max_iter=100, random_state=0),
        KernelPerceptron(Gaussian(2.0), epochs=1),
        LogisticRegression(),
        make_pipeline(StandardScaler(), SVM(tol=1e-3)),
        GridSearchCV(SVM(tol=1e-3), {"C": [0.1, 1.0]}, cv=2),
    )

    @pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
    def test_they_are_refused(self, machine):
        model = clone(machine).fit(self.X, self.y)
        for some in (slice(None), slice(0, 200), slice(None, None, -1)):
            with pytest.raises(ValueError, match="rows that the predictor was fitted to"):
                risk(model, self.X[some].copy(), self.y[some], confidence=0.95)
        assert risk(model, self.X, self.y) < 0.5
        found = risk(model, self.X_new, self.y_new, confidence=0.95)
        assert not found.remark
        assert "if these examples had no part in the fit" in repr(found)

    @pytest.mark.parametrize(
        "form", [np.float32, sparse.csr_array, pd.DataFrame, np.asfortranarray]
    )
    def test_in_any_container(self, form):
        A = self.X.astype(np.float32).astype(float)
        model = SVM(tol=1e-3).fit(A, self.y)
        with pytest.raises(ValueError, match="had no part in the fit"):
            risk(model, form(A), self.y, confidence=0.95)

    def test_some_of_them(self):
        model = SVM(tol=1e-3).fit(self.X, self.y)
        mixed = np.r_[self.X_new, self.X[:100]], np.r_[self.y_new, self.y[:100]]
        with pytest.raises(ValueError, match=r"about \d+ % of them"):
            risk(model, *mixed, confidence=0.95)
        few = np.r_[self.X_new, self.X[:10]], np.r_[self.y_new, self.y[:10]]
        found = risk(model, *few, confidence=0.95)
        assert re.search(r"but at least \d of the 310 examples are rows of the fit", repr(found))
        assert pickle.loads(pickle.dumps(found)).remark == found.remark

    def test_rows_that_repeat_by_nature(self):
        """A table of few different rows: new examples have the rows of the fit."""
        A = self.random.integers(0, 2, (400, 3)).astype(float)
        model = SVM(tol=1e-3).fit(A, self.y)
        found = risk(model, A[:50], self.y[:50], confidence=0.95)
        assert "where rows repeat" in found.remark

    def test_regressions_densities_and_streams(self):
        line = LeastSquares().fit(self.X, self.X[:, 0])
        with pytest.raises(ValueError, match="had no part in the fit"):
            risk(line, self.X, self.X[:, 0], Squared(), confidence=0.95)
        with pytest.raises(ValueError, match="had no part in the fit"):
            risk(line.predict, self.X, self.X[:, 0], Squared(), confidence=0.95)
        density = GaussianDensity().fit(self.X)
        with pytest.raises(ValueError, match="had no part in the fit"):
            risk(density, self.X, loss=NegativeLogLikelihood(), confidence=0.95)
        stream = OnlineGradientDescent().partial_fit(self.X[:200], self.y[:200])
        stream.partial_fit(self.X[200:], self.y[200:])
        for part in (slice(0, 200), slice(200, None)):
            with pytest.raises(ValueError, match="had no part in the fit"):
                risk(stream, self.X[part], self.y[part], confidence=0.95)

    def test_what_is_not_known_is_said(self):
        """A rival's model, and one from a file, remember nothing."""
        rival = SklearnLogistic().fit(self.X, self.y)
        again = pickle.loads(pickle.dumps(SVM(tol=1e-3).fit(self.X, self.y)))
        for model in (rival, again):
            found = risk(model, self.X, self.y, confidence=0.95)
            assert "if these examples had no part in the fit" in repr(found)
