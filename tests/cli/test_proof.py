"""certo proof, and certo verify with test examples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

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
    again = certo("proof", model, table, "--out", tmp_path / "p", "--json")  # over the last
    assert again.json["folder"] == str(tmp_path / "p")
    assert again.json["audit"]["passed"]
    assert certo("proof", model, table, "--out", tmp_path).code == 2  # holds the model


def test_what_does_not_hold_is_not_written(certo, iris, parts, tmp_path):
    said = certo("proof", iris[0], parts[0], "--out", tmp_path / "p")
    assert said.code == 1
    assert "Nothing was written." in said.out
    assert not (tmp_path / "p").exists()


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
    assert "1 claim about test examples: give them with --test FILE." in said.out
    assert certo("verify", model, train, "--json").json["unchecked"] == 1
    assert certo("verify", model, train, "--test", train).code == 1  # other rows
    assert certo("proof", model, train, "--out", tmp_path / "p").code == 3
    assert certo("proof", model, train, "--test", test, "--out", tmp_path / "p").code == 0
    assert (tmp_path / "p" / "test.npz").exists()
    assert verify_folder(tmp_path / "p").code == 0


def test_test_examples_may_be_added_to_a_proof(certo, iris, parts, tmp_path):
    model, table = iris
    folder = tmp_path / "p"
    assert certo("proof", model, table, "--test", parts[1], "--out", folder).code == 0
    found = verify_folder(folder).to_dict()["claims"]
    assert found[-1]["name"] == "TestErrors"


def test_a_regression_has_no_errors_to_count(certo, tmp_path):
    words = "--target", IRIS.read_text().split(",")[0], "--machine", "least-squares"
    assert certo("fit", IRIS, *words, "--out", tmp_path / "m").code == 0
    said = certo("proof", tmp_path / "m", IRIS, "--test", IRIS, "--out", tmp_path / "p")
    assert said.code == 2
    assert "--test is for machines with classes" in said.err
