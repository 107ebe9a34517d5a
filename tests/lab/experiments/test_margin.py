"""The margin: numbers of the library, and what removing an example changes."""

from __future__ import annotations

import numpy as np
import pytest

from certo import SVM, HardMarginSVM
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


@pytest.mark.parametrize("link", ["margin", "margin?C=100&intercept=lifted",
                                  "margin?machine=hard&preset=separable"])  # fmt: skip
def test_numbers_are_those_of_the_library(link):
    state = State.of_link(link)
    X, y, chosen = state.bench.X, state.bench.y, state.chosen
    if chosen["machine"] == "hard":
        model = HardMarginSVM(intercept=chosen["intercept"], tol=1e-10).fit(X, y)
    else:
        model = SVM(C=chosen["C"], intercept=chosen["intercept"], tol=1e-10).fit(X, y)
    frame = frame_of(run_of(link))
    shown, scene = values(frame), frame["scene"]
    assert shown["supports"] == len(model.support_)
    assert np.isclose(shown["margin"], 1 / np.linalg.norm(model.coef_[0]))
    assert scene["band"]["w"] == model.coef_[0].tolist()
    if chosen["machine"] == "soft":
        assert np.isclose(shown["slack_sum"], np.sum(model.slacks(X, y)))
        w = model.coef_[0]
        for one in scene["segments"]:  # Slacks end on the line of their own label.
            end = abs(np.dot(w, one["to"]) + model.intercept_[0])
            assert np.isclose(end, 1)


@pytest.mark.parametrize("link", ["margin?m=40", "margin?machine=hard&preset=separable&m=40"])
def test_only_supports_hold_the_line(link):
    """The theorem as a property: w* stays until a support goes."""
    run = run_of(link)
    supports = set(run.model.support_.tolist())
    free = len(run.y) - len(supports)
    for step in range(1, min(free, run.steps) + 1):
        assert frame_of(run, step)["verdict"]["key"] == "margin.same"
        assert run.order[step - 1] not in supports
    told = [frame_of(run, step)["verdict"]["key"] for step in range(free + 1, run.steps + 1)]
    assert "margin.changed" in told


def test_without_a_margin_the_proof_is_shown():
    run = run_of("margin?machine=hard&preset=xor")
    frame = frame_of(run)
    assert frame["verdict"]["key"] == "margin.none"
    assert len(frame["scene"]["marks"]["hull"]) == 4


def test_with_the_feature_1_no_margin_is_called_larger_than_the_largest():
    """The bounds are of the points (x, 1), and so is the margin beside them."""
    shown = values(frame_of(run_of("margin?machine=hard&preset=narrow&intercept=lifted")))
    assert shown["margin_lifted"] <= shown["margin_most_lifted"] < shown["margin"]
    free = values(frame_of(run_of("margin?machine=hard&preset=narrow")))
    assert free["margin"] <= free["margin_most"] * (1 + 1e-9)
