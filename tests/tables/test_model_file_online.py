"""Model files hold averaged perceptrons, Pegasos and online gradient descent whole, and no more."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from certo import OnlineGradientDescent, Pegasos, Perceptron
from certo.data.problem import Problem
from certo.losses import Hinge, Logistic, Squared, ZeroOne
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.model_file import load_model, save_model

TABLE = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "c": list("uvuv"), "y": list("aabb")})
MACHINES = [
    Pegasos(max_iter=100, random_state=0),
    Pegasos(max_iter=100, average=False, random_state=0),
    OnlineGradientDescent(),
    OnlineGradientDescent(loss=Hinge(), lam=0.0, radius=3.0),
    OnlineGradientDescent(loss=Logistic(base=2)),
    OnlineGradientDescent(loss=Squared(), radius=1.0, intercept="none"),
    Perceptron(average=True, epochs=3),
]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_model_file_round_trip_and_partial_fit(machine, tmp_path):
    model = fit_table(TABLE, "y", clone(machine)).model
    save_model(tmp_path / "m", model)
    loaded = load_model(tmp_path / "m").model.machine
    fitted = model.machine
    assert loaded.get_params() == fitted.get_params()
    assert loaded.certificate_ == fitted.certificate_
    assert repr(loaded.trace_) == repr(fitted.trace_)
    X, y = np.array([[1.0, 0, 1], [-1, 1, 0]]), np.array(["a", "b"])
    assert np.array_equal(loaded.partial_fit(X, y).coef_, fitted.partial_fit(X, y).coef_)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_loaded_model_verifies(machine, tmp_path):
    save_model(tmp_path / "m", fit_table(TABLE, "y", clone(machine)).model)
    audit = audit_table(load_model(tmp_path / "m"), TABLE)
    assert audit.passed, audit.about_model
    assert audit.claims.parts


@pytest.mark.parametrize("setting", [{"lam": 0.5}, {"average": False}, {"intercept": "none"}])
def test_a_run_with_other_settings_is_not_that_of_the_model(setting, tmp_path):
    model = fit_table(TABLE, "y", OnlineGradientDescent(lam=0.1)).model
    model.machine.set_params(**setting)
    save_model(tmp_path / "m", model)
    audit = audit_table(load_model(tmp_path / "m"), TABLE)
    assert any("other settings" in text for text in audit.about_model)


@pytest.mark.parametrize(
    ("machine", "name", "value"),
    [
        (MACHINES[0], "_sums", np.zeros((1, 2, 9))),
        (MACHINES[0], "_sums", np.full((1, 2, 4), np.nan)),
        (MACHINES[0], "_lam", "small"),
        (MACHINES[0], "steps_", np.array([1.5])),
        (MACHINES[0], "lam", -1.0),
        (MACHINES[2], "_books", np.zeros((1, 2))),
        (MACHINES[2], "_run", 3),
        (MACHINES[2], "suffered_", np.array([np.inf])),
        (MACHINES[2], "loss", "Hinge()"),
        (MACHINES[2], "radius", 0.0),
        (MACHINES[2], "surprise_", 1.0),
        (MACHINES[6], "last_coef_", np.zeros((1, 3))),
        (MACHINES[6], "_weighted", np.zeros((1, 3))),
        (MACHINES[6], "_looks", np.array([0])),
        (MACHINES[6], "average", False),
    ],
)
def test_impossible_states_are_refused(machine, name, value, tmp_path):
    model = fit_table(TABLE, "y", clone(machine)).model
    setattr(model.machine, name, value)
    save_model(tmp_path / "m", model)
    with pytest.raises(Problem, match="damaged or was not written by Certo"):
        load_model(tmp_path / "m")


def test_other_losses_are_not_stored(tmp_path):
    model = fit_table(TABLE, "y", OnlineGradientDescent()).model
    model.machine.loss = ZeroOne()
    with pytest.raises(Problem, match="does not create from a file"):
        save_model(tmp_path / "m", model)
