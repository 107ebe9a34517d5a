"""Errors and commands as a console shows them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest
from rich.console import Console

from certo.cli.console import Voice
from tests.cli.conftest import COMMAND

pytestmark = pytest.mark.slow  # each test starts processes


def test_errors_that_nobody_hears_keep_the_exit_code():
    with open("/dev/full", "wb") as full:
        words = [*COMMAND, "verify", "none", "none"]
        assert subprocess.run(words, stderr=full, check=False).returncode == 2


def test_errors_are_json_where_json_is_asked_for(certo):
    for words in (["verify", "none", "none"], ["fit", "--nonsense"], ["predict"]):
        said = certo(*words, "--json")
        assert said.code == 2
        assert said.json["error"] in said.err


def test_json_is_json_whatever_the_terminal_can_show(certo, tmp_path, monkeypatch):
    table = tmp_path / "t.csv"
    table.write_text("a,k\n1,é\n2,\N{GRINNING FACE}\n")
    words = ["separable", table, "--target", "k", "--json"]
    found = {"ascii": subprocess.run(
        [*COMMAND, *words], stdout=subprocess.PIPE, check=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    ).stdout}  # fmt: skip
    for encoding in ("latin-1", "utf-8"):  # What they are set to is no matter of the process.
        terminal = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", terminal)
        assert certo(*words).code == 0
        terminal.flush()
        found[encoding] = terminal.buffer.getvalue()
    for encoding, said in found.items():
        assert json.loads(said.decode(encoding))["classes"] == ["é", "\N{GRINNING FACE}"]


def test_control_characters_are_shown_as_escapes(certo, tmp_path):
    """In every page and on the terminal; the names themselves stay what they are."""
    table, model, page = tmp_path / "t.csv", tmp_path / "m", tmp_path / "r.html"
    bell, red, back = "x\a2", "b\x1b[31m", "a\u202e"
    rows = [f"{j},{j * j % 5},{red if j < 3 else back}" for j in range(6)]
    table.write_text("\n".join([f"x1,{bell},k", *rows]))
    for words in (
        ["fit", table, "--target", "k", "--machine", "logistic", "--set", "ridge=0.1"],
        ["fit", table, "--target", "k", "--out", model],
        ["separable", table, "--target", "k"],
        ["curve", table, "--target", "k", "--kernel", "Linear()", "--folds", "2"],
    ):  # fmt: skip
        said = certo(*words, "--report", page)
        assert said.code == 0, said.err
        for text in (said.out, page.read_text()):
            assert not set("\a\x1b\u202e") & set(text)
        assert r"b\x1b[31m" in said.out
        assert r"b\x1b[31m" in page.read_text()
    assert certo("verify", model, table).code == 0
    answers = certo("predict", model, table, "--json").json["predictions"]
    assert set(answers) == {red, back}


def test_a_suggested_command_is_one_line_on_a_terminal_too():
    command, out = f"certo verify {60 * 'a'} data.csv", io.StringIO()
    voice = Voice()
    voice.console = Console(file=out, width=40, force_terminal=True, highlight=False)
    voice.suggest("Check it with", command)
    assert out.getvalue() == f"Check it with: {command}\n"
