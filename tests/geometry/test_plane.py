"""The view in a plane: isometric along its axes, and the boundary seen where it is."""

from __future__ import annotations

import dataclasses
import math
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.geometry import Hyperplane, PlaneView
from certo.geometry.plane import MAX_VIEWED_ROWS

law = settings(max_examples=40, deadline=None)


def scene(seed: int, m: int = 50, d: int = 6):
    """Points far from the origin, with one direction that is longer than the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d)) + 10 * rng.standard_normal(d)
    X += np.outer(5 * rng.standard_normal(m), rng.standard_normal(d))
    return rng.standard_normal(d), float(rng.standard_normal()), X


def best_direction(w, X):
    """By the definition: the SVD of what is left of the centred points without w."""
    normal = w / np.linalg.norm(w)
    rest = X - X.mean(axis=0)
    rest = rest - np.outer(rest @ normal, normal)
    return np.linalg.svd(rest)[2][0]


@pytest.mark.parametrize("store", [np.asarray, list, sparse.csr_array, sparse.csc_matrix])
@law
@given(seed=st.integers(0, 10_000), d=st.integers(1, 12), m=st.integers(1, 40))
def test_distances_in_the_view_are_those_of_the_hyperplane(store, seed, d, m):
    w, b, X = scene(seed, m, d)
    view = PlaneView.of(w, b, store(X))
    seen = view.coordinates(store(X))
    assert seen.shape == (m, 2)
    plane = Hyperplane(w, -b)
    np.testing.assert_allclose(
        view.boundary.signed_distance(seen), plane.signed_distance(X), atol=1e-10
    )
    assert math.hypot(*view.boundary.v) == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_array_equal(view.coordinates(X[0]), view.coordinates(X[:1])[0])


@law
@given(seed=st.integers(0, 10_000), d=st.integers(3, 12), m=st.integers(1, 40))
def test_axes_are_orthonormal_and_the_first_is_the_normal(seed, d, m):
    w, b, X = scene(seed, m, d)
    axes = PlaneView.of(w, b, X).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(axes[0], w / np.linalg.norm(w), atol=1e-14)


@law
@given(seed=st.integers(0, 10_000), d=st.integers(3, 30))
def test_the_second_axis_is_the_main_direction(seed, d):
    w, b, X = scene(seed, d=d)
    axis, best = PlaneView.of(w, b, X).axes[1], best_direction(w, X)
    assert np.var(X @ axis) >= (1 - 1e-6) * np.var(X @ best)
    assert axis[np.abs(axis).argmax()] > 0


def test_many_sparse_rows_of_many_features_are_never_made_dense():
    m, d, rng = 3 * MAX_VIEWED_ROWS, 20_000, np.random.default_rng(0)
    long = sparse.coo_array((np.repeat([3.0, -3.0], m // 2), (range(m), np.full(m, 7))), (m, d))
    X = (sparse.random_array((m, d), density=1e-3, rng=rng) + long).tocsr()
    w = np.eye(1, d)[0]
    tracemalloc.start()
    view = PlaneView.of(w, 1.0, X)
    seen = view.coordinates(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MAX_VIEWED_ROWS * d / 4  # a quarter of the sampled rows as a dense array
    assert abs(view.axes[1, 7]) > 0.9
    assert seen.shape == (m, 2)
    assert view == PlaneView.of(w, 1.0, X)


def test_the_plane_is_shown_as_it_is():
    X = np.array([[1.0, 2.0], [3.0, -4.0]])
    view = PlaneView.of([3.0, 4.0], -10.0, X)
    np.testing.assert_array_equal(view.coordinates(X), X)
    np.testing.assert_allclose([*view.boundary.v, view.boundary.c], [0.6, 0.8, 2.0])


def test_a_line_is_shown_as_it_is():
    view = PlaneView.of([-2.0], 6.0, [[1.0], [5.0]])
    assert view.coordinates([[1.0], [5.0]]).tolist() == [[1.0, 0.0], [5.0, 0.0]]
    assert view.boundary == Hyperplane([-1.0, 0.0], -3.0)


@pytest.mark.parametrize("w", [[1.0, 0.0, 0.0], [0.0, 0.0, -3.0], [1.0, 1.0, 1.0]])
@pytest.mark.parametrize("X", [[[1.0, 2.0, 3.0]], [[0.0, 0.0, 0.0]] * 3], ids=["one", "zeros"])
def test_points_that_do_not_vary_still_have_a_view(w, X):
    axes = PlaneView.of(w, 0.0, X).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-14)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_view_has_no_scale(scale):
    w, b, X = scene(0)
    view, scaled = PlaneView.of(w, b, X), PlaneView.of(scale * w, scale * b, scale * X)
    np.testing.assert_allclose(scaled.axes, view.axes, atol=1e-8)


def test_a_view_is_a_value():
    view = PlaneView.of(*scene(1))
    twin = pickle.loads(pickle.dumps(view))
    assert twin == view
    assert hash(twin) == hash(view)
    with pytest.raises(ValueError, match="read-only"):
        view.axes[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.boundary = Hyperplane([1.0, 0.0])


def test_refusals():
    w, b, X = scene(2)
    with pytest.raises(ValueError, match="must have a direction"):
        PlaneView.of(0 * w, b, X)
    with pytest.raises(ValueError, match=r"X must be \(m, 6\)"):
        PlaneView.of(w, b, X[:, 1:])
    with pytest.raises(ValueError, match="at least one point"):
        PlaneView.of(w, b, X[:0])
    X[3, 3] = np.inf
    with pytest.raises(ValueError, match="only finite ones"):
        PlaneView.of(w, b, X)
    X[3, 3] = np.nan
    with pytest.raises(ValueError, match="not a number for example 3"):
        PlaneView.of(w, b, X)
    with pytest.raises(ValueError, match=r"axes must be \(2, d\), got shape \(3, 3\)"):
        PlaneView(np.eye(3), Hyperplane([1.0, 0.0]))
