"""The Python that reproduces a picture runs, and says the same numbers."""

from __future__ import annotations

import contextlib
import csv
import io
import warnings

import numpy as np
import pytest

from certo.lab.code import csv_of, python_of
from certo.lab.experiments import EXPERIMENTS
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


def executed(link: str) -> tuple[dict, str]:
    """The names that a script defines, and what it prints."""
    state, said, names = State.of_link(link), io.StringIO(), {"__name__": "script"}
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        exec(compile(python_of(state, run_of(link)), "script", "exec"), names)
    return names, said.getvalue()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_script_runs(name):
    link = "bounds?draws=10&m=50" if name == "bounds" else name
    names, said = executed(link)
    state = State.of_link(link)
    if name == "bounds":
        assert "samples with a violated bound: 0 of 10" in said
        return
    assert np.array_equal(np.asarray(names["y"]), state.bench.y) or name == "least-squares"
    assert "holds" in said
    assert "DOES NOT HOLD" not in said


@pytest.mark.parametrize(
    "link",
    ["margin?machine=hard&preset=separable", "margin?machine=hard&preset=xor",
     "perceptron?rate=power&order=shuffled&start=random&seed=3", "descent?algorithm=ogd",
     "kernels?machine=perceptron", "kernels?kernel=polynomial&degree=4", "logistic?ridge=0.1"],
)  # fmt: skip
def test_scripts_of_other_settings_run(link):
    assert "holds" in executed(link)[1]


def test_the_numbers_are_those_of_the_page():
    names, _ = executed("margin?C=10&preset=overlapping")
    shown = values(frame_of(run_of("margin?C=10&preset=overlapping")))
    (claim,) = names["model"].certificate_.claims
    assert shown["objective"] == claim.primal
    assert shown["supports"] == len(names["model"].support_)
    names, _ = executed("perceptron")
    assert values(frame_of(run_of("perceptron")))["updates"] == names["model"].updates_[0]


def test_points_as_csv_are_exact():
    bench = State.of_link("perceptron?preset=moons").bench
    rows = list(csv.DictReader(io.StringIO(csv_of(bench))))
    assert [[float(row["x1"]), float(row["x2"])] for row in rows] == bench.X.tolist()
    assert [int(row["label"]) for row in rows] == bench.signs.tolist()
