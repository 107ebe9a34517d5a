"""Tables to models and back, and attacks on what `audit` says of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from certo.certificates import Certified, Composite, CompressionBound, MistakeBound, Separable
from certo.certificates.sample.labels import Labels
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.model_file import load_model, save_model
from certo.tables.predict import predict_table
from certo.tables.settings import machine

NUMBERS = np.random.default_rng(0).normal(size=(60, 3))


def table_of(kinds=("no", "yes"), shift=0.4):
    """Separable: the score decides the label, and examples near a change of it are moved off."""
    score = NUMBERS @ [1.0, -2.0, 0.5]
    label = np.clip(np.floor(score * len(kinds) / 6 + len(kinds) / 2), 0, len(kinds) - 1)
    X = NUMBERS + shift * (label - label.mean())[:, None] * [1.0, -2.0, 0.5]
    columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "kind": [kinds[int(k)] for k in label]}
    return pa.table(columns | {"zone": np.where(NUMBERS[:, 1] > 0.3, "n", "s")})


def nothing(model):
    """Leave the model as it is."""


@pytest.fixture
def fitted(tmp_path):
    """save(change=...) → what an audit says after `change(model)` and saving anew."""

    def fit(table, **choices):
        made = fit_table(table, "kind", machine("perceptron", ["epochs=50"]), **choices)

        def audit(change=nothing, against=table):
            path = tmp_path / "m.certo"
            save_model(path, made.model)
            model = load_model(path).model
            if change is not nothing:  # whoever forges claims can leave the page empty
                model.certified = Certified("", Composite(()))
            change(model)
            save_model(path, model)
            return audit_table(load_model(path), against)

        return audit

    return fit


def test_an_honest_model_passes(fitted):
    for kinds in (("no", "yes"), ("low", "mid", "high")):
        audit = fitted(table_of(kinds))()
        assert audit.passed
        assert not audit.refuted


def edited(model, **changes):
    """The first claim that has these fields, changed."""
    claims = list(model.machine.certificate_.claims)
    for k, claim in enumerate(claims):
        if all(hasattr(claim, name) for name in changes):
            claims[k] = replace(claim, **changes)
            break
    model.machine.certificate_ = Composite(tuple(claims))


def without(model, keep):
    model.machine.certificate_ = Composite(tuple(filter(keep, model.machine.certificate_)))


def scaled_up(model):
    model.encoder.scaler_.scale_ *= 1.001


def renamed(model):
    a, b, *rest = model.encoder.number_names_
    model.encoder.number_names_ = [b, a, *rest]


def levels_swapped(model):
    model.encoder.levels_.categories_ = [
        part[::-1].copy() for part in model.encoder.levels_.categories_
    ]


def turned_around(model):
    """Weights and claims about 'is it the first class?', all true, while predict answers
    'is it the second?'."""
    model.machine.coef_ *= -1
    model.machine.intercept_ *= -1
    signed = (
        "coef", "intercept", "dual_coef", "comparator_coef", "comparator_intercept", "start",
    )  # fmt: skip
    claims = []
    for claim in model.machine.certificate_:
        turned = {name: -getattr(claim, name) for name in signed if hasattr(claim, name)}
        labels = Labels(claim.labels.classes, 1 - claim.labels.positive)
        claims.append(replace(claim, labels=labels, **turned))
    model.machine.certificate_ = Composite(tuple(claims))


def classes_renamed(model):
    """Other names for the classes, in the machine and in all claims."""
    model.machine.classes_ = np.array(["ja", "nein"])
    claims = [replace(c, labels=Labels(("ja", "nein"), 1)) for c in model.machine.certificate_]
    model.machine.certificate_ = Composite(tuple(claims))


ATTACKS = {
    "weights": lambda m: m.machine.coef_.__setitem__((0, 0), m.machine.coef_[0, 0] * (1 + 1e-15)),
    "intercept": lambda m: m.machine.intercept_.__iadd__(0.5),
    "updates": lambda m: m.machine.updates_.__iadd__(1),
    "updated examples": lambda m: setattr(m.machine, "updated_", [m.machine.updated_[0][1:]]),
    "no claims": lambda m: without(m, lambda claim: False),
    "only the margin": lambda m: without(m, lambda claim: isinstance(claim, Separable)),
    "a better margin": lambda m: edited(m, margin=10.0),
    "fewer updates allowed": lambda m: edited(m, bound=1, totals=np.zeros(0)),
    "fewer examples": lambda m: edited(m, examples=59),
    "scales": scaled_up,
    "columns swapped": renamed,
    "another question": turned_around,
    "classes renamed": classes_renamed,
    "rows": lambda m: setattr(m, "rows", 59),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_a_forged_model_is_refuted_even_if_saved_with_fresh_fingerprints(fitted, name):
    audit = fitted(table_of())(ATTACKS[name])
    assert audit.same_data
    assert audit.same_model
    assert audit.refuted
    assert not audit.passed


def test_levels_in_another_order_are_not_those_of_an_encoder(fitted):
    with pytest.raises(Problem, match="its levels must differ, in order"):
        fitted(table_of())(levels_swapped)


def test_true_claims_about_the_other_question_do_not_help(fitted):
    audit = fitted(table_of())(turned_around)
    assert audit.claims, "the attack is to tell the truth about something else"
    assert not audit.passed


def test_every_neuron_needs_its_claims(fitted):
    audit = fitted(table_of(("low", "mid", "high")))(
        lambda m: without(m, lambda claim: claim.labels.positive != 1)
    )
    assert not audit.passed
    assert any("No claim speaks of coef_" in text for text in audit.about_model)


def test_changed_labels_and_rows_are_refuted_even_with_their_own_fingerprint(fitted):
    table = table_of()
    audit = fitted(table)
    labels = table.column("kind").to_pylist()
    labels[5] = "no" if labels[5] == "yes" else "yes"
    flipped = table.set_column(3, "kind", pa.array(labels))
    values = table.column("a").to_numpy().copy()
    values[7] -= 50 * (1 if labels[7] == "yes" else -1)
    moved = table.set_column(0, "a", pa.array(values))
    for other in (flipped, moved, table.slice(0, 59), table.take(pa.array(range(59, -1, -1)))):
        seen = audit(
            lambda m, other=other: setattr(m, "data_fingerprint", fingerprint(other)), other
        )
        assert seen.same_data
        assert seen.refuted


def test_zero_sign_belongs_to_the_compression_bound(fitted):
    table = table_of().drop_columns(["zone"])
    audit = fitted(table, scale="none")
    assert audit().passed

    def forge(model):
        claims = model.machine.certificate_.of_kind(CompressionBound)
        assert claims, "the example must make this claim"
        model.machine.zero_sign = -1

    assert audit(forge).refuted


def test_unusable_data_cannot_be_audited(fitted):
    audit = fitted(table_of())(against=pa.table({"z": [1, 2]}))
    assert not audit.passed
    assert not audit.same_data
    assert not audit.refuted
    assert "cannot be checked" in audit.claims.why


def test_data_frames_are_tables():
    table = table_of()
    expected = None
    for frame in (table, table.to_pandas(), pl.from_arrow(table), pd.DataFrame(table.to_pydict())):
        made = fit_table(frame, "kind", machine("perceptron", []))
        labels, beside, notes, _ = predict_table(made.model, frame)
        assert (list(beside), notes) == (["score of yes"], [])
        facts = (made.model.data_fingerprint, labels.tolist(), made.examples.X.tolist())
        expected = expected or facts
        assert facts == expected


def test_pandas_categories_and_indices():
    frame = table_of().to_pandas().astype({"zone": "category", "kind": "category"})
    made = fit_table(frame.set_index(np.arange(60) * 7), "kind", machine("perceptron", []))
    assert made.model.encoder.column_names == ["a", "b", "c", "zone"]
    with pytest.raises(Problem, match="data frame"):
        fit_table(np.zeros((3, 3)), "kind", machine("perceptron", []))


def test_the_bound_is_withdrawn_when_the_encoding_was_fitted_on_the_same_rows():
    table = table_of().drop_columns(["zone"])
    plain = fit_table(table, "kind", machine("perceptron", []), scale="none").model.machine
    scaled = fit_table(table, "kind", machine("perceptron", [])).model.machine
    assert plain.certificate_.of_kind(CompressionBound)
    assert not scaled.certificate_.of_kind(CompressionBound)
    assert scaled.certificate_.of_kind(MistakeBound)


def test_claims_that_the_fit_could_not_make_are_not_accepted_later(fitted):
    table = table_of().drop_columns(["zone"])
    made = fit_table(table, "kind", machine("perceptron", ["epochs=50"]), scale="none")
    (bound,) = made.model.machine.certificate_.of_kind(CompressionBound)

    def inject(model):  # a model with fitted scaling, and a bound that assumes there is none
        kept = model.machine.certificate_
        model.machine.certificate_ = Composite((*kept.claims, bound), kept.not_claimed)

    seen = fitted(table)(inject)
    assert seen.refuted
    assert any("preprocessing" in text for text in seen.about_model)


@pytest.mark.parametrize(
    "settings", [{"learning_rate": 0.5}, {"intercept": "none"}, {"order": "shuffled"}]
)
def test_claims_about_runs_with_other_settings_are_refuted(fitted, settings):
    table = table_of().drop_columns(["zone"])
    seen = fitted(table, scale="none")(lambda model: model.machine.set_params(**settings))
    assert any("other settings" in text for text in seen.about_model)


def test_the_target_is_no_feature(tmp_path):
    table = table_of().drop_columns(["zone"])
    made = fit_table(table, "kind", machine("perceptron", []), scale="none")
    made.model.target = "a"
    save_model(tmp_path / "m", made.model)
    with pytest.raises(Problem, match="must not be a feature"):
        load_model(tmp_path / "m")


MEASURED = pa.table({"a": [1.0, 2, 3, 4, 6], "k": list("xyxyx"), "y": [1, 2, 4, 4, 7]})


def test_numbers_to_predict():
    fitted = fit_table(MEASURED, "y", machine("least-squares", []))
    assert fitted.examples.measured
    assert fitted.examples.y.dtype == np.float64
    assert fitted.examples.encoder.scale == "none"
    predicted = predict_table(fitted.model, MEASURED, interval=0.5)
    assert set(predicted.beside) == {"low", "high"}
    assert np.all(predicted.beside["low"] < predicted.answers)
    classes = fit_table(MEASURED, "y", machine("logistic", ["ridge=0.1"]))
    assert not classes.examples.measured
    shares = predict_table(classes.model, MEASURED)
    assert list(shares.beside) == [f"probability of {k}" for k in (1, 2, 4, 7)]
    np.testing.assert_allclose(sum(shares.beside.values()), 1.0)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            pa.array(["1", "2", "x", "4", "5"]),
            "must hold numbers for a regression, .* 'x' in row 3",
        ),
        (pa.array([1.0, 2, 3, 4, 1e200]), "finite numbers of at most 1e.140"),
        (pa.array([1.0, None, 3, 4, 5]), "missing in 1 row"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(column, message):
    table = MEASURED.set_column(2, "y", column)
    with pytest.raises(Problem, match=message):
        fit_table(table, "y", machine("least-squares", []))


def test_levels_are_all_there_where_nothing_stands_for_the_first():
    def features(*settings):
        return fit_table(MEASURED, "y", machine("least-squares", list(settings))).examples

    assert features().feature_names == ["a", "k = y"]
    assert features("intercept=none").feature_names == ["a", "k = x", "k = y"]
    assert features("ridge=1").feature_names == ["a (scaled)", "k = x", "k = y"]


def test_a_machine_that_refuses_names_the_row_of_the_file():
    X = {"size": [1.0, 2.0, None, 1e100, 3.0], "age": [2.0, 1.0, 5.0, 4.0, 3.0]}
    table = pa.table(X | {"kind": ["no", "yes", "no", "yes", "no"]})
    cubic = machine("svm", ["kernel=Polynomial(3)"])
    with pytest.raises(Problem, match=r"it is inf for row 4\.") as caught:
        fit_table(table, "kind", cubic, missing="drop", scale="none")
    assert (caught.value.rows, caught.value.column) == ([4], None)
