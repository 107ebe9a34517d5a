"""IRLS: each step is a weighted least-squares fit, and the same as Newton's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from certo import LogisticRegression
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


@pytest.mark.parametrize("ridge", [0, 0.1])
def test_steps_are_those_of_newton(ridge):
    link = f"logistic?ridge={ridge}"
    state, run = State.of_link(link), run_of(link)
    X, y = state.bench.X, state.bench.y
    w = np.zeros(3)
    lifted, target = np.column_stack([X, np.ones(len(y))]), (y + 1) / 2
    penalty = np.diag([ridge, ridge, 0]) * len(y)
    for step in range(run.steps + 1):
        frame = frame_of(run, step)
        assert np.isclose(values(frame)["norm"], np.linalg.norm(w), atol=1e-8)
        p = expit(lifted @ w)
        assert np.isclose(values(frame)["expected"], p.sum())
        weights = p * (1 - p)
        assert np.allclose(frame["scene"]["marks"]["weight"], weights / weights.max())
        hessian = lifted.T @ (weights[:, None] * lifted) + penalty
        w = w + np.linalg.solve(hessian, lifted.T @ (target - p) - penalty @ w)
    model = LogisticRegression(ridge=float(ridge)).fit(X, y)
    assert np.allclose(run.iterates[-1].neuron.weights, model.coef_[0], atol=1e-5)
    assert frame["verdict"]["tone"] == "good"


def test_a_step_on_the_way_is_not_said_to_be_the_estimate():
    """What is proved of the estimate is not true of the weights that are shown before."""
    for link in ("logistic?m=60", "logistic?m=60&ridge=0.1"):
        run = run_of(link)
        told = [frame_of(run, step)["verdict"] for step in range(run.steps + 1)]
        assert {one["tone"] for one in told[:-1]} == {"plain"}
        assert told[-1]["tone"] == "good"
        excess = [float(one["args"]["excess"]) for one in told[:-1]]
        assert all(np.diff(excess) < 0)
        assert excess[0] > 0.2  # From ln 2 at w = 0 to about 0.23, or 0.4 with the ridge.
    plain = run_of("logistic?m=60")
    shown = values(frame_of(plain, 2))
    excess = float(frame_of(plain, 2)["verdict"]["args"]["excess"])
    assert np.isclose(excess, shown["mean_loss"] - shown["infimum"], rtol=0.01)


def test_separation_makes_the_weights_grow_and_is_proved():
    run = run_of("logistic?preset=separable")
    norms = [values(frame_of(run, step))["norm"] for step in range(run.steps + 1)]
    losses = [values(frame_of(run, step))["mean_loss"] for step in range(run.steps + 1)]
    assert np.all(np.diff(norms) > 0.5)
    assert np.all(np.diff(losses) < 0)
    assert values(frame_of(run))["infimum"] == 0
    assert frame_of(run)["verdict"]["key"] == "logistic.none"
    assert [claim.name for claim in run.model.certificate_] == ["LogisticExcess", "NoEstimate"]
