"""Models of scikit-learn from files: only known types, and arrays that fit together."""

from __future__ import annotations

import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn import (
    discriminant_analysis,
    dummy,
    ensemble,
    linear_model,
    naive_bayes,
    neighbors,
    svm,
    tree,
)
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from certo import SVM, Perceptron, save
from certo.data.problem import Problem
from certo.tables.foreign_model import load_foreign

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, "a", "b")
MODELS = [
    svm.SVC(), svm.NuSVC(), svm.LinearSVC(), linear_model.LogisticRegression(),
    linear_model.LogisticRegressionCV(
        l1_ratios=(0,), use_legacy_attributes=False, scoring="accuracy"
    ),
    linear_model.RidgeClassifier(), linear_model.Perceptron(), linear_model.SGDClassifier(),
    linear_model.SGDClassifier(loss="log_loss"), linear_model.SGDClassifier(loss="modified_huber"),
    naive_bayes.GaussianNB(), naive_bayes.BernoulliNB(),
    discriminant_analysis.LinearDiscriminantAnalysis(),
    discriminant_analysis.QuadraticDiscriminantAnalysis(), dummy.DummyClassifier(),
    tree.DecisionTreeClassifier(), ensemble.RandomForestClassifier(3),
    ensemble.ExtraTreesClassifier(3), make_pipeline(MinMaxScaler(), naive_bayes.MultinomialNB()),
    make_pipeline(StandardScaler(), MaxAbsScaler(), RobustScaler(), svm.SVC()),
    make_pipeline(PCA(2), Normalizer(), PolynomialFeatures(), linear_model.Perceptron()),
]  # fmt: skip


@pytest.fixture
def written(tmp_path):
    def writing(model):
        skops.io.dump(model, tmp_path / "m.skops")
        return tmp_path / "m.skops"

    return writing


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_what_is_loaded_predicts_as_before(written, model):
    model.fit(X, Y)
    loaded = load_foreign(written(model))
    assert loaded.model.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.feature_names is None
    assert loaded.classes.tolist() == ["a", "b"]
    assert loaded.notes == ()


@pytest.mark.parametrize("model", [linear_model.LinearRegression(), linear_model.Ridge()])
def test_regressions(written, model):
    loaded = load_foreign(written(model.fit(X, X[:, 0])))
    assert loaded.classes is None


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (make_pipeline(FunctionTransformer(np.exp), svm.SVC()), r"numpy\.exp, sklearn.*Function"),
        (neighbors.KNeighborsClassifier(), "KNeighborsClassifier, sklearn"),
        (Perceptron(), r"certo\.estimators"),
    ],
)
def test_other_types_are_refused_and_named(written, model, why):
    with pytest.raises(Problem, match=why):
        load_foreign(written(model.fit(X, Y)))


def test_what_is_no_model_of_skops_is_refused(tmp_path, written):
    path = tmp_path / "m"
    save(Perceptron().fit(X, Y), path)
    with pytest.raises(Problem, match="certo verify"):
        load_foreign(path)
    path.write_bytes(pickle.dumps(svm.SVC()))
    with pytest.raises(Problem, match="pickle"):
        load_foreign(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{")
    with pytest.raises(Problem, match=r"not a file that skops\.io\.dump wrote"):
        load_foreign(path)
    for strange in (StandardScaler().fit(X), svm.SVC(), {"a": 1}):
        with pytest.raises(Problem, match="cannot be used as a fitted model"):
            load_foreign(written(strange))
    with pytest.raises(Problem, match="no such file"):
        load_foreign(tmp_path / "none")


def test_damaged_files_are_refused(written):
    path = written(svm.SVC().fit(X, Y))
    whole = path.read_bytes()
    for length in range(0, len(whole), 997):
        path.write_bytes(whole[:length])
        with pytest.raises(Problem):
            load_foreign(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_n_support", np.array([1000, 1000], dtype=np.int32)),
        ("_n_support", np.array([-5, 65], dtype=np.int32)),
        ("_dual_coef_", np.zeros((1, 3))),
        ("support_vectors_", np.zeros((3, 3))),
        ("support_vectors_", np.zeros((3, 2))),
        ("_intercept_", np.zeros(0)),
        ("predict", "nothing"),
    ],
)
def test_supports_must_fit_together(written, name, value):
    model = svm.SVC().fit(X, Y)
    setattr(model, name, value)
    with pytest.raises(Problem, match="cannot be used as a fitted model"):
        load_foreign(written(model))


@pytest.mark.parametrize(
    ("name", "value"), [("left_child", 0), ("right_child", 10**6), ("feature", 77)]
)
def test_nodes_of_trees_must_fit_together(written, name, value):
    model = ensemble.RandomForestClassifier(2, random_state=0).fit(X, Y)
    grown = model.estimators_[1].tree_
    state = grown.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][name][0] = value
    grown.__setstate__(state)
    with pytest.raises(Problem, match="nodes of its tree"):
        load_foreign(written(model))


def test_another_version_is_noted(written):
    path = written(svm.SVC().fit(X, Y))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(parts["schema.json"])
    states = schema["content"]["content"]
    states["_sklearn_version"]["content"] = json.dumps("1.7.0")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (parts | {"schema.json": json.dumps(schema)}).items():
            archive.writestr(name, content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (note,) = load_foreign(path).notes
    assert "written with scikit-learn 1.7.0" in note


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (GridSearchCV(svm.SVC(), {"C": [1, 2]}, cv=2), r"best_estimator_.*\(tried\): len\(search"),
        (make_pipeline(StandardScaler(), SVM()), r"in Python: certo\.certify\(model, X, y\)"),
        (neighbors.KNeighborsClassifier(), "Only scikit-learn's linear models"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_loaded_has_a_next_step(written, model, why):
    with pytest.raises(Problem, match=why):
        load_foreign(written(model.fit(X, Y)))
