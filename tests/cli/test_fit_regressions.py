"""certo fit, verify and predict with regressions: numbers as targets, probabilities, separation."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from certo.estimators import LeastSquares, LogisticRegression

EXAMPLES = Path(__file__).parents[2] / "examples"
RNG = np.random.default_rng(0)


def write(path, columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))
    return path


@pytest.fixture
def houses(tmp_path):
    """A price of two numbers and a text."""
    size, age = RNG.integers(30, 200, 80), RNG.integers(0, 90, 80)
    place = RNG.choice(["centre", "harbour", "hill"], 80)
    added = {"centre": 90, "harbour": 40, "hill": 60}
    price = 2.5 * size - 0.7 * age + [added[p] for p in place] + RNG.normal(0, 8, 80).round(1)
    columns = {"size": size, "age": age, "place": place, "price": price.round(2)}
    return write(tmp_path / "houses.csv", columns)


@pytest.fixture
def patients(tmp_path):
    """Who fell ill; nobody of group c did."""
    dose = RNG.normal(size=90).round(3)
    group = np.array(list("abc") * 30)
    ill = (dose + RNG.normal(size=90) > 0) & (group != "c")
    columns = {"dose": dose, "group": group, "ill": np.where(ill, "yes", "no")}
    return write(tmp_path / "patients.csv", columns)


def cells(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.slow
def test_least_squares_from_the_table_to_the_audit(certo, houses, tmp_path):
    model, page = tmp_path / "m", tmp_path / "r.html"
    words = ["--target", "price", "--machine", "least-squares", "--out", model, "--report", page]
    said = certo("fit", houses, *words, "--test", "none", "--verbose")
    assert said.code == 0
    for text in (
        "LeastSquares for price (from ", "fitted to 80 rows;", "4 features:", "as they are",
        "for each level but the first", "the mean absolute error is", "P>|t|", "place = harbour",
        "R² is 0.9", "; residual standard error ", " on 75 degrees of freedom.",
        "compared with a reference level: place with 'centre'.", "LeastSquaresExcess",
    ):  # fmt: skip
        assert text in said.out
    checked = certo("verify", model, houses, "--verbose")
    assert checked.code == 0
    assert "✓ holds  LeastSquaresExcess  the objective is at most" in checked.out
    text = page.read_text()
    for words in ("Residuals", "Normal Q–Q plot", "R²", "std. error", "predicted"):
        assert words in text


def test_predictions_and_intervals_are_those_of_the_machine(certo, houses, tmp_path):
    model = tmp_path / "m"
    certo("fit", houses, "--target", "price", "--test", "none", "--out", model)
    table = cells(houses.read_text())
    levels = np.array([[row["place"] == level for level in ("harbour", "hill")] for row in table])
    numbers = np.array([[float(row["size"]), float(row["age"])] for row in table])
    X = np.hstack([numbers, levels])
    machine = LeastSquares().fit(X, [float(row["price"]) for row in table])
    found = cells(certo("predict", model, houses, "--interval", "0.9").out)
    assert list(found[0]) == ["row", "prediction", "low", "high"]
    np.testing.assert_allclose(
        [float(row["prediction"]) for row in found], machine.predict(X), rtol=1e-9
    )
    low, high = machine.predict_interval(X, 0.9)
    np.testing.assert_allclose([float(row["low"]) for row in found], low, rtol=1e-9)
    np.testing.assert_allclose([float(row["high"]) for row in found], high, rtol=1e-9)
    new = tmp_path / "new.csv"
    new.write_text("size,age,place\n100,10,moon\n")
    said = certo("predict", model, new, "--json")
    assert said.json["predictions"]
    assert "it counts as 'centre', which the others are compared with" in said.err
    assert certo("predict", model, houses, "--interval", "90").code == 2


def test_a_ridge_scales_and_keeps_all_levels(certo, houses):
    words = ["--target", "price", "--machine", "least-squares", "--ridge", "0.1", "--json"]
    facts = certo("fit", houses, *words).json
    assert facts["scale"] == "standard"
    assert facts["features"] == 5
    assert facts["references"] == {}
    assert facts["classes"] is None
    assert facts["settings"]["ridge"] == 0.1
    rows = facts["coefficients"]["rows"]
    assert [row["name"] for row in rows][:2] == ["size (scaled)", "age (scaled)"]
    assert all(row["standard_error"] is None for row in rows)


def test_an_option_of_another_machine(certo, patients):
    said = certo("fit", patients, "--target", "ill", "--machine", "logistic", "--C", "1")
    assert said.code == 2
    assert "logistic has no setting C: give ridge=1/(C·S), S being" in " ".join(said.err.split())
    assert "svm has no setting ridge. Its settings are C, " in " ".join(
        certo("fit", patients, "--target", "ill", "--machine", "svm", "--ridge", "1").err.split()
    )


@pytest.mark.slow
def test_notes_call_columns_by_their_names(certo, tmp_path):
    size = RNG.integers(1, 50, 30)
    columns = {"size": size, "twice": 2 * size, "age": RNG.integers(1, 9, 30)}
    table = write(tmp_path / "t.csv", columns | {"y": RNG.normal(size=30).round(3)})
    said = certo("fit", table, "--target", "y", "--machine", "least-squares", "--json").json
    assert said["coefficients"]["notes"][0].startswith("No standard error for size, twice: ")
    page = tmp_path / "r.html"
    out = certo("fit", table, "--target", "y", "--machine", "least-squares", "--report", page).out
    assert next(line for line in out.splitlines() if "size " in line).split()[2:] == ["–"] * 5
    assert "<td>–</td><td>–</td>" in page.read_text()


def test_facts_of_least_squares(certo, houses):
    facts = certo("fit", houses, "--target", "price", "--machine", "least-squares", "--json").json
    assert 0.9 < facts["r2"] < 1
    assert facts["training_error"] == pytest.approx(np.sqrt(facts["risk"]))
    assert facts["training_error"] < facts["deviation"]
    assert facts["rank"] == facts["features"] == 4
    (listed,) = facts["listed"]
    errors = [abs(row["label"] - row["predicted"]) for row in listed["rows"]]
    assert errors == sorted(errors, reverse=True)
    names = [row["name"] for row in facts["coefficients"]["rows"]]
    assert names == ["size", "age", "place = harbour", "place = hill", "intercept"]


def test_numbers_and_classes_are_told_apart(certo, houses, tmp_path):
    said = certo("fit", houses, "--target", "place", "--machine", "least-squares")
    assert said.code == 2
    assert "must hold numbers for a regression" in said.err
    said = certo("fit", houses, "--target", "price", "--machine", "logistic")
    assert said.code == 2
    assert "there is the machine least-squares" in said.err
    model = tmp_path / "m"
    certo("fit", EXAMPLES / "setosa.csv", "--target", "species", "--out", model)
    refused = certo("predict", model, EXAMPLES / "setosa.csv", "--interval", "0.9")
    assert refused.code == 2
    assert "--interval needs a regression, but this is a SVM" in refused.err


@pytest.mark.slow
def test_logistic_from_the_table_to_the_audit(certo, patients, tmp_path):
    model, page = tmp_path / "m", tmp_path / "r.html"
    words = ["--machine", "logistic", "--target", "ill", "--drop", "group", "--out", model]
    words += ["--test", "none"]
    said = certo("fit", patients, *words, "--report", page, "--verbose")
    assert said.code == 0
    for text in (
        "Converged: ", "yes against no", "P>|z|", "LogisticExcess", "; McFadden's R² is 0.",
    ):  # fmt: skip
        assert text in said.out
    assert certo("verify", model, patients).code == 0
    found = cells(certo("predict", model, patients).out)
    assert list(found[0]) == ["row", "prediction", "probability of no", "probability of yes"]
    table = cells(patients.read_text())
    X = np.array([[float(row["dose"])] for row in table])
    machine = LogisticRegression().fit(X, [row["ill"] for row in table])
    said = [float(row["probability of yes"]) for row in found]
    np.testing.assert_allclose(said, machine.predict_proba(X)[:, 1], rtol=1e-9)
    text = page.read_text()
    for words in ("Calibration: yes", "steps to the minimum", "estimate exists", "Coefficients"):
        assert words in text
    assert "not an estimate" not in text


@pytest.mark.slow
def test_a_separation_is_told_first_by_columns_and_rows_of_the_file(certo, patients, tmp_path):
    model, page = tmp_path / "m", tmp_path / "r.html"
    words = ["--machine", "logistic", "--target", "ill", "--out", model, "--report", page]
    said = certo("fit", patients, *words, "--test", "none")
    assert said.code == 0
    assert "There is no maximum-likelihood estimate" in said.out
    assert "column 'group = c'" in said.out
    assert "(rows 3, 6, 9, … 30 in all)" in said.out, "the first row after the header is 1"
    assert "P>|z|" not in said.out
    checked = certo("verify", model, patients)
    assert checked.code == 0
    assert "NoEstimate" in checked.out
    text = page.read_text()
    assert 'role="alert"' in text
    assert "which are not an estimate" in text
    assert "Coefficients: yes" not in text, "no picture of arbitrary numbers"
    facts = certo("fit", patients, *words[:4], "--test", "none", "--json").json
    assert facts["estimate_exists"] is False
    (separated,) = facts["listed"]
    assert {row["row"] for row in separated["rows"]} == set(range(3, 91, 3))


def test_on_separation_setting_is_obeyed(certo, patients):
    words = ["--machine", "logistic", "--target", "ill"]
    refused = certo("fit", patients, *words, "--set", "on_separation=raise")
    assert refused.code == 2
    assert "column 'group = c'" in refused.err
    held = certo("fit", patients, *words, "--set", "on_separation=ridge", "--json").json
    assert held["ridge"] > 0
    assert "a fit with a ridge replaces it" in held["warning"]
    ridge = certo("fit", patients, *words, "--ridge", "0.01", "--json").json
    assert ridge["warning"] is None
    assert ridge["scale"] == "standard"


def test_several_columns_that_separate_together_are_counted_from_one_too(certo, tmp_path):
    a, b = RNG.integers(0, 9, (2, 40))
    columns = {"a": a, "b": b, "kind": np.where(a + b > 8, "up", "down")}
    table = write(tmp_path / "t.csv", columns | {"gap": ["", *[1] * 39]})
    words = "--machine", "logistic", "--missing", "drop", "--test", "none"
    out = certo("fit", table, "--target", "kind", *words).out
    assert "2 columns together separate some classes (rows 2, 3, 4, … 39 in all)" in out


def test_a_ridge_leaves_weights_in_the_units_of_the_table(certo, patients):
    said = certo("fit", patients, "--target", "ill", "--machine", "logistic", "--set", "ridge=0.1")
    assert "Weights, in the units of the table, the most influential first" in said.out
    assert "(scaled)" not in said.out
    assert "No standard errors: a ridge adds a bias" in said.out
