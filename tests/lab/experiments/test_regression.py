"""Least squares: residuals orthogonal to the data, example by example."""

from __future__ import annotations

import numpy as np
import pytest

from certo import LeastSquares
from certo.lab.bench import Bench
from certo.lab.experiment import Job
from certo.lab.state import State, encoded
from tests.lab import frame_of, run_of, values


@pytest.mark.parametrize("link", ["least-squares", "least-squares?intercept=none&ridge=0.5"])
def test_numbers_are_those_of_the_library(link):
    state, run = State.of_link(link), run_of(link)
    X, y = state.bench.X[:, :1], state.bench.X[:, 1]
    settings = {"intercept": state.chosen["intercept"], "ridge": state.chosen["ridge"]}
    for count in (5, 12, len(y)):
        model = LeastSquares(**settings).fit(X[:count], y[:count])
        frame = frame_of(run, count)
        shown = values(frame)
        assert shown["slope"] == model.coef_[0]
        assert shown["risk"] == model.risk_
        lengths = [one["from"][1] - one["to"][1] for one in frame["scene"]["segments"]]
        assert np.isclose(np.mean(np.square(lengths)), model.risk_)
        if not settings["ridge"]:
            assert abs(shown["normal_sum"]) < 1e-12
            assert abs(shown["normal_product"]) < 1e-12


def test_the_slope_settles_and_one_place_is_flat():
    (chart,) = run_of("least-squares").more(Job())["charts"]
    assert np.isclose(
        chart["series"][1]["y"][-1], values(frame_of(run_of("least-squares")))["slope"]
    )
    bench = Bench.read([[1024, 0, 1], [1024, 512, -1], [1024, 900, 1]])
    flat = run_of(f"least-squares?points={encoded(bench)}")
    assert frame_of(flat)["verdict"]["key"] == "least_squares.flat"
