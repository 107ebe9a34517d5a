"""certo export"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from sklearn.base import clone

from certo import SVM, LeastSquares, save
from certo.kernels import Gaussian


def test_a_file_is_written_and_tried(certo, iris, tmp_path):
    model, table = iris
    said = certo("export", model, "--onnx", tmp_path / "m.onnx", "--data", table)
    assert said.code == 0
    assert "onnxruntime was tried on 150 rows" in said.out
    assert "Every label is the model's" in said.out
    assert (tmp_path / "m.onnx").read_bytes()
    assert "generated rows" in certo("export", model, "--onnx", tmp_path / "m.onnx").out


def test_what_cannot_be_used_is_refused_and_nothing_is_written(certo, iris, tmp_path):
    model, table = iris
    for words in (
        ("export", model, "--onnx", model),
        ("export", table, "--onnx", tmp_path / "m.onnx"),
        ("export", model, "--onnx", tmp_path / "m.onnx", "--precision", "float8"),
        ("export", model, "--onnx", tmp_path / "m.onnx", "--data", tmp_path / "none.csv"),
    ):
        said = certo(*words)
        assert said.code == 2
        assert said.err.startswith("error: ")
    assert not (tmp_path / "m.onnx").exists()


@pytest.mark.parametrize("machine", [SVM(), SVM(kernel=Gaussian(1.0)), LeastSquares()])
@pytest.mark.parametrize("names", [["a", "b"], None])
def test_a_machine_that_was_fitted_to_arrays_takes_its_features_as_columns(
    certo, tmp_path, machine, names
):
    onnxruntime = pytest.importorskip("onnxruntime")
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(X[:, 0] > X[:, 1], 1, -1)
    machine = clone(machine).fit(X, y)
    known = getattr(machine, "decision_function", machine.predict)(X)
    if names is not None:
        machine.feature_names_in_ = np.array(names, dtype=object)
    save(machine, tmp_path / "m.certo")
    words = "export", tmp_path / "m.certo", "--onnx", tmp_path / "m.onnx"
    assert certo(*words).code == 0
    columns = names or ["x0", "x1"]
    csv.write_csv(pa.table(dict(zip(columns, X.T, strict=True))), tmp_path / "t.csv")
    said = certo(*words, "--data", tmp_path / "t.csv")
    assert said.code == 0
    assert "onnxruntime was tried on 40 rows" in said.out
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    given = {c: x.astype(np.float32)[:, None] for c, x in zip(columns, X.T, strict=True)}
    assert [one.name for one in session.get_inputs()] == columns
    score = session.run(["score"], given)[0].ravel()
    np.testing.assert_allclose(score, known, atol=1e-4)


def test_a_table_without_the_features_of_an_array_is_refused(certo, iris, tmp_path):
    save(SVM().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m.certo")
    said = certo("export", tmp_path / "m.certo", "--onnx", tmp_path / "m.onnx", "--data", iris[1])
    assert said.code == 2
    assert "the column 'x0' is missing" in said.err
