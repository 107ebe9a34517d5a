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


def test_separation_makes_the_weights_grow_and_is_proved():
    run = run_of("logistic?preset=separable")
    norms = [values(frame_of(run, step))["norm"] for step in range(run.steps + 1)]
    losses = [values(frame_of(run, step))["mean_loss"] for step in range(run.steps + 1)]
    assert np.all(np.diff(norms) > 0.5)
    assert np.all(np.diff(losses) < 0)
    assert values(frame_of(run))["infimum"] == 0
    assert frame_of(run)["verdict"]["key"] == "logistic.none"
    assert [claim.name for claim in run.model.certificate_] == ["LogisticExcess", "NoEstimate"]
