"""Densities of tables: fitted, kept in files, verified; forged ones are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from certo import GaussianDensity, LogLinearDensity
from certo.certificates import Composite
from certo.data.problem import Problem
from certo.features import BoxCosines, BoxPolynomials
from certo.tables.audit import audit_table
from certo.tables.density import fit_density
from certo.tables.model_file import load_model, save_model
from certo.tables.predict import predict_table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2)) @ [[2.0, 1.0], [0.0, 0.5]] + [5.0, -3.0]
PLANE = pa.table([*X.T], names=["a", "b"])
SHARES = pa.table({"share": RNG.beta(2, 5, 60)})
MACHINES = {
    "full": (GaussianDensity(), PLANE),
    "diagonal": (GaussianDensity(covariance="diagonal"), PLANE),
    "polynomials": (LogLinearDensity(features=BoxPolynomials(3), box=(0, 1)), SHARES),
    "cosines": (LogLinearDensity(features=BoxCosines(2), box=[(0, 1)]), SHARES),
}


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_a_file_holds_the_density_and_is_verified(tmp_path, name):
    machine, table = MACHINES[name]
    fitted = fit_density(table, machine)
    save_model(tmp_path / "d", fitted.model)
    loaded = load_model(tmp_path / "d")
    assert audit_table(loaded, table).passed
    values = np.column_stack([column.to_numpy() for column in table.columns])
    own = type(machine)(**machine.get_params()).fit(values).score_samples(values)
    assert np.array_equal(predict_table(loaded.model, table).answers, own)
    more = pa.concat_tables([table, table.slice(0, 1)])
    assert not audit_table(loaded, more).passed


def changes():
    """Each makes of a sound model one that its claims are not about."""

    def mean(model):
        model.machine.mean_ = model.machine.mean_ + 0.01

    def factor(model):
        model.machine.factor_ = model.machine.factor_ * 1.01

    def setting(model):
        model.machine.covariance = "diagonal"

    def claim(model):
        (own,) = model.machine.certificate_
        better = replace(own, risk=own.risk - 0.1, lower=own.lower - 0.1)
        model.machine.certificate_ = Composite((better,))
        model.certified = replace(model.certified, claims=Composite((better,)))

    def rows(model):
        model.rows += 1

    return [mean, factor, setting, claim, rows]


@pytest.mark.parametrize("change", changes(), ids=lambda change: change.__name__)
def test_a_forged_density_is_not_verified(tmp_path, change):
    model = fit_density(PLANE, GaussianDensity()).model
    change(model)
    save_model(tmp_path / "d", model)  # With fresh fingerprints.
    audit = audit_table(load_model(tmp_path / "d"), PLANE)
    assert audit.of_the_fit
    assert not audit.passed


def test_a_forged_box_or_target_is_refused(tmp_path):
    model = fit_density(SHARES, MACHINES["polynomials"][0]).model
    model.machine.high_ = model.machine.high_ * 2
    save_model(tmp_path / "d", model)
    with pytest.raises(Problem, match="its weights or its box"):
        load_model(tmp_path / "d")
    model = fit_density(PLANE, GaussianDensity()).model
    save_model(tmp_path / "d", replace(model, target="b"))
    with pytest.raises(Problem, match="target must be"):
        load_model(tmp_path / "d")


def test_rows_with_missing_values():
    holes = pa.table({"a": [1.0, None, 3.0, 4.5], "b": [0.0, 1.0, 2.0, 7.0]})
    with pytest.raises(Problem, match="missing"):
        fit_density(holes, GaussianDensity())
    fitted = fit_density(holes, GaussianDensity(), missing="drop")
    assert fitted.model.rows == 3
    assert "1 of 4 rows was left out" in fitted.model.notes[0]


@pytest.mark.parametrize(
    ("table", "machine", "words"),
    [
        ({"a": [1.0, 2.0, 4.0], "b": ["x", "y", "x"]}, GaussianDensity(), "'b' holds text"),
        ({"a": [1.0, 2.0, 4.0], "b": [1.0, 1.0, 1.0]}, GaussianDensity(), "column 'b' has the"),
        ({"a": [1.0, 2.0, 4.0]}, MACHINES["cosines"][0], "row 2, column 'a' is 2"),
    ],
)
def test_what_has_no_density_is_refused_in_the_words_of_the_table(table, machine, words):
    with pytest.raises(Problem, match=words):
        fit_density(pa.table(table), machine)
