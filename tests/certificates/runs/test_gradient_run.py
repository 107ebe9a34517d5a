"""A run of gradient descent as a value: what none can be, and losses by their names."""

from __future__ import annotations

import math

import pytest

from certo.certificates import GradientRun
from certo.certificates.runs.gradient_run import loss_named
from certo.losses import Hinge, Logistic, Squared


@pytest.mark.parametrize("loss", [Hinge(), Logistic(), Logistic(base=2), Squared()], ids=repr)
def test_a_loss_is_read_as_it_is_written(loss):
    assert repr(loss_named(repr(loss))) == repr(loss)


@pytest.mark.parametrize(
    "text", ["", "Hinge", "ZeroOne()", "Hinge(2)", "Logistic(base=x)", None, 3, "Hinge()" * 20]
)
def test_what_is_no_loss_is_refused(text):
    with pytest.raises(ValueError, match=r"loss must be|could not convert"):
        loss_named(text)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("Hinge()", -1.0, 1.0), "lam must be"),
        (("Hinge()", math.nan, 1.0), "lam must be"),
        (("Hinge()", 0.0, None), "a radius is needed"),
        (("Squared()", 1.0, None), "slope of Squared"),
        (("Hinge()", 1.0, 0.0), "radius must be"),
        (("Hinge()", 1.0, math.inf), "radius must be"),
    ],
)
def test_runs_that_none_can_be(settings, words):
    with pytest.raises(ValueError, match=words):
        GradientRun(*settings, lifted=True, average=True)


def test_the_bound_is_that_of_the_notes_rounded_up():
    of_ball = GradientRun("Hinge()", 0.0, 3.0, lifted=False, average=False)
    assert not of_ball.of_sums
    plain = 2 * math.sqrt(2) * 3 * math.sqrt(50)
    assert plain < of_ball.bound(50.0, 0.0, 100) < plain * (1 + 1e-12)
    strong = GradientRun("Hinge()", 0.5, None, lifted=False, average=False)
    assert strong.of_sums
    assert 7.0 < strong.bound(50.0, 7.0, 100) < 7.0 * (1 + 1e-12)
