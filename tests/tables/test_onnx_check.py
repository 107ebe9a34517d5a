"""ONNX files: onnxruntime's scores are within the allowance, and clear labels are the model's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import certo
from certo.data.problem import Problem
from certo.kernels import Gaussian, Linear, Polynomial
from certo.tables.fit import fit_table
from certo.tables.onnx_check import check_onnx
from certo.tables.onnx_file import onnx_bytes

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3)) * [1.0, 100.0, 0.01] + [0.0, 2000.0, 5.0]
SIGNAL = X[:, 0] + (X[:, 1] - 2000) / 100 + 0.5 * rng.normal(size=120)
TABLE = pa.table(
    {
        "a": X[:, 0],
        "year of birth": X[:, 1],
        "c": X[:, 2],
        "colour": np.array(["red", "green", "blå"])[rng.integers(0, 3, 120)],
        "two": np.where(SIGNAL > 0, "yes", "no"),
        "three": np.digitize(SIGNAL, [-0.7, 0.7]),
        "truth": SIGNAL > 0,
        "size": SIGNAL,
    }
)
MACHINES = [
    certo.Perceptron(epochs=5),
    certo.SVM(),
    certo.SVM(Gaussian()),
    certo.SVM(Polynomial(3, scale=0.5)),
    certo.SVM(Linear()),
    certo.KernelPerceptron(Gaussian(2.0), epochs=5),
    certo.Pegasos(random_state=0),
    certo.LogisticRegression(ridge=0.01),
]


def fitted(machine, target: str, **choices):
    left_out = tuple({"two", "three", "truth", "size"} - {target})
    return fit_table(TABLE, target, machine, drop=left_out, **choices).model


@pytest.mark.parametrize("target", ["two", "three", "truth"])
@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_labels_agree(machine, target):
    model = fitted(machine, target)
    for precision in ("float32", "float64"):
        content = onnx_bytes(model, precision)
        for table in (TABLE, None):
            found = check_onnx(content, model, table, precision)
            assert found.difference <= found.allowance
            assert found.differing <= found.rows - found.clear
            assert found.clear > 0.9 * found.rows
            if precision == "float64":
                assert found.allowance < 1e-8


def test_numbers_as_they_are_and_a_regression():
    model = fitted(certo.LeastSquares(), "size", scale="none")
    found = check_onnx(onnx_bytes(model), model, TABLE)
    assert found.clear == found.rows == 120
    assert found.difference <= found.allowance < 1.0


def test_a_wrong_file_is_found():
    model, other = fitted(certo.SVM(), "two"), fitted(certo.SVM(C=0.01), "two")
    with pytest.raises(ArithmeticError, match="off by"):
        check_onnx(onnx_bytes(other), model, TABLE)


def test_an_unseen_level_and_missing_values():
    model = fitted(certo.SVM(), "two")
    table = TABLE.slice(0, 4).drop_columns(["colour", "c"])
    table = table.append_column("colour", pa.array(["mauve", "red", None, "green"]))
    table = table.append_column("c", pa.array([5.0, 5.0, 5.0, None]))
    assert check_onnx(onnx_bytes(model), model, table).rows == 2
    with pytest.raises(Problem, match="no row"):
        check_onnx(onnx_bytes(model), model, table.slice(2))


def test_numbers_beyond_float32_are_not_clear():
    model = fitted(certo.SVM(), "two")
    table = TABLE.slice(0, 2).drop_columns(["a"]).append_column("a", pa.array([1e100, 0.0]))
    found = check_onnx(onnx_bytes(model), model, table)
    assert found.clear <= 1
    assert found.allowance == np.inf
