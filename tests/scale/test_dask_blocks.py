"""Dask collections as blocks, and fits on a scheduler and two workers, which are processes of their
own that talk over TCP."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from certo import (
    SVM,
    LeastSquares,
    LogisticRegression,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
)
from certo.scale import ArrowBlocks, as_blocks
from certo.scale.opening import open_dataset

dask = pytest.importorskip("dask", reason="the extra certo[cluster] is not installed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
FileBlocks = pytest.importorskip("certo.scale.dask_blocks").FileBlocks

# Dask leaves sockets and loops to the garbage collector, and warns about what a killed process did.
pytestmark = pytest.mark.filterwarnings("ignore")


def gram(block):
    return block.X.T @ block.X


def where(seen, block):
    return [*seen, (block.start, block.rows)], block.rows


def seen_by(blocks):
    return list(blocks.relay(where, [[]], [len(blocks)]))[-1][1]


def table(rows=4000, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    z = X @ rng.standard_normal(columns) + rng.standard_normal(rows)
    return X, z, np.where(z > 0, "up", "down")


# ---------------------------------------------------------------- without a cluster


def test_an_array_cut_in_both_directions():
    X, z, _ = table()
    blocks = as_blocks(da.from_array(X, chunks=(700, 4)), da.from_array(z, chunks=900))
    assert blocks.shape == X.shape
    assert seen_by(blocks)[-1] == (3500, 500)
    assert np.array_equal(np.vstack([block.X for block in blocks]), X)
    assert np.array_equal(np.concatenate([block.y for block in blocks]), z)
    assert np.allclose(blocks.total(gram), X.T @ X, rtol=0, atol=1e-10)


def test_a_frame_with_empty_partitions_and_a_target_column():
    X, z, y = table(300)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=y, size=z)
    parted = dd.from_pandas(frame, npartitions=5)
    parted = parted[parted["size"] > frame["size"].quantile(0.3)]
    expected = frame[frame["size"] > frame["size"].quantile(0.3)]
    blocks = as_blocks(parted.drop(columns=["size"]), "label")
    assert blocks.columns == tuple("abcdef")
    assert np.array_equal(np.vstack([b.X for b in blocks]), expected[list("abcdef")].to_numpy())
    assert np.array_equal(np.concatenate([b.y for b in blocks]), expected["label"].to_numpy())


@pytest.mark.slow
def test_columns_that_dask_reads_in_other_partitions(tmp_path):
    """Of one column, or of few, Dask reads several row groups together."""
    X, z, label = table(20_000, 30)
    columns = {f"x{j}": X[:, j] for j in range(30)}
    data = pa.table({**columns, "z": z, "label": label})
    pq.write_table(data, tmp_path / "a.parquet", row_group_size=1000)
    frame = dd.read_parquet(tmp_path / "a.parquet", split_row_groups=True)
    wide, target = frame.drop(columns=["z", "label"]), frame["z"]
    usual = LeastSquares().fit(X, z)
    for given in (
        (frame.drop(columns=["label"]), "z"), (wide, target), (wide, z), (wide, z[:, None]),
    ):  # fmt: skip
        assert np.allclose(LeastSquares().fit(*given).coef_, usual.coef_, rtol=1e-10)
    blocks = as_blocks(wide, frame["label"])
    assert np.array_equal(np.concatenate([block.y for block in blocks]), label)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: as_blocks(da.zeros(10)), "two dimensions"),
        (lambda: as_blocks(da.zeros((10, 2)), np.zeros(9)), "each of the 10 rows of X"),
        (lambda: as_blocks(da.zeros((0, 2))), "no rows"),
        (
            lambda: as_blocks(dd.from_pandas(pd.DataFrame({"a": ["x", "y"]}), npartitions=1)),
            "column 'a' holds",
        ),
        (
            lambda: as_blocks(dd.from_pandas(pd.DataFrame({"a": [1.0]}), npartitions=1), "b"),
            "no column 'b'",
        ),
    ],
)
def test_what_cannot_be_used_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_collection_that_changes_is_noticed():
    X = da.from_array(np.zeros((10, 2)), chunks=5)
    wrong = X.map_blocks(lambda part: part[:-1], dtype=X.dtype, chunks=X.chunks)
    with pytest.raises(ValueError, match="announced"):
        as_blocks(wrong).total(gram)


def test_files_are_read_where_the_work_is(tmp_path):
    """Row groups, and the rows of them that are used, as they are read here."""
    X, z, _ = table(1000)
    columns = {f"x{k}": X[:, k] for k in range(6)} | {"z": z}
    for k, part in enumerate((slice(0, 600), slice(600, 1000))):
        piece = pa.table({name: values[part] for name, values in columns.items()})
        pq.write_table(piece, tmp_path / f"{k}.parquet", row_group_size=130)
    used = np.random.default_rng(0).random(1000) < 0.7
    used[130:260] = False  # A row group of which nothing is used.
    here = ArrowBlocks(
        open_dataset(tmp_path), "z", keep=lambda first, rows: used[first : first + rows],
        rows=int(used.sum()),
    )  # fmt: skip
    there = FileBlocks(here)
    assert there.shape == here.shape == (used.sum(), 6)
    assert np.array_equal(there.first().X, here.first().X)
    for mine, theirs in zip(there, here, strict=True):
        assert (mine.start, mine.place) == (theirs.start, theirs.place)
        assert np.array_equal(mine.X, theirs.X)
        assert np.array_equal(mine.y, theirs.y)
    assert seen_by(there) == seen_by(here)
    near, far = LeastSquares().fit(here), LeastSquares().fit(there)
    assert np.allclose(far.coef_, near.coef_, rtol=1e-10, atol=0)


# ---------------------------------------------------------------- on a cluster


#: How long a process may be silent: on a busy machine, to import this file takes a while.
PATIENCE = "300s"


class Cluster:
    """A scheduler and two workers without nannies, as processes."""

    def __init__(self, folder: Path):
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--no-show")
        deadline = time.monotonic() + 120
        while not self.file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.workers = []
        self.client = None

    def lives(self) -> bool:
        return self.scheduler.poll() is None

    def fill(self) -> None:
        """Others take the places of workers that were killed."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        self.workers += [self.add_worker() for _ in range(2 - len(self.workers))]
        if self.client is None:
            with dask.config.set({"distributed.comm.timeouts.tcp": PATIENCE}):
                self.client = distributed.Client(scheduler_file=str(self.file), timeout=120)
        self.client.wait_for_workers(2, timeout=120)

    def _start(self, kind: str, *options: str):
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.file)]
        return subprocess.Popen(
            [*command, "--no-dashboard", *options],
            cwd=Path(__file__).parents[2],  # So that workers can import this file.
            stderr=subprocess.DEVNULL,
            env=os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": PATIENCE},
        )

    def add_worker(self):
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--memory-limit", "1GB")

    def close(self):
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self.client.close(timeout=1)
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def clusters():
    """To start a process takes longer than any test here: one cluster serves while it lives."""
    started = []
    yield started
    for cluster in reversed(started):
        cluster.close()


