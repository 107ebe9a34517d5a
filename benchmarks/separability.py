"""The verdict on separability, with its proof, beside the direct linear program on HiGHS."""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_svmlight_file

from benchmarks import datasets
from benchmarks.harness import BenchTable, seconds
from certo import separability


def direct(X, y, time_limit: float) -> tuple[str, float]:
    """w, b with y (w·x + b) ≥ 1, all rows at once, by scipy.optimize.linprog: its word, seconds."""
    start = time.perf_counter()
    signs = np.where(y == np.max(y), 1.0, -1.0)[:, None]
    if sparse.issparse(X):
        Z = sparse.hstack([X.multiply(signs), signs], format="csr")
    else:
        Z = np.hstack([X * signs, signs])
    m, size = Z.shape
    found = linprog(
        np.zeros(size), A_ub=-Z, b_ub=-np.ones(m), bounds=(None, None), method="highs",
        options={"time_limit": time_limit},
    )  # fmt: skip
    word = {0: "separable", 2: "inseparable"}.get(found.status, "no answer")
    return word, time.perf_counter() - start


def compare(name: str, X, y, repeats: int, time_limit: float) -> dict:
    verdict = separability(X, y)
    taken = [seconds(lambda: separability(X, y)) for _ in range(repeats)]
    word, theirs = direct(X, y, time_limit)
    if word != "no answer" and theirs < 2:
        theirs = min([theirs, *(direct(X, y, time_limit)[1] for _ in range(repeats - 1))])
    ours, more = min(taken), ">" if word == "no answer" else ""
    return {
        "data": f"{name} {X.shape[0]:,} × {X.shape[1]:,}",
        "certo s": ours,
        "certo": verdict.name.lower(),
        "rows that prove it": verdict.rows.size if hasattr(verdict, "rows") else "",
        "check s": seconds(lambda: verdict.verify(X, y)),
        "linprog s": f"{more} {theirs:.3g}".strip(),
        "linprog": word,
        "linprog / certo": f"{more} {theirs / ours:.3g}".strip(),
    }


def real(folder: str, file: str, features: int):
    """A set in svmlight format; None if absent."""
    place = datasets.folder()
    if place is None or not (place / folder / file).exists():
        return None
    return load_svmlight_file(str(place / folder / file), n_features=features)


def separable_dense(m: int, d: int, seed: int = 0):
    """Gaussian examples, labels of a random hyperplane: the margin shrinks as they grow."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    return X, np.where(X @ random.standard_normal(d) > 0, 1, -1)


def run(quick: bool = False) -> list[BenchTable]:
    limit = 20.0 if quick else 120.0
    table = BenchTable(
        "is it separable?",
        "best of several runs; certo proves its verdict, linprog says it to a tolerance and is "
        f"stopped after {limit:g} s",
    )

    def add(name, data, repeats=3):
        if data is not None:
            table.rows.append(compare(name, *data, repeats, limit))

    add("mushrooms", real("mushrooms", "mushrooms.gz", 112), 5)
    add("phishing", real("phishing", "phishing.gz", 68), 5)
    add("ijcnn1", real("ijcnn1", "ijcnn1.bz2", 22), 5)
    for m in [2_000, 20_000] if quick else [20_000, 100_000]:
        add("generated, noisy", datasets.noisy_dense(m, 54))
        add("generated, separable", separable_dense(m, 54))
    covtype = None if quick else datasets.covtype()
    if covtype is not None:
        X, y = covtype
        order = np.random.default_rng(0).permutation(len(y))
        for m in (25_000, 100_000, 581_012):
            add("covtype", (np.ascontiguousarray(X[order[:m]]), y[order[:m]]))
    return [table]
