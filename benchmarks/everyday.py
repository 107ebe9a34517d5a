"""Small tables, as most fits are: every machine with its certificate beside scikit-learn's."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating
from certo import SVM, LeastSquares, LogisticRegression, Perceptron
from certo.kernels import Gaussian

BUILT_IN = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
GRID_MAX_ROWS = 1000  # Larger tables are fitted once, not in grids, where a rival needs minutes.
GRID_C = np.logspace(-2, 2, 20)
MEASURED_SECONDS = 1.5  # Both sides of a row take about so long together.
ABOUT = (
    "CPU milliseconds of a fit, ours with its certificate; the best of several alternating runs. "
    "Ratio: the rival's time over ours. Objective: what is made small, summed over outputs (of a "
    "Perceptron the training errors); “other” where the rival solves another problem, one class "
    "against one. Features have mean 0 and variance 1; settings are the defaults of both sides "
    "unless they are named."
)


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features of mean 0 and variance 1, and labels."""
    for name, load in BUILT_IN.items():
        yield name, *_standardised(*load(return_X_y=True))
    if datasets.folder() is None:
        print("No data folder (CERTO_DATA): only the tables of scikit-learn are measured.")
        return
    for name in (*datasets.SMALL, "heart_scale"):
        if (data := datasets.small(name)) is not None:
            yield name, *_standardised(*data)


def _standardised(X, y):
    X = np.asarray(X, dtype=np.float64)
    spread = X.std(axis=0)
    return np.ascontiguousarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)), y


class Pairing(NamedTuple):
    """A machine of ours, a rival for the same table, and what either made small."""

    machine: str
    rival: str
    ours: Any
    theirs: Any
    objective: Callable[[Any, np.ndarray, np.ndarray], float] | None
    grids: tuple[dict[str, Any], dict[str, Any]] | None = None


def pairings(X: np.ndarray, y: np.ndarray) -> Iterator[Pairing]:
    m, several = len(y), len(np.unique(y)) > 2
    by_C = {"C": GRID_C}
    for C in (1.0,):
        yield from _svm_pairings("linear SVM", C, None, X, several, by_C)
        yield Pairing(
            "linear SVM, lifted", "LinearSVC", SVM(C=C, intercept="lifted"),
            LinearSVC(C=C, loss="hinge"), _linear_objective, (by_C, by_C),
        )  # fmt: skip
        variance = 0.5 * X.shape[1] * X.var()
        yield from _svm_pairings("Gaussian SVM", C, Gaussian(variance), X, several, None)
    ridges = {"ridge": 1 / (GRID_C * m)}
    yield Pairing(
        "logistic, ridge 1/m", "LogisticRegression", LogisticRegression(ridge=1 / m),
        SklearnLogistic(), _logistic_objective, (ridges, by_C),
    )  # fmt: skip
    yield Pairing("Perceptron", "Perceptron", Perceptron(), SklearnPerceptron(), _errors)


def _svm_pairings(name, C, kernel, X, several: bool, by_C) -> Iterator[Pairing]:
    kind = {"kernel": "linear"} if kernel is None else {"gamma": 0.5 / kernel.variance}
    ours, theirs = SVM(kernel, C=C), SVC(C=C, **kind)
    grids = (by_C, by_C)
    if kernel is not None:
        factors, prices = np.array([0.25, 0.5, 1.0, 2.0]), np.logspace(-1, 2, 5)
        kernels = [Gaussian(kernel.variance * factor) for factor in factors]
        grids = (
            {"C": prices, "kernel": kernels},
            {"C": prices, "gamma": [0.5 / kernel.variance for kernel in kernels]},
        )
    if not several:
        yield Pairing(name, "SVC", ours, theirs, _svc_objective, grids)
        return
    yield Pairing(name, "SVC", ours, theirs, None, grids)
    yield Pairing(name, "OneVsRest(SVC)", ours, OneVsRestClassifier(theirs), _svc_objective)


def _hinges(model, X, y, C: float) -> float:
    scores = np.reshape(model.decision_function(X), (len(y), -1))
    classes = model.classes_[1:] if scores.shape[1] == 1 else model.classes_
    signs = np.where(y[:, None] == classes, 1, -1)
    return C * float(np.sum(np.maximum(1 - signs * scores, 0)))


def _linear_objective(model, X, y) -> float:
    squares = np.sum(model.coef_**2) + np.sum(model.intercept_**2)  # the intercept is lifted
    return 0.5 * float(squares) + _hinges(model, X, y, model.C)


