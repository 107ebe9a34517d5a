"""Rivals that read a whole Parquet file, or a text file made of it: dask-ml and Vowpal Wabbit, if
they are installed. Each is a function of the path, the columns and the target, and returns the
processor seconds of its fit, weights and intercept; the objective is a mean over m rows with
(1/2m)‖w‖², as theirs are, up to the intercept."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

WABBIT_CONSTANT = 116060  # The index of its intercept.
WABBIT_ROWS = 10_000  # Of a text that is written at a time.


class Fitted(NamedTuple):
    seconds: float
    w: np.ndarray
    b: float


FileRival = Callable[[Path, list[str], str], Fitted]


def file_rivals(machine: str) -> dict[str, FileRival]:
    """By name, those that are installed, for "hinge", "logistic" or "squared"."""
    found: dict[str, FileRival] = {}
    if find_spec("dask_ml"):
        if machine == "logistic":
            found["dask-ml, lbfgs"] = partial(_dask_ml, "lbfgs")
        if machine == "squared":
            found["dask-ml, admm"] = partial(_dask_ml, "admm")
    if find_spec("vowpalwabbit"):
        found["Vowpal Wabbit"] = partial(_wabbit, machine, "")
        if machine == "logistic":
            found["Vowpal Wabbit, bfgs"] = partial(_wabbit, machine, "--bfgs --passes 20")
    return found


def _dask_ml(solver: str, path: Path, names: list[str], target: str) -> Fitted:
    import dask
    import dask.dataframe as dd
    from dask_ml.linear_model import LinearRegression, LogisticRegression

    began = time.process_time()
    with dask.config.set(scheduler="synchronous"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = dd.read_parquet(path)
        X = table[names].to_dask_array(lengths=True).astype(np.float64)
        y = table["label"] == "up" if target == "label" else table["y"]
        y = y.to_dask_array(lengths=True).astype(np.float64)
        if target == "label":
            fitted = LogisticRegression(solver=solver, C=1.0).fit(X, y)
        else:
            fitted = LinearRegression(solver=solver, C=1e12).fit(X, y)
    seconds = time.process_time() - began
    return Fitted(seconds, np.ravel(fitted.coef_), float(np.ravel(fitted.intercept_)[0]))


def _wabbit(loss: str, extra: str, path: Path, names: list[str], target: str) -> Fitted:
    """Its text file is made before, and not timed."""
    from vowpalwabbit import Workspace

    with _as_text(path, names, target) as text:
        m = pq.read_metadata(path).num_rows
        scale = 0.0 if loss == "squared" else 1.0 if extra else 1 / m  # Of sums, or of a row.
        cache = f"{extra} --cache_file {text}.cache -k" if extra else ""
        began = time.process_time()
        run = Workspace(
            f"-d {text} --loss_function {loss} --l2 {scale} --quiet --holdout_off {cache}"
        )
        run.run_parser()
        w = np.array([run.get_weight(j) for j in range(len(names))])
        b = float(run.get_weight(WABBIT_CONSTANT))
        seconds = time.process_time() - began
        run.finish()
    return Fitted(seconds, w, b)


@contextmanager
def _as_text(path: Path, names: list[str], target: str) -> Iterator[Path]:
    text = path.with_suffix(".vw")
    with pq.ParquetFile(path) as file, text.open("w") as out:
        for batch in file.iter_batches(WABBIT_ROWS, columns=[*names, target]):
            X = np.column_stack([batch.column(name).to_numpy() for name in names])
            y = batch.column(target).to_numpy(zero_copy_only=False)
            answers = np.where(y == "up", 1, -1) if target == "label" else y
            for row, answer in zip(X.tolist(), answers.tolist(), strict=True):
                numbers = " ".join([f"{j}:{value:.9g}" for j, value in enumerate(row)])
                out.write(f"{answer} | {numbers}\n")
    try:
        yield text
    finally:
        for made in (text, Path(f"{text}.cache")):
            made.unlink(missing_ok=True)
