"""The exact minimum of the 0-1 loss beside the textbook big-M model on HiGHS."""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks import datasets
from benchmarks.harness import BenchTable
from benchmarks.rivals import big_m
from certo import MinDisagreement

NAMES = [*datasets.SMALL, "heart_scale"]


def overlapping(m: int, d: int, seed: int = 0):
    """Two Gaussian clouds that overlap, to one decimal."""
    random = np.random.default_rng(seed)
    y = random.choice([-1, 1], m)
    return np.round(random.standard_normal((m, d)) + 0.7 * y[:, None], 1), y


def binary(m: int, d: int, seed: int = 0):
    """Random bits, labels of a random hyperplane, a fifth of them flipped."""
    random = np.random.default_rng(seed)
    X = (random.random((m, d)) < 0.5).astype(float)
    scores = X @ random.normal(size=d)
    y = np.where(scores > np.median(scores), 1, -1)
    return X, np.where(random.random(m) < 0.2, -y, y)


def run(quick: bool) -> list[BenchTable]:
    limit = 5.0 if quick else 60.0
    table = BenchTable(
        "errors found and errors proved necessary",
        f"errors / proved lower bound after at most {limit:g} s; 'big-M' is the textbook model on "
        "HiGHS, whose bound is not checked by anybody; 'check' is verify(X, y) of our proof",
    )
    sets = {name: datasets.small(name) for name in NAMES}
    sets = {name: data for name, data in sets.items() if data is not None}
    sets["2 clouds, 500 × 2"] = overlapping(500, 2)
    sets["2 clouds, 200 × 3"] = overlapping(200, 3)
    sets["2 clouds, 300 × 6"] = overlapping(300, 6)
    sets["bits, 296 × 95"] = binary(296, 95)
    for name in ["haberman", "2 clouds, 200 × 3"] if quick else sets:
        if name in sets:
            table.rows.append(_row(name, *sets[name], limit))
    return [table]


def _row(name: str, X, y, limit: float) -> dict:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MinDisagreement(time_limit=limit, random_state=0).fit(X, y)
    ours = time.perf_counter() - start
    assert model.certificate_.verify(X, y)
    check = time.perf_counter() - start - ours
    start = time.perf_counter()
    errors, bound = big_m(X, y, limit)
    theirs = time.perf_counter() - start
    return {
        "data": f"{name} ({X.shape[0]} × {X.shape[1]})",
        "Certo: errors / proved": f"{model.errors_} / {model.lower_bound_}",
        "big-M: errors / bound": f"{errors} / {bound}",
        "Certo, s": ours,
        "big-M, s": theirs,
        "ratio": theirs / ours,
        "check, s": check,
    }
