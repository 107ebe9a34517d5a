"""Numbers about predictions, against ones computed from the rows by hand."""

import numpy as np
import pyarrow as pa
import pytest

from certo.report.performance import MAX_WRONG_ROWS, performance
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut
from certo.tables.settings import machine

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 200))
TWO = np.where(A + RNG.normal(size=200) > 0, "yes", "no")
THREE = np.array(["low", "mid", "top"])[np.digitize(A + RNG.normal(size=200), [-0.7, 0.7])]


def fitted(y, name, *settings, **choices):
    table = pa.table({"a": A, "b": B, "y": y})
    return fit_table(table, "y", machine(name, list(settings)), **choices)


def measured(one):
    return performance(one.model.machine, one.examples, one.test)


@pytest.mark.parametrize(
    ("y", "name", "settings"),
    [
        (TWO, "svm", ()),
        (TWO, "svm", ("kernel=Gaussian(1.0)",)),
        (THREE, "svm", ()),
        (THREE, "logistic", ()),
        (THREE, "kernel-perceptron", ("kernel=Gaussian(1.0)",)),
    ],
)
def test_counts_are_those_of_the_predictions(y, name, settings):
    one = fitted(y, name, *settings, held_out=HeldOut(0.3, 1))
    found, model = measured(one), one.model.machine
    for part, rows in ((found["test"], one.test), (found["training"], one.examples)):
        said = model.predict(rows.X)
        assert part["rows"] == len(rows.y)
        assert part["errors"] == np.sum(said != rows.y)
        assert part["accuracy"] == pytest.approx(np.mean(said == rows.y))
        assert part["labels"] == np.unique(y).tolist()
        for j, true in enumerate(part["labels"]):
            for k, other in enumerate(part["labels"]):
                assert part["confusion"][j][k] == np.sum((rows.y == true) & (said == other))
        for item in part["per_class"]:
            hit = (rows.y == item["label"]) & (said == item["label"])
            assert item["rows"] == np.sum(rows.y == item["label"])
            assert item["predicted"] == np.sum(said == item["label"])
            assert item["recall"] == pytest.approx(hit.sum() / item["rows"])
            if item["precision"] is not None:
                assert item["precision"] == pytest.approx(hit.sum() / item["predicted"])
    labels, counts = np.unique(one.examples.y, return_counts=True)
    assert found["usual"] == labels[counts.argmax()]
    assert found["test"]["usual_accuracy"] == np.mean(one.test.y == found["usual"])


def test_the_rows_that_are_wrong_have_their_numbers_in_the_file():
    one = fitted(TWO, "svm", held_out=HeldOut(0.3, 1))
    for part, rows in zip(measured(one).values(), (None, one.examples, one.test), strict=True):
        if rows is None:
            continue
        assert 0 < len(part["wrong"]) == min(MAX_WRONG_ROWS, part["errors"])
        sizes = [abs(item["score"]) for item in part["wrong"]]
        assert sizes == sorted(sizes, reverse=True)
        scores = dict(
            zip(rows.places.tolist(), one.model.machine.decision_function(rows.X), strict=True)
        )
        for item in part["wrong"]:
            assert item["label"] == TWO[item["row"] - 1] != item["predicted"]
            assert item["score"] == pytest.approx(scores[item["row"]])
            assert (item["score"] > 0) == (item["predicted"] == "yes")


def test_of_several_classes_a_score_is_a_difference():
    one = fitted(THREE, "logistic", held_out=HeldOut(0.3, 1))
    scores, labels = one.model.machine.decision_function(one.test.X), ["low", "mid", "top"]
    places = one.test.places.tolist()
    for item in measured(one)["test"]["wrong"]:
        own = scores[places.index(item["row"])]
        difference = own[labels.index(item["predicted"])] - own[labels.index(item["label"])]
        assert item["score"] == pytest.approx(difference)
        assert difference > 0


def test_areas_are_shares_of_pairs():
    one = fitted(TWO, "svm", held_out=HeldOut(0.3, 1))
    scores, hit = one.model.machine.decision_function(one.test.X), one.test.y == "yes"
    pairs = scores[hit][:, None] - scores[~hit]
    area = np.mean((pairs > 0) + 0.5 * (pairs == 0))
    assert measured(one)["test"]["roc_auc"] == pytest.approx(area)
    assert measured(fitted(THREE, "svm"))["training"]["roc_auc"] is None


def test_a_regression_has_distances():
    y = 3 * A + RNG.normal(size=200)
    one = fitted(y, "least-squares", held_out=HeldOut(0.3, 1))
    found = measured(one)
    left = one.test.y - one.model.machine.predict(one.test.X)
    part = found["test"]
    assert part["root_mean_square_error"] == pytest.approx(np.sqrt(np.mean(left**2)))
    assert part["mean_absolute_error"] == pytest.approx(np.mean(np.abs(left)))
    assert part["median_absolute_error"] == pytest.approx(np.median(np.abs(left)))
    usual = one.examples.y.mean()
    assert part["usual_error"] == pytest.approx(np.sqrt(np.mean((one.test.y - usual) ** 2)))
    assert part["r2"] == pytest.approx(one.model.machine.score(*one.test.pair))
    assert len(part["wrong"]) == MAX_WRONG_ROWS
    for item in part["wrong"]:
        assert item["label"] == y[item["row"] - 1]
        assert item["residual"] == pytest.approx(item["label"] - item["predicted"])
    assert abs(part["wrong"][0]["residual"]) == pytest.approx(np.abs(left).max())
    assert measured(fitted(np.full(200, 2.0), "least-squares"))["training"]["r2"] is None


def test_test_rows_of_a_class_that_the_fit_never_saw():
    others = pa.table({"a": [5.0, -5.0, 4.0], "b": [0.0, 0.0, 0.0], "y": ["new", "no", "yes"]})
    one = fitted(TWO, "svm", test=others)
    part = measured(one)["test"]
    assert part["labels"] == ["no", "yes", "new"]
    assert part["confusion"] == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert part["per_class"][2] == {
        "label": "new", "rows": 1, "predicted": 0, "precision": None, "recall": 0.0,
    }  # fmt: skip
    assert part["roc_auc"] is None
    several = measured(fitted(THREE, "svm", test=others))["test"]
    assert {item["row"] for item in several["wrong"]} == {1, 2, 3}
    assert all(item["score"] >= 0 for item in several["wrong"])


def test_without_test_rows_there_is_the_training_part_alone():
    assert measured(fitted(TWO, "svm"))["test"] is None
