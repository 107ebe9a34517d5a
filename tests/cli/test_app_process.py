"""Certo as a process: killed, interrupted, on a terminal, through a pipe."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from certo import report
from certo.cli.console import Voice
from certo.data import files
from certo.data.problem import Problem
from certo.solvers import perceptron as loop
from certo.tables.model_file import load_model

pytestmark = pytest.mark.slow  # each test starts processes
IRIS = Path(__file__).parents[2] / "examples" / "iris.csv"
COMMAND = [sys.executable, "-c", "from certo.cli import main; main()"]


@pytest.fixture
def noise(tmp_path):
    """A table that no hyperplane separates, so that all epochs are run."""
    values = np.random.default_rng(0).normal(size=(3000, 3))
    labels = np.where(values[:, 0] + values[::-1, 1] > 0, "a", "b")
    lines = [f"{a},{b},{c},{y}" for (a, b, c), y in zip(values.tolist(), labels, strict=True)]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(["a,b,c,y", *lines]))
    return path


@pytest.mark.parametrize("moment", ["early", "while writing"])
def test_a_killed_fit_leaves_no_half_file(noise, tmp_path, moment):
    folder = tmp_path / "out"
    folder.mkdir()
    words = ["fit", noise, "--target", "y", "--out", folder / "m", "--report", folder / "r.html"]
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


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "m"
    path.write_text("old")
    for wrong, expected in (
        (OSError(28, "No space left"), Problem),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):
        with monkeypatch.context() as patch:

            def fail(*_, wrong=wrong):
                raise wrong

            patch.setattr(files.os, step, fail)
            with pytest.raises(expected):
                files.write_whole(path, b"new")
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["m"]
    files.write_whole(path, b"new")
    assert path.read_text() == "new"


def test_links_stay_links(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files.write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_ctrl_c_during_the_epochs_keeps_what_was_reached(certo, noise, tmp_path, monkeypatch):
    visit_all, calls = loop.visit_all, []

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
        return visit_all(*args)

    monkeypatch.setattr(loop, "visit_all", interrupted)
    model = tmp_path / "m"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        said = certo("fit", noise, "--target", "y", "--out", model)
    finally:
        signal.signal(signal.SIGINT, before)
    assert said.code == 130
    assert "Stopped by hand" in said.out
    assert f"Model written to {model}" in said.out
    assert load_model(model).model.machine.n_iter_ == 4
    assert certo("verify", model, noise).code == 0
    calls.clear()
    page = ["--report", tmp_path / "r.html", "--out", model]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # in the epoch in which the first of three neurons converges: the second then stops
        three = certo("fit", IRIS, "--target", "species", "--json", *page)
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
    said = certo("fit", noise, "--target", "y", "--out", tmp_path / "m")
    assert said.code == 130
    assert "interrupted" in said.err
    assert not (tmp_path / "m").exists()


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
    words = ["fit", str(noise), "--target", "y", "--set", "epochs=4000"]
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
    assert "ErrorCount" in out
    assert load_model(tmp_path / "m").as_written, "nothing of the progress bar is stored"


def test_a_terminal_sees_the_looks_of_the_hard_margin(tmp_path):
    setosa = IRIS.with_name("setosa.csv")
    words = ["fit", str(setosa), "--target", "species", "--machine", "hard-margin"]
    code, _, seen = on_a_terminal([*words, "--out", str(tmp_path / "m")])
    assert code == 0
    assert "Fitting HardMarginSVM" in seen
    assert "None" not in seen
    assert load_model(tmp_path / "m").as_written


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


def test_errors_that_nobody_hears_keep_the_exit_code():
    with open("/dev/full", "wb") as full:
        words = [*COMMAND, "verify", "none", "none"]
        assert subprocess.run(words, stderr=full, check=False).returncode == 2


def test_errors_are_json_where_json_is_asked_for(certo):
    for words in (["verify", "none", "none"], ["fit", "--nonsense"], ["predict"]):
        said = certo(*words, "--json")
        assert said.code == 2
        assert said.json["error"] in said.err


def test_json_is_json_whatever_the_terminal_can_show(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,k\n1,é\n2,\N{GRINNING FACE}\n")
    for encoding in ("ascii", "latin-1", "utf-8"):
        done = subprocess.run(
            [*COMMAND, "separable", table, "--target", "k", "--json"],
            stdout=subprocess.PIPE, check=True, env=os.environ | {"PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert json.loads(done.stdout.decode(encoding))["classes"] == ["é", "\N{GRINNING FACE}"]


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


def test_model_and_report_are_written_both_or_not_at_all(certo, iris, tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(report, "html_report", fail)
    words = ["fit", iris[1], "--target", "species", "--report", tmp_path / "r.html"]
    assert certo(*words, "--out", tmp_path / "new.certo").code == 4
    assert {path.name for path in tmp_path.iterdir()} == {"iris.certo"}


def test_several_files_are_written_all_or_none(tmp_path):
    with pytest.raises(Problem, match="cannot be written"):
        files.write_all({tmp_path / "a": b"a", tmp_path / "none" / "b": b"b"})
    assert not list(tmp_path.iterdir())
    files.write_all({tmp_path / "a": b"a", tmp_path / "b": b"b"})
    assert (tmp_path / "a").read_bytes() + (tmp_path / "b").read_bytes() == b"ab"


def test_a_suggested_command_is_one_line_on_a_terminal_too():
    command, out = f"certo verify {60 * 'a'} data.csv", io.StringIO()
    voice = Voice()
    voice.console = Console(file=out, width=40, force_terminal=True, highlight=False)
    voice.suggest("Check it with", command)
    assert out.getvalue() == f"Check it with: {command}\n"
