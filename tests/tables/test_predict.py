"""Predictions for the rows of a table, with what is known beside each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from certo.data.problem import Problem
from certo.tables.fit import fit_table
from certo.tables.predict import predict_table
from certo.tables.settings import machine

random = np.random.default_rng(0)
N = random.normal(size=60)
TABLE = pa.table(
    {"n": N, "c": np.where(N + random.normal(size=60) > 0, "u", "v"), "t": 2 * N + 1 + 0.1 * N**2}
)
NEW = pa.table({"c": ["u", "v", "u"], "n": [0.5, None, -0.5]})


@pytest.fixture(scope="module", params=["logistic", "least-squares"])
def model(request):
    target = {"logistic": "c", "least-squares": "t"}[request.param]
    return fit_table(TABLE, target, machine(request.param)).model


def new(model):
    if not is_class(model):
        return NEW
    return NEW.drop_columns(["c"]).append_column("t", pa.array([0.0, 0.0, 0.0]))


def is_class(model) -> bool:
    return hasattr(model.machine, "predict_proba")


def test_rows_without_a_value_are_refused_left_out_or_empty(model):
    with pytest.raises(Problem):
        predict_table(model, new(model))
    left = predict_table(model, new(model), missing="drop")
    assert len(left.answers) == 2
    assert "1 row with missing values left out." in left.remarks
    every = predict_table(model, new(model), missing="empty")
    assert every.answers[1] is None
    assert every.answers[[0, 2]].tolist() == left.answers.tolist()
    assert all(len(values) == 3 for values in every.beside.values())
    with pytest.raises(Problem, match="missing must be"):
        predict_table(model, new(model), missing="guess")
    with pytest.raises(Problem, match="every row has a missing value"):
        predict_table(model, new(model).slice(1, 1), missing="drop")


def test_probabilities_or_an_interval_are_beside(model):
    table = new(model).take([0, 2])
    if is_class(model):
        beside = predict_table(model, table).beside
        assert list(beside) == ["probability of u", "probability of v"]
        np.testing.assert_allclose(sum(beside.values()), 1)
        with pytest.raises(Problem, match="interval needs a regression, but this is a Logistic"):
            predict_table(model, table, interval=0.9)
    else:
        said = predict_table(model, table, interval=0.9)
        assert np.all(said.beside["low"] < said.answers)
        assert np.all(said.answers < said.beside["high"])
