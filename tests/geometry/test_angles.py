"""Angles and projections: v·x = ‖v‖‖x‖cos θ, and what follows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certo.geometry import Hyperplane, angle, projection_length

law = settings(max_examples=60, deadline=None)
vectors = arrays(np.float64, 3, elements=st.floats(-8, 8).map(lambda x: round(x, 3)))


@law
@given(vectors, vectors)
def test_the_inner_product_is_the_product_of_lengths_and_cosine(v, x):
    assume(v.any())
    product = np.linalg.norm(v) * np.linalg.norm(x) * np.cos(angle(x, v))
    assert product == pytest.approx(v @ x, abs=1e-12 * (1 + 192))
    assert projection_length(x, v) * np.linalg.norm(v) == pytest.approx(v @ x, abs=1e-11)
    if x.any():  # either is projected on the other
        backward = projection_length(v, x) * np.linalg.norm(x)
        assert backward == pytest.approx(v @ x, abs=1e-11)
        assert angle(x, v) == pytest.approx(angle(v, x), abs=1e-14)


@law
@given(vectors, vectors)
def test_the_sign_of_the_score_says_whether_the_angle_is_below_a_right_one(v, x):
    assume(v.any())
    if abs(v @ x) > 1e-9:
        assert (angle(x, v) < np.pi / 2) == (v @ x > 0)


@law
@given(vectors, vectors, st.floats(-5, 5))
def test_half_spaces_are_what_projects_beyond_the_distance_of_the_hyperplane(v, x, c):
    assume(v.any())
    plane = Hyperplane(v, c)
    beyond = projection_length(x, v) - plane.distance_from_origin
    assert beyond == pytest.approx(plane.signed_distance(x), abs=1e-10)


def test_small_angles_and_long_vectors_keep_their_digits():
    assert angle([1.0, 1e-9], [1.0, 0.0]) == pytest.approx(1e-9, rel=1e-14)
    assert angle([1e200, 1e200], [1e-200, 0.0]) == pytest.approx(np.pi / 4, rel=1e-14)
    assert projection_length([3e200, 4e200], [1e-300, 0.0]) == pytest.approx(3e200, rel=1e-14)


def test_points_are_rows_and_zero_has_no_direction():
    assert angle([[0.0, 0.0], [0.0, 2.0]], [1.0, 0.0]).tolist() == [0.0, np.pi / 2]
    for function in (angle, projection_length):
        with pytest.raises(ValueError, match="must have a direction"):
            function([1.0, 2.0], [0.0, 0.0])
        with pytest.raises(ValueError, match="one point of 2 numbers"):
            function([1.0, 2.0, 3.0], [1.0, 0.0])
