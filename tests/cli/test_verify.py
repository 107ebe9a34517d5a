"""`certo verify`: what holds, what differs, and what is no model."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from certo.certificates import Composite
from certo.tables.model_file import load_model, save_model
from tests.cli.conftest import rows_of


def test_verify_says_what_holds(certo, iris):
    said = certo("verify", *iris)
    assert said.code == 0
    assert said.out.startswith("Verified: all 5 claims hold, of these data and this model.\n")
    assert "✓ holds  MistakeBound ('setosa' against the rest): " in said.out
    assert "examples 150" not in said.out
    said = certo("verify", *iris, "--verbose")
    assert "✓ The data are those of the fit." in said.out
    assert "examples 150" in said.out
    facts = certo("verify", *iris, "--json").json
    assert facts["passed"]
    assert all(part["holds"] for part in facts["claims"])


def test_model_without_claims_is_reported_as_unproved(certo, iris, tmp_path):
    words = "--machine", "kernel-perceptron", "--set", "budget=20", "--set", "epochs=2"
    none = "--test", "none"
    model, table = tmp_path / "m", iris[1]
    assert certo("fit", table, "--target", "species", *words, *none, "--out", model).code == 0
    stored = load_model(model).model
    stored.certified = replace(stored.certified, claims=Composite(()))  # the machine has no others
    save_model(model, stored)
    said = certo("verify", model, table)
    assert said.code == 2
    assert "Nothing was proved: the model claims nothing." in said.out
    assert "Verified" not in said.out
    found = certo("verify", model, table, "--json").json
    assert found["why"] == "nothing is claimed, so nothing was proved."
    assert (found["passed"], found["claims"]) == (False, [])
    said = certo("proof", model, table, "--out", tmp_path / "p")
    assert said.code == 2
    assert "there is nothing to prove" in said.err


def test_verify_on_other_data_says_that_the_data_differ(certo, iris, rewritten):
    model, table = iris
    header, *rows = rows_of(table)
    rows[7][1] = str(float(rows[7][1]) + 1)
    said = certo("verify", model, rewritten([header, *rows]))
    assert said.code == 1
    assert said.out.startswith("Not verified: this is not the table of the fit")
    assert "NOT those of the fit" in said.out
    assert "was CHANGED" not in said.out
    without_label = certo("verify", model, rewritten([row[:-1] for row in (header, *rows)]))
    assert without_label.code == 3
    assert without_label.out.count("cannot be checked") == 1
    extra = [[*header, "z"], *([*row, "1"] for row in rows_of(table)[1:])]
    same_claims = certo("verify", model, rewritten(extra), "--json")
    assert same_claims.code == 3
    assert same_claims.json["claims_hold"]
    assert not same_claims.json["same_data"]


def test_verify_notices_a_changed_file_whose_claims_still_hold(certo, iris):
    model, table = iris
    magic, _, payload = model.read_bytes().split(b"\n", 2)
    model.write_bytes(b"\n".join([magic, b"sha256 " + b"0" * 64, payload]))
    said = certo("verify", model, table)
    assert said.code == 3
    assert "was CHANGED" in said.out
    assert certo("predict", model, table).code == 2


def test_verify_refutes_a_false_claim_in_a_resaved_file(certo, iris):
    model, table = iris
    stored = load_model(model).model
    stored.machine.coef_[0, 0] += 1
    digest = save_model(model, stored)
    assert hashlib.sha256(model.read_bytes().split(b"\n", 2)[2]).hexdigest() == digest
    said = certo("verify", model, table)
    assert said.code == 1
    assert "was CHANGED" not in said.out
    assert "other values of coef_ than the model's" in said.out


def test_verify_names_the_row_of_the_file_that_a_check_names(certo, tmp_path):
    """The first row has no value and is left out, so that example 2 is row 4."""
    model, table = tmp_path / "m.certo", tmp_path / "t.csv"
    table.write_text("x,y\n,no\n-3,no\n-2,no\n-1,no\n1,yes\n2,yes\n3,yes\n")
    words = "--target", "y", "--machine", "hard-margin", "--missing", "drop", "--scale", "none"
    assert certo("fit", table, *words, "--out", model).code == 0
    stored = load_model(model).model
    (largest,) = stored.certified.claims.of_kind("MaximumMargin")
    forged = replace(largest, intercept=largest.intercept + 0.5)
    stored.certified = replace(stored.certified, claims=Composite((forged,)))
    save_model(model, stored)
    X, y = np.array([[-3.0], [-2], [-1], [1], [2], [3]]), ["no"] * 3 + ["yes"] * 3
    assert forged.verify(X, y).rows == (2,)
    said = certo("verify", model, table)
    assert said.code == 1
    assert "example 2 is not shown to have a margin of" in " ".join(said.out.split())
    assert "(Row 4 of the file.)" in " ".join(said.out.split())
    facts = certo("verify", model, table, "--json").json
    failed = [claim for claim in facts["claims"] if not claim["holds"]]
    assert [claim["rows"] for claim in failed] == [[4]]
    assert not any("rows" in claim for claim in facts["claims"] if claim["holds"])


@pytest.mark.parametrize("command", ["predict", "verify"])
def test_files_that_are_no_models(certo, iris, tmp_path, command):
    _, table = iris
    said = certo(command, tmp_path / "none", table)
    assert said.code == 2
    assert "there is no such file" in said.err
    said = certo(command, table, table)
    assert said.code == 2
    assert "not a Certo model file" in said.err
    assert certo(command, tmp_path, table).code == 2


def test_a_model_alone_asks_for_its_table(certo, iris):
    said = certo("verify", iris[0])
    assert said.code == 2
    assert f"certo verify {iris[0]} DATA" in " ".join(said.err.split())
