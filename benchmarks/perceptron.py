"""Perceptron epochs beside scikit-learn's, and beside reading the matrix once."""

from __future__ import annotations

import warnings

import numba
import numpy as np
from scipy import sparse

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating, fresh_process, median_ratio, seconds
from benchmarks.rivals import sklearn_perceptron
from certo import Perceptron

FEW, MANY = 10, 40  # the time of an epoch is (time of MANY − time of FEW) / (MANY − FEW)


@numba.njit(fastmath=True, nogil=True)
def _add_up(values):
    total = 0.0
    for k in range(values.size):
        total += values[k]
    return total


def read_once(X) -> float:
    """Seconds to read every number of X (and every index) once: the machine's limit."""
    arrays = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X.reshape(-1),)
    for array in arrays:
        _add_up(array[:1])
    return min(seconds(lambda: [_add_up(array) for array in arrays]) for _ in range(3))


def epoch_times(make, X, y) -> tuple[float, float, object]:
    """(seconds an epoch, seconds of the rest of fit, the model)."""
    few = make(FEW)
    short = seconds(lambda: few.fit(X, y))
    model = make(MANY)
    long = seconds(lambda: model.fit(X, y))
    epoch = (long - short) / (MANY - FEW)
    return epoch, short - FEW * epoch, model


def compare(name: str, X, y, repeats: int) -> dict:
    def ours(epochs):
        return Perceptron(epochs=epochs, intercept="none")

    ours(1).fit(X[:50], np.where(np.arange(50) % 2, 1, -1))  # compiled, or loaded from the cache
    models, rest = {}, []

    def measure(side, make):
        def once():
            epoch, others, models[side] = epoch_times(make, X, y)
            if side == "certo":
                rest.append(others / epoch)
            return epoch

        return once

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = alternating(
            repeats,
            certo=measure("certo", ours),
            sklearn=measure("sklearn", sklearn_perceptron),
            read=lambda: read_once(X),
        )
    mine, theirs = models["certo"].coef_, models["sklearn"].coef_
    difference = float(np.abs(mine - theirs).max() / np.abs(mine).max())
    # other weights are another run (scikit-learn keeps float32 weights for float32 examples)
    same = difference < 1e-6
    return {
        "data": name,
        "certo ms": 1e3 * float(np.median(times["certo"])),
        "sklearn ms": 1e3 * float(np.median(times["sklearn"])),
        "sklearn / certo": median_ratio(times["sklearn"], times["certo"]) if same else "other run",
        "certo / read once": median_ratio(times["certo"], times["read"]),
        "rest of fit, epochs": float(np.median(rest)),
        "relative weight difference": difference,
        "accuracy certo": float(models["certo"].score(X, y)),
        "accuracy sklearn": float(models["sklearn"].score(X, y)),
        "updates": int(models["certo"].updates_[0]),
    }


def epochs(quick: bool) -> BenchTable:
    table = BenchTable(
        "milliseconds an epoch",
        f"an epoch = (fit of {MANY} epochs − fit of {FEW}) / {MANY - FEW}; medians of alternating "
        "runs; ratios are medians of neighbouring runs; compile time apart",
    )
    repeats = 3 if quick else 7
    dense = [2_000, 20_000] if quick else [20_000, 100_000, 500_000]
    for m in dense:
        X, y = datasets.noisy_dense(m, 54)
        table.rows.append(compare(f"dense {m:,} × 54", X, y, repeats))
    X, y = datasets.noisy_dense(dense[-1], 54, np.float32)
    table.rows.append(compare(f"dense {dense[-1]:,} × 54 float32", X, y, repeats))
    for m in [1_000] if quick else [5_000, 20_000]:
        X, y = datasets.generated_text(m)
        table.rows.append(compare(f"CSR text {X.shape[0]:,} × {X.shape[1]:,}", X, y, repeats))
    if not quick:
        for name, load in (("CSR news20", datasets.news20), ("dense covtype", datasets.covtype)):
            data = load()
            if data is not None:
                table.rows.append(compare(f"{name} {data[0].shape[0]:,}", *data, repeats))
    return table


def start_up(quick: bool) -> BenchTable:
    table = BenchTable("seconds to start", "each in a new process, best of alternating runs")
    imports = alternating(
        3 if quick else 7,
        certo=lambda: fresh_process("import certo"),
        sklearn=lambda: fresh_process("import sklearn.linear_model"),
        perceptron=lambda: fresh_process("from certo import Perceptron"),
    )
    best = {name: min(times) for name, times in imports.items()}
    for name, what in (
        ("certo", "import certo"),
        ("perceptron", "from certo import Perceptron"),
        ("sklearn", "import sklearn.linear_model"),
    ):
        row = {"data": what, "seconds": best[name]}
        table.rows.append(row | {"against sklearn.linear_model": best[name] / best["sklearn"]})
    fit = (
        "import time, numpy as np; from certo import Perceptron; X = np.eye(4); t = time.time(); "
        "Perceptron().fit(X, [0, 1, 0, 1]); print(time.time() - t)"
    )
    for what, empty in (("first fit, compiling", True), ("first fit, loops in the cache", False)):
        row = {"data": what, "seconds": fresh_process(fit, empty)}
        table.rows.append(row | {"against sklearn.linear_model": ""})
    return table


def run(quick: bool = False) -> list[BenchTable]:
    return [epochs(quick), start_up(quick)]
