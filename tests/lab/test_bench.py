"""Points: places that float64 holds exactly, and nothing else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.data.problem import Problem
from certo.lab.bench import MAX_POINTS, REACH, UNITS, Bench

place = st.integers(-REACH * UNITS, REACH * UNITS)
points = st.lists(st.tuples(place, place, st.sampled_from((-1, 1))).map(list), max_size=40)


@given(points)
def test_what_was_read_is_written_again(given_points):
    bench = Bench.read(given_points)
    assert bench.write() == given_points
    exact = [[Fraction(x, UNITS), Fraction(y, UNITS)] for x, y, _ in given_points]
    assert [[Fraction(v) for v in row] for row in bench.X.tolist()] == exact
    assert Bench.near(bench.X, bench.y).write() == given_points


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "points",
        [[0, 0]],
        [[0, 0, 0]],
        [[0, 0, 2]],
        [[0.5, 0, 1]],
        [[True, 0, 1]],
        [[0, 0, "1"]],
        [[2**40, 0, 1]],
        [[REACH * UNITS + 1, 0, 1]],
        [[0, 0, 1]] * (MAX_POINTS + 1),
        {"0": [0, 0, 1]},
    ],
)
def test_what_is_no_points_is_refused_in_words(wrong):
    with pytest.raises(Problem, match=r"point|room"):
        Bench.read(wrong)


def test_points_near_others_are_within_the_bench():
    bench = Bench.near(np.array([[1e9, -1e9], [0.1, 0.2]]), np.array([1, -1]))
    assert bench.reach == REACH
    assert np.max(np.abs(bench.X[1] - [0.1, 0.2])) <= 0.5 / UNITS
    assert bench.has_both
    assert Bench.read([]).reach == 0
