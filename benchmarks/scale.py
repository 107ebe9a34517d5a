"""A table larger than memory: seconds, passes and the most memory of `certo fit` and `verify`.

    python -m benchmarks.scale [--gigabytes 12] [--columns 60] [--folder DIR] [--seed 0]

makes a Parquet file of about this size, float32 columns and a label, fits each machine to it by the
command line with `--by-blocks`, verifies the model, and removes the file. Memory is the most that a
process of its own was resident (`ru_maxrss` of `wait4`; the commands start no other processes).
"Read" is one pass over the file that decodes all columns and does nothing with them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP = 500_000
COMMAND = "import sys; from certo.cli import main; sys.exit(main())"
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
    yield line_of("read", [READ, str(path)])
    for machine in machines:
        words = [COMMAND, "fit", str(path), *FITS[machine], "--by-blocks", "--out", str(model)]
        yield line_of(f"fit {machine}", [*words, "--json"])
        yield line_of(f"verify {machine}", [COMMAND, "verify", str(model), str(path), "--json"])
        model.unlink()


def line_of(what: str, words: list[str]) -> dict[str, Any]:
    seconds, cpu, memory, said = measured(words)
    facts = json.loads(said)
    facts = facts if isinstance(facts, dict) else {}
    outcome = facts.get("status", "verified" if facts.get("passed") else "")
    passes = facts.get("passes", 1)
    return {"what": what, "seconds": seconds, "cpu": cpu, "memory": memory} | {
        "passes": passes, "outcome": outcome,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit and verify a file larger than memory.")
    parser.add_argument("--gigabytes", type=float, default=12.0)
    parser.add_argument("--columns", type=int, default=60)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--machines", nargs="*", default=[*FITS], choices=[*FITS])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / "big.parquet"
        # In a process of its own: what is resident here counts in a process that begins here.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as made:
            given = path, asked.gigabytes, asked.columns, asked.seed
            rows = made.submit(make_file, *given).result()
        print(
            f"{rows:,} rows of {asked.columns} float32 columns: {path.stat().st_size / 1e9:.2f} GB"
        )
        size = path.stat().st_size / 1e6
        for line in run(path, asked.machines):
            print(
                f"{line['what']:22} {line['seconds']:7.1f} s  {line['cpu']:7.1f} s cpu  "
                f"{line['memory'] / 1e9:5.2f} GB  {line['passes']:2d} passes  "
                f"{size * line['passes'] / line['cpu']:6.0f} MB/s a core  {line['outcome']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
