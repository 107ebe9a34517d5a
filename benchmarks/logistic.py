"""Logistic regression, with its proof, beside other solvers at the same risk."""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy.special import logsumexp

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating, seconds, stopped_after
from benchmarks.rivals import logistic_rivals
from certo import LogisticRegression

SAME = 1e-9  # a rival must come so near to the infimum, relatively
LIMIT = 5.0  # all fits of a rival may take so many times as long as Certo's, or 5 s
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)


def objective(X, codes, fitted, ridge: float) -> float:
    coef, intercept = fitted
    scores = np.asarray(X @ coef.T) + intercept
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(codes)), scores])
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(codes)), codes]
    return float(np.mean(losses) + ridge / 2 * np.sum(coef**2))


def pushed(fit, worth, enough: float, limit: float):
    """(seconds, excess) of the first of its tolerances that comes near enough, else of the best."""
    best, left = (np.inf, np.inf), limit
    for tol in TOLERANCES:
        if left < 0:
            break
        try:
            done = stopped_after(limit, lambda tol=tol: worth(fit(tol)))
        except EOFError:  # it failed
            break
        if done is None:
            return best if best[1] < np.inf else (limit, np.inf)
        taken, excess = done
        left -= taken
        if excess < best[1]:
            best = (taken, excess)
        if excess <= enough:
            break
    return best


def compare(name: str, X, y, ridge: float, repeats: int) -> dict:
    codes = np.unique(y, return_inverse=True)[1]
    model = LogisticRegression(ridge=ridge)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)  # compiled, or loaded from the cache
        claim = model.certificate_.of_kind("LogisticExcess")[0]
        mine = objective(X, codes, (model.coef_, model.intercept_), ridge)
        least = max(claim.lower, mine - claim.gap)
        enough = max(SAME, claim.gap / least)  # what Certo proves of its own

        def worth(fitted) -> float:
            return (objective(X, codes, fitted, ridge) - least) / least

        times = alternating(
            repeats,
            certo=lambda: seconds(lambda: LogisticRegression(ridge=ridge).fit(X, y)),
            verify=lambda: seconds(lambda: claim.verify(X, y)),
        )
        taken = float(np.median(times["certo"]))
        limit = max(5.0, LIMIT * taken)
        rivals = {
            rival: pushed(fit, worth, enough, limit)
            for rival, fit in logistic_rivals(X, y, ridge).items()
        }
    near = {rival: t for rival, (t, excess) in rivals.items() if excess <= enough}
    best = min(near, key=near.__getitem__) if near else ""
    row = {
        "data": name,
        "certo s": taken,
        "proved excess": claim.gap / least,
        "estimate": "yes" if model.estimate_exists_ else "no",
        "steps": int(np.max(model.n_iter_)),
        "verify s": float(np.median(times["verify"])),
        "best rival": best or "none",
        "best rival / certo": near[best] / taken if best else f"> {limit / taken:.3g}",
    }
    shown = (f"{rival} {t:.2g} s {excess:+.0e}" for rival, (t, excess) in rivals.items())
    return row | {"rivals: seconds, excess": "; ".join(shown)}


def steps(name: str, X, y) -> dict:
    """What a Newton step over all examples takes, in Gram products."""
    model = LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
        trace = model.trace_
    # the first entry is w = 0, the last has no Hessian
    step = float(np.median(np.diff(trace.seconds)[1:-1]))
    product = float(np.median([seconds(lambda: X.T @ X) for _ in range(7)]))
    return {"data": name, "step s": step, "XᵀX s": product, "step / XᵀX": step / product}


def run(quick: bool = False) -> list[BenchTable]:
    table = BenchTable(
        "seconds to the least mean logistic loss",
        "Certo's time includes the certificate (and, where no estimate exists, the proof of that). "
        "Each rival with the first of its tolerances 1e-4, 1e-6, … at which its risk is within "
        f"{SAME:g} (relatively) of the proved infimum, or as near as Certo's is proved to be; if "
        f"none is, the nearest; in {LIMIT:g} times Certo's seconds (or 5). Excesses are "
        "relative to the infimum",
    )
    repeats = 1 if quick else 3
    dense = lambda data: data and (data[0].toarray(), data[1])  # noqa: E731
    covtype = datasets.covtype()
    cases = [
        ("ijcnn1 49,990 × 22", dense(datasets.ijcnn1()), False),
        ("covtype 581,012 × 54", covtype, False),
        ("a9a CSR 32,561 × 123", datasets.a9a(), False),
        ("letter 15,000 × 16, 26 classes", dense(datasets.letters()), False),
        ("mnist 60,000 × 784, 10 classes", datasets.digits(), True),
        ("news20 CSR 15,935 × 62,061, 20 classes", datasets.newsgroups(), True),
        ("news20 CSR, 2 classes", datasets.news20(), True),
    ]
    shapes = [] if quick else [(100_000, 50), (100_000, 200), (500_000, 50)]
    cases += [(f"dense {m:,} × {d}", datasets.noisy_dense(m, d), True) for m, d in shapes]
    for name, data, penalised in cases:
        if quick:
            data = datasets.at_random(data, 2_000)
        if data is not None:
            ridge = 1 / len(data[1]) if penalised else 0.0
            table.rows.append(compare(name, *data, ridge, repeats))
            print(*table.rows[-1].values(), sep=" | ", file=sys.stderr, flush=True)
    growing = BenchTable("Newton steps", "A step over all examples beside the Gram product by BLAS")
    for m in [5_000, 50_000] if quick else [50_000, 500_000, 2_000_000]:
        X, y = datasets.noisy_dense(m, 54)
        growing.rows.append(steps(f"dense {m:,} × 54", X, y))
    if covtype is not None and not quick:
        growing.rows.append(steps("covtype", *covtype))
    return [table, growing]
