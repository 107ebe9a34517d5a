"""Files by blocks: the fit of the table in memory, one pass to check, problems by their place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from certo import (
    SVM,
    LeastSquares,
    LogisticRegression,
    MinDisagreement,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
    certify,
)
from certo.certificates import Composite, LinearPredictor
from certo.certificates.errors.training_errors import ErrorClaim
from certo.data.big_files import overview
from certo.data.problem import Problem
from certo.guarantees.belonging import has_same_classes, has_same_vectors
from certo.kernels import Gaussian
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut
from certo.tables.in_blocks import audit_files, fit_files, predict_files
from certo.tables.model_file import LoadedModel, load_model, save_model
from tests.scale.scenes import table

X, TWO, _, V = table(1500)
COLOURS = np.random.default_rng(5).choice(["red", "green", "blue"], 1500)


def whole(**more):
    names = {f"x{j}": X[:, j] for j in range(4)}
    return pa.table({**names, "colour": COLOURS, "y": TWO, "v": V, **more})


def written(folder, data=None, group=333):
    data = whole() if data is None else data
    pq.write_table(data.slice(0, 500), folder / "a.parquet", row_group_size=group)
    pq.write_table(data.slice(500), folder / "b.parquet", row_group_size=group // 2)
    return folder


def fitted(path, target, machine, scale=None, **choices):
    held_out = HeldOut(0.2, 1)
    encoding = {"drop": ("v",) if target == "y" else ("y",)} | choices
    seen = overview(path, target, held_out=held_out.of, **encoding)
    return fit_files(seen, machine, held_out=held_out, scale=scale, **encoding)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "machine"),
    [("y", LogisticRegression(tol=1e-11)), ("v", LeastSquares()), ("y", SVM(tol=1e-5))],
)
def test_a_fit_is_that_of_the_table_in_memory(tmp_path, target, machine):
    found = fitted(written(tmp_path), target, machine).model
    drop = ("v",) if target == "y" else ("y",)
    usual = fit_table(whole(), target, machine, held_out=HeldOut(0.2, 1), drop=drop).model
    assert found.encoder.column_names == usual.encoder.column_names
    assert list(found.encoder.get_feature_names_out()) == list(
        usual.encoder.get_feature_names_out()
    )
    exact = not isinstance(machine, SVM)
    np.testing.assert_allclose(
        found.machine.coef_,
        usual.machine.coef_,
        rtol=1e-6 if exact else 0.05,
        atol=1e-6 if exact else 0.02,
    )
    if target == "y" and exact:
        (mine,), (theirs,) = (m.certified.test.of_kind("TestErrors") for m in (found, usual))
        assert (mine.examples, mine.errors) == (theirs.examples, theirs.errors)


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine", [Pegasos(random_state=0), Perceptron(epochs=3), OnlineGradientDescent()]
)
def test_a_stream_is_that_of_the_table_in_memory_bit_for_bit(tmp_path, machine):
    """Unless columns are scaled: then means and deviations are added in another order."""
    found = fitted(written(tmp_path), "y", machine, scale="none").model
    usual = fit_table(
        whole(), "y", machine, held_out=HeldOut(0.2, 1), drop=("v",), scale="none"
    ).model
    np.testing.assert_array_equal(found.machine.coef_, usual.machine.coef_)
    np.testing.assert_array_equal(found.machine.intercept_, usual.machine.intercept_)
    assert audit_files(LoadedModel(found, "", True), tmp_path).passed


@pytest.mark.slow
@pytest.mark.parametrize(("target", "machine"), [("y", SVM()), ("v", LeastSquares())])
def test_a_model_is_verified_in_one_pass(tmp_path, target, machine):
    (tmp_path / "data").mkdir()
    path = written(tmp_path / "data")
    save_model(tmp_path / "m.certo", fitted(path, target, machine).model)
    loaded = load_model(tmp_path / "m.certo")
    assert audit_files(loaded, path).passed
    written(path, group=100)  # The same rows in other row groups.
    assert audit_files(loaded, path).passed
    rows = np.array(X[:, 0])
    rows[700] += 50.0
    audit = audit_files(loaded, written(path, whole(x0=rows)))
    assert not audit.same_data
    assert not audit.passed
    assert not audit_files(loaded, written(path, whole().slice(0, 1400))).passed
    assert audit_table(loaded, whole()).claims_hold or target == "v"


@pytest.mark.slow
def test_a_changed_model_is_not_verified(tmp_path):
    path = written(tmp_path)
    model = fitted(path, "y", SVM()).model
    model.machine.coef_ = model.machine.coef_ * 1.001
    assert not audit_files(LoadedModel(model, "", True), path).passed


@pytest.mark.slow
def test_predictions_are_those_of_the_table(tmp_path):
    path = written(tmp_path)
    model = fitted(path, "y", LogisticRegression()).model
    found = np.concatenate([answers for _, answers, _ in predict_files(model, path)])
    np.testing.assert_array_equal(found, model.predict(whole()))


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_missing_values(tmp_path, missing):
    gaps = pa.array([None if t == 900 else v for t, v in enumerate(X[:, 1])], pa.float64())
    path = written(tmp_path, whole(x1=gaps))
    if missing == "refuse":
        with pytest.raises(Problem, match=r"b\.parquet, row group 2 .*'x1' must have a value"):
            fitted(path, "y", SVM())
        return
    model = fitted(path, "y", SVM(), missing="drop").model
    assert "1 of 1,500 rows was left out" in model.certified.remarks[0]
    assert audit_files(LoadedModel(model, "", True), path).passed


def test_problems_come_before_the_fit(tmp_path):
    path = written(tmp_path)
    with pytest.raises(Problem, match="no target column 'z'"):
        overview(path, "z")
    huge = np.array(X[:, 2])
    huge[1200] = 1e200
    with pytest.raises(Problem, match=r"b\.parquet.*'x2' must hold finite numbers"):
        overview(written(tmp_path, whole(x2=huge)), "y")
    with pytest.raises(Problem, match="these machines can be fitted: svm, logistic"):
        fitted(written(tmp_path), "y", MinDisagreement())
    with pytest.raises(Problem, match='order="cyclic"'):
        fitted(written(tmp_path), "y", Perceptron(order="shuffled"))


def loaded_from(tmp_path, model) -> LoadedModel:
    save_model(tmp_path / "m.certo", model)
    return load_model(tmp_path / "m.certo")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["claims", "test"])
def test_errors_of_another_rule_are_not_those_of_the_model(tmp_path, part):
    """They are counted rightly, and say nothing of what the model predicts."""
    found = fitted(written(tmp_path), "y", SVM(tol=1e-3))
    page, machine = found.certified, found.model.machine
    (claim,) = [one for one in getattr(page, part) if isinstance(one, ErrorClaim)]
    other = LinearPredictor(-machine.coef_, machine.intercept_)
    parts = {"predictor": other, "errors": claim.examples, "ties": claim.examples}
    if part == "test":
        parts |= {"lower": 0.0, "upper": 1.0, "unknown": 0}
    forged = tuple(replace(one, **parts) if one is claim else one for one in getattr(page, part))
    found.model.certified = replace(page, **{part: Composite(forged)})
    audit = audit_files(loaded_from(tmp_path, found.model), tmp_path)
    assert audit.about_model == (f"{claim.name} speaks of another rule than the model's.",)
    assert not audit.passed


@pytest.mark.slow
def test_a_machine_that_keeps_rows_is_not_checked_without_them(tmp_path):
    """A fit by blocks keeps none; and a number of rows is that of the fit."""
    found = fitted(written(tmp_path), "y", SVM(tol=1e-3))
    found.model.rows += 1
    audit = audit_files(loaded_from(tmp_path, found.model), tmp_path)
    assert "rows, not" in audit.about_model[0]
    small = table(40)
    in_memory = SVM(intercept="none").fit(small[0], small[1])
    assert has_same_classes(in_memory, small[1])
    assert not has_same_classes(in_memory, None)
    assert has_same_classes(found.model.machine, None)
    assert not has_same_vectors(SVM(Gaussian(1.0)).fit(small[0], small[1]), None)


@pytest.mark.slow
def test_a_bound_that_pays_for_no_scaling_is_refused(tmp_path):
    """Of a table in blocks, too: what was fitted to all rows is no function of a few."""
    found = fitted(written(tmp_path), "y", SVM(tol=1e-3), scale="standard")
    small = table(40)
    page = certify(SVM(intercept="none").fit(small[0], small[1]), small[0], small[1])
    (bound,) = page.of_kind("SupportBound")
    claims = Composite((*found.certified.claims, bound))
    found.model.certified = replace(found.certified, claims=claims)
    audit = audit_files(loaded_from(tmp_path, found.model), tmp_path)
    assert any("SupportBound is claimed, but" in why for why in audit.about_model)


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("machine", [LeastSquares(), LeastSquares(ridge=0.1, intercept="none")])
def test_least_squares_of_numbers_takes_one_pass(tmp_path, machine, scale):
    """The first pass makes the sums: of floats, integers, and rows of which some are left out."""
    rng = np.random.default_rng(0)
    x0 = X[:, 0].tolist()
    x0[7] = None
    data = whole(x0=pa.array(x0), x1=(X[:, 1] * 1e5 + 1e6).astype(np.float32),
                 whole=rng.integers(-9, 9, 1500)).drop(["colour", "y"])  # fmt: skip
    path, held_out = written(tmp_path, data), HeldOut(0.2, 1)
    fits = []
    for sums in (True, False):
        seen = overview(path, "v", held_out=held_out.of, missing="drop", sums=sums)
        choices = {"held_out": held_out, "scale": scale, "missing": "drop"}
        fits.append(fit_files(seen, machine, **choices))
    quick, usual = fits
    assert (quick.passes, usual.passes) in ((1, 2), (1, 3))
    for name in ("coef_", "intercept_"):
        numbers = [getattr(fit.model.machine, name) for fit in fits]
        np.testing.assert_allclose(*numbers, rtol=1e-10)
    assert quick.model.rows == np.count_nonzero(quick.seen.training)
    assert audit_files(LoadedModel(quick.model, "", True), path).passed


@pytest.mark.parametrize(
    ("target", "given"), [("v", True), ("few", False), ("many", True), ("y", False)]
)
def test_sums_are_made_where_the_target_looks_like_numbers(tmp_path, target, given):
    data = whole(few=np.arange(1500) % 3, many=np.arange(1500) % 50).drop(["colour"])
    others = tuple({"y", "v", "few", "many"} - {target})
    seen = overview(written(tmp_path, data), target, drop=others, sums=None)
    assert (seen.sums is not None) == given
