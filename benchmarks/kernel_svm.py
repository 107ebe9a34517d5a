"""Seconds of a Gaussian SVM with a free intercept, beside LIBSVM and oneDAL; and of predictions.

The rivals stop by their own tolerance, as their users leave it, which says little of the objective.
Certo is given the first of smaller and smaller gaps to prove with which its dual objective is at
least as good as that of either rival; the fit with that one is timed, not the search for it. All
objectives are then computed anew, in the same way, from the multipliers.

Every side may have the examples as an array or in CSR, and takes what it is quicker with; oneDAL
tries CSR only up to 20,000 of them, since on more it can be many times slower.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating, fresh_process, seconds, stopped_after
from benchmarks.rivals import gaussian_onedal, gaussian_svc
from certo import SVM
from certo.kernels import Gaussian

TOLS = [part * 10.0**-k for k in range(3, 8) for part in (1.0, 0.3)]  # 1e-3, 3e-4, …
LIMIT = 30.0  # seconds for one fit of LIBSVM
QUICK = 6.0  # fits up to so many seconds are repeated
FEW = 0.75  # of the entries: with fewer other than 0, CSR is tried too
BLOCK = 2**23  # numbers of a block of the Gram matrix
CASES = {  # and how many of their examples, at most
    "phishing": 100_000,
    "letter": 100_000,
    "a9a": 10_000,
    "ijcnn1": 20_000,
    "mnist": 10_000,
    "covtype": 20_000,
    "flipped_dense": 10_000,
    "w8a": 100_000,
}
EASY_ONLY = ("w8a",)  # with C = 1 only
GROWING = (5_000, 20_000, 60_000)  # examples of covtype
PREDICTING, PREDICTED = ("letter", "a9a", "mnist", "covtype", "generated"), 5_000
TARGETS = {  # of the geometric mean, and of each case
    "C = 100: the faster": ("≥ 2", "≥ 1.2"),
    "the faster": ("≥ 3", "≥ 1.2"),
    "LIBSVM": ("≥ 6", "–"),
    "SVC.predict": ("≥ 3", "–"),
}


def in_this_process(limit: float, call: Callable[[], Any]) -> tuple[float, Any]:
    """As `stopped_after`, but never stopped: threads do not follow into a copy of the process."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


RIVALS: dict[str, tuple] = {  # how they are made and run, and up to how many examples CSR is tried
    "oneDAL": (gaussian_onedal, in_this_process, 20_000),
    "LIBSVM": (gaussian_svc, stopped_after, np.inf),
}


@dataclass(frozen=True)
class Problem:
    name: str
    X: np.ndarray
    y: np.ndarray  # ±1
    C: float

    @classmethod
    def of(cls, name: str, C: float, X, y) -> Problem:
        X = np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        return cls(f"{name} {X.shape[0]:,} × {X.shape[1]}", X, np.where(y == y.max(), 1, -1), C)

    @cached_property
    def gamma(self) -> float:
        """What scikit-learn calls "scale"."""
        return float(1 / (self.X.shape[1] * self.X.var()))

    @cached_property
    def storages(self) -> dict[str, Any]:
        few = np.count_nonzero(self.X) < FEW * self.X.size
        return ({"CSR": sparse.csr_matrix(self.X)} if few else {}) | {"dense": self.X}

    def certo(self, tol: float) -> SVM:
        return SVM(Gaussian(variance=0.5 / self.gamma), C=self.C, tol=tol)


