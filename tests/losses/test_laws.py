"""Laws that every loss obeys; a new loss is found through its base class and cannot escape."""

from __future__ import annotations

import dataclasses
import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import certo.losses
from certo.checks import check_loss
from certo.losses import (
    ConvexLoss,
    Hinge,
    Logistic,
    Loss,
    MarginLoss,
    NegativeLogLikelihood,
    SmoothLoss,
    Squared,
    ZeroOne,
)

law = settings(max_examples=50, deadline=None)


def every_final(cls) -> list[type]:
    """All instantiable descendants, each once."""
    found = {}
    for child in cls.__subclasses__():
        found.update(dict.fromkeys(every_final(child)))
        if not inspect.isabstract(child):
            found[child] = None
    return list(found)


EVERY = [cls() for cls in every_final(Loss)] + [Logistic(base=2), Logistic(base=10)]
CONVEX = [loss for loss in EVERY if isinstance(loss, ConvexLoss)]
SMOOTH = [loss for loss in EVERY if isinstance(loss, SmoothLoss)]
BOUNDS = [Hinge(), Squared(), Logistic(base=2), Logistic(base=1.5)]

every_loss = pytest.mark.parametrize("loss", EVERY, ids=repr)
every_convex_loss = pytest.mark.parametrize("loss", CONVEX, ids=repr)
every_smooth_loss = pytest.mark.parametrize("loss", SMOOTH, ids=repr)

reals = arrays(np.float64, st.integers(1, 8), elements=st.floats(-50, 50))
real = st.floats(-50, 50)
sign = st.sampled_from([-1, +1])


def test_the_list_is_the_notes_list_and_all_of_it_is_exported():
    names = {type(loss).__name__ for loss in EVERY}
    assert {"ZeroOne", "Hinge", "Squared", "Logistic", "NegativeLogLikelihood"} <= names
    assert names <= set(certo.losses.__all__)
    assert {type(loss) for loss in CONVEX} >= {Hinge, Squared, Logistic, NegativeLogLikelihood}
    assert not isinstance(ZeroOne(), ConvexLoss)
    assert not isinstance(Hinge(), SmoothLoss)


@every_loss
def test_a_loss_is_a_value(loss):
    assert dataclasses.replace(loss) == loss
    assert hash(dataclasses.replace(loss)) == hash(loss)
    assert eval(repr(loss), vars(certo.losses)) == loss
    with pytest.raises(dataclasses.FrozenInstanceError):
        loss.base = 3.0


# --- value, slope and conjugate are one function ---


@every_loss
@law
@given(z=reals, s=arrays(np.float64, st.integers(1, 8), elements=st.floats(-3, 1)))
def test_it_is_one_function(loss, z, s):
    check_loss(loss, z, np.append(s, [-1.0, 0.0]))


@every_convex_loss
@law
@given(a=real, b=real, t=st.floats(0, 1))
def test_convex_along_segments(loss, a, b, t):
    chord = (1 - t) * loss.value(a) + t * loss.value(b)
    assert loss.value((1 - t) * a + t * b) <= chord + 1e-10


@every_convex_loss
@pytest.mark.parametrize("z", [-1.0, 0.0, 1.0, 2.0])
def test_slope_is_the_right_derivative(loss, z):
    h = 1e-6
    assert loss.slope(z) == pytest.approx((loss.value(z + h) - loss.value(z)) / h, abs=1e-5)


def test_a_point_on_the_margin_is_no_violation():
    """Its hinge loss is 0: the notes' I{h > 0}."""
    assert Hinge().slope(1.0) == 0.0
    assert Hinge().slope(np.nextafter(1.0, 2.0)) == 0.0
    assert ZeroOne().value(0.0) == 1.0
    assert ZeroOne().value(5e-324) == 0.0


# --- gradient and curvature against finite differences ---


@every_convex_loss
@law
@given(y=sign, score=st.floats(-20, 20))
def test_gradient(loss, y, score):
    h = 1e-6
    near_a_kink = isinstance(loss, Hinge) and abs(y * score - 1.0) < 1e-3
    if not near_a_kink:
        difference = (loss.of(y, score + h) - loss.of(y, score - h)) / (2 * h)
        assert loss.gradient(y, score) == pytest.approx(difference, abs=1e-6)


@every_smooth_loss
def test_curvature_is_not_negative(loss):
    assert np.all(loss.curvature(np.linspace(-40, 40, 10_001)) >= 0)


# --- bounds of the 0-1 loss ---


@pytest.mark.parametrize("loss", BOUNDS, ids=repr)
@law
@given(y=sign, score=st.floats(-1e6, 1e6))
def test_bounds_of_the_error_rate(loss, y, score):
    assert loss.of(y, score) >= ZeroOne().of(y, score)


def test_the_natural_logistic_loss_does_not_bound_it():
    assert Logistic().of(+1, 0.0) < ZeroOne().of(+1, 0.0)


@law
@given(y=sign, score=real)
def test_squared_is_a_function_of_the_margin_when_y_is_a_sign(y, score):
    assert Squared().of(y, score) == pytest.approx((1 - y * score) ** 2, rel=1e-15)


# --- numbers, arrays, dtypes, infinities ---


def methods(loss):
    names = ["value", "slope", "conjugate", "curvature"]
    return [getattr(loss, name) for name in names if hasattr(loss, name)]


