"""Machines with a kernel on a GPU: `python -m benchmarks gpu`.

    python -m benchmarks gpu [--only WORD ...] [--seconds S] [--verify] [--spot ROWS] [--device D]
    python -m benchmarks gpu --from LINES

Each case is one whole fit, certificate included, after a tiny one that compiles what it needs. A
line of JSON is printed as soon as a figure is known. The second form makes the table of the
documentation from such lines, printed on another machine. γ is scikit-learn's: 1/(2·variance).
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.datasets import folder

WARM_UP_ROWS = 3000
SECONDS = 300.0  # A fit is stopped then, with the best so far.
RIVALS = {"thundersvm": "ThunderSVM", "cuml.svm": "cuML"}


class Case(NamedTuple):
    name: str
    data: Callable[[], tuple[np.ndarray, np.ndarray]]
    gamma: float | str
    C: float
    intercept: str
    tol: float
    rows: int | None = None  # None: all. Some are also fitted on the processor, and by rivals.


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks gpu", description=__doc__)
    parser.add_argument("--only", action="append", metavar="WORD", help="cases with it in the name")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of each fit")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--verify", action="store_true", help="check the claims on the processor")
    parser.add_argument("--spot", type=int, default=0, metavar="ROWS", help="check so many rows")
    parser.add_argument("--profile", action="store_true", help="of each fit, on the processor")
    parser.add_argument("--from", dest="lines", type=Path, help="make the table of these lines")
    options = parser.parse_args(arguments)
    if options.lines:
        write_table(options.lines)
        return
    warnings.simplefilter("ignore")
    say(kind="machine", **facts())
    for case in cases():
        if not options.only or any(word in case.name for word in options.only):
            measure(case, options)


def cases() -> list[Case]:
    scaled, standard = (
        ("covtype [0, 1]", covtype_scaled),
        ("covtype standardised", covtype_standard),
    )
    asked = [  # Data, γ, C, tol and the number of rows.
        (*scaled, 1.0, 3.0, 1e-3, None), (*scaled, 1.0, 3.0, 1e-4, None),
        (*standard, 0.05, 10.0, 1e-3, None), ("mnist even/odd", mnist, "scale", 10.0, 1e-3, None),
        *((*scaled, 1.0, 3.0, 1e-3, rows) for rows in (10_000, 30_000, 100_000)),
    ]  # fmt: skip
    return [
        Case(_name(name, rows, intercept, tol), data, gamma, C, intercept, tol, rows)
        for name, data, gamma, C, tol, rows in asked
        for intercept in ("none", "free")
    ]


def _name(data: str, rows: int | None, intercept: str, tol: float) -> str:
    words = [data, "" if rows is None else str(rows), intercept, f"{tol:.0e}".replace("e-0", "e-")]
    return " ".join(word for word in words if word)


def facts() -> dict[str, Any]:
    from benchmarks.harness import machine_facts

    found = machine_facts()
    with contextlib.suppress(ImportError):
        import torch

        found["torch"] = torch.__version__
        if torch.cuda.is_available():
            found["gpu"] = torch.cuda.get_device_name()
    return found


def say(**fields: Any) -> None:
    print(json.dumps(fields, ensure_ascii=False), flush=True)


def measure(case: Case, options: argparse.Namespace) -> None:
    X, y = case.data()
    if case.rows is not None:
        some = np.random.default_rng(0).permutation(len(y))[: case.rows]
        X, y = np.ascontiguousarray(X[some]), y[some]
    shown = {"case": case.name, "rows": len(y), "columns": X.shape[1], "gamma": case.gamma,
             "C": case.C, "intercept": case.intercept, "tol": case.tol}  # fmt: skip
    model = fitted(case, X, y, options, options.device, shown)
    if case.rows is not None:
        fitted(case, X, y, options, "cpu", shown)
        for module, name in RIVALS.items():
            if case.intercept == "free":
                rival(module, name, case, X, y, shown)
    if options.verify:
        start = time.perf_counter()
        holds = bool(model.certificate_.verify(X, y))
        say(kind="verify", **shown, seconds=time.perf_counter() - start, holds=holds)
    if options.spot:
        from certo.spot import spot_check

        start = time.perf_counter()
        found = spot_check(model.certificate_, X, y, rows=options.spot)
        took = time.perf_counter() - start
        say(kind="spot", **shown, seconds=took, refuted=found.refuted, said=str(found))


def fitted(case: Case, X, y, options, device: str, shown: dict[str, Any]) -> Any:
    from certo import SVM
    from certo.kernels import Gaussian

    variance = "scale" if case.gamma == "scale" else 0.5 / float(case.gamma)
    model = SVM(Gaussian(variance), C=case.C, intercept=case.intercept, tol=case.tol,
                time_limit=options.seconds, device=device)  # fmt: skip
    start = time.perf_counter()
    few = np.linspace(0, len(y) - 1, WARM_UP_ROWS).astype(int)
    SVM(**model.get_params(deep=False)).fit(X[few], y[few])
    compiling = time.perf_counter() - start
    with peak_memory(device) as memory, stages() as spent, profiled(options.profile):
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
    claim = next(iter(model.certificate_), None)
    say(
        kind="fit", **shown, device=model.device_, seconds=seconds, warm_up=compiling,
        solver=float(model.trace_.seconds[-1]), looks=model.n_iter_,
        gap=None if claim is None else claim.relative_gap,
        primal=None if claim is None else claim.primal, dual=None if claim is None else claim.dual,
        rounding=None if claim is None else claim.allowance, converged=bool(model.converged_),
        supports=int(model.support_.size), memory_gb=memory.get("gb"), spent=spent,
    )  # fmt: skip
    return model


def rival(module: str, name: str, case: Case, X, y, shown: dict[str, Any]) -> None:
    """The same problem with another program, if it is installed; its dual value is computed here,
    from its multipliers."""
    try:
        kind = importlib.import_module(module).SVC
    except Exception as wrong:
        say(kind="rival", **shown, rival=name, missing=str(wrong)[:200])
        return
    model = kind(kernel="rbf", gamma=case.gamma, C=case.C, tol=case.tol)
    model.fit(X[:WARM_UP_ROWS], y[:WARM_UP_ROWS])
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    coef = np.asarray(model.dual_coef_, dtype=np.float64).ravel()
    support = X[np.asarray(model.support_, dtype=int)]
    from certo.kernels import Gaussian
    from certo.scale.device import device_for
    from certo.scale.device_scores import sums

    device = device_for("cuda", len(y))
    values = sums(Gaussian(0.5 / float(case.gamma)), support, support, coef, device)
    dual = float(np.abs(coef).sum() - 0.5 * coef @ values)
    say(kind="rival", **shown, rival=name, seconds=seconds, dual=dual, supports=len(coef))


@contextlib.contextmanager
def peak_memory(device: str) -> Iterator[dict[str, float]]:
    """The most that the GPU held, in GB, once it is over."""
    found: dict[str, float] = {}
    on_gpu = device.startswith("cuda")
    if on_gpu:
        import torch

        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    yield found
    if on_gpu:
        found["gb"] = torch.cuda.max_memory_allocated() / 1e9


STAGES = {  # Parts of a fit: where each is looked up.
    "input": ("certo.estimators.svm", "SVM._problem"),
    "examples": ("certo.estimators.svm", "space_for"),
    "to device": ("certo.estimators.svm", "DeviceFunctions"),
    "solver": ("certo.scale.device_soft_margin", "device_soft_margin"),
    "claim": ("certo.estimators._soft_margin", "issue_soft_margin_gap"),
    "sums for the claim": ("certo.scale.device_scores", "sums_and_sizes"),
    "store": ("certo.estimators.svm", "SVM._store"),
}


@contextlib.contextmanager
def stages() -> Iterator[dict[str, float]]:
    """Seconds that the parts of a fit take, once it is over; those for the claim are part of it."""
    spent: dict[str, float] = {}
    with contextlib.ExitStack() as stack:
        for stage, (module, path) in STAGES.items():
            if "device" in module and "certo.estimators.svm" not in sys.modules:
                continue
            *owners, name = path.split(".")
            with contextlib.suppress(ImportError):
                place = importlib.import_module(module)
                for owner in owners:
                    place = getattr(place, owner)
                stack.enter_context(_timed(place, name, stage, spent))
        yield spent


@contextlib.contextmanager
def _timed(place: Any, name: str, stage: str, spent: dict[str, float]) -> Iterator[None]:
    called = vars(place)[name]

    def timed(*args, **kwargs):
        start = time.perf_counter()
        try:
            return called(*args, **kwargs)
        finally:
            spent[stage] = spent.get(stage, 0.0) + time.perf_counter() - start

    setattr(place, name, timed)
    try:
        yield
    finally:
        setattr(place, name, called)


@contextlib.contextmanager
def profiled(wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    import cProfile
    import pstats

    profile = cProfile.Profile()
    profile.enable()
    yield
    profile.disable()
    pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(40)


# --- data -----------------------------------------------------------------------------------------


def _folder() -> Path:
    found = folder()
    if found is None:
        raise SystemExit("CERTO_DATA does not name a folder with data.")
    return found


def covtype() -> tuple[np.ndarray, np.ndarray]:
    with np.load(_folder() / "covtype" / "covtype.npz") as data:
        X = np.ascontiguousarray(data["X"], dtype=np.float64)
        return X, np.where(data["y"] == 2, 1, -1)


def covtype_scaled() -> tuple[np.ndarray, np.ndarray]:
    X, y = covtype()
    low = X.min(axis=0)
    span = X.max(axis=0) - low
    return (X - low) / np.where(span > 0, span, 1.0), y


def covtype_standard() -> tuple[np.ndarray, np.ndarray]:
    X, y = covtype()
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def mnist() -> tuple[np.ndarray, np.ndarray]:
    """Images with entries from 0 to 1, even against odd digits."""
    images, labels = (_idx(_folder() / "mnist" / f"train-{name}") for name in (
        "images-idx3-ubyte", "labels-idx1-ubyte"))  # fmt: skip
    return images.reshape(len(images), -1) / 255.0, np.where(labels % 2 == 0, 1, -1)


def _idx(path: Path) -> np.ndarray:
    packed = path.with_name(path.name + ".gz")
    data = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


# --- the table ------------------------------------------------------------------------------------


def write_table(lines: Path) -> None:
    """benchmarks/results/gpu.json, from lines that were printed on a machine with a GPU."""
    from benchmarks.harness import BenchTable, results_file

    said = [json.loads(line) for line in lines.read_text("utf-8").splitlines() if line[:1] == "{"]
    machine = next(line for line in said if line["kind"] == "machine")
    fits = BenchTable(
        "Gaussian SVM on a GPU",
        f"One fit each on {machine.get('gpu', 'a GPU')}, certificate included, compile time apart.",
    )
    beside = BenchTable(
        "The same fits elsewhere", "Dual values are lower bounds of what all of them make small."
    )
    fits.rows, beside.rows = list(_fit_rows(said)), list(_rows_beside(said))
    measured = {"command": "python -m benchmarks gpu", "quick": False, "load": 0.0}
    del machine["kind"]
    content = {"measured": measured | machine, "tables": [vars(fits), vars(beside)]}
    path = results_file("gpu", quick=False)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"Written to {path}")


def _fit_rows(said: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    checks = {line["case"]: line for line in said if line["kind"] == "verify"}
    for line in said:
        if line["kind"] == "fit" and line["device"].startswith("cuda"):
            check = checks.get(line["case"])
            yield {
                "data": line["case"], "rows": line["rows"], "γ": line["gamma"], "C": line["C"],
                "certo": line["seconds"], "solver": line["solver"], "proved gap": line["gap"],
                "supports": line["supports"], "GB": line["memory_gb"],
                "check on a CPU": "" if check is None else check["seconds"],
            }  # fmt: skip


def _rows_beside(said: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    ours = {line["case"]: line for line in said
            if line["kind"] == "fit" and line["device"].startswith("cuda")}  # fmt: skip
    for line in said:
        own = ours.get(line.get("case"))
        other = line["kind"] == "rival" or (line["kind"] == "fit" and line["device"] == "cpu")
        if own is not None and other and "seconds" in line:
            rival_name = line.get("rival", "Certo on the processor")
            yield {
                "data": line["case"], "rival": rival_name, "certo": own["seconds"],
                "rival seconds": line["seconds"], "rival / certo": line["seconds"] / own["seconds"],
                "dual of certo": f"{own['dual']:,.1f}",
                "dual of the rival": f"{line['dual']:,.1f}",
            }  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
