"""Why a fit ended: every reason has words, and no gap is rounded in its own favour."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.kernels import Gaussian, Polynomial, Spectrum
from certo.stop import Stop
from certo.words import status


@pytest.mark.parametrize("stop", [*status.REASONS, Stop.MAX_ITER, Stop.TIME_LIMIT])
def test_every_reason_begins_alike(stop):
    words = status.stop_reason(stop, 1000, "passes over the examples", 2.5)
    assert words.startswith("Stopped ")
    assert ("1,000 passes over the examples" in words) == (stop is Stop.MAX_ITER)
    assert ("2.5 seconds" in words) == (stop is Stop.TIME_LIMIT)


@given(st.floats(1e-12, 0.99))
def test_a_gap_is_not_said_to_be_smaller_than_it_is(gap):
    for reason in ("", "Stopped by hand"):
        words = status.gap_status(reason, gap, 1e-13, "the objective", "smallest")
        said = words.split("relative gap of ")[1].split(",")[0].rstrip(".")
        assert gap <= float(said) <= 1.11 * gap


def test_gaps_at_their_ends():
    said = status.gap_status("", 0.0, 1e-4, "the margin", "the largest")
    assert said == "Converged: the margin is proved to be the largest up to a relative gap of 0."
    for gap in (1.0, 0.999, float("inf"), float("nan")):
        said = status.gap_status("Stopped by hand", gap, 1e-4, "the objective", "smallest")
        assert said == (
            "Stopped by hand: nothing is proved about how near the objective is to the smallest."
        )


def test_runs_of_steps_and_rounds():
    assert status.steps_status(Stop.MAX_ITER, 1, [0.25, 0.5], "").endswith("by at most 0.5.")
    assert "No guarantee: why." in status.steps_status(Stop.MAX_ITER, 2, [], "why.")
    by_hand = status.steps_status(Stop.BY_HAND, 2, [0.5], "")
    assert by_hand == "Stopped by hand after 2 steps: nothing is proved about the answer."
    assert "in the ball by at most 0.5 a round" in status.rounds_status(Stop.MAX_ITER, 9, 0.5, True)
    assert "weights by at most" in status.rounds_status(Stop.CALLBACK, 9, 0.5, False)


def outcome(converged, epochs=3, updates=5, last=2):
    trace = SimpleNamespace(epoch_updates=np.array([updates - last, last]))
    return SimpleNamespace(
        converged=converged, epochs=epochs, updates=updates, counts=np.zeros(7), trace=trace
    )


def test_layers_of_neurons():
    done, left = outcome(True), outcome(False)
    said = status.neurons_status(Stop.CONVERGED, [done], False)
    assert said == "Converged: after 3 epochs no example leads to an update any more."
    assert status.neurons_status(Stop.CONVERGED, [done] * 2, False).startswith("All 2 neurons")
    said = status.neurons_status(Stop.MAX_ITER, [done, left], False)
    assert said.startswith("1 of 2 neurons did not converge: 3 epochs made")
    assert said.endswith("the last still had 2 updates.")
    said = status.neurons_status(Stop.MAX_ITER, [left], True)
    assert said == "One pass over a batch of 7 examples made 5 updates."
    assert "those at that moment" in status.neurons_status(Stop.BY_HAND, [left], False)


def test_functions_that_grow_with_their_mistakes():
    one = [outcome(False, epochs=1)]
    assert (
        status.mistakes_status(Stop.MAX_ITER, one, 7) == "1 epoch over 7 examples made 5 mistakes."
    )
    several = status.mistakes_status(Stop.MAX_ITER, [outcome(False)], 7)
    assert several == "3 epochs over 7 examples made 5 mistakes, 2 of them in the last."
    assert "no example leads to a mistake" in status.mistakes_status(Stop.CONVERGED, one, 7)
    assert "at that moment" in status.mistakes_status(Stop.CALLBACK, one, 7)


def test_advice_suits_the_kernel():
    assert status.large_kernel(Gaussian(1.0), 1e9) == " (K(x, x) reaches 1e+09: scale the features)"
    assert "Polynomial(4, scale=…)" in status.large_kernel(Polynomial(4), 1e9)
    assert "scale" not in status.large_kernel(Spectrum(3), 1e9)