@pytest.fixture
def cluster(clusters, tmp_path):
    if not clusters or not clusters[-1].lives():
        clusters.append(Cluster(tmp_path))
    clusters[-1].fill()
    return clusters[-1]


@pytest.mark.slow
def test_same_answers_on_a_cluster_also_when_a_worker_is_killed(cluster):
    X, z, y = table()
    on_cluster = da.from_array(X, chunks=(450, 6))
    blocks = as_blocks(on_cluster)
    # BLAS may add in another order on another processor: each sum is off by at most γ_m Σ|x x'|.
    allowed = len(X) * 2.0**-52 * (np.abs(X).T @ np.abs(X))
    assert np.all(np.abs(blocks.total(gram) - X.T @ X) <= allowed)
    assert seen_by(blocks) == [(start, min(450, 4000 - start)) for start in range(0, 4000, 450)]

    near = LeastSquares().fit(X, z)
    far = LeastSquares().fit(on_cluster, da.from_array(z, chunks=450))
    assert np.allclose(far.coef_, near.coef_, rtol=1e-10, atol=0)
    assert far.certificate_.verify(X, z).holds

    # Each look takes a while, so that the worker dies in the middle of the fit.
    slow = on_cluster.map_blocks(_slowly, dtype=X.dtype)
    victim = cluster.workers[0]
    killer = threading.Timer(1.0, victim.send_signal, [signal.SIGKILL])
    killer.start()
    far = LogisticRegression().fit(slow, da.from_array(y, chunks=450))
    killer.join()
    assert victim.wait() == -signal.SIGKILL
    near = LogisticRegression(tol=1e-12).fit(X, y)
    scale = np.abs(near.coef_).max()
    assert np.allclose(far.coef_, near.coef_, rtol=0, atol=1e-6 * scale)
    assert far.certificate_.verify(X, y).holds
    far = SVM().fit(on_cluster, da.from_array(y, chunks=450))
    assert far.certificate_.verify(X, y).holds


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine",
    [
        Pegasos(random_state=0, max_iter=5000),
        OnlineGradientDescent(),
        Perceptron(epochs=3),
        Perceptron(epochs=3, shards=3),
    ],
)
def test_streams_have_the_same_bits_also_when_a_worker_is_killed(cluster, machine):
    X, _, y = table()
    usual = type(machine)(**machine.get_params()).fit(X, y)
    slow = da.from_array(X, chunks=(450, 6)).map_blocks(_slowly, dtype=X.dtype)
    victim = cluster.workers[0]
    killer = threading.Timer(0.5, victim.send_signal, [signal.SIGKILL])
    killer.start()
    machine.fit(slow, da.from_array(y, chunks=450))
    killer.join()
    assert victim.wait() == -signal.SIGKILL
    assert np.array_equal(machine.coef_, usual.coef_)
    assert np.array_equal(machine.intercept_, usual.intercept_)
    assert machine.certificate_.verify(X, y)


def _slowly(part):
    time.sleep(0.05)
    return part


@pytest.mark.slow
def test_a_scheduler_that_dies_is_said(cluster):
    from certo.scale.dask_blocks import ClusterLost

    X, z, _ = table()
    slow = da.from_array(X, chunks=(100, 6)).map_blocks(_slowly, dtype=X.dtype)
    killer = threading.Timer(1.0, cluster.scheduler.kill)
    killer.start()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    model = LeastSquares()
    with pytest.raises(ClusterLost, match="scheduler was lost"):
        model.fit(slow, da.from_array(z, chunks=100))
    killer.join()
    assert not hasattr(model, "coef_")
