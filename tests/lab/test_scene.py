"""Numbers in a scene are plain JSON, and rounded to the side that they are said to be on."""

from __future__ import annotations

import base64
import json
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from certo.lab import scene


@given(st.floats(1e-12, 1e12))
def test_bounds_are_rounded_outward(value):
    assert Fraction(scene.text(value, "most")) >= Fraction(value)
    assert Fraction(scene.text(value, "least")) <= Fraction(value)


def test_what_is_not_finite_is_no_number_of_json():
    assert [scene.text(v) for v in (np.inf, -np.inf, np.nan)] == ["∞", "−∞", "–"]
    told = scene.number("a", np.inf, bound=np.nan)
    assert json.loads(json.dumps(told, allow_nan=False))["bound"]["value"] is None
    drawn = scene.series("a", [1, 2, 3], [1.0, np.nan, np.inf])
    assert (drawn["x"], drawn["y"]) == ([1], [1.0])
    assert scene.verdict("a", count=3, share=0.25)["args"] == {"count": "3", "share": "0.25"}


def test_a_region_is_the_scores_on_the_grid():
    grid = scene.grid_of(4.0)
    assert grid[0].tolist() == [-4, -4]
    assert grid[-1].tolist() == [4, 4]
    told = scene.region(grid[:, 0], 4.0, (0.0,))
    values = np.frombuffer(base64.b64decode(told["values"]), "<f4").reshape(
        scene.BENCH_GRID_POINTS, scene.BENCH_GRID_POINTS
    )
    assert np.array_equal(values[0], values[-1])
    assert np.all(np.diff(values[0]) > 0)
    assert json.dumps(scene.line("boundary", np.array([1.0, 2.0]), np.float64(3)))
