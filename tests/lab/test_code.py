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
    link = "bounds?draws=10&m=50&step=10" if name == "bounds" else name
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


@pytest.mark.slow
def test_an_earlier_frame_has_its_own_script():
    """Of the points and steps that are shown, not of the whole run."""
    names, _ = executed("margin?m=24&step=9")
    shown = values(frame_of(run_of("margin?m=24&step=9"), 9))
    (claim,) = names["model"].certificate_.claims
    assert shown["objective"] == claim.primal
    assert len(names["y"]) == 24 - 9
    for link, key in (("separability?preset=separable", "margin"), ("least-squares", "risk")):
        names, _ = executed(f"{link}{'&' if '?' in link else '?'}m=20&step=7")
        shown = values(frame_of(run_of(f"{link}{'&' if '?' in link else '?'}m=20"), 7))
        found = names["widest"].geometric_margin_[0] if key == "margin" else names["model"].risk_
        assert shown[key] == found
        assert len(names["y"]) == 7
    names, _ = executed("descent?m=24&T=100&step=10")
    shown = values(frame_of(run_of("descent?m=24&T=100"), 10))
    assert names["model"].max_iter == shown["steps"] == 10
    assert shown["objective_mean"] == names["model"].excess(names["X"], names["y"]).objective[-1]
    names, said = executed("logistic?m=30&step=2")
    shown = values(frame_of(run_of("logistic?m=30"), 2))
    assert np.hypot(np.linalg.norm(names["w"]), names["b"]) == pytest.approx(shown["norm"])
    assert "after 2 steps" in said
    w = run_of("perceptron?m=24").weights[3]
    assert f"after 3 updates: {w}" in executed("perceptron?m=24&step=3")[1]
    assert "on examples [" in executed("kernels?machine=perceptron&m=20&step=3")[1]
    assert "0 of 4" in executed("bounds?draws=10&m=50&step=4")[1]


def test_points_as_csv_are_exact():
    bench = State.of_link("perceptron?preset=moons").bench
    rows = list(csv.DictReader(io.StringIO(csv_of(bench))))
    assert [[float(row["x1"]), float(row["x2"])] for row in rows] == bench.X.tolist()
    assert [int(row["label"]) for row in rows] == bench.signs.tolist()
