"""Damaged files end commands with documented exit codes: the short version of `benchmarks fuzz`."""

import sys
import tempfile

import pytest
from benchmarks import fuzz

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="a run without an end is ended by a signal"),
]


def test_damaged_files_end_with_documented_exit_codes():
    (table,) = fuzz.run(quick=True)
    assert [row["data"] for row in table.rows] == ["model file", "table", "proof folder"]
    assert sum(sum(v for k, v in row.items() if k != "data") for row in table.rows) == 36


def test_an_undocumented_exit_code_is_a_bug(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(fuzz, "MODELS", {"svm": "shores"})
    monkeypatch.setattr(fuzz, "outcome", lambda case: ("4", "something went wrong inside Certo"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(SystemExit, match="9 commands ended as no command may"):
        fuzz.run(quick=True)
    assert "4: verify" in capsys.readouterr().err
    assert len(list(tmp_path.glob("certo-fuzz-*/broken.*"))) > 9
