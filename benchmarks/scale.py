"""A table larger than memory: seconds, passes and the most memory of `certo fit` and `verify`, and
seconds to the same objective beside rivals that read batches.

    python -m benchmarks scale [--gigabytes 12] [--columns 60] [--folder DIR] [--seed 0]
                               [--machines svm …] [--rivals 0.25] [--lines FILE]
    python -m benchmarks scale --from FILE

makes a Parquet file of this size, float32 columns and a label, fits each machine to it by the
command line with `--by-blocks`, verifies the model, and removes the file. Memory is the most that a
process of its own was resident (`ru_maxrss` of `wait4`; the commands start no other processes).
To read is to decode all columns once and do nothing with them. Then, on a file of `--rivals`
gigabytes (0: none), whole fits in Python beside `partial_fit` of scikit-learn. Each measurement is
a line of JSON, appended to `--lines`; `--from` makes the table of such a file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from sklearn.linear_model import SGDClassifier, SGDRegressor

from benchmarks.file_rivals import file_rivals
from benchmarks.harness import BenchTable, load_of_machine, report
from certo import SVM, LeastSquares, LogisticRegression

ROW_GROUP = 500_000
COMMAND = "import sys; from certo.cli import main; sys.exit(main())"
PLAIN_READ = (
    "import sys; import pyarrow.parquet as pq; "
    "file = pq.ParquetFile(sys.argv[1]); "
    "print(sum(batch.num_rows for batch in file.iter_batches(use_threads=False)))"
)
READ = (
    "import sys; from certo.scale import ArrowBlocks; "
    "from certo.scale.opening import open_dataset; "
    "data = open_dataset(sys.argv[1]); names = [n for n in data.schema.names if n[0] == 'x']; "
    "print(sum(block.rows for block in ArrowBlocks(data, 'label', names)))"
)
FITS = {
    "svm": ["--target", "label", "--drop", "y", "--machine", "svm"],
    "logistic": ["--target", "label", "--drop", "y", "--machine", "logistic"],
    "least-squares": ["--target", "y", "--drop", "label", "--machine", "least-squares"],
    "pegasos": ["--target", "label", "--drop", "y", "--machine", "pegasos"],
}
TARGET = 1e-4  # Of the least objective, by which an answer may be above it.
RIVAL_ROWS = 65_536  # Of a batch that a rival is given.
MAX_RIVAL_PASSES = 10


def make_file(path: Path, gigabytes: float, columns: int, seed: int) -> int:
    """Rows of standard normal numbers, two correlated, a number y and a label that depend on them;
    how many rows there are."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=columns) / np.sqrt(columns)
    rows = int(gigabytes * 1e9 / (4 * columns))
    names = [f"x{j}" for j in range(columns)]
    schema = pa.schema(
        [(name, pa.float32()) for name in names] + [("label", pa.string()), ("y", pa.float32())]
    )
    with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=["label"]) as writer:
        for start in range(0, rows, ROW_GROUP):
            n = min(ROW_GROUP, rows - start)
            X = rng.standard_normal((n, columns), np.float32)
            X[:, 1] += X[:, 0]
            s = X @ w.astype(np.float32)
            label = np.where(2 * s + rng.logistic(size=n) > 0.5, "up", "down")
            y = (s + rng.normal(size=n)).astype(np.float32)
            arrays = [*(pa.array(X[:, j]) for j in range(columns)), pa.array(label), pa.array(y)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return rows


def measured(words: list[str]) -> tuple[float, float, int, str]:
    """Wall seconds, processor seconds, the most resident bytes, and the output of a process."""
    with tempfile.TemporaryFile("w+") as out:
        began = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-c", *words], stdout=out)
        _, code, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(code)
        out.seek(0)
        if process.returncode:
            raise SystemExit(f"{words[1:]} ended with code {process.returncode}: {out.read()}")
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, out.read()


def run(path: Path, machines: list[str]) -> Iterator[dict[str, Any]]:
    """A line for each thing that is measured, as soon as it is."""
    model = path.with_suffix(".certo")
    size = path.stat().st_size
    data = f"{pq.read_metadata(path).num_rows:,} rows, {size / 1e9:.3g} GB"
    yield line_of("read by pyarrow", [PLAIN_READ, str(path)], data, size)
    yield line_of("read in blocks", [READ, str(path)], data, size)
    for machine in machines:
        words = [COMMAND, "fit", str(path), *FITS[machine], "--by-blocks", "--out", str(model)]
        yield line_of(f"fit {machine}", [*words, "--json"], data, size)
        words = [COMMAND, "verify", str(model), str(path), "--json"]
        yield line_of(f"verify {machine}", words, data, size)
        model.unlink()


def line_of(what: str, words: list[str], data: str, size: int) -> dict[str, Any]:
    seconds, cpu, memory, said = measured(words)
    facts = json.loads(said)
    facts = facts if isinstance(facts, dict) else {}
    passes = facts.get("passes", 1)
    return {
        "kind": "file", "data": data, "what": what, "seconds": seconds, "cpu s": cpu,
        "peak GB": memory / 1e9, "passes": passes, "MB/s a core": size / 1e6 * passes / cpu,
        "outcome": facts.get("status", "verified" if facts.get("passed") else ""),
    }  # fmt: skip


class Problem:
    """An objective, Certo's machine for it, and rivals, who are given a batch at a time."""

    def __init__(
        self, name: str, target: str, machine: Any, bounds: Callable[[Any], tuple[float, float]],
        objective: Callable[..., float], rivals: dict[str, Callable[[int], Any]],
    ):  # fmt: skip
        self.name, self.target, self.machine, self.bounds = name, target, machine, bounds
        self.objective, self.rivals = objective, rivals
        self.of_files = file_rivals(objective.__name__)


def problems(m: int) -> list[Problem]:
    """Each objective is a mean over m rows."""

    def hinge(X, y, w, b) -> float:
        return 0.5 / m * float(w @ w) + float(np.mean(np.maximum(1 - y * (X @ w + b), 0)))

    def logistic(X, y, w, b) -> float:
        return 0.5 / m * float(w @ w) + float(np.mean(np.logaddexp(0, -y * (X @ w + b))))

    def squared(X, y, w, b) -> float:
        return float(np.mean((y - X @ w - b) ** 2))

    def claimed(model: Any) -> tuple[float, float]:
        (claim,) = model.certificate_
        scale = m if hasattr(claim, "primal") else 1
        low, high = ("dual", "primal") if scale == m else ("lower", "risk")
        return getattr(claim, low) / scale, getattr(claim, high) / scale

    def sgd(loss: str, **settings: Any) -> Callable[[int], Any]:
        return lambda rows: SGDClassifier(loss=loss, alpha=1 / rows, random_state=0, **settings)

    def steps(**settings: Any) -> Callable[[int], Any]:
        return lambda rows: SGDRegressor(penalty=None, random_state=0, **settings)

    # The quickest of the rates 0.1, 0.01, …, 1e-5 and some between, constant and falling, with
    # averages and without, on the data of seed 0.
    tuned: dict[str, dict[str, Any]] = {
        "hinge": {"learning_rate": "invscaling", "eta0": 0.01},
        "log_loss": {"learning_rate": "constant", "eta0": 0.002, "average": True},
    }

    def classifiers(loss: str) -> dict[str, Callable[[int], Any]]:
        best = tuned[loss]
        name = f"{'averaged ' * best.get('average', False)}SGD, {best['learning_rate']}"
        return {
            "SGD": sgd(loss),
            "averaged SGD": sgd(loss, average=True),
            f"{name} {best['eta0']:g}": sgd(loss, **best),
        }

    nearly = LogisticRegression(ridge=1 / m, tol=0.4 * TARGET)  # Its tol is not relative.
    return [
        Problem("SVM, C = 1", "label", SVM(), claimed, hinge, classifiers("hinge")),
        Problem(
            "logistic, ridge 1/m", "label", nearly, claimed, logistic, classifiers("log_loss")
        ),
        Problem("least squares", "y", LeastSquares(), claimed, squared,
                {"SGD": steps(), "averaged SGD": steps(average=True, eta0=1e-3),
                 "sums by NumPy": lambda rows: NormalEquations()}),
    ]  # fmt: skip


class NormalEquations:
    """Least squares by X̃ᵀX̃ and X̃ᵀy, added batch by batch: what anyone would write."""

    def __init__(self) -> None:
        self.gram: Any = 0.0
        self.right: Any = 0.0

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> None:
        lifted = np.column_stack([X, np.ones(len(X))])
        self.gram, self.right = self.gram + lifted.T @ lifted, self.right + lifted.T @ y
        solution = np.linalg.solve(self.gram, self.right)
        self.coef_, self.intercept_ = solution[:-1], solution[-1]


def batches(path: Path, target: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """X and y of the batches that a rival is given; labels are −1 and +1."""
    with pq.ParquetFile(path) as file:
        names = [name for name in file.schema_arrow.names if name[0] == "x"]
        for batch in file.iter_batches(RIVAL_ROWS, columns=[*names, target], use_threads=False):
            X = np.column_stack([batch.column(name).to_numpy() for name in names])
            y = batch.column(target).to_numpy(zero_copy_only=False)
            yield X.astype(np.float64), np.where(y == "up", 1.0, -1.0) if target == "label" else y


def beside_rivals(path: Path, columns: int) -> Iterator[dict[str, Any]]:
    """Processor seconds to an objective that is at most TARGET above the least, as Certo proves
    it. Whether a rival is there yet is looked at after each of its passes, and not timed."""
    m = pq.read_metadata(path).num_rows
    names = [f"x{j}" for j in range(columns)]
    for problem in problems(m):
        used = [*names, problem.target]
        schema = pa.schema([ds.dataset(path).schema.field(name) for name in used])
        rows = ds.dataset(path, schema=schema)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = problem.machine.fit(rows, problem.target)
        ours = time.process_time() - began
        low, high = problem.bounds(model)
        X, y = (np.concatenate(part) for part in zip(*batches(path, problem.target), strict=True))

        ours_of = {
            "data": f"{m:,} × {columns}", "machine": problem.name, "certo s": ours,
            "certo excess": high / low - 1,
        }  # fmt: skip
        for name, fit in problem.of_files.items():
            found = fit(path, names, problem.target)
            reached = problem.objective(X, y, found.w, found.b)
            yield beside(ours_of, low, name, found.seconds, "its own", reached)
        for name, make in problem.rivals.items():
            rival, taken, best = make(m), 0.0, np.inf
            for done in range(1, MAX_RIVAL_PASSES + 1):  # noqa: B007
                began = time.process_time()
                for part, answers in batches(path, problem.target):
                    given = {"classes": [-1.0, 1.0]} if problem.target == "label" else {}
                    rival.partial_fit(part, answers, **given)
                taken += time.process_time() - began
                w, b = np.ravel(rival.coef_), float(np.ravel(rival.intercept_)[0])
                best = min(best, problem.objective(X, y, w, b))
                if best <= (1 + TARGET) * low or name == "sums by NumPy":
                    break
            yield beside(ours_of, low, name, taken, done, best)


def beside(
    ours: dict[str, Any], low: float, rival: str, seconds: float, passes: int | str, reached: float
) -> dict[str, Any]:
    late = "> " * (reached > (1 + TARGET) * low)
    return {
        "kind": "rival", **ours, "rival": rival, "rival s": seconds, "rival passes": passes,
        "rival excess": reached / low - 1, "ratio": f"{late}{seconds / ours['certo s']:.3g}",
    }  # fmt: skip


def tables_of(lines: list[dict[str, Any]]) -> list[BenchTable]:
    """The figures of these lines, in one table for each kind."""
    file = BenchTable(
        "a file larger than memory",
        "the command line with --by-blocks, in processor seconds of one core; to read is to "
        "decode all columns once and do nothing with them; every fit holds 20 % of the rows out "
        "to test, and counts the errors on both parts where there are classes; memory is the peak "
        "of the whole process",
    )
    rivals = BenchTable(
        "seconds to the same objective",
        f"processor seconds of whole fits from a Parquet file, certificate included, beside "
        f"partial_fit of scikit-learn over batches of {RIVAL_ROWS:,} rows of the same file, until "
        f"the objective is at most {TARGET:g} of the least above it, as Certo proves that; excess: "
        "how far above that bound each side is; '>': the rival ended without, or was stopped after "
        f"{MAX_RIVAL_PASSES} passes. A rate that is named was the best of twenty tried on these "
        "data, which is not timed. 'Sums by NumPy' adds XᵀX and Xᵀy, and claims nothing. dask-ml "
        "and Vowpal Wabbit run with their defaults, the latter on a text file that was made before",
    )
    for line in lines:
        table = file if line["kind"] == "file" else rivals
        left_out = "kind", "seconds"  # Seconds on a clock tell what else the machine did.
        table.rows.append({name: value for name, value in line.items() if name not in left_out})
    return [table for table in (file, rivals) if table.rows]


@contextmanager
def made(folder: Path | None, gigabytes: float, columns: int, seed: int) -> Iterator[Path]:
    """A file of this size, removed afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        path = Path(inside) / "big.parquet"
        # In a process of its own: what is resident here counts in a process that begins here.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as maker:
            maker.submit(make_file, path, gigabytes, columns, seed).result()
        yield path


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Fit and verify a file larger than memory.")
    parser.add_argument("--gigabytes", type=float, default=12.0)
    parser.add_argument("--columns", type=int, default=60)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--machines", nargs="*", default=[*FITS], choices=[*FITS])
    parser.add_argument("--rivals", type=float, default=0.25, metavar="GIGABYTES")
    parser.add_argument("--lines", type=Path, help="a file to which each figure is appended")
    parser.add_argument("--from", dest="given", type=Path, help="make the table of these lines")
    asked = parser.parse_args(arguments)
    load, lines = load_of_machine(), []
    if asked.given:
        lines = [json.loads(line) for line in asked.given.read_text("utf-8").splitlines()]
        report("scale", tables_of(lines), False, load)
        return

    def note(line: dict[str, Any]) -> None:
        lines.append(line)
        print(json.dumps(line, ensure_ascii=False), flush=True)
        if asked.lines:
            with asked.lines.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    if asked.machines:
        with made(asked.folder, asked.gigabytes, asked.columns, asked.seed) as path:
            for line in run(path, asked.machines):
                note(line)
    if asked.rivals:
        with made(asked.folder, asked.rivals, asked.columns, asked.seed) as path:
            for line in beside_rivals(path, asked.columns):
                note(line)
    report("scale", tables_of(lines), False, load)


if __name__ == "__main__":
    main(sys.argv[1:])
