"""Clusters by address: those that are not there, and one that is started for a command."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from certo.cli import main
from certo.scale import cluster
from certo.scale.cluster import NoCluster, connected

pytest.importorskip("distributed", reason="the extra certo[cluster] is not installed")

# Dask leaves sockets and loops to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("address", ["local", "local:0", "local:many"])
def test_a_number_of_workers_is_needed(address):
    with pytest.raises(NoCluster, match="local:WORKERS"), connected(address):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_a_scheduler_that_is_not_there(address, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    missing = pytest.raises(NoCluster, match="no Dask scheduler with a worker answered")
    with missing, connected(address):
        pass


@pytest.mark.slow
def test_a_table_is_fitted_by_workers_as_it_is_here(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 3))
    label = np.where(X.sum(axis=1) + rng.standard_normal(900) > 0, "up", "down")
    columns = {f"x{k}": X[:, k] for k in range(3)} | {"label": label}
    data = tmp_path / "table.parquet"
    pq.write_table(pa.table(columns), data, row_group_size=250)

    def fit(*options):
        model = tmp_path / "model.certo"
        command = ["fit", str(data), "--target", "label", "--out", str(model), "--json"]
        assert main([*command, *options]) == 0
        said = json.loads(capsys.readouterr().out)
        assert main(["verify", str(model), str(data)]) == 0
        capsys.readouterr()
        return said

    here, there = fit("--by-blocks"), fit("--cluster", "local:1")
    for name in ("examples", "test_examples", "classes", "status"):
        assert there[name] == here[name]
    assert main(["fit", str(data), "--target", "label", "--cluster", "local:x"]) == 2
    assert "local:WORKERS" in capsys.readouterr().err
