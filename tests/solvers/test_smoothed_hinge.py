"""The smoothed hinge loss: its slope is its derivative, and the gap of the window is as said."""

from __future__ import annotations

import numpy as np
import pytest

from certo.solvers.gap_ledger import Ledger
from certo.solvers.interrupt import Stopped
from certo.solvers.smoothed_hinge import Point, look, minimise, widest, window_gap

RNG = np.random.default_rng(0)
X, COSTS = RNG.normal(size=(300, 3)), RNG.uniform(0.5, 2.0, 300)
SIGNS = np.where(X[:, 0] + RNG.normal(size=300) > 0, 1, -1)


@pytest.mark.parametrize("width", [0.1, 1.0])
def test_pull_and_hessian_are_derivatives(width):
    """Central differences of a function that is quadratic between kinks: exact up to rounding for
    most directions, and off by what few rows add that cross a kink."""
    w, b, h = np.array([0.3, -0.2, 0.5]), 0.1, 1e-5
    here = look(X, SIGNS, COSTS, Point(w, b, width))
    for j in range(4):
        step = np.eye(4)[j] * h
        ends = [
            look(X, SIGNS, COSTS, Point(w + k * step[:3], b + k * step[3], width)) for k in (1, -1)
        ]
        slope = (ends[0].smooth - ends[1].smooth) / (2 * h)
        assert np.isclose(slope, -here.pull[j], rtol=1e-5, atol=1e-4)
        bend = -(ends[0].pull - ends[1].pull) / (2 * h)
        kinks = 2 * np.sum(COSTS) / width * 1e-2  # Rows that cross: far fewer than one in 100.
        np.testing.assert_allclose(bend, here.hessian[j], atol=kinks)


def test_sums_over_parts_are_those_of_the_whole():
    point = Point(np.array([0.3, -0.2, 0.5]), 0.1, 0.5)
    parts = [look(X[a:b], SIGNS[a:b], COSTS[a:b], point) for a, b in ((0, 7), (7, 300))]
    both, whole = parts[0] + parts[1], look(X, SIGNS, COSTS, point)
    for name, value in vars(whole).items():
        np.testing.assert_allclose(getattr(both, name), value, rtol=1e-12)
    r = 1 - SIGNS * (X @ point.w + point.b)
    assert np.isclose(whole.hinge - whole.linear, window_gap(r, COSTS, 0.5))


def test_the_window_costs_no_more_than_allowed():
    r = RNG.normal(size=1000)
    for allowed in (10.0, 0.1, 1e-6):
        assert window_gap(r, np.ones(1000), widest(r, np.ones(1000), allowed)) <= allowed


@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
def test_the_gap_is_reached(intercept):
    run = minimise(Point(np.zeros(3), 0.0, 1.0), intercept, Ledger(1e-6), 1e-6, 5.0, 50.0)
    found, point = None, next(run)
    while found is None:
        try:
            point = run.send(look(X, SIGNS, COSTS, point))
        except StopIteration as end:
            found = end.value
    assert 0 <= found.primal - found.dual <= 1e-6 * found.primal


def test_a_run_that_is_stopped_has_the_best_so_far():
    run = minimise(Point(np.zeros(3), 0.0, 1.0), "free", Ledger(1e-6), 1e-6, 5.0, 50.0)
    run.send(look(X, SIGNS, COSTS, run.send(None)))
    with pytest.raises(StopIteration) as end:
        run.throw(Stopped)
    assert np.isfinite(end.value.value.primal)
