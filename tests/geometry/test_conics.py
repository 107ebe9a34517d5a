"""Conics: their coefficients and their names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certo.features import Conic
from certo.geometry import conic_coefficients, conic_map, conic_name

law = settings(max_examples=60, deadline=None)
six = arrays(np.float64, 6, elements=st.integers(-5, 5).map(float))

KNOWN = {
    "ellipse": [-4.0, 1, 2, 1, 0, 0.5],
    "parabola": [0.0, 1, 0, 0, -1, 0],
    "hyperbola": [-1.0, 1, -1, 0, 0, 0],
    "line": [1.0, 0, 0, 1, 1, 0],
    "two lines that cross": [0.0, 1, -1, 0, 0, 0],
    "parallel lines, one line or none": [-1.0, 1, 0, 0, 0, 0],
    "point": [0.0, 1, 1, 0, 0, 0],
    "empty": [1.0, 1, 1, 0, 0, 0],
    "whole plane": [0.0, 0, 0, 0, 0, 0],
}


@law
@given(six, arrays(np.float64, (4, 2), elements=st.floats(-3, 3)))
def test_six_values_determine_a_quadratic_function(w, X):
    found = conic_coefficients(lambda points: conic_map(points) @ w)
    assert found == pytest.approx(w, abs=1e-12)
    assert conic_map(X) @ found == pytest.approx(conic_map(X) @ w, abs=1e-10)


@law
@given(st.sampled_from(sorted(KNOWN)), st.floats(0, 2 * np.pi), st.floats(-2, 2), st.floats(-2, 2))
def test_the_name_stays_when_the_plane_is_turned_and_moved(name, turn, right, up):
    w = np.array(KNOWN[name])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = conic_coefficients(lambda X: conic_map(X @ rotation.T + [right, up]) @ w)
    assert conic_name(w) == conic_name(-3 * w) == name
    assert conic_name(moved) == name


def test_the_textbooks_map_is_ours_but_for_the_factors():
    X = np.random.default_rng(0).normal(size=(20, 2))
    factors = np.sqrt([1, 1, 1, 2, 2, 2])
    assert Conic().fit_transform(X) == pytest.approx(conic_map(X) * factors)


def test_what_is_no_conic_is_refused():
    with pytest.raises(ValueError, match="has 6 coefficients"):
        conic_name([1.0, 2.0])
