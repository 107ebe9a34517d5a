"""The same answers in memory, from a Parquet file, and on a cluster of two workers.

    python -m benchmarks.same_answers [--rows 1000000] [--columns 50] [--folder DIR] [--workers 2]

makes a table, fits each machine to it in these three ways, and prints the greatest difference of a
coefficient from that in memory, relative to the greatest coefficient; for an SVM whether each
objective is within the certified gap of the others. The cluster is a scheduler and workers in
processes of their own, which talk over TCP, and read the file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from certo import (
    SVM,
    GaussianDensity,
    LeastSquares,
    LogisticRegression,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
)

ROW_GROUP = 65_536
MACHINES = {
    "least squares": (LeastSquares(), "value"),
    "logistic regression": (LogisticRegression(), "label"),
    "logistic, ridge 0.001": (LogisticRegression(ridge=1e-3), "label"),
    "SVM": (SVM(), "label"),
    "Pegasos": (Pegasos(random_state=0), "label"),
    "Perceptron, 3 epochs": (Perceptron(epochs=3), "label"),
    "Perceptron, 4 shards": (Perceptron(epochs=3, shards=4), "label"),
    "online gradient descent": (OnlineGradientDescent(), "label"),
    "Gaussian density": (GaussianDensity(), None),
}


def table(rows: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, a label of two, and a number."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    s = X @ rng.standard_normal(columns) / np.sqrt(columns)
    label = (2 * s + rng.logistic(size=rows) > 0.3).astype(np.int64)
    return X, label, s + rng.standard_normal(rows)


def write(path: Path, X: np.ndarray, target: np.ndarray | None) -> None:
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    columns |= {} if target is None else {"y": target}
    pq.write_table(pa.table(columns), path, row_group_size=ROW_GROUP, compression="none")


def numbers_of(machine: Any) -> np.ndarray:
    names = ("mean_", "covariance_") if hasattr(machine, "mean_") else ("coef_", "intercept_")
    return np.concatenate([np.ravel(getattr(machine, name)) for name in names])


def compared(X: np.ndarray, targets: dict[Any, Any], folder: Path) -> Iterator[str]:
    import dask.dataframe as dd

    for name, (machine, which) in MACHINES.items():
        target, path = targets[which], folder / f"{which}.parquet"
        if not path.exists():
            write(path, X, target)
        given = () if target is None else ("y",)
        fits = {
            "memory": lambda target=target: (X,) if target is None else (X, target),
            "Parquet": lambda path=path, given=given: (ds.dataset(path), *given),
            "cluster": lambda path=path, given=given: (
                dd.read_parquet(path, split_row_groups=True), *given,
            ),
        }  # fmt: skip
        usual: np.ndarray | None = None
        bounds = []
        for where, data in fits.items():
            began = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = type(machine)(**machine.get_params()).fit(*data())
            seconds = time.perf_counter() - began
            got = numbers_of(found)
            usual = got if usual is None else usual
            off = float(np.max(np.abs(got - usual)) / np.max(np.abs(usual)))
            told = "the same bits" if np.array_equal(got, usual) else f"{off:.1e} relative"
            claims = found.certificate_.of_kind("SoftMarginGap")
            bounds += [(claim.dual, claim.primal) for claim in claims]
            yield f"{name:24} {where:8} {seconds:7.1f} s  {told}"
        if bounds:
            low, high = max(low for low, _ in bounds), min(high for _, high in bounds)
            yield f"{'':24} every objective is at least {low:.6g}; the least is {high:.6g}"


def main() -> None:
    parser = argparse.ArgumentParser(description="The same answers in memory, file and cluster.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=None)
    asked = parser.parse_args()
    from certo.scale.cluster import connected

    X, label, value = table(asked.rows, asked.columns)
    with (
        tempfile.TemporaryDirectory(dir=asked.folder) as folder,
        connected(f"local:{asked.workers}"),
    ):
        for line in compared(X, {"label": label, "value": value, None: None}, Path(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
