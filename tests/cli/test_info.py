"""certo info"""

from __future__ import annotations


def test_what_a_model_file_holds(certo, iris):
    model, _ = iris
    said = certo("info", model)
    assert said.code == 0
    assert "for species: classes" in said.out
    assert "fitted to 150 rows" in said.out
    assert "TrainingErrors" in said.out
    assert f"certo verify {model} DATA" in said.out


def test_a_changed_file_is_said_to_be_one(certo, iris):
    model, _ = iris
    start, digest, rest = model.read_bytes().partition(b"sha256 ")
    model.write_bytes(start + digest + (b"0" if rest[:1] != b"0" else b"1") + rest[1:])
    said = certo("info", model)
    assert said.code == 0
    assert "CHANGED" in said.out
