"""How high the mean of losses of a known range may be: what is shown is true."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo import bounds
from certo.numbers.capped_mean import BETS, shows_capped_mean


def wealth(mean: float, losses: np.ndarray, cap: float) -> Fraction:
    """The average of the products, in rationals."""
    steps = [(Fraction(mean) - min(Fraction(x), Fraction(cap))) / Fraction(cap) for x in losses]
    products = (math.prod(1 + Fraction(bet) * step for step in steps) for bet in BETS)
    return sum(products, Fraction(0)) / len(BETS)


LOSSES = st.lists(st.floats(0, 1e3, width=32), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(LOSSES, st.floats(1e-3, 1e4), st.floats(0, 1), st.sampled_from([0.5, 0.05, 1e-9]))
def test_what_is_shown_is_so_in_rationals(losses, cap, share, delta):
    mean, losses = share * cap, np.array(losses)
    if shows_capped_mean(mean, losses, cap, delta) and mean < cap:
        assert wealth(mean, losses.tolist(), cap) * Fraction(delta) >= 1


@settings(max_examples=40, deadline=None)
@given(LOSSES, st.floats(1e-3, 1e4), st.sampled_from([0.5, 0.05, 1e-9]))
def test_the_bound_is_shown_and_is_the_least_that_is(losses, cap, delta):
    losses = np.array(losses)
    mean = bounds.capped_mean(losses, cap, delta)
    assert np.minimum(losses, cap).mean() <= mean * (1 + 1e-12)
    assert mean <= cap
    assert shows_capped_mean(mean, losses, cap, delta)
    if mean < cap:
        assert not shows_capped_mean(mean * (1 - 1e-6), losses, cap, delta)
        assert shows_capped_mean(mean * 1.01, losses, cap, delta)  # What is above is shown, too.
        assert bounds.capped_mean(losses, cap, delta / 2) >= mean
        scaled = bounds.capped_mean(losses * 3, cap * 3, delta)
        assert scaled == pytest.approx(3 * mean, rel=1e-9)


def test_it_is_sharper_than_inequalities_of_the_mean_and_variance_alone():
    """Beside Hoeffding, and Maurer and Pontil, for 4,000 errors of a tenth of their cap."""
    losses = np.abs(np.random.default_rng(0).normal(size=4000)) / 8
    n, log = losses.size, math.log(1 / 0.05)
    hoeffding = losses.mean() + math.sqrt(log / (2 * n))
    log = math.log(2 / 0.05)
    bernstein = losses.mean() + math.sqrt(2 * losses.var(ddof=1) * log / n) + 7 * log / (3 * n - 3)
    mean = bounds.capped_mean(losses, 1.0, 0.05)
    assert losses.mean() < mean < bernstein < hoeffding


@pytest.mark.slow
def test_it_fails_no_more_often_than_it_says():
    """Losses that are rarely large, whose mean is 0.05: the hardest kind."""
    random, trials, delta = np.random.default_rng(1), 1000, 0.1
    failed = 0
    for _ in range(trials):
        losses = (random.random(60) < 0.05).astype(float)
        failed += bounds.capped_mean(losses, 1.0, delta) < 0.05
    assert failed / trials <= delta + 3 * math.sqrt(delta * (1 - delta) / trials)


def test_extremes():
    one = np.ones(3)
    assert bounds.capped_mean(one, 1.0, 0.05) == 1.0
    assert not shows_capped_mean(0.0, np.zeros(10**5), 1.0, 0.05)
    assert bounds.capped_mean(np.zeros(10**5), 1.0, 0.05) == pytest.approx(
        math.log(160) / 10**5, 0.5
    )
    assert bounds.capped_mean([np.inf, 0.0], 2.0, 0.05) == 2.0
    huge = bounds.capped_mean(np.full(10**4, 1e300), 1e305, 0.05)
    assert 1e300 < huge < 1e303
    assert shows_capped_mean(0.5, np.zeros(10**6), 1.0, 1e-300)  # Products far beyond floats.
    for wrong in ({"losses": [-1.0]}, {"losses": []}, {"cap": 0.0}, {"cap": np.inf}, {"delta": 0}):
        with pytest.raises(ValueError, match="must be"):
            bounds.capped_mean(**{"losses": [1.0], "cap": 1.0, "delta": 0.05} | wrong)
