"""Pegasos steps beside scikit-learn's stochastic gradient descent, and what they reach."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating, seconds
from benchmarks.rivals import sgd_classifier
from certo import Pegasos

STEPS = 2_000_000  # about so many are timed; what a fit costs besides its steps cancels


def passes(X) -> tuple[int, int]:
    """How often a short and a long run go over the examples, or draw as many."""
    few = max(1, STEPS // X.shape[0] // 5)
    return few, max(6 * few, STEPS // X.shape[0])


def objective(model, X, y, lam: float) -> float:
    """F = mean hinge loss + (λ/2)‖w‖²."""
    margins = np.where(y == model.classes_[1], 1, -1) * model.decision_function(X)
    return float(np.mean(np.maximum(0, 1 - margins)) + lam / 2 * np.sum(model.coef_**2))


def compare(name: str, X, y, repeats: int) -> dict:
    lam, m = 1e-4, X.shape[0]
    few, many = passes(X)
    makers = {
        "certo": lambda n: Pegasos(lam=lam, max_iter=n * m, intercept="none", random_state=0),
        "sgd": lambda n: sgd_classifier(lam, n, average=False),
        "averaged": lambda n: sgd_classifier(lam, n, average=True),
    }
    makers["certo"](1).fit(X[:50], np.arange(50) % 2)  # compiled, or loaded from the cache
    models = {}

    def measure(side, n):
        def once():
            models[side] = makers[side](n)
            return seconds(lambda: models[side].fit(X, y))

        return once

    sides = {(side, n): measure(side, n) for side in makers for n in (few, many)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = alternating(repeats, **{f"{side} {n}": once for (side, n), once in sides.items()})
    best = {
        side: 1e9 * (min(times[f"{side} {many}"]) - min(times[f"{side} {few}"])) / (many - few) / m
        for side in makers
    }
    return {
        "data": name,
        "certo ns": best["certo"],
        "sgd ns": best["sgd"],
        "averaged sgd ns": best["averaged"],
        "sgd / certo": best["sgd"] / best["certo"],
        "averaged sgd / certo": best["averaged"] / best["certo"],
        "F certo": objective(models["certo"], X, y, lam),
        "F sgd": objective(models["sgd"], X, y, lam),
        "F averaged sgd": objective(models["averaged"], X, y, lam),
    }


def run(quick: bool = False) -> list[BenchTable]:
    table = BenchTable(
        "nanoseconds a step",
        "a step looks at one example; the time of a long run less that of a short one, the best of "
        "each in alternating runs; λ = 1e-4, no intercept; Certo averages all iterates; F after "
        f"about {STEPS:,} steps",
    )
    repeats = 3 if quick else 5
    sizes = [5_000, 20_000] if quick else [20_000, 100_000, 500_000]
    for m in sizes:
        X, y = datasets.noisy_dense(m, 54)
        table.rows.append(compare(f"dense {m:,} × 54", X, y, repeats))
    X, y = datasets.noisy_dense(sizes[-1], 54, np.float32)
    table.rows.append(compare(f"dense {sizes[-1]:,} × 54 float32", X, y, repeats))
    X, y = datasets.generated_text(1_000 if quick else 20_000)
    table.rows.append(compare(f"CSR text {X.shape[0]:,} × {X.shape[1]:,}", X, y, repeats))
    if not quick:
        for name, load in (("CSR news20", datasets.news20), ("dense covtype", datasets.covtype)):
            data = load()
            if data is not None:
                table.rows.append(compare(f"{name} {data[0].shape[0]:,}", *data, repeats))
    return [table]
