"""Small tables, as most fits are: every machine with its certificate beside scikit-learn's."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
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
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_info, threadpool_limits

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
GRID_EPOCHS = range(5, 101, 5)
MEASURED_SECONDS = 0.8  # Both sides of a row take about so long together.
ABOUT = (
    "Milliseconds, the best of several alternating runs. Ours: the fit and its certificate, read; "
    "fit: without reading it, as in a search over settings. Ratio: the rival's time over ours. "
    "Made: what is made small, summed over outputs (of a Perceptron the training errors); “other” "
    "where the rival solves another problem. Features have mean 0 and variance 1; settings are the "
    "defaults of both sides unless they are named; least squares learn the places of the classes."
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
            "linear SVM, lifted", "LinearSVC", SVM(C=C, intercept="lifted", multiclass="rest"),
            LinearSVC(C=C, loss="hinge"), _linear_objective, (by_C, by_C),
        )  # fmt: skip
        variance = 0.5 * X.shape[1] * X.var()
        yield from _svm_pairings("Gaussian SVM", C, Gaussian(variance), X, several, None)
    ridges = {"ridge": 1 / (GRID_C * m)}
    yield Pairing(
        "logistic, ridge 1/m", "LogisticRegression", LogisticRegression(ridge=1 / m),
        SklearnLogistic(), _logistic_objective, (ridges, by_C),
    )  # fmt: skip
    yield Pairing(
        "Perceptron", "Perceptron", Perceptron(), SklearnPerceptron(), _errors,
        ({"epochs": GRID_EPOCHS}, {"max_iter": GRID_EPOCHS}),
    )  # fmt: skip


def regressions(m: int) -> Iterator[Pairing]:
    yield Pairing("least squares", "LinearRegression", LeastSquares(), LinearRegression(), _squares)
    yield Pairing(
        "least squares, ridge 1/m", "Ridge", LeastSquares(ridge=1 / m), Ridge(), _squares,
        ({"ridge": 1 / (GRID_C * m)}, {"alpha": 1 / GRID_C}),
    )  # fmt: skip


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
    yield Pairing(name, "SVC", ours, theirs, _pairs_objective if several else _svc_objective, grids)
    if several:
        rest, rests = SVM(kernel, C=C, multiclass="rest"), OneVsRestClassifier(theirs)
        yield Pairing(f"{name}, one against rest", "OneVsRest(SVC)", rest, rests, _svc_objective)


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


def _pairs_objective(model, X, y) -> float:
    """The sum over the machines for pairs of classes, each about the examples of its two."""
    codes, K, total = np.searchsorted(model.classes_, y), len(model.classes_), 0.0
    if model.kernel in (None, "linear"):
        gram = X @ model.support_vectors_.T
    else:
        gamma = model.gamma if isinstance(model, SVC) else 0.5 / model.kernel.variance
        gram = rbf_kernel(X, model.support_vectors_, gamma)
    of = codes[model.support_]
    for k, (i, j) in enumerate(combinations(range(K), 2)):
        coef = (of == i) * model.dual_coef_[j - 1] + (of == j) * model.dual_coef_[i]
        scores, mine = gram @ coef, (codes == i) | (codes == j)
        signs = np.where(codes[mine] == i, 1, -1)
        margins = signs * (scores[mine] + model.intercept_[k])
        total += 0.5 * float(scores[model.support_] @ coef)
        total += model.C * float(np.sum(np.maximum(1 - margins, 0)))
    return total


def _logistic_objective(model, X, y) -> float:
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    own = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    losses = float(np.sum(logsumexp(scores, axis=1) - own))
    return losses + 0.5 * float(np.sum(model.coef_**2))


def _squares(model, X, y) -> float:
    penalty = getattr(model, "alpha", getattr(model, "ridge", 0.0) * len(y))
    left = y - X @ model.coef_ - model.intercept_
    return float(left @ left + penalty * model.coef_ @ model.coef_)


def _errors(model, X, y) -> int:
    return int(np.sum(model.predict(X) != y))


def best_times(clock: Callable[[], float], *calls: Callable[[], Any]) -> list[float]:
    """The least seconds of each call, by this clock."""

    def seconds(call: Callable[[], Any]) -> float:
        start = clock()
        call()
        return clock() - start

    def once() -> float:
        return sum(seconds(call) for call in calls)

    repeats = int(np.clip(MEASURED_SECONDS / min(once(), once()), 3, 50))  # Compiled loops load.
    sides = {str(k): lambda call=call: seconds(call) for k, call in enumerate(calls)}
    return [min(found) for found in alternating(repeats, **sides).values()]


def single_fit(name: str, pairing: Pairing, X, y, clock=time.process_time) -> dict[str, Any]:
    ours, theirs = pairing.ours, pairing.theirs
    whole, fit, rival = best_times(
        clock, lambda: ours.fit(X, y).certificate_, lambda: ours.fit(X, y),
        lambda: theirs.fit(X, y),
    )  # fmt: skip
    values: tuple[Any, Any] = ("", "other")
    if pairing.objective is not None:
        values = pairing.objective(ours, X, y), pairing.objective(theirs, X, y)
        values = tuple(v if isinstance(v, int) else f"{v:.7g}" for v in values)  # type: ignore
    return {
        "data": name, "machine": pairing.machine, "rival": pairing.rival, "ours": 1e3 * whole,
        "fit": 1e3 * fit, "rival's": 1e3 * rival, "ratio": rival / whole, "fit ratio": rival / fit,
        "ours made": values[0], "rival's made": values[1],
    }  # fmt: skip


def grid_search(name: str, pairing: Pairing, X, y) -> dict[str, Any]:
    assert pairing.grids is not None
    searches = [
        GridSearchCV(machine, grid, cv=5)
        for machine, grid in zip((pairing.ours, pairing.theirs), pairing.grids, strict=True)
    ]
    times = []
    for search in searches:
        start = time.process_time()
        search.fit(X, y)
        times.append(time.process_time() - start)
    return {
        "data": name, "machine": pairing.machine, "rival": pairing.rival, "ours": 1e3 * times[0],
        "rival's": 1e3 * times[1], "ratio": times[1] / times[0],
        "ours made": f"{searches[0].best_score_:.4f}",
        "rival's made": f"{searches[1].best_score_:.4f}",
    }  # fmt: skip


def problems() -> Iterator[tuple[str, Pairing, np.ndarray, np.ndarray]]:
    """Every pairing with its table."""
    for name, X, y in tables():
        yield from ((name, pairing, X, y) for pairing in pairings(X, y))
        places = np.unique(y, return_inverse=True)[1].astype(np.float64)
        yield from ((name, pairing, X, places) for pairing in regressions(len(y)))
    X, y = load_diabetes(return_X_y=True)
    yield from (("diabetes", pairing, X, y) for pairing in regressions(len(y)))


def run(quick: bool = False) -> list[BenchTable]:
    threads = max(library["num_threads"] for library in threadpool_info())
    found = [BenchTable("single fits, 1 BLAS thread", f"CPU time. {ABOUT}")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Rivals say that they did not converge.
        with threadpool_limits(1):
            found[0].rows += [single_fit(*problem) for problem in problems()]
        if threads > 1:
            wall = f"Wall clock. {ABOUT}"
            found.append(BenchTable(f"single fits, {threads} BLAS threads", wall))
            found[1].rows += [single_fit(*problem, time.perf_counter) for problem in problems()]
        if not quick:
            about = "CPU milliseconds of one run of each side, made: the best mean score of folds."
            title = "GridSearchCV, 20 settings × 5 folds, 1 BLAS thread"
            found.append(BenchTable(title, about))
            with threadpool_limits(1):
                found[-1].rows += [
                    grid_search(*problem)
                    for problem in problems()
                    if problem[1].grids is not None and len(problem[3]) <= GRID_MAX_ROWS
                ]
    for table in found:
        for column in ("ratio", "fit ratio"):
            if column in table.rows[0]:
                table.about += f" {column.capitalize()}: {_summary(table.rows, column)}."
    return found


def _summary(rows: list[dict[str, Any]], column: str) -> str:
    """The geometric mean, and the least, of a column; rows beside one-against-rest do not count."""
    ratios = [row[column] for row in rows if not row["rival"].startswith("OneVsRest")]
    return f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}"
