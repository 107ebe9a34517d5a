"""ONNX files: what they hold, and what cannot be written as one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import certo
from certo.data.problem import Problem
from certo.kernels import Gaussian, Linear
from certo.tables.fit import fit_table
from certo.tables.onnx_file import onnx_bytes
from tests.tables.test_onnx_check import TABLE, fitted


def test_probabilities_are_the_models():
    runtime = pytest.importorskip("onnxruntime")
    for target in ("two", "three"):
        model = fitted(certo.LogisticRegression(ridge=0.01), target)
        session = runtime.InferenceSession(onnx_bytes(model, "float64"))
        inputs = {
            name: TABLE.column(name)
            .to_numpy()[:, None]
            .astype(object if name == "colour" else float)
            for name in ("a", "year of birth", "c", "colour")
        }
        (found,) = session.run(["probability"], inputs)
        assert np.allclose(found, model.machine.predict_proba(model.encoder.transform(TABLE)))


def test_what_cannot_be_written_is_refused():
    with pytest.raises(Problem, match="float32 or float64"):
        onnx_bytes(fitted(certo.SVM(), "two"), "float16")
    model = fitted(certo.SVM(Gaussian(1.0) + Linear()), "two")
    with pytest.raises(Problem, match="Gaussian, polynomial or linear kernel"):
        onnx_bytes(model)


def test_counted_words_cannot_be_written():
    table = {"t": ["one two", "two one", "three", "three two"], "y": list("aabb")}
    model = fit_table(pa.table(table), "y", certo.SVM(), text=("t",)).model
    with pytest.raises(Problem, match="counts the words of a text cannot be written as ONNX"):
        onnx_bytes(model)
