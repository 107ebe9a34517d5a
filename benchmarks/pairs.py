"""Several classes: a vote of pairs and one against the rest, beside scikit-learn's `SVC`."""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.svm import SVC

from benchmarks import datasets
from benchmarks.harness import BenchTable
from certo import SVM
from certo.kernels import Gaussian

REPEATS = 3
#: Tables, how many rows are fitted to, how many others are predicted, and gamma of the Gaussian.
SIZES = {
    "iris": (100, 50, 0.25), "wine": (119, 59, 0.08), "digits": (1200, 597, 0.02),
    "usps": (5000, 2291, 0.01), "letter 3,000": (3000, 5000, 1.0),
    "letter 10,000": (10_000, 5000, 1.0), "mnist": (5000, 5000, 0.02),
}  # fmt: skip


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Dense tables of several classes; those of files that are absent are left out."""
    letters, usps = datasets.letters(), datasets.usps()
    found = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "usps": usps,
        "letter 3,000": letters,
        "letter 10,000": letters,
        "mnist": datasets.digits(),
    }
    return {name: data for name, data in found.items() if data is not None}


def halves(name: str, X, y) -> tuple[np.ndarray, ...]:
    """Rows to fit to and rows to predict, at random; small tables are standardised."""
    fit, test, _ = SIZES[name]
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    order = np.random.default_rng(0).permutation(len(y))[: fit + test]
    first, second = order[:fit], order[fit:]
    if name in ("iris", "wine", "digits"):
        mean, deviation = X[first].mean(axis=0), X[first].std(axis=0)
        X = (X - mean) / np.where(deviation > 0, deviation, 1.0)
    X, y = np.ascontiguousarray(X), np.asarray(y)
    return X[first], y[first], X[second], y[second]


def compare(name: str, kernel: str, X, y, X_test, y_test, repeats: int) -> dict:
    gamma = SIZES[name][2]
    own = Gaussian(0.5 / gamma) if kernel == "Gaussian" else None
    sides = {
        "SVC": SVC(kernel="rbf" if own else "linear", gamma=gamma, cache_size=1000),
        "pairs": SVM(own),
        "rest": SVM(own, multiclass="rest"),
    }
    fits, predictions, wrong = (dict.fromkeys(sides, np.inf) for _ in range(3))
    for _ in range(repeats):
        for side, model in sides.items():
            start = time.process_time()
            model.fit(X, y)
            middle = time.process_time()
            said = model.predict(X_test)
            end = time.process_time()
            fits[side] = min(fits[side], middle - start)
            predictions[side] = min(predictions[side], end - middle)
            wrong[side] = 100 * float(np.mean(said != y_test))
    return {
        "data": name,
        "kernel": kernel,
        **{f"errors % {side}": round(wrong[side], 2) for side in sides},
        "fit SVC s": fits["SVC"],
        "fit: times as fast": fits["SVC"] / fits["pairs"],
        "rest: times as fast": fits["SVC"] / fits["rest"],
        "predict: times as fast": predictions["SVC"] / predictions["pairs"],
    }


def run(quick: bool = False) -> list[BenchTable]:
    table = BenchTable(
        "several classes: pairs and one against the rest, beside SVC",
        "C = 1, the same rows and kernel; CPU seconds, the least of several; the claims of a table "
        "that is not large are made when they are first read, which is not in the fit.",
    )
    for name, data in tables().items():
        if quick and SIZES[name][0] > 1200:
            continue
        parts = halves(name, *data)
        for kernel in ("linear", "Gaussian"):
            table.rows.append(compare(name, kernel, *parts, 1 if quick else REPEATS))
    return [table]
