"""certo.save and certo.load: fitted estimators in files that run no code."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import certo
from certo.data.problem import Problem
from certo.kernels import Function, Gaussian
from certo.tables.fit import fit_table
from certo.tables.model_file import load_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
SIGNS = X[:, 0] + 0.3 * X[:, 1] > 0
MODELS = [
    certo.SVM(),
    certo.SVM(Gaussian(2.0)),
    certo.Pegasos(max_iter=500, random_state=0),
    certo.Perceptron(average=True),
    certo.KernelPerceptron(Gaussian(2.0)),
    certo.HardMarginSVM(),
    certo.LogisticRegression(ridge=0.1),
    certo.OnlineGradientDescent(),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("y", [SIGNS, np.where(SIGNS, "yes", "no"), np.where(SIGNS, 1.0, 0.0)])
def test_a_loaded_model_predicts_and_proves_the_same(tmp_path, model, y):
    model.fit(X, y)
    certo.save(model, tmp_path / "m")
    loaded = certo.load(tmp_path / "m")
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.certificate_.verify(X, y)


def test_numbers_and_data_frames(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    y = X @ [1.0, 2.0, 3.0]
    model = certo.LeastSquares().fit(frame, y)
    certo.save(model, tmp_path / "m")
    loaded = certo.load(tmp_path / "m")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    with pytest.raises(Problem, match=r"written by certo.save: .* certificate_.verify"):
        load_model(tmp_path / "m")


def test_the_model_of_a_table_predicts_for_data_frames(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.where(SIGNS, "yes", "no"))
    estimator = certo.SVM()
    fitted = fit_table(frame, "y", estimator)
    assert not hasattr(estimator, "coef_")  # a clone was fitted
    certo.save(fitted.model, tmp_path / "m")
    loaded = certo.load(tmp_path / "m")
    assert set(loaded.predict(frame[["c", "b", "a"]])) == {"yes", "no"}
    frame.loc[0, "a"] = np.nan
    assert len(loaded.predict(frame, missing="drop")) == len(frame) - 1
    certo.save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes()[:14] == b"certo model 6\n"


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (LogisticRegression(), r"a machine of Certo.*there is skops\.io\.dump"),
        (make_pipeline(StandardScaler(), certo.SVM()), r"not a Pipeline\. Save .*pipeline\[-1\]"),
        (make_pipeline(StandardScaler(), LogisticRegression()), r"not a Pipeline\. For models"),
        (GridSearchCV(certo.SVM(), {"C": [1]}, cv=2).fit(X, SIGNS), "Save its best_estimator_"),
        (certo.GaussianDensity(), "not fitted"),
        (certo.SVM(), "not fitted"),
        (certo.SVM(Function(lambda x, z: float(x @ z))).fit(X, SIGNS), "cannot be stored"),
        (certo.LeastSquares().fit(X, X), "cannot be stored"),
    ],
    ids=str,
)
def test_unstorable_models_leave_no_file(tmp_path, model, why):
    with pytest.raises(ValueError, match=why):
        certo.save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_changed_file_is_refused(tmp_path):
    certo.save(certo.SVM().fit(X, SIGNS), tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(data.replace(b"sha256 ", b"sha256 0", 1))
    with pytest.raises(Problem, match="was changed since it was written"):
        certo.load(tmp_path / "m")
