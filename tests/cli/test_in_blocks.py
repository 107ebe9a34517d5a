"""certo fit, verify and predict of a table that is read block by block."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from certo.tables.held_out import HeldOut
from tests.cli.conftest import rows_of
from tests.scale.scenes import table

X, TWO, _, V = table(900)


@pytest.fixture
def folder(tmp_path):
    data = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": TWO, "v": V})
    (tmp_path / "data").mkdir()
    pq.write_table(data.slice(0, 300), tmp_path / "data" / "a.parquet", row_group_size=77)
    pq.write_table(data.slice(300), tmp_path / "data" / "b.parquet", row_group_size=500)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "machine"),
    [("y", "svm"), ("y", "logistic"), ("v", "least-squares"), ("y", "pegasos")],
)
def test_fit_verify_predict(certo, folder, target, machine):
    drop, model, data = {"y": "v", "v": "y"}[target], folder / "m.certo", folder / "data"
    words = "--target", target, "--drop", drop, "--machine", machine, "--out", model
    said = certo("fit", data, *words)
    assert said.code == 0
    assert "data is read block by block." in said.err
    assert "fitted to 720 rows in" in said.out
    if target == "y":
        assert "the error rate on new data from the same population is at most" in said.out
    checked = certo("verify", model, data)
    assert checked.code == 0
    assert checked.out.startswith("Verified: ")
    assert certo("predict", model, data, "--out", folder / "p.csv").code == 0
    rows = rows_of(folder / "p.csv")
    assert [int(row[0]) for row in rows[1:]] == list(range(1, 901))
    if target == "v":
        found = np.array([float(row[1]) for row in rows[1:]])
        assert np.corrcoef(found, V)[0, 1] > 0.5
    assert sorted(path.name for path in folder.iterdir()) == ["data", "m.certo", "p.csv"]


@pytest.mark.slow
def test_a_proof_refers_to_the_row_groups(certo, folder):
    model, data, proof = folder / "m.certo", folder / "data", folder / "proof"
    certo("fit", data, "--target", "y", "--drop", "v", "--out", model)
    said = certo("proof", model, data, "--out", proof)
    assert said.code == 0
    assert "It refers to 6 parts of the table" in said.out
    assert sorted(path.name for path in proof.iterdir()) == ["model.certo", "proof.json"]
    assert certo("verify", proof, data).out.startswith("Verified: ")
    assert certo("proof", model, data, "--out", proof).code == 0  # It takes the place of itself.
    table = pq.read_table(data / "b.parquet")
    changed = table.set_column(0, "x0", pa.array(np.where(np.arange(600) == 550, 9.0, X[300:, 0])))
    pq.write_table(changed, data / "b.parquet", row_group_size=500)
    refused = certo("verify", proof, data)
    assert refused.code != 0
    assert "b.parquet, row group 1 (100 rows) has other contents" in refused.out
    again = certo("proof", model, data, "--out", folder / "other")
    assert "Nothing was written." in again.out
    assert not (folder / "other").exists()


def test_facts_as_json(certo, folder):
    path = folder / "data" / "b.parquet"
    said = certo("fit", path, "--target", "y", "--by-blocks", "--json").json
    assert said["examples"] == 480
    assert said["test_examples"] == 120
    assert [claim["type"] for claim in said["claims"]][:2] == ["SoftMarginGap", "TrainingErrors"]


def test_other_rows_are_not_verified(certo, folder):
    path = folder / "data" / "b.parquet"
    certo("fit", path, "--target", "y", "--by-blocks", "--out", folder / "m.certo")
    data = pq.read_table(path)
    values = data.column("x0").to_numpy().copy()
    values[3] += 1e3
    pq.write_table(data.set_column(0, "x0", pa.array(values)), path)
    said = certo("verify", folder / "m.certo", path)
    assert said.code != 0
    assert "Not verified" in said.out


def test_what_needs_all_rows_is_refused_at_once(certo, folder):
    for words in (["--report", folder / "r.html"], ["--machine", "auto"], ["--na", "NA"]):
        said = certo("fit", folder / "data", "--target", "y", *words)
        assert said.code != 0
        assert "block by block" in said.err
    said = certo("fit", folder / "data", "--target", "y", "--machine", "min-disagreement")
    assert "these machines can be fitted: svm, logistic" in said.err


def test_a_damaged_file_is_named_and_nothing_is_written(certo, folder):
    path = folder / "data" / "b.parquet"
    whole = bytearray(path.read_bytes())
    part = pq.read_metadata(path).row_group(1).column(0)
    start = part.dictionary_page_offset or part.data_page_offset
    whole[start : start + part.total_compressed_size] = bytes(part.total_compressed_size)
    path.write_bytes(whole)
    said = certo("fit", folder / "data", "--target", "y", "--out", folder / "m.certo")
    assert said.code != 0
    assert "b.parquet, row group 1 cannot be read" in said.err
    assert not (folder / "m.certo").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask leaves sockets and loops to the garbage collector.
def test_workers_of_a_cluster_fit_as_it_is_done_here(certo, folder):
    pytest.importorskip("distributed", reason="the extra certo[cluster] is not installed")
    data, model = folder / "data", folder / "m.certo"

    def fit(*words):
        said = certo("fit", data, "--target", "y", "--drop", "v", "--out", model, "--json", *words)
        assert said.code == 0
        assert certo("verify", model, data).code == 0
        return said.json

    here, there = fit("--by-blocks"), fit("--cluster", "local:1")
    for name in ("examples", "test_examples", "classes", "status"):
        assert there[name] == here[name]


def test_a_cluster_that_is_not_there(certo, folder):
    pytest.importorskip("distributed", reason="the extra certo[cluster] is not installed")
    said = certo("fit", folder / "data", "--target", "y", "--drop", "v", "--cluster", "local:x")
    assert said.code == 2
    assert "local:WORKERS" in said.err


def test_csv_files_are_read_as_they_are_written(certo, folder):
    lines = [
        f"{a:.3f};{b:.3f};{y}".replace(".", ",") for (a, b), y in zip(X[:, :2], TWO, strict=True)
    ]
    path = folder / "data.csv"
    path.write_text("\n".join(["a;b;y", *lines]))
    said = certo("fit", path, "--target", "y", "--by-blocks", "--out", folder / "m.certo")
    assert said.code == 0
    assert "separated by semicolons" in said.out
    assert "decimal commas" in said.out
    assert certo("verify", folder / "m.certo", path).code == 0
    path.write_text("\n".join(lines))
    words = "--target", "column3", "--no-header", "--delimiter", ";", "--json"
    assert certo("fit", path, *words, "--by-blocks").json["examples"] == 720


@pytest.mark.slow
def test_levels_that_training_rows_lack_are_said(certo, folder):
    rows = np.where(np.arange(900) % 2, "a", "b").astype(object)
    rows[HeldOut(0.2, 0).of(900).nonzero()[0][:3]] = "new"
    path = folder / "levels.parquet"
    pq.write_table(pa.table({"x": X[:, 0], "c": rows, "y": TWO}), path, row_group_size=100)
    said = certo("fit", path, "--target", "y", "--by-blocks", "--out", folder / "m.certo")
    note = "held out to test: column 'c': 3 rows with a level that the model never saw"
    assert note in " ".join(said.out.split())
    assert note in " ".join(certo("fit", path, "--target", "y").out.split())
    assert certo("verify", folder / "m.certo", path).code == 0
    told = certo("predict", folder / "m.certo", path, "--by-blocks")
    assert "with a level that the model never saw (such as 'new')" in " ".join(told.err.split())


def test_targets_that_are_neither_classes_nor_numbers(certo, folder):
    path, days = folder / "days.parquet", pa.array(np.arange(900) % 2, pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"x": X[:, 0], "y": days}), path)
    said = certo("fit", path, "--target", "y", "--by-blocks")
    assert said.code == 2
    assert "'y' holds dates" in said.err
