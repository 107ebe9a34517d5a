"""Timing in one process, sides alternating, and a table of ratios with both sides' accuracy."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

PACKAGES = (
    "certo", "numpy", "scipy", "scikit-learn", "numba", "highspy", "scikit-learn-intelex",
    "liblinear-official", "glum", "statsmodels", "GraKeL", "torch", "triton",
)  # fmt: skip
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
RESULTS = Path(__file__).parent / "results"


@dataclass
class BenchTable:
    """Rows of one measurement; each value is a number or text, columns as first met. A column
    whose name ends with "/ certo", or is "ratio", says how many times as long a rival takes; text
    such as "> 12" is a bound. The page of all benchmarks draws these columns."""

    title: str
    about: str
    rows: list[dict[str, Any]] = field(default_factory=list)


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def alternating(repeats: int, **sides: Callable[[], float]) -> dict[str, list[float]]:
    """Measure each side `repeats` times, in turn, so that a slow minute slows all of them."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, measure in sides.items():
            found[name].append(measure())
    return found


def median_ratio(above: list[float], below: list[float]) -> float:
    """The median of the ratios of neighbouring measurements: noise common to both cancels."""
    return float(np.median([a / b for a, b in zip(above, below, strict=True)]))


def stopped_after(limit: float, call: Callable[[], Any]) -> tuple[float, Any] | None:
    """Seconds that `call` takes, and what it returns, in a copy of this process, which shares its
    data; None if it is not done after `limit` seconds: for code that cannot be interrupted.
    EOFError if `call` raised."""
    processes = multiprocessing.get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)

    def work():
        start = time.perf_counter()
        with contextlib.suppress(Exception):
            found = call()
            sender.send((time.perf_counter() - start, found))

    copy = processes.Process(target=work, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads do not follow, none is needed
        copy.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(limit) else None
    finally:
        copy.kill()
        copy.join()


def fresh_process(code: str, empty_cache: bool = False) -> float:
    """Seconds a new Python process takes for `code`, or what that code prints last."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if empty_cache:
            environment["NUMBA_CACHE_DIR"] = folder
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        taken = time.perf_counter() - start
    return float(done.stdout.split()[-1]) if done.stdout.strip() else taken


def report(problem: str, tables: list[BenchTable], quick: bool, load: float) -> None:
    """Print the tables and write them as JSON, from which `benchmarks.page` makes a page."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    for table in tables:
        shown = Table(title=f"{problem}: {table.title}", caption=table.about, title_justify="left")
        for name in table.rows[0]:
            shown.add_column(name, justify="left" if name == "data" else "right")
        for row in table.rows:
            shown.add_row(*(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()))
        console.print(shown)
    RESULTS.mkdir(exist_ok=True)
    measured = {"command": f"python -m benchmarks {problem}{' --quick' * quick}", "quick": quick}
    content = {
        "measured": measured | machine_facts() | {"load": round(load, 1)},
        "tables": [vars(table) for table in tables],
    }
    path = results_file(problem, quick)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    console.print(f"Written to {path.relative_to(RESULTS.parent.parent)}\n")


def results_file(problem: str, quick: bool) -> Path:
    """Where the last run is: a quick one never takes the place of a whole one."""
    return RESULTS / f"{problem}{'-quick' if quick else ''}.json"


def machine_facts() -> dict[str, Any]:
    """What figures depend on, as far as a program can see."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return {
        "date": date.today().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": {name: os.environ[name] for name in THREADS if name in os.environ},
        "versions": versions,
    }


def _processor() -> str:
    """Its name where Linux says it, else the architecture."""
    described = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", described.read_text()) if described.exists() else None
    return found[1].strip() if found else platform.machine()


def load_of_machine() -> float:
    """Processes that want a core, on average over a minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
