"""What it costs to certify a model, to check its page, and to compute a bound."""

from __future__ import annotations

import json
import warnings

import numpy as np

from benchmarks.datasets import covtype, noisy_dense
from benchmarks.harness import BenchTable, alternating, seconds
from certo import SVM, LogisticRegression, Perceptron, bounds, certify
from certo.certificates import Certified
from certo.kernels import Gaussian


def run(quick: bool = False) -> list[BenchTable]:
    return [pages(quick), formulas(quick)]


def pages(quick: bool) -> BenchTable:
    table = BenchTable(
        "Certify and verify",
        "Seconds of the fit, of certify (every claim issued), and of checking the page, read from "
        "JSON; `passes`: the check in multiples of one product Xw.",
    )
    models = [Perceptron(epochs=5), SVM(C=0.01, tol=1e-6, intercept="none"), LogisticRegression()]
    for name, X, y in _data(quick):
        for model in models:
            table.rows.append(_row(name, model, X, y))
    for m in (1_000, 4_000) if quick else (1_000, 4_000, 16_000):
        X, y = noisy_dense(m, 20)
        table.rows.append(_row(f"generated {m:,} × 20", SVM(Gaussian(10.0), tol=1e-6), X, y))
    return table


def _data(quick: bool):
    for m in (20_000,) if quick else (20_000, 100_000, 500_000):
        yield f"generated {m:,} × 54", *noisy_dense(m, 54)
    found = None if quick else covtype()
    if found is not None:
        yield "covtype", *found


def _row(name: str, model, X, y) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = min(seconds(lambda: model.fit(X, y)) for _ in range(2))  # the first may compile
        page = certify(model, X, y)
        read = Certified.from_dict(json.loads(json.dumps(page.to_dict())))
        w = np.ones(X.shape[1])
        found = alternating(
            3,
            certify=lambda: seconds(lambda: certify(model, X, y)),
            verify=lambda: seconds(lambda: read.verify(X, y)),
            product=lambda: seconds(lambda: X @ w),
        )
    assert read.verify(X, y)
    best = page.best
    return {
        "data": name,
        "machine": type(model).__name__ + (", Gaussian" if getattr(model, "kernel", None) else ""),
        "claims": len(page),
        "fit": fit,
        "certify": min(found["certify"]),
        "verify": min(found["verify"]),
        "passes": min(found["verify"]) / min(found["product"]),
        "risk at most": "" if best is None else best.claim.best,
    }


def formulas(quick: bool) -> BenchTable:
    table = BenchTable("Bounds", "Milliseconds for one bound, and what it is at δ = 0.05.")
    for m in (1_000, 10_000_000):
        for k, errors in ((m // 100, m // 1000), (m // 20, 0), (m // 2, m // 10)):
            asked = {
                "binomial_tail": lambda m=m, k=k, e=errors: bounds.binomial_tail(m, k, e, 0.05),
                "campi_garatti": lambda m=m, k=k: bounds.campi_garatti(m, k, 0.05),
                "clopper_pearson": lambda m=m, e=errors: bounds.clopper_pearson(m, e, 0.05).upper,
            }
            for name, call in asked.items():
                took = min(seconds(call) for _ in range(3))
                table.rows.append(
                    {"m": m, "k": k, "errors": errors, "bound": name, "ms": 1e3 * took,
                     "value": call()}
                )  # fmt: skip
    return table
