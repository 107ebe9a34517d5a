"""certo proof, and certo verify with test examples."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from pathlib import Path

import pytest

from certo.tables.model_file import load_model
from certo.verify import verify_folder

IRIS = Path(__file__).parents[2] / "examples" / "iris.csv"


@pytest.fixture
def parts(tmp_path):
    """The shipped table in two: to learn from, and to test on."""
    with open(IRIS, newline="") as file:
        head, *rows = csv.reader(file)
    for name, some in (("train.csv", rows[::2]), ("test.csv", rows[1::2])):
        with open(tmp_path / name, "w", newline="") as file:
            csv.writer(file).writerows([head, *some])
    return tmp_path / "train.csv", tmp_path / "test.csv"


def test_a_proof_is_written_and_checked_without_the_model(certo, iris, tmp_path):
    model, table = iris
    said = certo("proof", model, table, "--out", tmp_path / "p")
    assert said.code == 0
    assert "✓ holds  TrainingErrors (all classes)" in said.out
    assert f"python -m certo.verify {tmp_path / 'p'}" in said.out
    assert verify_folder(tmp_path / "p").code == 0
    written = json.loads((tmp_path / "p" / "proof.json").read_text())
    assert written["about"]["target"] == "species"
    first = written["features"][0]
    assert set(first) == {"name", "column", "mean", "scale"}
    without_table = certo("verify", tmp_path / "p")
    assert without_table.code == 2
    assert f"python -m certo.verify {tmp_path / 'p'} checks it" in without_table.err
    again = certo("proof", model, table, "--out", tmp_path / "p", "--json")  # over the last
    assert again.json["folder"] == str(tmp_path / "p")
    assert again.json["audit"]["passed"]
    assert certo("proof", model, table, "--out", tmp_path).code == 2  # holds the model


def test_refuted_claims_are_not_written(certo, iris, parts, tmp_path):
    said = certo("proof", iris[0], parts[0], "--out", tmp_path / "p")
    assert said.code == 1
    assert "Nothing was written." in said.out
    assert not (tmp_path / "p").exists()


@pytest.mark.slow
def test_claims_about_test_examples_need_them(certo, parts, tmp_path):
    train, test = parts
    model = tmp_path / "m"
    words = "--target", "species", "--out", model, "--machine", "svm"
    assert certo("fit", train, *words, "--test", test).code == 0
    said = certo("verify", model, train, "--test", test)
    assert said.code == 0
    assert "✓ holds  TestErrors (all classes)" in said.out
    said = certo("verify", model, train)
    assert said.code == 3
    assert "1 claim about test rows: give them with --test FILE." in said.out
    assert certo("verify", model, train, "--json").json["unchecked"] == 1
    assert certo("verify", model, train, "--test", train).code == 1  # other rows
    assert certo("proof", model, train, "--out", tmp_path / "p").code == 3
    assert certo("proof", model, train, "--test", test, "--out", tmp_path / "p").code == 0
    assert (tmp_path / "p" / "test.npz").exists()
    assert verify_folder(tmp_path / "p").code == 0


def test_test_examples_may_be_added_to_a_proof(certo, parts, tmp_path):
    (table, test), model, folder = parts, tmp_path / "m", tmp_path / "p"
    words = "--target", "species", "--test", "none", "--out", model
    assert certo("fit", table, *words).code == 0
    said = certo("proof", model, table, "--test", test, "--out", folder, "--json").json
    assert said["audit"]["same_test"]
    assert said["audit"]["best"]["on_test"]
    found = verify_folder(folder).to_dict()["claims"]
    assert found[-1]["type"] == "TestErrors"


@pytest.fixture
def tested(certo, parts, tmp_path):
    """A model with a claim about test rows: (model file, table, test table)."""
    train, test = parts
    model = tmp_path / "m"
    words = "--target", "species", "--machine", "svm", "--out", model, "--test", test
    assert certo("fit", train, *words).code == 0
    return model, train, test


@pytest.mark.slow
def test_test_rows_are_those_of_the_fit_or_not(certo, tested, tmp_path):
    model, train, test = tested
    said = certo("verify", model, train, "--test", test, "--verbose")
    assert "✓ The test rows are those of the fit." in said.out
    lines = test.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")  # the claim still holds
    said = certo("verify", model, train, "--test", other)
    assert said.code == 3
    assert "✗ The test rows are NOT those of the fit" in said.out
    found = certo("verify", model, train, "--test", other, "--json").json
    assert (found["same_test"], found["best"], found["claims_hold"]) == (False, None, True)
    said = certo("proof", model, train, "--test", other, "--out", tmp_path / "p")
    assert (said.code, (tmp_path / "p").exists()) == (3, False)
    assert certo("proof", model, train, "--test", test, "--out", tmp_path / "p").code == 0
    about = json.loads((tmp_path / "p" / "proof.json").read_text())["about"]
    assert about["test_table"] == load_model(model).model.test_fingerprint != about["table"]


@pytest.mark.slow
def test_best_bound_is_repeated_by_verify_and_proof(certo, tested, tmp_path):
    model, train, test = tested
    words = "--target", "species", "--machine", "svm", "--test", test
    said = certo("fit", train, *words, "--json").json
    found = certo("verify", model, train, "--test", test)
    assert found.out.splitlines()[1] == said["in_words"][0]
    found = certo("verify", model, train, "--test", test, "--json").json
    assert found["best"] == said["best"]
    found = certo("proof", model, train, "--test", test, "--out", tmp_path / "p").out
    assert f"{said['in_words'][0]}\n" in found
    assert hashlib.sha256((tmp_path / "p" / "proof.json").read_bytes()).hexdigest() in found


@pytest.mark.slow
def test_test_rows_that_cannot_be_used(certo, tested, tmp_path):
    model, train, test = tested
    bad = tmp_path / "bad.csv"
    head, first, *rest = test.read_text().splitlines()
    texts = {
        "must have a value in every row": [head, "," + first.partition(",")[2], *rest],
        "is missing": [line.partition(",")[2] for line in (head, first, *rest)],
    }
    for words, lines in texts.items():
        bad.write_text("\n".join(lines) + "\n")
        said = certo("verify", model, train, "--test", bad)
        assert said.code == 3
        assert f"{bad}: " in said.out
        assert words in said.out
        assert "--missing" not in said.out
        assert certo("proof", model, train, "--test", bad, "--out", tmp_path / "p").code == 3
        said = certo("fit", train, "--target", "species", "--test", bad)
        assert said.code == 2
        assert f"error: {bad}: " in said.err
        assert words in said.err
        assert "--missing empty" not in said.err
    bad.write_text(head + "\n")
    assert certo("verify", model, train, "--test", bad).code == 2


def test_notes_say_which_test_rows_were_used(certo, tmp_path):
    train, test, model = (tmp_path / name for name in ("a.csv", "b.csv", "m"))
    train.write_text("x,c,y\n" + "1,p,a\n2,q,b\n" * 4)
    test.write_text("x,c,y\n1,p,a\n,q,b\n2,new,b\n")
    words = "--target", "y", "--missing", "drop", "--test", test
    said = certo("fit", train, *words, "--out", model)
    assert said.code == 0
    for text in (said.out, certo("verify", model, train, "--test", test).out):
        assert f"note {test}: 1 of 3 rows was left out for missing values (in 1 a feat" in text
        assert f"note {test}: column 'c': 1 row with a level that the model never saw" in text


def test_the_rows_of_the_fit_are_no_test(certo, iris, tmp_path):
    said = certo("proof", *iris, "--test", iris[1], "--out", tmp_path / "p")
    assert said.code == 2
    assert "the test rows repeat the training rows. To test, others are" in said.err


def test_a_regression_is_tested_by_distances(certo, parts, tmp_path):
    train, test = parts
    target = IRIS.read_text().split(",")[0]
    words = "--target", target, "--out", tmp_path / "m"
    said = certo("fit", train, *words, "--test", test)
    assert said.code == 0
    assert re.search(
        r"\nOn new rows like these, the mean absolute error is at most \S+, and at least \S+ % of "
        r"the values are within \S+ of the prediction \(95 % confidence for both; an error above "
        r"(\S+) counts as \1\)\.\n",
        said.out,
    )
    assert f"--test {test}" in said.out.partition("Check it with")[2]
    facts = certo("fit", train, *words, "--test", test, "--json").json
    assert 0 < facts["test_error"] < 2 * facts["training_error"]
    assert facts["bound"]["within"] == 68
    assert facts["performance"]["test"]["mean_absolute_error"] < facts["bound"]["mean"]
    assert certo("verify", tmp_path / "m", train).code == 3
    for command in (("verify",), ("proof", "--out", tmp_path / "p")):
        said = certo(*command[:1], tmp_path / "m", train, "--test", test, *command[1:])
        assert said.code == 0
        assert "✓ holds  TestDistances: " in said.out
    assert verify_folder(tmp_path / "p").code == 0


def test_a_regression_without_test_rows_does_not_look_at_any(certo, parts, tmp_path):
    train, test = parts
    target = IRIS.read_text().split(",")[0]
    words = "--target", target, "--out", tmp_path / "m", "--test", "none"
    assert "Nothing is proved about new rows" in certo("fit", train, *words).out
    for command in (("verify",), ("proof", "--out", tmp_path / "p")):
        said = certo(*command[:1], tmp_path / "m", train, "--test", test, *command[1:])
        assert said.code == 0
        assert f"note {test}: no claim is about test rows" in said.out
    assert not (tmp_path / "p" / "test.npz").exists()
