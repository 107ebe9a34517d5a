"""Weights in both units give the scores of the machine."""

import numpy as np
import pyarrow as pa
import pytest

from certo.report import facts
from certo.report.weights import MAX_WEIGHTS_KEPT
from certo.tables.fit import fit_table
from certo.tables.settings import machine

RNG = np.random.default_rng(0)
A, B = 50 + 10 * RNG.normal(size=120), RNG.normal(size=120) / 100
ZONE = np.array(list("uvw") * 40)
TWO = np.where(A / 10 + RNG.normal(size=120) > 5, "yes", "no")
THREE = np.array(["low", "mid", "top"])[np.digitize(A, [45, 55])]
TABLE = pa.table({"a": A, "zone": ZONE, "b": B, "y": TWO})


def weights_of(table, name, *settings, **choices):
    fitted = fit_table(table, "y", machine(name, list(settings)), **choices)
    return facts(fitted)["weights"], fitted


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize(
    ("name", "y", "scores_of"),
    [
        ("svm", TWO, lambda m, X: [m.decision_function(X)]),
        (
            "svm",
            THREE,
            lambda m, X: m.set_params(decision_function_shape="ovo").decision_function(X).T,
        ),
        ("least-squares", A + B, lambda m, X: [m.predict(X)]),
        ("logistic", THREE, lambda m, X: (X @ m.contrasts_.T + m.contrast_intercepts_).T),
    ],
)
def test_weighted_sums_are_the_scores(name, y, scores_of, scale):
    table = TABLE.set_column(3, "y", pa.array(y))
    settings = [] if name == "svm" else ["ridge=0.1"]
    found, fitted = weights_of(table, name, *settings, scale=scale)
    wanted = scores_of(fitted.model.machine, fitted.examples.X)
    columns = {"a": A, "b": B} | {f"zone = {level}": level == ZONE for level in "uvw"}
    scaled = {name: (x - np.mean(x)) / np.std(x) for name, x in columns.items()}
    if len(found) == 3:  # Pairs of classes, those of more rows first.
        found.sort(key=lambda one: one["output"])
    assert len(found) == len(wanted)
    for one, scores in zip(found, wanted, strict=True):
        assert one["total"] == len(one["rows"]) == 5
        for unit, values in (("original", columns), ("scaled", scaled)):
            total = sum(row[unit] * values[row["name"]] for row in one["rows"])
            np.testing.assert_allclose(total + one["intercept"][unit], scores, atol=1e-9)
        sizes = [abs(row["scaled"]) for row in one["rows"]]
        assert sizes == sorted(sizes, reverse=True)


def test_rare_levels_do_not_come_first_for_their_weight_alone():
    rare = np.where(np.arange(120) == 7, "z", ZONE)
    y = np.where(rare == "z", 100.0, A)
    table = TABLE.set_column(1, "zone", pa.array(rare)).set_column(3, "y", pa.array(y))
    (one,), _ = weights_of(table, "least-squares")
    largest = max(one["rows"], key=lambda row: abs(row["original"]))
    assert largest["name"] == "zone = z"
    assert one["rows"][0]["name"] == "a"


def test_outputs_are_named():
    assert [one["output"] for one in weights_of(TABLE, "svm")[0]] == ["'yes' against 'no'"]
    table = TABLE.set_column(3, "y", pa.array(THREE))
    names = [one["output"] for one in weights_of(table, "logistic", "ridge=1.0")[0]]
    assert names == ["low against top", "mid against top"]


def test_kernels_have_no_weights():
    assert weights_of(TABLE, "svm", "kernel=Gaussian(1.0)")[0] is None


@pytest.mark.slow
def test_only_the_largest_of_many_weights_are_kept():
    many = MAX_WEIGHTS_KEPT + 100
    X = RNG.normal(size=(20, many))
    table = pa.table({f"c{j}": X[:, j] for j in range(many)} | {"y": ["a", "b"] * 10})
    (one,), fitted = weights_of(table, "svm")
    assert one["total"] == many
    assert len(one["rows"]) == MAX_WEIGHTS_KEPT
    least = min(abs(row["scaled"]) for row in one["rows"])
    assert least == pytest.approx(np.sort(np.abs(fitted.model.machine.coef_[0]))[100])


def test_pairs_of_classes_come_by_their_rows_and_those_that_tell_nothing_last():
    random = np.random.default_rng(1)
    y = np.array(["a", "b", "c", "d"])[np.repeat([0, 1, 2, 3], [3, 60, 40, 30])]
    x = np.where(y == "b", -3.0, np.where(y == "c", 0.0, 3.0)) + random.normal(size=y.size)
    x[y == "a"] = x[y == "b"].mean() + random.normal(size=3) / 100
    found, _ = weights_of(pa.table({"x": x, "y": y}), "svm", "C=0.001")
    assert [one["output"] for one in found[:3]] == [
        "'b' against 'c'",
        "'b' against 'd'",
        "'c' against 'd'",
    ]
    same = [abs(one["rows"][0]["scaled"]) < 1e-9 * abs(one["intercept"]["scaled"]) for one in found]
    assert same == sorted(same)
    assert any(same)