@every_loss
def test_numbers_give_numbers_and_arrays_arrays(loss):
    for method in methods(loss):
        assert isinstance(method(-1), np.float64)
        assert isinstance(method(np.float32(-1)), np.float32)
        assert method([-1, 0]).dtype == np.float64
        assert method(np.full((2, 3), -0.5, np.float32)).dtype == np.float32
        assert method(np.zeros((0,))).shape == (0,)
        assert method([[-1.0, -0.5]])[0, 1] == method(-0.5)


@every_loss
def test_float32_scores_keep_float32(loss):
    y, score = np.array([1, -1]), np.array([0.5, 2.0], np.float32)
    if isinstance(loss, MarginLoss):
        assert loss.of(y, score).dtype == np.float32
    assert loss.of(y.astype(np.float32), score).dtype == np.float32
    assert isinstance(loss.of(1.0, np.float32(0.5)), np.float32)
    if isinstance(loss, ConvexLoss):
        assert loss.gradient(y.astype(np.float32), score).dtype == np.float32


@every_loss
@law
@given(y=sign, score=reals)
def test_of_is_value_after_argument(loss, y, score):
    y = np.full(score.shape, y)
    z = loss.argument(y, score)
    np.testing.assert_array_equal(loss.of(y, score), loss.value(z))
    expected = {"margin": y * score, "residual": y - score, "log-density": score}
    kind = {Squared: "residual", NegativeLogLikelihood: "log-density"}.get(type(loss), "margin")
    np.testing.assert_array_equal(z, expected[kind])


def test_unsigned_answers_do_not_wrap_around():
    assert Squared().of(np.uint8([0, 5]), np.uint8([1, 7])).tolist() == [1.0, 4.0]


INF = math.inf
LIMITS = [
    (ZeroOne(), [1.0, 0.0], None, None),
    (Hinge(), [INF, 0.0], [-1.0, 0.0], None),
    (Squared(), [INF, INF], [-INF, INF], [2.0, 2.0]),
    (Logistic(), [INF, 0.0], [-1.0, 0.0], [0.0, 0.0]),
    (Logistic(base=2), [INF, 0.0], [-1 / math.log(2), 0.0], [0.0, 0.0]),
    (NegativeLogLikelihood(), [INF, -INF], [-1.0, -1.0], [0.0, 0.0]),
]


@pytest.mark.parametrize(("loss", "value", "slope", "curvature"), LIMITS)
def test_limits_at_minus_and_plus_infinity(loss, value, slope, curvature):
    ends = np.array([-INF, INF])
    assert loss.value(ends).tolist() == value
    if slope:
        assert loss.slope(ends).tolist() == slope
        assert loss.conjugate(ends).tolist() == [INF, INF]
    if curvature:
        assert loss.curvature(ends).tolist() == curvature


def test_conjugates_by_hand():
    s = np.array([-1.5, -1.0, -0.25, 0.0, 0.5])
    assert Hinge().conjugate(s).tolist() == [INF, -1.0, -0.25, 0.0, INF]
    assert Squared().conjugate(s).tolist() == [0.5625, 0.25, 0.015625, 0.0, 0.0625]
    assert NegativeLogLikelihood().conjugate(s).tolist() == [INF, 0.0, INF, INF, INF]
    entropy = 0.25 * math.log(0.25) + 0.75 * math.log(0.75)
    np.testing.assert_allclose(Logistic().conjugate(s), [INF, 0.0, entropy, 0.0, INF], rtol=1e-15)
    assert Logistic(base=4).conjugate(-0.5 / math.log(4)) == pytest.approx(-0.5, rel=1e-15)


# --- the logistic loss in its tails ---


@pytest.mark.parametrize("base", [math.e, 2, 10, 1.001])
def test_logistic_is_accurate_in_the_tails_and_never_overflows(base):
    loss, log = Logistic(base=base), math.log(base)
    z = np.array([40.0, 300.0, 700.0])
    np.testing.assert_allclose(loss.value(z) * log, np.exp(-z), rtol=1e-14)
    np.testing.assert_allclose(loss.slope(z) * log, -np.exp(-z), rtol=1e-14)
    np.testing.assert_allclose(loss.curvature(-z) * log, np.exp(-z), rtol=1e-14)
    np.testing.assert_allclose(loss.value([-1e9, -1e300]) * log, [1e9, 1e300], rtol=1e-14)
    # (1 − p) ln(1 − p) ≈ −p, which 1 − p alone would round away
    p = 1e-20
    assert loss.conjugate(-p / log) * log == pytest.approx(p * math.log(p) - p, rel=1e-13)


@law
@given(base=st.floats(1.01, 1e6), dtype=st.sampled_from([np.float32, np.float64]))
def test_both_ends_of_the_logistic_conjugate_are_inside(base, dtype):
    loss = Logistic(base=base)
    ends = loss.slope(np.array([-np.inf, np.inf], dtype))
    eps = float(np.finfo(dtype).eps)  # p may be off 1 by that much, and (1 − p) ln(1 − p) is steep
    np.testing.assert_allclose(
        loss.conjugate(ends), 0.0, atol=2 * eps * math.log(1 / eps) / math.log(base)
    )
    assert loss.conjugate(ends[0] * dtype(1.001)) == np.inf


@pytest.mark.parametrize("base", [1, 0.5, -2, math.nan, math.inf, "2", None, 1 + 1j])
def test_a_bad_base_is_refused(base):
    with pytest.raises(ValueError, match="base must be a finite number above 1, got"):
        Logistic(base=base)


def test_logistic_reads_well():
    assert repr(Logistic()) == "Logistic()"
    assert repr(Logistic(base=2)) == "Logistic(base=2)"
    assert Logistic(base=2) == Logistic(base=2.0) != Logistic()
