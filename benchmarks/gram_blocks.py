"""Gaussian Gram blocks beside the matrix product that they contain, and scikit-learn's."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.harness import BenchTable, alternating, seconds
from certo.kernels import Gaussian


def compare(m: int, d: int, dtype, repeats: int) -> dict:
    rng = np.random.default_rng(0)
    X, Z = (rng.standard_normal((rows, d)).astype(dtype) for rows in (m, 3 * m // 4))
    kernel = Gaussian(variance=float(d))
    kernel(X[:300], Z[:300])  # compiled, or loaded from the cache
    times = alternating(
        repeats,
        product=lambda: seconds(lambda: X @ Z.T),
        certo=lambda: seconds(lambda: kernel(X, Z)),
        plain=lambda: seconds(lambda: kernel.plain(X, Z)),
        sklearn=lambda: seconds(lambda: rbf_kernel(X, Z, gamma=0.5 / d)),
    )
    best = {side: min(found) for side, found in times.items()}
    return {
        "block": f"{m:,} × {3 * m // 4:,}, d = {d}, {np.dtype(dtype).name}",
        "product s": best["product"],
        "certo s": best["certo"],
        "plain s": best["plain"],
        "sklearn s": best["sklearn"],
        "certo / product": best["certo"] / best["product"],
        "sklearn / certo": best["sklearn"] / best["certo"],
        "error": float(np.max(np.abs(kernel(X, Z) - kernel.plain(X, Z)))),
    }


def run(quick: bool = False) -> list[BenchTable]:
    table = BenchTable(
        "Gaussian Gram blocks",
        "best of alternating runs; `product` is X @ Z.T alone, `plain` what certificates compute, "
        "in NumPy; `error` is the largest difference of the two paths",
    )
    repeats, m = (3, 1_500) if quick else (9, 4_000)
    for d in (54, 123, 300, 784):
        for dtype in (np.float64, np.float32):
            table.rows.append(compare(m, d, dtype, repeats))
    return [table]
