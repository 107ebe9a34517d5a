"""Kernels: scores on the grid are those of the library, and so are errors and supports."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from certo import SVM, KernelPerceptron
from certo.kernels import Gaussian, Polynomial
from certo.lab.experiment import Job
from certo.lab.scene import grid_of
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


def grid_values(region):
    return np.frombuffer(base64.b64decode(region["values"]), "<f4")


@pytest.mark.parametrize(
    ("link", "kernel"),
    [("kernels?variance=0.5", Gaussian(0.5)), ("kernels?kernel=polynomial", Polynomial(3))],
)
def test_the_region_is_that_of_the_library(link, kernel):
    state, frame = State.of_link(link), frame_of(run_of(link))
    X, y = state.bench.X, state.bench.y
    model = SVM(kernel, C=1.0).fit(X, y)
    expected = model.decision_function(grid_of(4.0)).astype(np.float32)
    assert np.array_equal(grid_values(frame["scene"]["region"]), expected)
    shown = values(frame)
    assert shown["supports"] == len(model.support_)
    assert shown["errors"] == np.sum(y * model.decision_function(X) <= 0)
    rule = KNeighborsClassifier(5).fit(X, y)
    beside = frame["scene"]["beside"]
    grid = grid_of(4.0, beside["region"]["n"])
    assert np.array_equal(grid_values(beside["region"]) > 0, rule.predict(grid) > 0)
    assert shown["neighbour_errors"] == np.sum(rule.predict(X) != y)


def test_the_kernel_perceptron_mistake_by_mistake():
    state, run = State.of_link("kernels?machine=perceptron"), run_of("kernels?machine=perceptron")
    X, y = state.bench.X, state.bench.y
    model = KernelPerceptron(Gaussian(0.5), epochs=10).fit(X, y)
    last = frame_of(run)
    expected = model.decision_function(grid_of(4.0)).astype(np.float32)
    assert np.allclose(grid_values(last["scene"]["region"]), expected, atol=1e-5)
    assert values(last)["mistakes"] == model.updates_[0]
    assert last["verdict"]["key"] == "kernels.converged"
    assert frame_of(run, 0)["verdict"]["key"] == "kernels.start"
    told = frame_of(run, 2)["verdict"]  # Of this mistake, not of the run.
    assert told["args"] == {"mistakes": "2", "example": str(run.trace.example[1] + 1)}
    once = frame_of(run, 1)  # One bump, at the first mistake: the first negative example.
    (k,) = once["scene"]["marks"]["current"]
    assert k == np.flatnonzero(y < 0)[0]
    near = grid_values(once["scene"]["region"])
    assert np.argmin(near) == np.argmin(np.sum((grid_of(4.0) - X[k]) ** 2, axis=1))


@pytest.mark.slow
def test_the_curve_has_under_and_over_fitting():
    more = run_of("kernels?preset=noise&m=120").more(Job())
    (chart,) = more["charts"]
    training, validation = chart["series"][:2]
    assert training["y"][0] == 0 < validation["y"][0]
    assert min(validation["y"]) < validation["y"][0]
    (degrees,) = run_of("kernels?kernel=polynomial").more(Job())["charts"]
    assert degrees["key"] == "fitting_degree"
    assert run_of("kernels?points=AAAAAAAEAABA").more(Job()) == {}


def test_sweeps_are_of_the_slider_that_matters():
    assert run_of("kernels").sweeps == "variance"
    assert run_of("kernels?kernel=polynomial").sweeps == "degree"
    assert run_of("kernels?machine=perceptron").sweeps == ""
    small = frame_of(run_of("kernels?variance=0.001&C=1000&preset=moons"))
    assert small["verdict"]["key"] == "kernels.islands"


def test_the_curve_is_kept_while_only_its_slider_moves():
    first = run_of("kernels?m=30&variance=1")
    curve = first.more(Job())
    assert run_of("kernels?m=30&variance=2", before=first).curve is curve
    assert run_of("kernels?m=30&variance=2&C=10", before=first).curve is None
    assert run_of("kernels?m=31&variance=2", before=first).curve is None


@pytest.mark.slow
def test_a_run_of_which_not_every_mistake_is_kept_ends_with_its_own_numbers():
    link = "kernels?machine=perceptron&preset=noise&m=500&epochs=50&variance=30&beside=0"
    run = run_of(link)
    assert not run.complete
    last, model = frame_of(run), run.model
    a, X = model.dual_coef_[0], run.X[model.support_]
    norm = a @ Gaussian(30.0)(X, X) @ a
    assert values(last)["squared_norm_f"] == pytest.approx(norm, rel=1e-6)
    assert values(last)["mistakes"] == last["cursors"]["norm_f"] == model.updates_[0]
