"""The output of `certo fit`: one screen, the verdict first, nothing twice."""

from __future__ import annotations

import re

import numpy as np
import pytest

from certo.cli.fit_output import new_rows
from tests.cli.conftest import IRIS

SHORES = IRIS.with_name("shores.csv")
MAX_LINES = 35


def test_what_was_fitted_to_what_and_the_statement_about_new_rows_come_first(certo):
    said = certo("fit", IRIS, "--target", "species")
    first, second = said.out.splitlines()[:2]
    assert first == (
        "SVM for species (setosa, versicolor, virginica), fitted to 120 rows; 30 rows, drawn at "
        "random (seed 0), were held out to test it."
    )
    facts = certo("fit", IRIS, "--target", "species", "--json").json
    errors, rate = facts["test"]["errors"], facts["bound"]["error_rate"]
    found = re.fullmatch(
        r"On new rows like these, the error rate is at most (\S+) % \(95 % confidence\): "
        rf"{errors} of 30 test rows are wrong\.",
        second,
    )
    assert rate <= float(found[1]) / 100 <= rate + 1e-3
    assert len(said.out.splitlines()) <= MAX_LINES
    assert "petal_width" in said.out
    lines = [line for line in said.out.splitlines() if line]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("test", ["none", "0.5"])
def test_other_test_rows(certo, test):
    words = "--target", "species", "--test", test
    said, facts = certo("fit", IRIS, *words), certo("fit", IRIS, *words, "--json").json
    if test == "none":
        assert "fitted to 150 rows; no row was held out" in said.out
        assert "Nothing is proved about new rows" in said.out
        assert facts["test"] is facts["bound"] is None
    else:
        assert "fitted to 75 rows; 75 rows" in said.out
        assert facts["test"]["share"] == 0.5


def test_seeds_draw_other_rows(certo):
    words = "fit", IRIS, "--target", "species", "--json"
    first, same, other = (certo(*words, "--seed", seed).json for seed in (0, 0, 1))
    assert first["wrong"] == same["wrong"]
    assert (first["test"]["seed"], other["test"]["seed"]) == (0, 1)
    assert first["weights"] == same["weights"] != other["weights"]
    assert other["settings"]["random_state"] == 1


def test_of_few_rows_none_is_held_out_and_that_is_said(certo, tmp_path):
    table = tmp_path / "t.csv"
    for rows in (39, 40):
        table.write_text("a,y\n" + "".join(f"{i},{'uv'[i % 2]}\n" for i in range(rows)))
        out = certo("fit", table, "--target", "y").out
        assert ("no row was held out to test it" in out) == (rows == 39)
    assert certo("fit", table, "--target", "y", "--test", "0.1", "--json").json["test"]["rows"] == 4


def test_a_bound_that_is_weaker_than_guessing_is_no_headline(certo, tmp_path):
    random = np.random.default_rng(0)
    table = tmp_path / "t.csv"
    kinds = np.where(random.random(60) < 0.1, "rare", "usual")
    table.write_text("a,y\n" + "".join(f"{random.normal()},{kind}\n" for kind in kinds.tolist()))
    said = certo("fit", table, "--target", "y")
    second = said.out.splitlines()[1]
    assert re.match(r"\d of 12 test rows (is|are) wrong; the bound for new rows, ", second)
    assert (
        "is weaker than guessing: always answering “usual”, the most frequent class of the test "
        in (second)
    )
    assert certo("fit", table, "--target", "y", "--json").json["bound"]["weaker_than_guessing"]


def test_so_it_is_for_a_number(certo, tmp_path):
    random = np.random.default_rng(0)
    table = tmp_path / "t.csv"
    pairs = random.normal(size=(100, 2)).tolist()
    table.write_text("a,y\n" + "".join(f"{a},{y}\n" for a, y in pairs))
    second = certo("fit", table, "--target", "y").out.splitlines()[1]
    assert re.match(
        r"On new rows like these, at least \S+ % of the values are within \S+ of the prediction; "
        r"the bound on the mean absolute error, \S+, is weaker than guessing: always predicting "
        r"\S+, the mean of the training rows, has (\S+) on the test rows \(95 % confidence for "
        r"both; an error above (\S+) counts as \2\)\.$",
        second,
    )
    said = certo("fit", table, "--target", "y", "--json").json
    bound, usual = said["bound"], said["performance"]["test"]["usual_absolute_error"]
    assert bound["weaker_than_guessing"]
    assert bound["guessing"] == pytest.approx(usual)
    assert bound["mean"] > usual


def test_a_machine_is_chosen_by_cross_validation(certo):
    said = certo("fit", SHORES, "--target", "shore", "--machine", "auto")
    assert "Chosen by 5-fold cross-validation on 192 training rows (error):" in said.out
    assert "* svm, Gaussian kernel" in said.out
    assert "of the 192 training rows (its supports)" in said.out
    assert len(said.out.splitlines()) <= MAX_LINES


