"""Proofs that refer to a table by the fingerprints of its row groups."""

from __future__ import annotations

import json

import pytest

from certo import SVM
from certo.data.problem import Problem
from certo.tables.model_file import load_model, save_model
from certo.tables.proof_in_blocks import (
    audit_proof,
    audit_with_parts,
    changed_parts,
    write_block_proof,
)
from certo.verify import Unusable, verify_folder
from tests.tables.test_in_blocks import fitted, whole, written


@pytest.fixture
def proved(tmp_path):
    """A folder with data, and one with the proof of a model of them."""
    data, model, folder = tmp_path / "data", tmp_path / "m.certo", tmp_path / "proof"
    data.mkdir()
    save_model(model, fitted(written(data), "y", SVM()).model)
    loaded = load_model(model)
    audit, parts = audit_with_parts(loaded, data)
    write_block_proof(folder, loaded, model.read_bytes(), audit, parts)
    return data, folder


@pytest.mark.slow
def test_it_is_checked_from_the_table(proved):
    data, folder = proved
    said = json.loads((folder / "proof.json").read_text())
    assert sum(part["rows"] for part in said["parts"]) == 1500
    assert said["parts"][0]["part"] == "a.parquet, row group 0"
    assert audit_proof(folder, data).passed
    written(data, group=100)
    assert audit_proof(folder, data).passed  # The same rows in other row groups.
    written(data, whole().slice(0, 1400))
    audit = audit_proof(folder, data)
    assert not audit.passed
    assert "the table had 9 parts, and has 8" in audit.notes[-1]


@pytest.mark.slow
def test_a_changed_folder_is_not_as_written(proved):
    data, folder = proved
    said = json.loads((folder / "proof.json").read_text())
    said["certified"]["delta"] = 0.01
    (folder / "proof.json").write_text(json.dumps(said))
    assert not audit_proof(folder, data).passed
    (folder / "proof.json").write_text("{}")
    with pytest.raises(Problem, match="nor a folder that certo proof wrote"):
        audit_proof(folder, data)


@pytest.mark.slow
def test_the_checker_without_the_table_says_what_to_do(proved):
    with pytest.raises(Unusable, match="certo verify FOLDER TABLE"):
        verify_folder(proved[1])


def test_parts_that_differ_are_named():
    parts = [
        {"part": "a", "rows": 2, "fingerprint": "x"},
        {"part": "b", "rows": 3, "fingerprint": "y"},
    ]
    assert changed_parts(parts, parts) == ()
    (said,) = changed_parts(parts, [parts[0], {**parts[1], "fingerprint": "z"}])
    assert said.startswith("b (3 rows) has other contents")
    (said,) = changed_parts(parts, parts[:1])
    assert "had 2 parts, and has 1" in said
