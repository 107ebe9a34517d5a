"""Pegasos and OGD: the frames are the run of the library, looked at more often."""

from __future__ import annotations

import numpy as np
import pytest

from certo import SVM, OnlineGradientDescent, Pegasos
from certo.lab.experiments.descent import frames_up_to
from certo.lab.state import State
from tests.lab import bounds, frame_of, run_of, values


@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_the_last_average_is_the_answer_of_the_library(lam):
    link = f"descent?lam={lam}&T=500&seed=3"
    state, run = State.of_link(link), run_of(link)
    X, y = state.bench.X, state.bench.y
    model = Pegasos(lam=lam, max_iter=500, random_state=3).fit(X, y)
    assert np.array_equal(run.averages[-1], np.append(model.coef_[0], model.intercept_[0]))
    last = Pegasos(lam=lam, max_iter=500, random_state=3, average=False).fit(X, y)
    assert np.array_equal(run.iterates[-1], np.append(last.coef_[0], last.intercept_[0]))
    found = model.excess(X, y)
    shown = frame_of(run)
    assert np.isclose(values(shown)["excess"], found.excess[-1])
    assert np.isclose(bounds(shown)["excess"], found.bound[-1])
    # After a number of steps that the trace of the library has, too.
    k = run.at.index(16) + 1
    assert np.isclose(values(frame_of(run, k))["objective_mean"], found.objective[4])
    assert 0 <= frame_of(run, k)["scene"]["marks"]["current"][0] < len(y)


def test_frames_are_dense_at_first():
    at = frames_up_to(2000)
    assert at[:24] == list(range(1, 25))
    assert at[-1] == 2000
    assert np.all(np.diff(at) > 0)
    assert frames_up_to(7) == [1, 2, 3, 4, 5, 6, 7]


def test_online_gradient_descent_and_its_regret():
    link = "descent?algorithm=ogd&lam=0.1"
    state, run = State.of_link(link), run_of(link)
    X, y = state.bench.X, state.bench.y
    model = OnlineGradientDescent(lam=0.1).fit(X, y)
    assert np.array_equal(run.averages[-1], np.append(model.coef_[0], model.intercept_[0]))
    (claim,) = model.regret(X, y).of_kind("Regret")
    shown = frame_of(run)
    assert np.isclose(values(shown)["regret"], claim.regret)
    assert np.isclose(bounds(shown)["regret"], claim.bound)
    assert np.all(run.regret <= run.bounds)
    best = SVM(lam=0.1, intercept="lifted", tol=1e-6).fit(X, y)
    (line,) = [one for one in shown["scene"]["lines"] if one["kind"] == "separator"]
    assert np.allclose(line["w"], best.coef_[0], atol=1e-3)
