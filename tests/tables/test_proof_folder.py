"""Folders with claims and examples: where they may be written, and how features are described."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import certo
from certo.data.problem import Problem
from certo.tables.fit import fit_table
from certo.tables.proof_folder import check_folder, write_proof

TABLE = pa.table(
    {
        "n": [1.0, 2.0, 3.0, 5.0],
        "c": ["u", "v", "u", "v"],
        "t": ["one two", "two one", "three", "three two"],
        "y": ["a", "a", "b", "b"],
    }
)


def test_features_say_what_they_are_made_of(tmp_path):
    fitted = fit_table(TABLE, "y", certo.SVM(), text=("t",))
    examples = fitted.examples
    write_proof(
        tmp_path / "p", fitted.certified, fitted.model.machine, examples.X, examples.y,
        encoder=examples.encoder,
    )  # fmt: skip
    features = json.loads((tmp_path / "p" / "proof.json").read_text())["features"]
    assert [feature["column"] for feature in features] == ["n", "c", "c", "t", "t", "t"]
    assert features[0]["mean"] == 2.75
    assert [feature.get("level") for feature in features[1:3]] == ["u", "v"]
    assert [feature.get("term") for feature in features[3:]] == ["one", "three", "two"]


def test_nothing_else_is_written_over(tmp_path):
    assert check_folder(tmp_path / "new") == tmp_path / "new"
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(Problem, match="holds other files"):
        check_folder(tmp_path)
    with pytest.raises(Problem, match="is a file"):
        check_folder(tmp_path / "mine.txt")
    with pytest.raises(Problem, match="there is no folder"):
        check_folder(tmp_path / "no" / "p")
