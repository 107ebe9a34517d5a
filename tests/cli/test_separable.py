"""certo separable: yes with the hyperplane, no with the rows that prove it."""

from __future__ import annotations

import json
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from certo.certificates import Certificate, ClassSeparability, Inseparable, Separable
from certo.report.findings import shown_weight

EXAMPLES = Path(__file__).parents[2] / "examples"
XOR = "x1,x2,kind\n0,0,same\n1,1,same\n0,1,other\n1,0,other\n"
AND = "x1,x2,kind\n0,0,no\n1,1,yes\n0,1,no\n1,0,no\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_no_is_said_with_the_rows_and_their_weights(certo, written):
    said = certo("separable", written(XOR), "--target", "kind")
    assert said.code == 1
    assert "No. No hyperplane separates 'same' from 'other'" in said.out
    for row, (label, x1, x2) in enumerate([("same", 0, 0), ("same", 1, 1), ("other", 0, 1)], 1):
        assert f"row {row} ({label}), weight 1/4: x1 {x1}, x2 {x2}" in said.out
    assert "both classes have the same mean: x1 0.5, x2 0.5" in said.out
    assert said.err == ""


def test_yes_is_said_with_the_hyperplane_by_column(certo, written):
    said = certo("separable", written(AND), "--target", "kind")
    assert said.code == 0
    assert "Yes. A hyperplane separates 'yes' from 'no'" in said.out
    assert re.search(r"^ +[+-][\d.e+-]+ × x1$", said.out, re.M)
    facts = certo("separable", written(AND), "--target", "kind", "--json").json
    (answer,) = facts["answers"]
    w = np.array([answer["coefficients"][name] for name in ("x1", "x2")])
    scores = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]) @ w + answer["intercept"]
    assert (scores > 0).tolist() == [False, True, False, False]
    assert np.min(np.abs(scores)) / np.linalg.norm(w) >= answer["margin"] > 0


def test_the_json_holds_a_certificate_that_anyone_can_check(certo, written):
    X = [[0, 0], [1, 1], [0, 1], [1, 0]]
    for text, code, kind in ((XOR, 1, Inseparable), (AND, 0, Separable)):
        said = certo("separable", written(text), "--target", "kind", "--json")
        assert said.code == code
        assert said.json["separable"] == (code == 0)
        assert {"target", "classes", "examples", "features", "columns", "scale", "notes",
                "data_fingerprint", "intercept", "report_file"} <= set(said.json)  # fmt: skip
        y = [line.rpartition(",")[2] for line in text.split()[1:]]
        certificate = Certificate.from_dict(said.json["certificate"])
        assert isinstance(certificate, kind)
        assert certificate.verify(X, y)


def test_numbers_are_taken_as_they_are_unless_scaling_is_asked_for(certo, written):
    plain = certo("separable", written(XOR), "--target", "kind", "--json").json
    scaled = certo(
        "separable", written(XOR), "--target", "kind", "--scale", "standard",
        "--intercept", "none", "--json",
    ).json  # fmt: skip
    assert (plain["scale"], scaled["scale"]) == ("none", "standard")
    assert [item["weight"] for item in plain["answers"][0]["proof"]] == ["1/4"] * 4
    assert any("scaled" in note for note in scaled["notes"])
    assert plain["separable"] == scaled["separable"] is False
    moot = certo(
        "separable", written(XOR), "--target", "kind", "--scale", "standard", "--json"
    ).json
    assert moot["scale"] == "none"
    assert moot["answers"] == plain["answers"]


def test_rows_are_those_of_the_file_even_if_some_are_left_out(certo, written):
    lines = XOR.splitlines()
    text = "\n".join([lines[0], ",7,same", lines[1], "8,,other", *lines[2:]])
    said = certo("separable", written(text), "--target", "kind", "--missing", "drop", "--json")
    proof = said.json["answers"][0]["proof"]
    assert [item["row"] for item in proof] == [2, 4, 5, 6]
    assert [item["label"] for item in proof] == ["same", "same", "other", "other"]
    assert proof[1]["values"] == {"x1": 1, "x2": 1}


def test_hyperplanes_through_the_origin(certo, written):
    line = written("x,kind\n1,a\n2,b\n")
    assert certo("separable", line, "--target", "kind").code == 0
    said = certo("separable", line, "--target", "kind", "--intercept", "none")
    assert said.code == 1
    assert "through the origin" in said.out
    odd = certo("separable", line, "--target", "kind", "--intercept", "lifted")
    assert odd.code == 2
    assert "'free' or 'none'" in odd.err


def test_one_class_is_separable(certo, written):
    said = certo("separable", written("x,kind\n1,a\n2,a\n"), "--target", "kind")
    assert said.code == 0
    assert "one class alone" in said.out


