"""Attacks on model files of regressions: none is verified."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from certo.certificates import (
    Composite,
    Labels,
    LeastSquaresExcess,
    LogisticExcess,
    NoEstimate,
    Values,
)
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem
from certo.issue.risk import issue_test_distances
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut
from certo.tables.model_file import load_model, save_model
from certo.tables.settings import commands, machine

RNG = np.random.default_rng(0)
X = RNG.integers(-5, 6, (60, 3)).astype(float)
SCORE = X @ [1.0, -2.0, 0.5] + RNG.normal(size=60)


def table(target):
    return pa.table([*X.T, pa.array(target)], names=["a", "b", "c", "kind"])


TABLES = {
    "least-squares": table(SCORE),
    "ridge": table(SCORE),
    "logistic": table(np.where(SCORE + 3 * RNG.normal(size=60) > 0, "yes", "no")),
    "separated": table(np.where(X[:, 0] > 0, "yes", "no")),
    "three": table(np.array(["low", "mid", "high"])[np.digitize(SCORE + 3 * X[:, 2], [-3, 3])]),
}
SETTINGS = {
    "ridge": ["ridge=0.5"],
    "logistic": ["class_weight='balanced'"],
    "three": ["ridge=0.01"],
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """An honest model file of each."""
    folder = tmp_path_factory.mktemp("models")
    for name, rows in TABLES.items():
        kind = "least-squares" if name in ("least-squares", "ridge") else "logistic"
        made = machine(kind, SETTINGS.get(name, []))
        with warnings.catch_warnings(action="ignore"):
            save_model(folder / name, fit_table(rows, "kind", made, scale="none").model)
    return {name: folder / name for name in TABLES}


def verdict(path, rows, change):
    model = load_model(path).model
    change(model)
    changed = path.with_name("changed.certo")
    save_model(changed, model)
    try:
        audit = audit_table(load_model(changed), rows)
    except Problem:
        return "refused"
    assert audit.same_model
    return "passed" if audit.passed else "refuted"


def put(name, value):
    def change(model):
        own = getattr(model.machine, name)
        setattr(model.machine, name, value(own) if callable(value) else value)

    return change


def claims(edit):
    """Every claim edited, on the machine and on the page; None drops it."""

    def edited(claim):
        try:
            return edit(claim)
        except TypeError:  # it has nothing of that kind
            return claim

    def every(some):
        return Composite(tuple(claim for claim in map(edited, some) if claim is not None))

    def change(model):
        model.machine.certificate_ = every(model.machine.certificate_)
        model.certified = replace(model.certified, claims=every(model.certified.claims))

    return change


def only(kind, **changes):
    return claims(lambda claim: replace(claim, **changes) if isinstance(claim, kind) else claim)


def both(*changes):
    def change(model):
        for one in changes:
            one(model)

    return change


def doubled(model):
    """True claims about other weights."""
    claims(lambda claim: replace(claim, coef=2 * claim.coef) if hasattr(claim, "coef") else claim)(
        model
    )


SHARED = {
    "weights": put("coef_", lambda w: w * (1 + 1e-12)),
    "intercept": put("intercept_", lambda b: b + 0.25),
    "other weights": doubled,
    "no claims": claims(lambda claim: None),
    "fewer examples": claims(lambda claim: replace(claim, examples=59)),
    "another intercept": put("intercept", "none"),
    "another ridge": put("ridge", 7.0),
    "rows": lambda m: setattr(m, "rows", 59),
    "another target": lambda m: setattr(m, "target", "a"),
}
SQUARES = SHARED | {
    "two targets": only(LeastSquaresExcess, labels=Values(1)),
    "a smaller risk": both(
        lambda m: only(LeastSquaresExcess, risk=m.machine.risk_ / 2, lower=0.0, excess=0.0)(m),
        put("risk_", lambda risk: risk / 2),
    ),
    "a higher bound": claims(lambda claim: replace(claim, lower=claim.risk)),
    "no excess": claims(lambda claim: replace(claim, excess=0.0)),
    "weights by hand": claims(lambda claim: replace(claim, sample_weight=np.ones(60))),
    "another ridge in the claim": only(LeastSquaresExcess, ridge=7.0),
    "risk_": put("risk_", lambda risk: risk / 2),
    "errors that are not there": put("degrees_of_freedom_", lambda n: None if n else 3),
    "kept columns": put("_kept", lambda kept: kept[::-1].copy() * 2),
    "a factor of another size": put("_factor", lambda factor: factor[:2]),
}
LOGISTIC = SHARED | {
    "classes": put("classes_", lambda classes: np.array([f"{c}?" for c in classes])),
    "other classes in the claims": claims(
        lambda claim: replace(
            claim, labels=Labels(("a", *claim.labels.classes[1:]), claim.labels.positive)
        )
    ),
    "a smaller risk": lambda m: both(
        only(LogisticExcess, risk=m.machine.objective_ / 2, lower=0.0),
        put("objective_", m.machine.objective_ / 2),
        put("infimum_", 0.0),
        put("gap_", m.machine.objective_ / 2),
        put("converged_", False),
    )(m),
    "a higher bound": lambda m: both(
        only(LogisticExcess, lower=m.machine.objective_),
        put("infimum_", m.machine.objective_),
        put("gap_", 0.0),
    )(m),
    "risk_": put("objective_", lambda risk: risk / 2),
    "a better gap": put("gap_", 1e-300),
    "infimum_": put("infimum_", lambda value: value / 2 - 1),
    "weights by hand": only(LogisticExcess, sample_weight=np.ones(60)),
    "ridge_": put("ridge_", 3.0),
    "contrasts": put("contrasts_", lambda w: w + 1),
    "another reference": put("reference_", "nobody"),
}
ATTACKS = {
    "least-squares": SQUARES,
    "ridge": {k: v for k, v in SQUARES.items() if k not in ("kept columns",)},
    "logistic": LOGISTIC
    | {
        "another class_weight": put("class_weight", None),
        "class_weight in the claim": only(LogisticExcess, class_weight=np.array([1.0, 2.0])),
        "no estimate": put("estimate_exists_", False),
    },
    "separated": LOGISTIC
    | {
        "an estimate": put("estimate_exists_", True),
        "no proof": claims(lambda claim: None if isinstance(claim, NoEstimate) else claim),
        "standard errors": both(
            put("standard_errors_", np.ones((1, 3))),
            put("intercept_standard_errors_", np.ones(1)),
            put("covariance_", np.eye(4)),
        ),
        "more rows": only(NoEstimate, rising=59),
        "some rows ignored": only(NoEstimate, ignored=np.array([3])),
    },
    "three": LOGISTIC | {"no ridge": both(put("ridge", 0.0), put("ridge_", 0.0))},
}


def test_every_regression_of_the_command_line_is_attacked():
    found = {name for name, known in commands().items() if known.claims_all_outputs}
    assert found == {"least-squares", "logistic"}


@pytest.mark.parametrize("name", TABLES)
def test_an_honest_model_passes(models, name):
    assert verdict(models[name], TABLES[name], lambda model: None) == "passed"


@pytest.mark.parametrize(
    ("name", "attack"), [(name, attack) for name, group in ATTACKS.items() for attack in group]
)
def test_no_forged_model_passes(models, name, attack):
    assert verdict(models[name], TABLES[name], ATTACKS[name][attack]) in ("refuted", "refused")


@pytest.mark.parametrize("name", TABLES)
def test_claims_of_another_machine_prove_nothing(models, name):
    for other in sorted(set(TABLES) - {name}):
        foreign = load_model(models[other]).model.machine.certificate_
        assert verdict(models[name], TABLES[name], put("certificate_", foreign)) != "passed"


@pytest.mark.parametrize("name", TABLES)
def test_changed_data_are_refuted(models, name):
    rows = TABLES[name]
    target = rows.column("kind").to_pylist()
    target[0] = target[0] + 50 if isinstance(target[0], float) else next(
        label for label in target if label != target[0]
    )  # fmt: skip
    changed = rows.set_column(3, "kind", pa.array(target))

    def adopt(model):
        model.data_fingerprint = fingerprint(changed)

    assert verdict(models[name], changed, adopt) == "refuted"
    assert verdict(models[name], rows.slice(0, 59), lambda model: None) == "refuted"


WIDE = RNG.normal(size=(12, 20)).round(2)


@pytest.mark.parametrize("kind", ["least-squares", "logistic"])
@pytest.mark.parametrize("settings", [["ridge=0.1"], ["ridge=0.1", "intercept=none"], []])
@pytest.mark.parametrize("constant", [False, True])
def test_wide_collinear_and_constant_tables_pass(kind, settings, constant, tmp_path):
    columns = {f"c{j}": column for j, column in enumerate(WIDE.T)}
    columns |= {"double": 2 * WIDE[:, 0], "one": np.ones(12), "zone": list("uvwu" * 3)}
    target = np.full(12, 2.5) if constant else WIDE[:, 3]
    if kind == "logistic":
        target = np.where(WIDE[:, 3] > 0, "p", "q") if constant else list("abca" * 3)
    rows = pa.table(columns | {"y": target})
    with warnings.catch_warnings(action="ignore"):
        fitted = fit_table(rows, "y", machine(kind, settings))
    save_model(tmp_path / "m", fitted.model)
    loaded = load_model(tmp_path / "m")
    assert audit_table(loaded, rows).passed
    X = fitted.examples.X
    assert np.array_equal(loaded.model.machine.predict(X), fitted.model.machine.predict(X))


def test_text_where_numbers_were_cannot_be_checked(models):
    words = table(["a"] * 60)
    audit = audit_table(load_model(models["least-squares"]), words)
    assert not audit.could_check
    assert "must hold numbers" in audit.claims.why


def test_the_cap_of_a_mean_is_fixed_by_the_rows_of_the_fit(tmp_path):
    """A smaller cap would make a smaller mean: true of a cap that was fixed before, but not of one
    that was chosen after looking at the test rows."""
    rows = table(SCORE)
    fitted = fit_table(rows, "kind", machine("least-squares"), held_out=HeldOut(0.3))
    (claim,) = fitted.certified.test
    assert claim.cap > 0
    save_model(tmp_path / "m", fitted.model)
    assert audit_table(load_model(tmp_path / "m"), rows).passed
    X, y = fitted.test.pair
    other = issue_test_distances(X, y, claim.coef, claim.intercept, 0.05, claim.cap / 3)
    page = replace(fitted.certified, test=Composite((other,)))
    save_model(tmp_path / "m", replace(fitted.model, certified=page))
    audit = audit_table(load_model(tmp_path / "m"), rows)
    assert audit.claims.holds
    assert not audit.passed
    assert "TestDistances caps errors at" in audit.about_model[0]
