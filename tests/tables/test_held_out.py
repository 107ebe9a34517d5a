"""Rows held out of a table to test on: drawn again by anyone, never learnt from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import certo
from certo import bounds
from certo.certificates.errors.held_out_errors import TestErrors
from certo.data.problem import Problem
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut
from certo.tables.model_file import LoadedModel, load_model, save_model

rng = np.random.default_rng(0)


def table(rows: int = 150, noise: float = 0.7) -> pa.Table:
    X = rng.normal(size=(rows, 2))
    label = np.where(X[:, 0] + noise * rng.normal(size=rows) > 0, "yes", "no")
    return pa.table({"a": X[:, 0], "b": X[:, 1], "label": label})


def fitted(data: pa.Table, **choices):
    return fit_table(data, "label", certo.SVM(), held_out=HeldOut(0.2, 3), **choices)


def test_the_rows_are_a_share_and_depend_on_the_seed_alone():
    held_out = HeldOut(0.2, 7).of(1000)
    assert held_out.sum() == 200
    assert np.array_equal(held_out, HeldOut(0.2, 7).of(1000))
    assert not np.array_equal(held_out, HeldOut(0.2, 8).of(1000))
    assert np.flatnonzero(HeldOut(0.3, 1).of(10)).tolist() == [2, 6, 9]  # For ever.
    for share, seed in ((0.0, 0), (1.0, 0), (np.nan, 0), (0.2, -1), (0.2, 2**32)):
        with pytest.raises(Problem):
            HeldOut(share, seed)


def test_the_fit_sees_the_other_rows_alone():
    data = table()
    found, held_out = fitted(data), HeldOut(0.2, 3).of(150)
    (claim,) = found.model.certified.test.of_kind(TestErrors)
    assert claim.examples == 30
    assert found.examples.places.tolist() == (1 + np.flatnonzero(~held_out)).tolist()
    assert found.test.places.tolist() == (1 + np.flatnonzero(held_out)).tolist()
    rest = fit_table(data.filter(pa.array(~held_out)), "label", certo.SVM())
    assert np.array_equal(rest.model.machine.coef_, found.model.machine.coef_)
    wrong = found.model.machine.predict(found.test.X) != found.test.y
    assert claim.errors == wrong.sum()


@pytest.mark.parametrize(("share", "many"), [(0.01, 0), (0.99, 20)])
def test_rows_are_left_to_fit_to_and_to_test_on(share, many):
    with pytest.raises(Problem, match=f"but of 20 rows it holds out {many}"):
        fit_table(table(20), "label", certo.SVM(), held_out=HeldOut(share))


def test_a_model_file_is_verified_from_the_table_alone(tmp_path):
    data = table()
    found = fitted(data)
    save_model(tmp_path / "m", found.model)
    loaded = load_model(tmp_path / "m")
    audit = audit_table(loaded, data)
    assert audit.passed
    assert any(part.name == "TestErrors" for part in audit.claims.parts)
    with pytest.raises(Problem, match="part of its own table"):
        audit_table(loaded, data, data)
    for changed in ({"test_seed": 4}, {"test_share": 0.3}, {"test_share": 0.0}):
        forged = LoadedModel(replace(loaded.model, **changed), "", True)
        assert not audit_table(forged, data).passed
    other = data.set_column(0, "a", pa.array(np.asarray(data["a"]) + 1e-9))
    assert not audit_table(loaded, other).passed


def test_other_rows_counted_on_the_training_rows_are_refused():
    """A forged split that tests on rows of the fit finds fewer errors than there are."""
    data = table(noise=3.0)
    found = fitted(data)
    forged = replace(found.model, test_seed=11)
    assert audit_table(LoadedModel(forged, "", True), data).refuted


def test_rows_have_their_numbers_in_the_file_in_errors():
    data = table()
    gone = data.set_column(0, "a", pa.array([*data["a"].to_pylist()[:140], None, *[1.0] * 9]))
    with pytest.raises(Problem, match="row 141 "):
        fitted(gone)
    dropped = fitted(gone, missing="drop")
    assert 141 not in {*dropped.examples.places.tolist(), *dropped.test.places.tolist()}
    save = LoadedModel(fitted(data).model, "", True)
    assert "row 141 " in audit_table(save, gone).claims.why


def test_a_level_of_the_test_rows_alone_is_no_objection():
    data, held_out = table(), HeldOut(0.2, 3).of(150)
    place = int(np.flatnonzero(held_out)[0])
    colours = [f"c{i % 3}" for i in range(150)]
    colours[place] = "rare"
    data = data.append_column("colour", pa.array(colours))
    found = fitted(data)
    assert any("'rare'" in note for note in found.model.notes)
    assert audit_table(LoadedModel(found.model, "", True), data).passed


def test_settings_that_were_compared_are_paid_for():
    data = table(noise=2.0)
    one, many = fitted(data).model, fitted(data, tried="100").model
    bounds = [next(iter(model.certified.test)).best for model in (one, many)]
    assert bounds[0] < bounds[1]
    made = fitted(data, tried="data").model
    assert not len(made.certified.test)
    with pytest.raises(Problem, match="not from both"):
        fitted(data, test=data)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.3])
def test_the_bound_holds_as_often_as_it_says(delta):
    """Of a known rule and noise, errors on new rows are known: at most δ of the bounds fail."""
    trials, failed = 300, 0
    for seed in range(trials):
        draw = np.random.default_rng(seed)
        x = draw.normal(size=(60, 1))
        flipped = draw.random(60) < 0.2
        label = np.where((x[:, 0] > 0) ^ flipped, "yes", "no")
        data = pa.table({"x": x[:, 0], "label": label})
        found = fit_table(
            data, "label", certo.Perceptron(epochs=1), held_out=HeldOut(0.5, seed), delta=delta
        )
        machine, encoder = found.model.machine, found.model.encoder
        points = draw.normal(size=(4000, 1))
        right = machine.predict(encoder.transform(pa.table({"x": points[:, 0]})))
        share = float(np.mean((right == "yes") == (points[:, 0] > 0)))
        truth = 0.2 * share + 0.8 * (1 - share)
        failed += next(iter(found.model.certified.test)).best < truth
    assert failed <= trials * delta + 3 * np.sqrt(trials * delta * (1 - delta))


def wrong_with(test_rows: int, rows: int, unclear: float, *, stratified: bool) -> float:
    """The exact probability that the upper end of Clopper and Pearson's interval, δ = 0.05, is
    below the risk.

    Both classes are equally frequent. A share of the rows is unclear: there the machine answers the
    class that has more training rows, and everywhere else it is right. Its risk is half that share.
    """
    risk, delta = unclear / 2, 0.05
    ends = [bounds.clopper_pearson(test_rows, k, delta).upper for k in range(test_rows + 1)]
    most = max((k for k, end in enumerate(ends) if end < risk), default=-1)
    if not stratified:  # Test rows are independent of the training rows: errors are binomial.
        return float(binom.cdf(most, test_rows, risk))
    first = np.arange(rows + 1)  # Rows of the first class in the whole table.
    tested = np.rint(first * test_rows / rows).astype(int)
    favoured = first - tested >= (rows - first) - (test_rows - tested)
    others = np.where(favoured, test_rows - tested, tested)  # Only these can be wrong.
    return float(binom.pmf(first, rows, 0.5) @ binom.cdf(most, others, unclear))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test_rows", "rows", "unclear", "at_least"), [(100, 500, 0.11, 0.0254), (100, 200, 0.2, 0.029)]
)
def test_the_bound_holds_of_a_random_split_and_not_of_a_stratified_one(
    test_rows, rows, unclear, at_least
):
    stated = 0.025
    assert wrong_with(test_rows, rows, unclear, stratified=False) <= stated
    assert wrong_with(test_rows, rows, unclear, stratified=True) > at_least > stated
