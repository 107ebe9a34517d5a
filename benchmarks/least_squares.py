"""Least squares, with its proof, beside other solvers and beside the Gram product alone."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating, median_ratio, seconds
from benchmarks.rivals import least_squares_rivals
from certo import LeastSquares

SLOW = 5.0  # seconds of a rival, after which it is measured once


def generated(m: int, d: int = 54, seed: int = 0):
    """Correlated columns away from the origin, and noise as large as the signal."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    X += random.standard_normal(d) + X[:, :1]
    return X, X @ random.standard_normal(d) + 5 * random.standard_normal(m)


def risk(X, y, coef, intercept) -> float:
    return float(np.mean((y - X @ np.ravel(coef) - float(np.ravel(intercept)[0])) ** 2))


def product(X) -> None:
    """XᵀX, which is all that the normal equations need to read."""
    if sparse.issparse(X):
        X.T @ X
    else:
        np.dot(X.T, X)


def compare(name: str, X, y, repeats: int) -> dict:
    model = LeastSquares().fit(X, y)  # compiled, or loaded from the cache
    claim = model.certificate_[0]
    least = risk(X, y, model.coef_, model.intercept_)
    rivals = least_squares_rivals(X)
    found, sides = {}, {}
    for rival, fit in rivals.items():
        fits: list = []
        taken = seconds(lambda fit=fit, fits=fits: fits.append(fit(X, y)))
        found[rival] = (taken, risk(X, y, *fits[0]) / least - 1)
        if taken < SLOW:
            sides[rival] = partial(seconds, partial(fit, X, y))
    times = alternating(
        repeats,
        certo=lambda: seconds(lambda: LeastSquares().fit(X, y)),
        product=lambda: seconds(lambda: product(X)),
        verify=lambda: seconds(lambda: claim.verify(X, y)),
        **sides,
    )
    row = {
        "data": name,
        "certo s": float(np.median(times["certo"])),
        "certo / XᵀX": median_ratio(times["certo"], times["product"]),
        "ns a number": 1e9 * float(np.median(times["certo"])) / _numbers(X),
        "method": model.method_,
        "proved excess": float(claim.risk - claim.lower) / least,
        "verify s": float(np.median(times["verify"])),
    }
    for rival, (taken, worse) in found.items():
        ratio = median_ratio(times[rival], times["certo"]) if rival in times else (
            taken / float(np.median(times["certo"])))  # fmt: skip
        row[f"{rival} / certo"] = ratio
        row[f"{rival}'s risk"] = f"{worse:+.0e}"
    return row


def _numbers(X) -> int:
    return X.nnz if sparse.issparse(X) else X.size


def run(quick: bool = False) -> list[BenchTable]:
    table = BenchTable(
        "seconds to the least mean squared error",
        "Certo's time includes the certificate. XᵀX is the Gram product by BLAS (CSR: SciPy) "
        "alone. A rival's risk is relative to Certo's; the proved excess is what Certo's risk is "
        "above the least at most, relative to it. Medians of alternating runs",
    )
    repeats = 3 if quick else 7
    covtype = datasets.covtype()
    if covtype is not None:
        X, y = datasets.at_random(covtype, 20_000) if quick else covtype
        table.rows.append(compare(f"covtype {len(y):,} × 54", X, y.astype(float), repeats))
        single = np.ascontiguousarray(X, dtype=np.float32)
        table.rows.append(compare("the same in float32", single, y.astype(float), repeats))
    for m in [5_000, 50_000] if quick else [50_000, 500_000, 5_000_000]:
        X, y = generated(m)
        table.rows.append(compare(f"generated {m:,} × 54", X, y, 3 if m > 10**6 else repeats))
    a9a = datasets.a9a()
    if a9a is not None:
        table.rows.append(compare("a9a CSR 32,561 × 123", *a9a, repeats))
    return [table]
