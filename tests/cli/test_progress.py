"""What a terminal sees while a command runs, and a pipe does not."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import pytest

from certo.tables.model_file import load_model
from tests.cli.conftest import COMMAND, IRIS

pytestmark = pytest.mark.slow  # each test starts processes


def on_a_terminal(words):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        out = process.stdout.read()
    os.close(ours)
    return process.returncode, out.decode(), seen.decode()


def test_a_terminal_sees_an_advancing_bar_and_a_pipe_does_not(noise):
    words = ["fit", str(noise), "--target", "y", "--machine", "perceptron"]
    words += ["--set", "epochs=4000"]
    code, out, seen = on_a_terminal(words)
    assert code == 0
    assert "Fitting Perceptron" in seen
    shown = {part.rpartition(" ")[2] for part in seen.split("/4000 epochs")[:-1]}
    assert len(shown) > 1
    assert "Fitting Perceptron" not in out


def test_a_terminal_sees_the_bounds_of_the_exact_solver(noise, tmp_path):
    short = tmp_path / "short.csv"
    short.write_text("\n".join(noise.read_text().split("\n")[:60]))
    words = ["fit", str(short), "--target", "y", "--machine", "min-disagreement"]
    words += ["--set", "time_limit=2", "--out", str(tmp_path / "m")]
    code, out, seen = on_a_terminal(words)
    assert code == 0
    assert "Fitting MinDisagreement" in seen
    assert re.search(r"\d+ ≤ fewest errors ≤ \d+", seen)
    assert "MinDisagreement for y (a, b), fitted to" in out
    assert load_model(tmp_path / "m").as_written, "nothing of the progress bar is stored"


def test_a_terminal_sees_the_looks_of_the_hard_margin(tmp_path):
    setosa = IRIS.with_name("setosa.csv")
    words = ["fit", str(setosa), "--target", "species", "--machine", "hard-margin"]
    code, _, seen = on_a_terminal([*words, "--out", str(tmp_path / "m")])
    assert code == 0
    assert "Fitting HardMarginSVM" in seen
    assert "None" not in seen
    assert load_model(tmp_path / "m").as_written
