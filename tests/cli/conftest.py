"""The command line, run in this process: no start-up time, warnings still errors."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from certo.cli.app import main

IRIS = Path(__file__).parents[2] / "examples" / "iris.csv"
#: The command line in a process of its own.
COMMAND = [sys.executable, "-c", "from certo.cli import main; main()"]


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def certo(capsys, monkeypatch):
    """certo("fit", ...) → exit code and what was printed; a traceback would be an exception."""

    def run(*words) -> Said:
        monkeypatch.setattr(sys, "argv", ["certo", *map(str, words)])
        monkeypatch.setattr(sys, "warnoptions", ["error"])  # main() then leaves the filters alone
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Said(left.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def iris(certo, tmp_path):
    """A fitted model of the shipped table: (model file, table)."""
    model = tmp_path / "iris.certo"
    words = "--target", "species", "--machine", "perceptron", "--test", "none", "--out", model
    said = certo("fit", IRIS, *words, "--set", "epochs=20")
    assert said.code == 0
    return model, IRIS


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def rewritten(tmp_path):
    def write(rows, name="new.csv"):
        path = tmp_path / name
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows(rows)
        return path

    return write


@pytest.fixture
def noise(tmp_path):
    """A table that no hyperplane separates, so that all epochs are run."""
    values = np.random.default_rng(0).normal(size=(3000, 3))
    labels = np.where(values[:, 0] + values[::-1, 1] > 0, "a", "b")
    lines = [f"{a},{b},{c},{y}" for (a, b, c), y in zip(values.tolist(), labels, strict=True)]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(["a,b,c,y", *lines]))
    return path
