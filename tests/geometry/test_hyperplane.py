"""Laws of hyperplanes, over dense and sparse storage."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, sparse

from certo.geometry import Hyperplane, lift

law = settings(max_examples=40, deadline=None)

# Integers keep scores exact, so that zeros, and ties, really happen.
whole = st.integers(-4, 4).map(float)
STORAGES = [np.asarray, np.float32, list, sparse.csr_array, sparse.csr_matrix, sparse.csc_array]
every_storage = pytest.mark.parametrize("store", STORAGES, ids=lambda f: f.__name__)


@st.composite
def scenes(draw, elements=whole):
    """A hyperplane, points, and labels."""
    m, d = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    v = draw(arrays(np.float64, d, elements=elements))
    assume(v.any())
    X = draw(arrays(np.float64, (m, d), elements=elements))
    y = draw(arrays(np.int64, m, elements=st.sampled_from([-1, 1])))
    return Hyperplane(v, draw(elements)), X, y


@every_storage
@law
@given(scene=scenes())
def test_score_side_and_half_spaces_agree(store, scene):
    plane, X, _ = scene
    stored = store(X)
    score = np.array([sum(a * b for a, b in zip(plane.v, x, strict=True)) - plane.c for x in X])
    np.testing.assert_array_equal(plane.score(stored), score)
    np.testing.assert_array_equal(plane(stored), score)
    np.testing.assert_array_equal(plane.side(stored), np.where(score >= 0, 1, -1))
    np.testing.assert_array_equal(plane.side(stored, zero_sign=-1), np.where(score > 0, 1, -1))
    np.testing.assert_array_equal(plane.positive(stored), plane.side(stored) == 1)
    assert np.all(plane.positive(stored) ^ plane.negative(stored))
    assert plane.side(stored).dtype.kind == "i"


@law
@given(scene=scenes())
def test_one_point_gets_one_answer(scene):
    plane, X, y = scene
    for x, score, label in zip(X, plane.score(X), y, strict=True):
        assert plane.score(x) == score
        assert np.ndim(plane.side(x)) == np.ndim(plane.positive(x.tolist())) == 0
        assert plane.side(x) == plane.side(X[X.tolist().index(x.tolist())])
        assert plane.margin(x, label) == label * score


@law
@given(scene=scenes(st.floats(-10, 10)))
def test_signed_distance_is_the_distance_to_the_nearest_point_of_the_hyperplane(scene):
    plane, X, _ = scene
    assume(np.abs(plane.v).max() > 1e-3)
    distance = plane.signed_distance(X)
    feet = X - np.multiply.outer(distance, plane.unit_normal)
    np.testing.assert_allclose(plane.score(feet), 0.0, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(distance), atol=1e-12)
    clear = np.abs(plane.score(X)) > 1e-300
    np.testing.assert_array_equal(np.sign(distance)[clear], plane.side(X)[clear])


def test_signed_distance_against_brute_force():
    plane, x = Hyperplane([1.0, -2.0, 2.0], 3.0), np.array([4.0, 1.0, -2.0])
    nearest = optimize.minimize(
        lambda z: np.sum((z - x) ** 2),
        x,
        constraints={"type": "eq", "fun": lambda z: plane.v @ z - plane.c},
    )
    assert abs(plane.signed_distance(x)) == pytest.approx(math.sqrt(nearest.fun), rel=1e-6)
    assert plane.signed_distance(x) == pytest.approx(-5 / 3)


def test_distance_from_the_origin_is_signed():
    assert Hyperplane([3.0, 4.0], 10.0).distance_from_origin == 2.0
    assert Hyperplane([3.0, 4.0], -10.0).distance_from_origin == -2.0
    assert Hyperplane([3.0, 4.0], 10.0).signed_distance([0.0, 0.0]) == -2.0


@every_storage
@law
@given(scene=scenes())
def test_margins_by_hand(store, scene):
    plane, X, y = scene
    by_hand = min(label * score for label, score in zip(y, plane.score(X), strict=True))
    assert plane.margin(store(X), y) == by_hand
    expected = by_hand / np.linalg.norm(plane.v)
    assert plane.geometric_margin(store(X), y) == pytest.approx(expected, rel=1e-14)


@law
@given(scene=scenes(), factor=st.floats(1e-290, 1e290))
def test_the_geometric_margin_has_no_scale(scene, factor):
    plane, X, y = scene
    scaled = Hyperplane(factor * plane.v, factor * plane.c)
    expected = plane.geometric_margin(X, y)
    assert scaled.geometric_margin(X, y) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@law
@given(scene=scenes(), power=st.sampled_from([-1074, -600, 600, 1020]))
def test_norms_neither_overflow_nor_vanish(scene, power):
    """Powers of 2 change no rounding, so the answers are exactly the same."""
    plane, X, _ = scene
    scaled = Hyperplane(np.ldexp(plane.v, power), math.ldexp(plane.c, power))
    np.testing.assert_array_equal(scaled.signed_distance(X), plane.signed_distance(X))
    assert scaled.distance_from_origin == plane.distance_from_origin
    np.testing.assert_array_equal(scaled.unit_normal, plane.unit_normal)


def test_a_distance_beyond_the_floats_is_infinite():
    assert Hyperplane([5e-324], 1.0).distance_from_origin == math.inf


@every_storage
@law
@given(scene=scenes())
def test_lifting_keeps_scores_and_unlifting_undoes_it(store, scene):
    plane, X, _ = scene
    lifted = plane.lifted()
    assert lifted.c == 0.0
    assert lifted.v.tolist() == [*plane.v, -plane.c]
    np.testing.assert_array_equal(lifted.score(lift(store(X))), plane.score(X))
    assert Hyperplane.unlifted(lifted.v) == plane


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_lift_appends_the_feature_one_in_kind(store, dtype):
    X = np.array([[0, 2], [3, 0], [0, 0]], dtype)
    lifted = lift(store(X))
    assert type(lifted) is type(store(X))
    assert lifted.dtype == dtype
    expected = [[0, 2, 1], [3, 0, 1], [0, 0, 1]]
    assert (lifted if store is np.asarray else lifted.toarray()).tolist() == expected
    assert lift(X[0]).tolist() == [0, 2, 1]


# --- a hyperplane is a value ---


@law
@given(scene=scenes())
def test_equal_contents_are_equal_values(scene):
    plane, _, _ = scene
    for twin in (
        Hyperplane(plane.v.tolist(), np.float64(plane.c)),
        Hyperplane(plane.v.astype(np.int8), int(plane.c)),
        pickle.loads(pickle.dumps(plane)),
        copy.deepcopy(plane),
        dataclasses.replace(plane),
    ):
        assert twin == plane
        assert hash(twin) == hash(plane)
        assert not twin.v.flags.writeable
    assert Hyperplane(plane.v, plane.c + 1) != plane
    assert Hyperplane(2 * plane.v, 2 * plane.c) != plane
    assert plane != plane.v.tobytes()


def test_minus_zero_is_zero():
    assert hash(Hyperplane([-0.0, 1.0], -0.0)) == hash(Hyperplane([0.0, 1.0], 0.0))
    assert Hyperplane([-0.0, 1.0], -0.0) == Hyperplane([0.0, 1.0], 0.0)


def test_a_hyperplane_cannot_be_changed():
    given_v = np.array([1.0, 2.0])
    plane = Hyperplane(given_v, 3)
    given_v[0] = 7.0
    assert plane.v.tolist() == [1.0, 2.0]
    assert plane.v.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        plane.v[0] = 7.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        plane.c = 1.0


def test_repr_is_readable():
    assert repr(Hyperplane([1, -2.5], 3)) == "Hyperplane(v=[1.0, -2.5], c=3.0)"
    assert len(repr(Hyperplane(np.ones(10_000)))) < 80


# --- refusals ---


@pytest.mark.parametrize(
    ("v", "c", "message"),
    [
        ([0.0, 0.0], 1.0, "must have a direction, but all its 2 entries are 0"),
        ([1.0, math.nan], 1.0, r"v must be finite, but entry 1 \(from 0\) is nan"),
        ([math.inf], 1.0, "is inf"),
        ([], 0.0, r"shape \(0,\)"),
        ([[1.0, 2.0]], 0.0, r"shape \(1, 2\)\. Pass its one row"),
        (1.0, 0.0, r"along one axis.* shape \(\)"),
        (["a"], 0.0, "v must be real numbers"),
        ([1 + 2j], 0.0, "complex128"),
        ([1.0], math.nan, "c must be one finite number, got nan"),
        ([1.0], [1.0], r"c must be one finite number, got \[1.0\]"),
        ([1.0], "x", "c must be one finite number, got 'x'"),
    ],
)
def test_bad_hyperplanes_are_refused(v, c, message):
    with pytest.raises(ValueError, match=message):
        Hyperplane(v, c)


def test_bad_points_and_labels_are_refused():
    plane = Hyperplane([1.0, 2.0], 3.0)
    with pytest.raises(ValueError, match=r"X must be \(m, 2\), or one point of 2 numbers, got"):
        plane.score([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match=r"reshape\(-1, 1\)"):
        Hyperplane([1.0]).score([1.0, 2.0])
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match=r"not a number for example 1"):
            Hyperplane([0.0, 1.0]).side([[1.0, 2.0], [bad, 2.0]])
    with pytest.raises(ValueError, match="zero_sign must be -1 or \\+1, got 0"):
        plane.side([1.0, 2.0], zero_sign=0)
    with pytest.raises(ValueError, match=r"shape \(1,\) and y of shape \(2,\)"):
        plane.margin([[1.0, 2.0]], [1, 1])
    with pytest.raises(ValueError, match="at least one"):
        plane.margin(np.zeros((0, 2)), [])
    with pytest.raises(ValueError, match=r"2\*y - 1"):
        plane.geometric_margin([[1.0, 2.0]], [0])
    with pytest.raises(ValueError, match="needs d \\+ 1 ≥ 2 entries"):
        Hyperplane.unlifted([1.0])
    with pytest.raises(ValueError, match="must have a direction"):
        Hyperplane.unlifted([0.0, 1.0])