def test_numbers_are_predicted_as_numbers_unless_classes_are_asked_for(certo):
    out = certo("fit", IRIS, "--target", "petal_width").out
    assert out.startswith("LeastSquares for petal_width (from 0.1 to 2.5), fitted to 120 rows;")
    assert "22 different numbers, taken as a number to predict (--task classes" in out
    assert "Test rows that are farthest off" in out


def test_of_many_pairs_those_of_most_rows_are_shown_as_wide_as_a_line(certo, tmp_path):
    random = np.random.default_rng(0)
    names = ["a rare kind", "a common kind", "another common kind"]
    kinds = random.choice(names, 300, p=[0.1, 0.4, 0.5]).tolist()
    table = tmp_path / "t.csv"
    table.write_text("a,b,y\n" + "".join(f"{len(k) + random.normal()},1.5,{k}\n" for k in kinds))
    lines = certo("fit", table, "--target", "y").out.splitlines()
    head = lines[lines.index("Weights, in the units of the table, the most influential first") + 1]
    assert head.split() == [
        "for",
        "'a",
        "common",
        "kind'",
        "against",
        "'another",
        "common",
        "kind'",
    ]
    assert "  … and the scores for 2 more (--json)" in lines


def test_what_follows_from_which_rows():
    bound = {
        "error_rate": 0.125, "claim": "SupportBound", "on_test": False, "among": 2,
        "guessing": 0.4, "weaker_than_guessing": False,
    }  # fmt: skip
    test = {"rows": 30, "errors": 1, "ties": 0}
    said = {"classes": ["a", "b"], "delta": 0.05, "test": test, "bound": bound, "test_file": None}
    said["performance"] = {"usual": "a"}
    assert new_rows(said) == (
        "On new rows like these, the error rate is at most 12.5 % (95 % confidence, corrected for "
        "the choice among 2 bounds), by its SupportBound; 1 of 30 test rows is wrong."
    )
    said["test"], bound["weaker_than_guessing"] = None, True
    assert new_rows(said).startswith("The bound for new rows, 12.5 % (95 % confidence, corrected")
    said["test"], said["bound"], said["test_file"] = test | {"ties": 1}, None, "t.csv"
    assert new_rows(said) == (
        "Up to 1 of 30 test rows is wrong (1 too close to call). Nothing is proved about new rows."
    )


def test_the_largest_coefficients_come_first_and_large_numbers_are_written_out(certo, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 12)) * 10.0 ** np.arange(-6, 6)
    y = X @ (np.arange(12) * 10.0 ** -np.arange(-6, 6)) * 1e5 + random.normal(size=200)
    lines = [",".join([*(f"c{j}" for j in range(12)), "y"])]
    lines += [",".join(map(repr, [*row, value])) for row, value in zip(X.tolist(), y.tolist())]  # noqa: B905
    table = tmp_path / "t.csv"
    table.write_text("\n".join(lines))
    out = certo("fit", table, "--target", "y").out
    shown = re.findall(r"^  (c\d+|intercept) ", out, re.MULTILINE)
    assert shown == [*(f"c{j}" for j in range(11, 3, -1)), "intercept"]
    assert "… and 4 more (--verbose, --json)" in out
    assert re.search(r"are within \d\S* of the prediction", out)
    assert "c0 " in certo("fit", table, "--target", "y", "--verbose").out


def test_of_unequal_classes_with_many_errors(certo, tmp_path):
    """How many rows of the rarest class are found, what --json lists, and what to do next."""
    rng = np.random.default_rng(0)
    table, kind = tmp_path / "t.csv", rng.random(2000) < 0.3
    rows = [
        f"{x:.3f},{'yes' if is_one else 'no'}"
        for x, is_one in zip(rng.normal(size=2000), kind, strict=True)
    ]
    table.write_text("\n".join(["x,kind", *rows]))
    words = "fit", table, "--target", "kind", "--test", "0.4", "--seed", "3"
    said, facts = certo(*words), certo(*words, "--json").json
    found = facts["performance"]["test"]["per_class"][1]
    assert found["label"] == "yes"
    assert found["recall"] == 0
    assert f"Of the {found['rows']} test rows of class “yes”, 0 are found." in said.out
    assert len(facts["wrong"]["rows"]) == 50 < facts["wrong"]["total"]
    listed = facts["performance"]["test"]["wrong"][0]
    assert listed["values"] == {"x": float(rows[listed["row"] - 1].split(",")[0])}
    more = facts["wrong"]["total"] - 5
    assert f"… and {more} more (--json lists the first 50)" in said.out
    again = f"certo compare {table} --target kind --test 0.4 --seed 3"
    assert said.out.endswith(f"Compare it with other machines: {again}\n")
    assert facts["compare_with"] == again
    assert certo(*words, "--machine", "svm", "--json").json["compare_with"] is None
