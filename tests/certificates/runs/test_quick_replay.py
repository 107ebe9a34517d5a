"""The quick replay is the replay: the same weights and updates, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.certificates.runs import quick_replay as quick
from certo.certificates.runs.perceptron_run import PerceptronRun, replay
from certo.certificates.runs.quick_replay import quick_replay
from certo.rates import Constant, Geometric


def _same(run: PerceptronRun, X, signs, rows) -> None:
    found, (w, updates) = quick_replay(run, X, signs, rows), replay(run, X, signs, rows)
    assert found is not None
    np.testing.assert_array_equal(found[0], w)
    assert found[1] == updates


@given(
    st.integers(0, 10_000),
    st.integers(1, 40),
    st.integers(1, 19),
    st.integers(0, 30),
    st.sampled_from(["always", "positive", "negative"]),
    st.sampled_from(["zeros", "random"]),
    st.booleans(),
    st.sampled_from([1.0, 0.1]),
)
@settings(max_examples=60, deadline=None)
def test_the_same_as_the_replay(seed, m, d, epochs, at_zero, init, lifted, rate):
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (m, d)) * random.choice([1.0, 0.1])  # Many scores are 0.
    signs = random.choice([-1, 1], m).astype(np.int8)
    rows = np.flatnonzero(random.random(m) < 0.8)
    run = PerceptronRun(
        epochs, init=init, lifted=lifted, update_at_zero=at_zero, rate=Constant(rate), seed=seed
    )
    if rows.size:
        _same(run, X, signs, rows)


@pytest.mark.parametrize("at_once", [1, 7, 1024])
def test_wherever_a_guess_ends(monkeypatch, at_once):
    monkeypatch.setattr(quick, "VISITS_AT_ONCE", at_once)
    random = np.random.default_rng(0)
    X, signs = random.standard_normal((30, 5)), random.choice([-1, 1], 30)
    for separable in (False, True):
        y = np.where(X[:, 0] > 0, 1, -1) if separable else signs
        _same(PerceptronRun(50), X, y, np.arange(30))


def test_a_wrong_guess_is_corrected(monkeypatch):
    """Every other guess leaves out a mistake, or makes one up."""
    rightly, turn = quick._mistakes, [0]

    def wrongly(margins, moves, limits, visit, most):
        found, stop = rightly(margins, moves, limits, visit, most)
        turn[0] += 1
        if turn[0] % 2 and found.size:
            return found[: found.size // 2], stop
        return (np.unique(np.append(found, visit)) if turn[0] % 3 else found), stop

    monkeypatch.setattr(quick, "_mistakes", wrongly)
    monkeypatch.setattr(quick, "MAX_WRONG_GUESSES", 10**6)
    monkeypatch.setattr(quick, "VISITS_AT_ONCE", 1)
    random = np.random.default_rng(1)
    X, signs = random.standard_normal((20, 4)), random.choice([-1, 1], 20)
    _same(PerceptronRun(15), X, signs, np.arange(20))
    assert turn[0] > 15


def test_rounding_decides_of_examples_far_from_the_origin():
    random = np.random.default_rng(2)
    X = 1e8 + random.standard_normal((40, 3))
    _same(PerceptronRun(40), X, random.choice([-1, 1], 40), np.arange(40))


def test_others_are_left_to_the_replay():
    X, signs, rows = np.eye(3), np.array([1, -1, 1]), np.arange(3)
    for run in (
        PerceptronRun(5, order="shuffled"),
        PerceptronRun(5, average=True),
        PerceptronRun(5, sparse=True),
        PerceptronRun(5, rate=Geometric(1.0, 0.9)),
    ):
        assert quick_replay(run, X, signs, rows) is None
    assert quick_replay(PerceptronRun(5), X, signs, rows[:0]) is None
