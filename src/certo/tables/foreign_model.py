"""Models of scikit-learn in files that skops.io.dump wrote, loaded without running code in them.

What may be created from a file is decided by `ESTIMATORS` and `_PARTS` alone. Then the arrays that
compiled code of scikit-learn follows without looking (supports, trees) must fit together.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from certo.data.files import opened_content
from certo.data.problem import Problem
from certo.tables.archive import check_sizes, kinds_in
from certo.words.reader import setting

#: What a file may hold: models that `certo.certify` makes claims about, and steps before them.
ESTIMATORS = {
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
    "sklearn.dummy.DummyClassifier",
    "sklearn.ensemble._forest.ExtraTreesClassifier",
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.linear_model._base.LinearRegression",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.linear_model._logistic.LogisticRegressionCV",
    "sklearn.linear_model._perceptron.Perceptron",
    "sklearn.linear_model._ridge.Ridge",
    "sklearn.linear_model._ridge.RidgeClassifier",
    "sklearn.linear_model._stochastic_gradient.SGDClassifier",
    "sklearn.naive_bayes.BernoulliNB",
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.naive_bayes.MultinomialNB",
    "sklearn.svm._classes.LinearSVC",
    "sklearn.svm._classes.NuSVC",
    "sklearn.svm._classes.SVC",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.tree._classes.ExtraTreeClassifier",
    "sklearn.decomposition._pca.PCA",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.MaxAbsScaler",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.Normalizer",
    "sklearn.preprocessing._data.RobustScaler",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._label.LabelBinarizer",
    "sklearn.preprocessing._polynomial.PolynomialFeatures",
}
_PARTS = {
    "ObjectNode": ESTIMATORS,
    "DictNode": {"builtins.dict"},
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "JsonNode": {"builtins.str", "builtins.int", "builtins.float", "builtins.bool"},
    "NdArrayNode": {
        "numpy.ndarray", "numpy.float64", "numpy.float32", "numpy.int64", "numpy.int32",
        "numpy.bool", "numpy.bool_",
    },
    "TypeNode": {"builtins.str", "numpy.float64", "numpy.float32", "numpy.int64", "numpy.int32"},
    "TreeNode": {"sklearn.tree._tree.Tree"},
    "LossNode": {
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn.linear_model._sgd_fast.Hinge",
        "sklearn.linear_model._sgd_fast.ModifiedHuber",
        "sklearn.linear_model._sgd_fast.SquaredHinge",
    },
}  # fmt: skip
MAX_KINDS_NAMED = 8


@dataclass(frozen=True)
class ForeignModel:
    """A fitted model of scikit-learn, and the SHA-256 of its file."""

    model: Any
    sha256: str
    notes: tuple[str, ...] = ()

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns that it was fitted to, where it knows them."""
        names = getattr(self.model, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def classes(self) -> np.ndarray | None:
        classes = getattr(self.model, "classes_", None)
        return None if classes is None else np.asarray(classes)


def load_foreign(path: Path) -> ForeignModel:
    """The model in a file, or a Problem for what cannot be loaded safely."""
    path, content = opened_content(path)
    try:
        content = path.read_bytes() if content is None else content
    except OSError as wrong:
        raise Problem(f"{path} cannot be read: {wrong.strerror or wrong}.") from wrong
    if content.startswith(b"certo model "):
        raise Problem(f"{path} is a model file of Certo: certo verify checks its claims.")
    if not content.startswith(b"PK"):
        raise Problem(
            f"{path} is not a file that skops.io.dump wrote. (A pickle or joblib file runs code "
            "when it is loaded, so none is: save the model with skops.io.dump instead.)"
        )
    try:
        kinds = kinds_in(content)
    except Exception as wrong:  # A broken archive can fail anywhere.
        raise Problem(f"{path} is not a file that skops.io.dump wrote.") from wrong
    strange = sorted({name for loader, name in kinds if name not in _PARTS.get(loader, ())})
    if strange:
        named = ", ".join(strange[:MAX_KINDS_NAMED])
        more = ", …" if len(strange) > MAX_KINDS_NAMED else ""
        raise Problem(
            f"{path} asks for types that are not created from a file: {named}{more}. "
            f"{_next_step(strange)}"
        )
    return ForeignModel(*_loaded(path, content, sorted({name for _, name in kinds})))


def _next_step(strange: list[str]) -> str:
    """What to do about a file that asks for these types."""
    if any(name.startswith("sklearn.model_selection._search") for name in strange):
        return (
            "Of a search over settings dump its best_estimator_, and say how many settings were "
            f"compared ({setting('tried')}): len(search.cv_results_['params'])."
        )
    if any(name.startswith("certo.") for name in strange):
        return (
            "Models of Certo, and pipelines that end in one, are certified in Python: "
            "certo.certify(model, X, y)."
        )
    return (
        "Only scikit-learn's linear models, SVMs, naive Bayes, discriminant analysis, trees and "
        "forests are, and pipelines of scalers, PCA or polynomial features before them."
    )


def _loaded(path: Path, content: bytes, trusted: list[str]) -> tuple[Any, str, tuple[str, ...]]:
    import skops.io
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import InconsistentVersionWarning
    from sklearn.utils.validation import check_is_fitted

    try:
        check_sizes(content)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            model = skops.io.loads(content, trusted=trusted)
        if not isinstance(model, BaseEstimator) or not hasattr(model, "predict"):
            raise Problem(f"it holds a {type(model).__name__}, not a model that predicts.")
        check_is_fitted(model)
        for part in _estimators_in(model):
            _check_sound(part)
    except Exception as wrong:  # A forged archive can fail anywhere.
        why = str(wrong) if isinstance(wrong, Problem) else type(wrong).__name__
        raise Problem(f"{path} cannot be used as a fitted model: {why.rstrip('.')}.") from wrong
    old = [one.message for one in heard if isinstance(one.message, InconsistentVersionWarning)]
    notes = tuple(
        f"{path.name} was written with scikit-learn {one.original_sklearn_version}, and this is "
        f"{one.current_sklearn_version}: its predictions may differ."
        for one in old[:1]
    )
    return model, hashlib.sha256(content).hexdigest(), notes


def _estimators_in(model: Any) -> list[Any]:
    """The model, the steps of pipelines, and the trees of forests."""
    inside = [step for _, step in getattr(model, "steps", ())]
    inside += list(getattr(model, "estimators_", ()))
    return [model, *(part for one in inside for part in _estimators_in(one))]


def _check_sound(model: Any) -> None:
    """Compiled code must not be led outside of arrays."""
    from sklearn.svm import SVC, NuSVC

    own = sorted(name for name in vars(model) if callable(getattr(type(model), name, None)))
    if own:
        raise Problem(f"it replaces {own[0]}, which is code.")
    if isinstance(model, SVC | NuSVC):
        k, supports = len(model.classes_), np.asarray(model.support_vectors_)
        n = len(supports)
        sound = (
            isinstance(model.kernel, str)
            and supports.ndim == 2
            and supports.dtype == np.float64
            and model.support_.shape == (n,)
            and model._dual_coef_.shape == (k - 1, n)
            and model._n_support.shape == (k,)
            and model._n_support.dtype == np.int32
            and bool(np.all(model._n_support >= 0))
            and int(model._n_support.sum()) == n
            and np.size(model._intercept_) == k * (k - 1) // 2
            and (model.kernel == "precomputed" or supports.shape[1] == model.n_features_in_)
        )
        if not sound:
            raise Problem("its supports do not fit together.")
    if hasattr(model, "tree_"):
        tree = model.tree_
        left, right, feature = tree.children_left, tree.children_right, tree.feature
        inner, at = left >= 0, np.arange(tree.node_count)
        ends = [side[inner] for side in (left, right)]
        below = all(np.all((at[inner] < side) & (side < tree.node_count)) for side in ends)
        known = np.all((feature[inner] >= 0) & (feature[inner] < model.n_features_in_))
        if not (below and known and tree.n_features == model.n_features_in_):
            raise Problem("the nodes of its tree do not fit together.")
