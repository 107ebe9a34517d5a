"""Certo as a process: killed, interrupted, on a terminal, through a pipe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from certo import report
from certo.solvers import perceptron as loop
from certo.tables.model_file import load_model
from tests.cli.conftest import COMMAND, IRIS

pytestmark = pytest.mark.slow  # each test starts processes


@pytest.mark.parametrize("moment", ["early", "while writing"])
def test_a_killed_fit_leaves_no_half_file(noise, tmp_path, moment):
    folder = tmp_path / "out"
    folder.mkdir()
    words = [
        "fit",
        noise,
        "--target",
        "y",
        "--machine",
        "perceptron",
        "--out",
        folder / "m",
        "--report",
        folder / "r.html",
    ]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.DEVNULL) as process:
        if moment == "early":
            time.sleep(0.5)
        while moment == "while writing" and not os.listdir(folder) and process.poll() is None:
            time.sleep(0.001)
        process.kill()
    names = {name for name in os.listdir(folder) if not name.startswith(".certo-")}
    assert names <= {"m", "r.html"}
    if "m" in names:
        assert load_model(folder / "m").as_written
    if "r.html" in names:
        assert (folder / "r.html").read_text().endswith("</html>")


def test_a_shell_is_told_what_may_follow():
    asked = {"_CERTO_COMPLETE": "complete_bash", "COMP_WORDS": "certo ver", "COMP_CWORD": "1"}
    found = subprocess.run(COMMAND, capture_output=True, text=True, env=os.environ | asked)
    assert found.stdout.split() == ["verify"]


def test_ctrl_c_during_the_epochs_keeps_what_was_reached(certo, noise, tmp_path, monkeypatch):
    run_epochs, calls = loop.run_epochs, []

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
        return run_epochs(*args)

    monkeypatch.setattr(loop, "run_epochs", interrupted)
    monkeypatch.setattr("certo.estimators.perceptron.NUMBERS_AT_ONCE", 1)  # One epoch in a call.
    model = tmp_path / "m"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        said = certo("fit", noise, "--target", "y", "--machine", "perceptron", "--out", model)
    finally:
        signal.signal(signal.SIGINT, before)
    assert said.code == 130
    assert "Stopped by hand" in said.out
    assert f"Model written to {model}" in said.out
    assert load_model(model).model.machine.n_iter_ == 4
    assert certo("verify", model, noise).code == 0
    calls.clear()
    page = ["--report", tmp_path / "r.html", "--out", model]
    words = "--machine", "perceptron", "--test", "none"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # in the epoch in which the first of three neurons converges: the second then stops
        three = certo("fit", IRIS, "--target", "species", *words, "--json", *page)
    finally:
        signal.signal(signal.SIGINT, before)
    assert three.code == 130
    assert three.json["interrupted"] is True
    assert three.json["updates"][1] > three.json["updates"][2] == 0
    assert certo("verify", model, IRIS).code == 0


def test_ctrl_c_elsewhere_writes_nothing(certo, noise, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("certo.report.facts", interrupted)
    said = certo("fit", noise, "--target", "y", "--machine", "perceptron", "--out", tmp_path / "m")
    assert said.code == 130
    assert "interrupted" in said.err
    assert not (tmp_path / "m").exists()


def unread(*words) -> tuple[int, bytes]:
    """The exit code of a command whose output nobody reads, and its errors."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    return done.returncode, done.stderr


def test_broken_pipe_has_its_own_exit_code(certo, iris, tmp_path):
    model, data = iris
    assert certo("proof", model, data, "--out", tmp_path / "proof").code == 0
    for words in (
        [*COMMAND, "predict", model, data],
        [*COMMAND, "verify", model, data],
        [*COMMAND, "verify", model, data, "--json"],
        [sys.executable, "-m", "certo.verify", tmp_path / "proof"],
    ):
        assert unread(*words) == (141, b""), words


def test_output_that_cannot_be_written_is_no_verdict(iris):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "verify", *iris], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_model_and_report_are_written_both_or_not_at_all(certo, iris, tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(report, "html_report", fail)
    words = ["fit", iris[1], "--target", "species", "--report", tmp_path / "r.html"]
    assert certo(*words, "--out", tmp_path / "new.certo").code == 4
    assert {path.name for path in tmp_path.iterdir()} == {"iris.certo"}
