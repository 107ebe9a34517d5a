"""The report of a fit: its sections for tables of many shapes, its numbers as computed apart."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pyarrow as pa
import pytest

from certo.report import facts, html_report
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut
from certo.tables.settings import machine
from tests.report.test_page import Page

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 150))
TWO = np.where(A + RNG.normal(size=150) > 0, "yes", "no")
THREE = np.array(["low", "mid", "top"])[np.digitize(A + RNG.normal(size=150), [-0.7, 0.7])]
NUMBER = 100 + 20 * A + RNG.normal(size=150)
SECTIONS = [
    "How good", "What it looks at", "Where it is wrong", "The machine", "What is proved",
    "How to reproduce",
]  # fmt: skip


def report_of(y, name, *settings, share=0.2, columns=None, **choices):
    table = pa.table((columns or {"a": A, "b": B, "zone": list("uvw") * 50}) | {"y": y})
    held_out = HeldOut(share, 3) if share else None
    with warnings.catch_warnings(action="ignore"):
        fitted = fit_table(table, "y", machine(name, list(settings)), held_out=held_out, **choices)
    said = facts(fitted) | {"model_fingerprint": "f00", "verify_with": "certo verify m t.csv"}
    said["command"] = "certo fit 'a & b.csv' --target y"
    return html_report(fitted, said), said, fitted


@pytest.fixture(scope="module")
def pages(undrawn):
    with undrawn():
        return {
            "two": report_of(TWO, "svm"),
            "three": report_of(THREE, "svm"),
            "kernel": report_of(TWO, "svm", "kernel=Gaussian(1.0)"),
            "several kernels": report_of(THREE, "kernel-perceptron", "kernel=Gaussian(1.0)"),
            "logistic": report_of(TWO, "logistic"),
            "logistic, three": report_of(THREE, "logistic"),
            "squares": report_of(NUMBER, "least-squares"),
            "ridge": report_of(NUMBER, "least-squares", "ridge=0.1"),
            "alone": report_of(TWO, "svm", share=0),
            "numbers alone": report_of(NUMBER, "least-squares", share=0),
            "one feature": report_of(TWO, "svm", columns={"a": A}),
            "one number": report_of(NUMBER, "least-squares", columns={"a": A}),
        }


NAMES = [
    "two", "three", "kernel", "several kernels", "logistic", "logistic, three", "squares", "ridge",
    "alone", "numbers alone", "one feature", "one number",
]  # fmt: skip


def test_all_pages_are_looked_at(pages):
    assert list(pages) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_sections_come_in_order_and_can_be_reached(pages, name):
    text, said, _ = pages[name]
    page = Page(text)
    shown = text.partition('<script type="application/json"')[0]
    places = [shown.index(f">{section}</h2>") for section in SECTIONS]
    assert places == sorted(places)
    assert {link[1:] for link in page.links if link[0] == "#"} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert "http" not in text
    assert text.count("<details>") == text.count("</details>")
    assert "nan" not in re.sub("<[^>]*>", "", shown).replace("dominant", "").split()
    assert "None," not in shown
    assert re.search(r"[a-z]\.[A-Z]", page.text.partition(":root")[0]) is None
    for rule in ("@media print", "prefers-color-scheme: dark", "max-width: 36rem"):
        assert rule in text
    for words in (said["command"], "scikit-learn", said["data_fingerprint"], said["status"]):
        assert words in page.text


@pytest.mark.parametrize("name", NAMES)
def test_question_answer_bound_and_verdict_are_on_the_first_screen(pages, name):
    text, said, _ = pages[name]
    head = text[text.index("<h1>") : text.index('<h2 id="good"')]
    for word in ("How well does", "<dt>Answer</dt>", "<dt>Bound</dt>", "<dt>Verdict</dt>"):
        assert word in head
    proved = [claim["plain"] for claim in said["claims"] if claim["type"] == "TestDistances"]
    bound = [*said["in_words"], *proved, "Nothing is proved about new rows."][0]
    assert bound in Page(head).text
    assert bool(proved) == (name in ("squares", "ridge", "one number"))
    assert ("seed 3" in text) == (said["held_out"] is not None)


def test_accuracy_and_confusion_are_those_of_the_predictions(pages):
    for name in ("two", "three", "kernel", "several kernels", "logistic"):
        text, _, fitted = pages[name]
        X, y = fitted.test.pair
        predicted = fitted.model.machine.predict(X)
        right = f"{100 * np.mean(predicted == y):.1f}\u202f%"
        assert f"<tr><td>predictions that are right</td><td>{right}</td>" in text
        part = text[text.index("Confusion matrix of the test rows") :]
        part = part[: part.index("</table>")]
        rows = re.findall("<tr>(.*?)</tr>", part)[1:]
        for row, true in zip(rows, np.unique(y), strict=True):
            cells = list(map(int, re.findall(r"<td[^>]*>(\d+)</td>", row)))
            wanted = [np.sum((y == true) & (predicted == k)) for k in fitted.model.machine.classes_]
            assert cells == [*wanted, np.sum(y == true)]


def test_rows_that_are_wrong_are_listed_with_their_numbers_in_the_file(pages):
    text, _, fitted = pages["two"]
    part = text[text.index('id="wrong"') : text.index("Training rows</h3>")]
    rows = re.findall(r"<tr><td>(\d+)</td><td>(\w+)</td><td>(\w+)</td><td>([-.\de]+)</td>", part)
    predicted = fitted.model.machine.predict(fitted.test.X)
    wrong = fitted.test.places[predicted != fitted.test.y]
    assert sorted(int(row[0]) for row in rows) == sorted(wrong.tolist())
    for row, true, said, _ in rows:
        assert TWO[int(row) - 1] == true != said


def test_regression_shows_its_usual_numbers(pages):
    text, said, _ = pages["squares"]
    fit = said["coefficients"]["fit"]
    for words in ("adjusted R²", "P&gt;F", "AIC", "BIC", "on 4 and 115 degrees"):
        assert words in text
    for value in (fit["adjusted_r2"], fit["aic"], fit["bic"], fit["f_statistic"]):
        assert f"{value:.3g}" in text or f"{value:,.0f}" in text
    for title in ("Residuals", "Normal Q–Q plot of the residuals", "Leverage"):
        assert f"<svg>{title}</svg>" in text
    assert "Leverage" not in pages["ridge"][0]
    assert "true − predicted" in text


def test_logistic_regression_shows_odds_ratios_and_tests(pages):
    text, said, fitted = pages["logistic"]
    first = said["coefficients"]["rows"][0]
    assert first["odds_ratio"] == pytest.approx(np.exp(fitted.model.machine.coef_[0, 0]))
    low, high = first["odds_ratio_low"], first["odds_ratio_high"]
    assert f"<td>{first['odds_ratio']:.3g}</td><td>{low:.3g}</td><td>{high:.3g}</td>" in text
    examples = fitted.examples
    tests = fitted.model.machine.likelihood_ratio_tests(examples.X, examples.y)
    assert [row["statistic"] for row in said["tests"]["rows"]] == [row.statistic for row in tests]
    assert "Likelihood-ratio tests" in text
    assert "<svg>Calibration: yes</svg>" in text


def test_curves_are_of_the_test_rows_where_there_are_any(pages):
    for name, which in (("two", "test rows"), ("alone", "training rows")):
        text, _, _ = pages[name]
        assert f"<h3>On the {which}</h3>" in text
        assert "<svg>ROC curve: yes</svg>" in text
        assert "<svg>Precision–recall curve: yes</svg>" in text
    assert "ROC curve" not in pages["three"][0]
    assert "No test rows were given or held out" in pages["alone"][0]


def test_weights_are_shown_in_both_units(pages):
    text, said, fitted = pages["two"]
    (output,) = said["weights"]
    part = text[text.index('id="weights"') : text.index('id="wrong"')]
    for row in output["rows"]:
        cells = f"<td>{row['name']}</td><td>{row['original']:.3g}</td><td>{row['scaled']:.3g}</td>"
        assert cells in part
    assert part.count('style="--w:') == len(output["rows"]) == fitted.examples.X.shape[1]
    assert "columns have no weights" in pages["kernel"][0]


def test_claims_name_their_page_of_the_documentation(pages):
    text, said, _ = pages["two"]
    assert {claim["type"] for claim in said["claims"]} >= {"SoftMarginGap", "TestErrors"}
    assert "see docs/certificates/soft-margin-gap.md" in text
    assert "see docs/certificates/errors.md" in text


@pytest.mark.slow
def test_many_columns_and_hostile_names_make_a_page_of_moderate_size():
    nasty = "</td><script>alert('{{ 1 }}')</script>&amp; _$x$"
    X = RNG.normal(size=(60, 500))
    columns = {f"{nasty}{j}": X[:, j] for j in range(500)}
    kinds = np.where(X[:, 0] > 0, "<b>" + nasty, nasty)
    text, said, _ = report_of(kinds, "svm", columns=columns)
    assert len(text) < 1_000_000
    assert "<script>" not in text
    assert "<b>&lt;" not in text
    assert Page(text).tags.count("script") == 1
    assert len(said["weights"][0]["rows"]) == 500
    assert "The largest 100 of 500 weights." in text


@pytest.mark.slow
def test_points_of_pictures_say_which_row_they_are():
    text, _, fitted = report_of(TWO, "svm", share=0.5)
    named = {int(row) for row in re.findall("<title>row (\\d+)</title>", text)}
    assert named == set(fitted.examples.places.tolist())


@pytest.mark.slow
def test_test_rows_of_a_file_have_numbers_of_that_file(undrawn):
    others = pa.table({"a": [9.0, -9.0], "b": [0.0, 0.0], "zone": ["u", "v"], "y": ["no", "no"]})
    with undrawn():
        text, said, _ = report_of(TWO, "svm", share=0, test=others)
    assert "2 rows of the test table" in text
    assert "number in the file of test rows" in text
    assert said["performance"]["test"]["wrong"][0]["row"] == 1
    assert "<svg>ROC" not in text  # The test rows have one class only.


def test_rows_left_out_are_told_once_after_what_is_proved(undrawn):
    draw = np.random.default_rng(0)
    x, z = draw.normal(size=(2, 80))
    y = 3 * x + draw.normal(size=80)
    table = pa.table({"x": [None, *x[1:]], "z": z, "y": y})
    fitted = fit_table(
        table, "y", machine("least-squares", ()), missing="drop", held_out=HeldOut(0.25)
    )
    said = facts(fitted) | {"model_fingerprint": None, "verify_with": None}
    with undrawn():
        shown = html_report(fitted, said).split('<script type="application/json"')[0]
    assert len(said["remarks"]) == 1
    assert said["remarks"][0] in said["notes"]
    assert shown.count(said["remarks"][0]) == 1
    proved = shown[shown.index("What is proved</h2>") :]
    (claim,) = (one for one in said["claims"] if one["type"] == "TestDistances")
    assert shown.count(claim["plain"]) == 2  # At the top of the page, and in the list.
    assert proved.index(claim["plain"]) < proved.index(said["remarks"][0])