@pytest.mark.slow
def test_several_classes_in_a_small_table(certo, tmp_path):
    page = tmp_path / "r.html"
    said = certo("separable", EXAMPLES / "iris.csv", "--target", "species", "--report", page)
    assert said.code == 1
    assert "row 84 (versicolor against virginica), weight about 0." in said.out
    for line in (
        "yes setosa from the rest: at a distance of at least",
        "no  versicolor from the rest: rows",
        "no  versicolor and virginica: rows",
    ):
        assert line in said.out
    facts = certo("separable", EXAMPLES / "iris.csv", "--target", "species", "--json").json
    assert [answer["question"] for answer in facts["answers"]] == [
        "jointly", *["from the rest"] * 3, *["pair"] * 3
    ]  # fmt: skip
    table = np.genfromtxt(EXAMPLES / "iris.csv", delimiter=",", skip_header=1, usecols=range(4))
    y = [line.rpartition(",")[2] for line in (EXAMPLES / "iris.csv").read_text().split()[1:]]
    assert ClassSeparability.from_dict(facts["certificate"]).verify(table, y)
    pair = facts["answers"][-1]
    for item in pair["proof"]:  # numbered in the file, not among the examples of the two classes
        assert y[item["row"] - 1] == item["label"]
        assert list(item["values"].values()) == table[item["row"] - 1].tolist()


def test_classes_that_scores_can_tell(certo, written):
    text = "x,kind\n0,a\n1,b\n2,b\n3,c\n4,c\n"
    said = certo("separable", written(text), "--target", "kind")
    assert said.code == 0
    assert "no  b from the rest" in said.out
    facts = certo("separable", written(text), "--target", "kind", "--json").json
    first = facts["answers"][0]
    w = np.array([one["x"] for one in first["coefficients"]])
    scores = np.multiply.outer(np.arange(5), w) + first["intercept"]
    assert np.argmax(scores, axis=1).tolist() == [0, 1, 1, 2, 2]


def test_categories_and_many_columns(certo, written):
    text = "colour,n,kind\nred,1,a\nblue,1,b\nred,2,a\nblue,2,b\n"
    facts = certo("separable", written(text), "--target", "kind", "--json").json
    assert set(facts["answers"][0]["coefficients"]) == {"n", "colour = blue", "colour = red"}
    rng = np.random.default_rng(0)
    X, names = rng.integers(0, 3, (60, 30)), ",".join(f"c{j}" for j in range(30))
    rows = [",".join(map(str, row)) + f",{'ab'[k % 2]}" for k, row in enumerate(X)]
    wide = written("\n".join([names + ",kind", *rows]), "wide.csv")
    said = certo("separable", wide, "--target", "kind")
    assert said.code in (0, 1)
    assert "more (--report, --json)" in said.out


@pytest.mark.slow
def test_the_report_shows_the_rows_and_holds_the_facts(certo, written, tmp_path):
    page = tmp_path / "r.html"
    said = certo("separable", written(XOR), "--target", "kind", "--report", page, "--json")
    text = page.read_text()
    assert json.loads(re.search(r'id="facts">(.*?)</script>', text)[1]) == said.json
    assert "Is “kind” linearly separable? No." in text
    assert text.count("<svg") == 1
    assert text.count("<td>1/4</td>") == 4
    assert "http" not in text
    assert sorted(os.listdir(tmp_path)) == ["r.html", "table.csv"]
    certo("separable", written(AND), "--target", "kind", "--report", page)
    assert "The hyperplane" in page.read_text()


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("x,y\n1,a\nnan,b\n", [], "row 2 it is missing"),
        ("x,z\n1,a\n2,b\n", [], "no target column 'y'"),
        ("x,y\n1,0.5\n2,0.7\n", [], "looks continuous"),
        ("x,y\n1e200,a\n1,b\n", [], "1e+200"),
        ("x,y\n1,a\n2,b\n", ["--scale", "robust"], "'standard' or 'none'"),
        ("x,y\n1,a\n2,b\n", ["--report", "no/such/folder/r.html"], "folder"),
    ],
)
def test_unusable_input_is_refused(certo, written, tmp_path, text, options, expected):
    said = certo("separable", written(text), "--target", "y", *options)
    assert said.code == 2
    assert expected in said.err
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_separator_too_fine_for_floats_is_no_fault_of_ours(certo, written, monkeypatch):
    def too_fine(*_, **limits):
        raise ArithmeticError("the hyperplane is too fine")

    monkeypatch.setattr("certo.tables.separable.separability", too_fine)
    said = certo("separable", written(XOR), "--target", "kind")
    assert said.code == 2
    assert "too fine" in said.err


@pytest.mark.parametrize(
    ("weight", "shown"),
    [
        (Fraction(1, 3), "1/3"),
        (Fraction(10**400, 3 * 10**400 + 1), "about 0.333333"),
        (Fraction(1, 7**6000), "nearly 0"),
    ],
)
def test_weights_are_shortened_when_long(weight, shown):
    assert shown_weight(weight) == shown


def test_a_limit_that_strikes_is_said_and_a_wrong_one_refused(certo, written):
    said = certo("separable", written(XOR), "--target", "kind", "--time-limit", "1e-9")
    assert said.code == 2
    assert "separability was not decided within the limit of 1e-09 s" in said.err
    said = certo("separable", written(XOR), "--target", "kind", "--time-limit", "0")
    assert said.code == 2
    assert "must be seconds above 0" in said.err