def _svc_objective(model, X, y) -> float:
    parts = getattr(model, "estimators_", [model])
    squares = 0.0
    for part in parts:
        if isinstance(part, SVM):
            rows, coef = part.support_vectors_, part.dual_coef_
            gamma = None if part.kernel is None else 0.5 / part.kernel.variance
        else:
            rows, coef = part.support_vectors_, part.dual_coef_
            gamma = None if part.kernel == "linear" else part.gamma
        if gamma is None:
            squares += float(np.sum(part.coef_**2))
        else:
            squares += float(np.sum(coef @ rbf_kernel(rows, rows, gamma) * coef))
    C = model.estimator.C if isinstance(model, OneVsRestClassifier) else model.C
    return 0.5 * squares + _hinges(model, X, y, C)


def _logistic_objective(model, X, y) -> float:
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    own = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    losses = float(np.sum(logsumexp(scores, axis=1) - own))
    return losses + 0.5 * float(np.sum(model.coef_**2))


def _errors(model, X, y) -> int:
    return int(np.sum(model.predict(X) != y))


def _cpu_seconds(call: Callable[[], Any]) -> Callable[[], float]:
    def measure() -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    return measure


def best_times(ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int | None = None):
    """The least CPU seconds of each side; `repeats` is chosen by how long they take."""
    sides = {"ours": _cpu_seconds(ours), "theirs": _cpu_seconds(theirs)}
    if repeats is None:
        first = sum(measure() for measure in sides.values())  # Compiled loops are loaded here.
        first = min(first, sum(measure() for measure in sides.values()))
        repeats = int(np.clip(MEASURED_SECONDS / first, 3, 50))
    found = alternating(repeats, **sides)
    return min(found["ours"]), min(found["theirs"])


def _row(name: str, pairing: Pairing, ours: float, theirs: float, values: tuple[Any, Any]) -> dict:
    return {
        "data": name, "machine": pairing.machine, "rival": pairing.rival, "ours, ms": 1e3 * ours,
        "rival's, ms": 1e3 * theirs, "ratio": theirs / ours, "ours made": values[0],
        "rival's made": values[1],
    }  # fmt: skip


def single_fit(name: str, pairing: Pairing, X, y) -> dict:
    ours, theirs = pairing.ours, pairing.theirs
    times = best_times(lambda: ours.fit(X, y), lambda: theirs.fit(X, y))
    values: tuple[Any, Any] = ("", "other")
    if pairing.objective is not None:
        values = pairing.objective(ours, X, y), pairing.objective(theirs, X, y)
        values = tuple(v if isinstance(v, int) else f"{v:.7g}" for v in values)  # type: ignore
    return _row(name, pairing, *times, values)


def grid_search(name: str, pairing: Pairing, X, y) -> dict:
    assert pairing.grids is not None
    searches = [
        GridSearchCV(machine, grid, cv=5)
        for machine, grid in zip((pairing.ours, pairing.theirs), pairing.grids, strict=True)
    ]
    times = best_times(*(lambda s=search: s.fit(X, y) for search in searches), repeats=1)
    scores = tuple(f"{search.best_score_:.4f}" for search in searches)
    return _row(name, pairing, *times, scores)


def least_squares(name: str, X, y) -> dict:
    def objective(model, X, y):
        return float(np.sum((y - X @ model.coef_ - model.intercept_) ** 2))

    pairing = Pairing(
        "least squares", "LinearRegression", LeastSquares(), LinearRegression(), objective
    )
    return single_fit(name, pairing, X, y)


def run(quick: bool = False) -> list[BenchTable]:
    single = BenchTable("single fits", ABOUT)
    grids = BenchTable(
        "GridSearchCV, 20 settings × 5 folds",
        "CPU milliseconds; made: the best mean accuracy of the folds, one run of each side.",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Rivals say that they did not converge.
        for name, X, y in tables():
            for pairing in pairings(X, y):
                single.rows.append(single_fit(name, pairing, X, y))
                if pairing.grids is not None and len(y) <= GRID_MAX_ROWS and not quick:
                    grids.rows.append(grid_search(name, pairing, X, y))
        single.rows.append(least_squares("diabetes", *load_diabetes(return_X_y=True)))
    found = [table for table in (single, grids) if table.rows]
    for table in found:
        ratios = [row["ratio"] for row in table.rows]
        mean, least = float(np.exp(np.mean(np.log(ratios)))), min(ratios)
        table.about += f" Geometric mean of the ratios {mean:.2f}, the least {least:.2f}."
    return found