class Fit(NamedTuple):
    """A fitted machine, the storage of the examples that it had, and what it took."""

    model: Any
    stored: str
    seconds: float

    @property
    def supports(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows, and α_t y_t of each."""
        coef = self.model.dual_coef_
        return self.model.support_, np.ravel(coef.toarray() if sparse.issparse(coef) else coef)


class Side(NamedTuple):
    """An unfitted machine, made anew for each fit; how a fit is run under a limit; and up to how
    many examples CSR is tried."""

    make: Callable[[], Any]
    run: Callable[[float, Callable[[], Any]], tuple[float, Any] | None] = in_this_process
    most_in_csr: float = np.inf

    def fit(self, problem: Problem, limit: float, storages: Iterable[str] = ()) -> Fit | None:
        """With the storage that is quickest; None if stopped at the limit with every one."""
        best: Fit | None = None
        all_of_them = problem.storages if len(problem.y) <= self.most_in_csr else ["dense"]
        for stored in storages or all_of_them:
            fit = partial(self.make().fit, problem.storages[stored], problem.y)
            answer = self.run(best.seconds if best else limit, fit)
            if answer is not None and (best is None or answer[0] < best.seconds):
                best = Fit(answer[1], stored, answer[0])
        return best


class Worth(NamedTuple):
    dual: float  # Σ α_t − ½‖f‖²
    error: float  # the part of the examples on the wrong side


def worths(problem: Problem, fits: list[Fit]) -> list[Worth]:
    """Of all these multipliers, by scikit-learn's kernel, in blocks of float64."""
    if not fits:
        return []
    rows = np.unique(np.concatenate([fit.supports[0] for fit in fits]))
    coef = np.zeros((rows.size, len(fits)))
    for k, fit in enumerate(fits):
        coef[np.searchsorted(rows, fit.supports[0]), k] = fit.supports[1]
    X, centres = problem.X, problem.X[rows]
    blocks = np.array_split(X, X.shape[0] * rows.size // BLOCK + 1)
    with ThreadPoolExecutor(2) as threads:
        parts = threads.map(lambda x: rbf_kernel(x, centres, problem.gamma) @ coef, blocks)
        scores = np.concatenate(list(parts))
    duals = np.abs(coef).sum(axis=0) - np.sum(coef * scores[rows], axis=0) / 2
    b = [float(np.ravel(fit.model.intercept_)[0]) for fit in fits]
    errors = np.mean(problem.y[:, None] * (scores + b) <= 0, axis=0)
    return [Worth(float(dual), float(error)) for dual, error in zip(duals, errors, strict=True)]


def product(X: np.ndarray, centres: np.ndarray) -> float:
    """Seconds of all inner products in float64: what no side that computes them can be below."""
    step = max(1, BLOCK // len(centres))
    parts = [X[start : start + step] for start in range(0, len(X), step)]
    room = np.zeros((len(parts[0]), len(centres))) + 1.0  # written to, so that no page is new
    return seconds(lambda: [np.matmul(x, centres.T, out=room[: len(x)]) for x in parts])


def tol_for(problem: Problem, dual: float) -> float:
    """The first of TOLS with which our dual objective is that large (or the last)."""
    stored = next(iter(problem.storages))
    for tol in TOLS:
        fit = Side(partial(problem.certo, tol)).fit(problem, np.inf, [stored])
        if fit and fit.model.trace_.dual[-1] >= dual:
            break
    return tol


def claim_of(fit: Fit):
    return fit.model.certificate_.of_kind("SoftMarginGap")[0]


class Ratio(NamedTuple):
    value: float
    bound: bool = False  # the rival was stopped: it is at least so much

    def __str__(self) -> str:
        return f"{'> ' if self.bound else ''}{self.value:.3g}"


class Race(NamedTuple):
    row: dict[str, Any]
    ratios: dict[str, Ratio]  # how many times quicker than "the faster", than "LIBSVM"
    fits: dict[str, Fit]


def compare(problem: Problem, limit: float, repeats: int) -> Race:
    sides = {
        name: Side(partial(make, problem.C, problem.gamma), *how)
        for name, (make, *how) in RIVALS.items()
    }
    sides = {name: side for name, side in sides.items() if side.make() is not None}
    runs = {name: side.fit(problem, limit) for name, side in sides.items()}
    fits = {name: fit for name, fit in runs.items() if fit is not None}
    worth = dict(zip(fits, worths(problem, list(fits.values())), strict=True))
    tol = tol_for(problem, max((item.dual for item in worth.values()), default=-np.inf))
    sides["certo"] = Side(partial(problem.certo, tol))
    ours = sides["certo"].fit(problem, np.inf)
    assert ours is not None  # nothing stops it
    fits["certo"], worth["certo"] = ours, worths(problem, [ours])[0]

    def again(name: str) -> float:
        fit = sides[name].fit(problem, limit, [fits[name].stored])
        return fit.seconds if fit else limit

    quick = {name: partial(again, name) for name, fit in fits.items() if fit.seconds <= QUICK}
    products = {"product": lambda: product(problem.X, problem.X[ours.supports[0]])}
    times = alternating(repeats - 1, **quick, **products)
    taken = {name: min([fit.seconds, *times.get(name, [])]) for name, fit in fits.items()}
    rivals = {
        name: Ratio(taken.get(name, limit) / taken["certo"], name not in fits) for name in runs
    }
    ratios = {"the faster": min(rivals.values()), "LIBSVM": rivals["LIBSVM"]}
    order = ["certo", *(name for name in runs if name in fits)]
    best = max(item.dual for item in worth.values())
    row = {
        "data": problem.name,
        "tol": f"{tol:.0e}{'' if worth['certo'].dual >= best else ', not enough'}",
        "certo s": taken["certo"],
        **{f"{name} s": taken.get(name, f"> {limit:g}") for name in runs},
        "faster / certo": str(ratios["the faster"]),
        "LIBSVM / certo": str(ratios["LIBSVM"]),
        "product s": min(times["product"]),
        "dual": f"{worth['certo'].dual:.6g}",
        "rivals below": each(
            f"{1 - worth[name].dual / worth['certo'].dual:.0e}" for name in order[1:]
        ),
        "proved gap": f"{claim_of(ours).relative_gap:.1e}",
        "errors %": each(f"{100 * worth[name].error:.2f}" for name in order),
        "supports": each(str(fits[name].supports[0].size) for name in order),
        "in CSR": each(name for name in order if fits[name].stored == "CSR"),
    }
    return Race(row, ratios, fits)


def each(values: Iterable[str]) -> str:
    return " ".join(values)


def throughput(problem: Problem, fits: dict[str, Fit], repeats: int) -> tuple[dict, Ratio]:
    """Predictions by all sides, each in the storage of its fit; how many times LIBSVM's rate."""
    X = {name: problem.storages[fit.stored][:PREDICTED] for name, fit in fits.items()}
    answers: dict[str, np.ndarray] = {}

    def predicting(name: str) -> float:
        taken, answers[name] = in_this_process(np.inf, partial(fits[name].model.predict, X[name]))
        return taken

    m, centres = X["certo"].shape[0], problem.X[fits["certo"].supports[0]]
    times = alternating(
        repeats,
        product=lambda: product(problem.X[:m], centres),
        **{name: partial(predicting, name) for name in fits},
    )
    rate = {name: m / min(found) for name, found in times.items()}
    rivals = [name for name in RIVALS if name in fits]
    row: dict[str, Any] = {"data": problem.name, "rows": f"{m:,}"}
    row |= {f"{name} rows/s": f"{rate[name]:,.0f}" for name in ("certo", *rivals, "product")}
    for name in rivals:
        row[f"certo / {name}"] = rate["certo"] / rate[name]
        row[f"as {name}, %"] = 100 * float(np.mean(answers[name] == answers["certo"]))
    row["supports"] = each(str(fits[name].supports[0].size) for name in ("certo", *rivals))
    return row, Ratio(rate["certo"] / rate["LIBSVM"])


def summary(ratios: dict[str, list[Ratio]]) -> BenchTable:
    """Of lists that are named "what: beside whom"."""
    table = BenchTable(
        "how many times quicker",
        "the faster of the two rivals, case by case; where LIBSVM was stopped at the limit, the "
        "ratio is a bound, and so is a mean with any of them",
    )
    for name, found in ratios.items():
        if not found:
            continue
        target, target_of_each = TARGETS.get(name) or TARGETS[name.split(": ")[1]]
        mean = float(np.exp(np.mean([np.log(ratio.value) for ratio in found])))
        table.rows.append(
            {
                "data": name,
                "cases": len(found),
                "stopped": sum(ratio.bound for ratio in found),
                "geometric mean": str(Ratio(mean, any(ratio.bound for ratio in found))),
                "target": target,
                "smallest": str(min(found)),
                "target of each": target_of_each,
            }
        )
    return table


def start_up() -> BenchTable:
    table = BenchTable("seconds of the first fit", "each in a new process; 400 examples")
    for what, storage in (("dense", "X"), ("CSR", "csr_array(X)")):
        code = (
            "import time, numpy as np; from scipy.sparse import csr_array; from certo import SVM; "
            "from certo.kernels import Gaussian; "
            "X = np.random.default_rng(0).standard_normal((400, 50)); X[np.abs(X) < 2] = 0; "
            f"y = np.arange(400) % 2; X = {storage}; t = time.time(); "
            "SVM(Gaussian(50.0)).fit(X, y); print(time.time() - t)"
        )
        row = {"data": what, "compiling": fresh_process(code, empty_cache=True)}
        fresh_process(code)
        table.rows.append(row | {"loops in the cache": fresh_process(code)})
    return table


def warm_up() -> None:
    """Loops are compiled, or loaded from the cache, and threads started, before any is timed."""
    problem = Problem.of("", 1.0, *datasets.noisy_dense(1_000, 50))
    for X in (problem.X, sparse.csr_matrix(np.where(np.abs(problem.X) < 2, 0, problem.X))):
        problem.certo(1e-5).fit(X, problem.y).predict(X)
        rival = gaussian_onedal(1.0, 0.01)
        if rival is not None:
            rival.fit(X, problem.y).predict(X)


ABOUT = (
    'variance = 1/(2γ) with the γ that scikit-learn calls "scale"; rivals with their own tol, '
    "1e-3, and cache_size = 2000; Certo with the first tol of 1e-3, 3e-4, 1e-4, … that makes its "
    "dual objective at least theirs: that fit is timed, certificate included, the search is not; "
    "`dual` is Certo's and `below` by what part of it each rival's is smaller, computed anew from "
    "the multipliers; errors in training and supports: Certo's, then the rivals'; `product`: inner "
    "products of all examples with Certo's supports in float64; `in CSR`: who is quicker with it; "
    f"best of alternating runs, fits above {QUICK:g} s once; LIBSVM is stopped after "
)


def run(quick: bool = False) -> list[BenchTable]:
    limit, repeats = (3.0, 2) if quick else (LIMIT, 3)
    if quick:
        easy = harder = [("generated", 2_000)]
        growing = [("generated", m) for m in (500, 1_000, 2_000)]
    else:
        easy = list(CASES.items())
        harder = [(name, m) for name, m in easy if name not in EASY_ONLY]
        growing = [("covtype", m) for m in GROWING]
    about = f"{ABOUT}{limit:g} s"
    if gaussian_onedal(1.0, 1.0) is None:
        about += ". oneDAL is not here: pip install scikit-learn-intelex"
    predictions = BenchTable(
        "predictions",
        f"of up to {PREDICTED:,} of the examples, by the machines with C = 1; `product`: inner "
        "products with Certo's supports in float64; `as`: how many are the same; supports: "
        "Certo's, then the rivals'; best of alternating runs",
    )
    ratios: dict[str, list[Ratio]] = {}
    rates: list[Ratio] = []

    @cache
    def race(name: str, m: int, C: float) -> Race | None:
        data = datasets.noisy_dense(m, 30) if quick else getattr(datasets, name)()
        if data is None:
            return None
        problem = Problem.of(name, C, *datasets.at_random(data, m))
        found = compare(problem, limit, repeats)
        if C == 1 and name in PREDICTING and (name, m) in easy and "LIBSVM" in found.fits:
            row, rate = throughput(problem, found.fits, repeats - 1)
            predictions.rows.append(row)
            rates.append(rate)
        return found._replace(fits={})  # they hold examples

    def table(title: str, cases: list[tuple[str, int]], C: float) -> BenchTable:
        made = BenchTable(title, about)
        for found in (race(name, m, C) for name, m in cases):
            if found is not None:
                made.rows.append(found.row)
                for rival, ratio in found.ratios.items():
                    ratios.setdefault(f"{title}: {rival}", []).append(ratio)
        return made

    warm_up()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = [
            table("C = 1", easy, 1.0),
            table("C = 10", harder, 10.0),
            table("C = 100", harder, 100.0),
            table("C = 1, growing", growing, 1.0),
        ]
    ratios["predictions: SVC.predict"] = rates
    tables += [predictions, summary(ratios), start_up()]
    return [made for made in tables if made.rows]  # real data may be absent
