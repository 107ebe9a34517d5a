from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.compiled import twofold as compiled
from certo.numbers import twofold
from certo.numbers.rounded import NotShown

KINDS = ("plain", "wide", "quarters", "tiny")


def problem(seed: int, kind: str):
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(1, 30)), int(rng.integers(1, 9))
    X, w, b = rng.standard_normal((m, d)), rng.standard_normal(d), float(rng.standard_normal())
    if kind == "wide":
        X *= 10.0 ** rng.integers(-9, 9, (m, d))
    elif kind == "quarters":
        X, w, b = np.rint(4 * X) / 4, np.rint(4 * w) / 4, round(4 * b) / 4
    elif kind == "tiny":
        X, w = 1e-160 * X, 1e-155 * w
    signs = rng.choice([-1, 1], m).astype(np.int8)
    costs = rng.random(m) * (rng.random(m) > 0.2)
    return X, signs, w, b, costs, rng.standard_normal(m)


def exact_losses(X, signs, w, b, costs) -> Fraction:
    total = Fraction(0)
    for x, y, c in zip(X.tolist(), signs.tolist(), costs.tolist(), strict=True):
        score = sum(Fraction(u) * Fraction(v) for u, v in zip(x, w.tolist(), strict=True))
        total += Fraction(c) * max(1 - y * (score + Fraction(b)), Fraction(0))
    return total


def exact_square(X, weights) -> Fraction:
    columns = zip(*X.tolist(), strict=True)
    sums = (
        sum((Fraction(a) * Fraction(x) for a, x in zip(weights.tolist(), column, strict=True)))
        for column in columns
    )
    return sum((entry * entry for entry in sums), Fraction(0))


@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_numpy_sums_are_within_their_bounds(seed, kind):
    X, signs, w, b, costs, weights = problem(seed, kind)
    losses = twofold.hinge_losses(X, signs, w, b, costs)
    assert abs(losses.value - exact_losses(X, signs, w, b, costs)) <= losses.within
    square = twofold.squared_combination(X, weights)
    assert abs(square.value - exact_square(X, weights)) <= square.within
    if kind == "plain":
        assert max(losses.within, square.within) <= Fraction(1, 2**85)


@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_compiled_sums_are_within_their_bounds(seed, kind):
    X, signs, w, b, costs, weights = problem(seed, kind)
    sums = np.empty((2, 2, 3))
    compiled.primal_parts(X, signs, w, b, costs, sums[0])
    compiled.dual_parts(X, np.arange(len(X)), weights, sums[1])
    truths = (
        exact_losses(X, signs, w, b, costs), exact_square(w[None], np.ones(1)),
        sum(map(abs, map(Fraction, weights.tolist()))), exact_square(X, weights),
    )  # fmt: skip
    for (high, low, off), truth in zip(sums.reshape(4, 3).tolist(), truths, strict=True):
        assert abs(Fraction(high) + Fraction(low) - truth) <= Fraction(off)


def test_overflow_shows_nothing():
    X = np.array([[1e300, 1e300]])
    with pytest.raises(NotShown):
        twofold.hinge_losses(X, np.array([-1]), np.array([1e300, 1e300]), 0.0, np.ones(1))
    with pytest.raises(NotShown):
        twofold.squared_combination(X, np.array([1e300]))


@given(st.integers(0, 10**6))
def test_the_least_is_among_those_that_may_be(seed):
    X, signs, w, b, _, _ = problem(seed, "plain")
    X, signs = np.repeat(X, 2, axis=0), np.repeat(signs, 2)
    X[1::2, 0] *= 1 + 2.0**-52
    exact = [
        y
        * (sum(Fraction(u) * Fraction(v) for u, v in zip(x, w.tolist(), strict=True)) + Fraction(b))
        for x, y in zip(X.tolist(), signs.tolist(), strict=True)
    ]
    kept = twofold.may_be_least(X, signs, w, b)
    assert kept[exact.index(min(exact))]
    assert kept.sum() <= 2 * exact.count(min(exact))  # The seeming least one is kept, too.
