"""How files are written, said on the command line; and standard input."""

from __future__ import annotations

import io
import sys

import pytest

from certo.cli.app import COMMANDS, app
from certo.data import files
from tests.cli.conftest import IRIS

LINES = IRIS.read_text().splitlines()


@pytest.fixture
def brought(monkeypatch):
    """Standard input brings this content."""

    def bring(content: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return bring


def test_every_command_that_reads_a_table_has_the_options(certo):
    names = {command.__name__: command for command in COMMANDS}
    for registered in app.registered_commands:
        name = registered.callback.__name__
        said = certo(name, "--help").out
        assert ("--no-header" in said) == ("data" in names[name].__annotations__)


def test_a_file_without_a_header_from_fit_to_verify(certo, tmp_path):
    table, model = tmp_path / "t.csv", tmp_path / "m"
    table.write_text("\n".join(line.replace(",", "&") for line in LINES[1:]))
    how = "--no-header", "--delimiter", "&", "--encoding", "utf-8"
    said = certo("fit", table, "--target", "column5", "--out", model, "--json", *how).json
    assert said["columns"]["numbers"] == ["column1", "column2", "column3", "column4"]
    assert said["verify_with"].endswith("--delimiter '&' --encoding utf-8 --no-header")
    assert certo("verify", model, table, *how).code == 0
    assert certo("predict", model, table, *how).out.count("\n") == 151


def test_a_first_line_of_data_is_noted(certo, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["1,x", "2,y", "3,x", "4,y"]))
    notes = certo("fit", table, "--target", "x", "--json").json["notes"]
    assert any("1 name also occurs below (x)" in note and "--no-header" in note for note in notes)
    table.write_text("\n".join(["1.5,3,4", "2,1,2", "3,2,2", "4,5,1"]))
    notes = certo("fit", table, "--target", "4", "--json").json["notes"]
    assert any("3 of 3 are numbers" in note and "--no-header" in note for note in notes)


@pytest.mark.parametrize("words", [("--delimiter", "ab"), ("--encoding", "utf-99")])
def test_what_cannot_be_meant_is_refused(certo, words):
    said = certo("fit", IRIS, "--target", "species", *words)
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert words[0] in said.err


def test_standard_input(certo, brought, iris):
    model, table = iris
    brought(table.read_bytes())
    assert certo("verify", model, "-").code == 0
    brought(table.read_bytes())
    said = certo("fit", "-", "--target", "species", "--test", "none", "--json").json
    assert said["examples"] == 150
    assert said["verify_with"] == "certo verify MODEL -"


def test_standard_input_that_brings_nothing_or_too_much(certo, brought, monkeypatch):
    brought(b"")
    assert "standard input is empty" in certo("fit", "-", "--target", "a").err
    monkeypatch.setattr(sys, "stdin", None)
    assert "nothing is piped into it" in certo("fit", "-", "--target", "a").err
    monkeypatch.setattr(files, "MAX_PIPED_BYTES", 3)
    brought(b"a,b\n")
    said = certo("fit", "-", "--target", "a")
    assert said.code == 2
    assert "carries more than" in said.err


def test_a_delimiter_that_was_not_found_is_asked_for(certo, tmp_path):
    (tmp_path / "t.csv").write_text("a&y\n1&x\n")
    said = certo("fit", tmp_path / "t.csv", "--target", "y")
    assert said.code == 2
    assert "one column, 'a&y'. If it should have more: --delimiter" in said.err


def test_notes_on_many_columns_are_one(certo, tmp_path):
    names = [f"c{j}" for j in range(9)]
    lines = [",".join([*names, "y"]), *(",".join([*"123456789", y]) for y in "abab")]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    notes = certo("fit", tmp_path / "t.csv", "--target", "y", "--json").json["notes"]
    assert "9 columns are constant, such as 'c0', 'c1', 'c2'." in notes
    assert not any("'c5'" in note for note in notes)
