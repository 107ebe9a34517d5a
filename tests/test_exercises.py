"""Answers by hand: right ones are claimed and hold, wrong ones are refused with a reason."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    OnlineGradientDescent,
    Perceptron,
    separability,
)
from certo.exercises import (
    CannotClaim,
    claim_answers,
    claim_descent,
    claim_errors,
    claim_gap,
    claim_inseparable,
    claim_kernel_perceptron,
    claim_least_squares,
    claim_logistic,
    claim_margin,
    claim_mistakes,
    claim_perceptron,
    claim_separator,
)
from certo.kernels import Polynomial

law = settings(max_examples=20, deadline=None)
XOR, SIDES = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
X, Y = [[0, 0], [0, 2], [2, 0], [3, 3], [4, 2]], ["low", "low", "low", "up", "up"]


def test_weights_that_cancel_prove_that_there_is_no_separator():
    quarter = Fraction(1, 4)
    claim = claim_inseparable(XOR, SIDES, dict.fromkeys(range(4), quarter))
    assert claim.verify(XOR, SIDES)
    assert not claim.verify(XOR, ["same", "other", "same", "other"])
    with pytest.raises(CannotClaim):
        claim_inseparable(XOR, SIDES, {0: 1, 1: 1, 2: 2})
    assert claim_inseparable(XOR, SIDES, {3: 1, 2: 1, 1: 1, 0: 1}) == claim
    with pytest.raises(CannotClaim, match="no example has a weight above 0"):
        claim_inseparable(XOR, SIDES, {0: 0})
    with pytest.raises(ValueError, match="not negative, but that of 1 is -1"):
        claim_inseparable(XOR, SIDES, {0: 1, 1: -1})
    with pytest.raises(ValueError, match="rows from 0 to 3"):
        claim_inseparable(XOR, SIDES, {0: 1, 4: 1})
    with pytest.raises(ValueError, match=r"must be \{row: number\}, got"):
        claim_inseparable(XOR, SIDES, [1, 1, 1, 1])


def test_errors_are_counted_and_a_zero_is_one():
    claim = claim_errors(XOR, SIDES, [1.0, 1.0], -0.5)
    assert (claim.errors, bool(claim.verify(XOR, SIDES))) == (3, True)
    assert claim_errors(XOR, SIDES, [0.0, 0.0]).errors == 4


def test_answers_of_any_kind_are_counted():
    claim = claim_answers(XOR, SIDES, ["same", "other", "other", "other"])
    assert (claim.errors, bool(claim.verify(XOR, SIDES))) == (1, True)
    assert not claim.verify(XOR, ["same", "other", "other", "other"])


@law
@given(st.integers(0, 10**6))
def test_what_machines_find_is_graded_as_theirs(seed):
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(14, 2)), 2)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.3 * y
    if len(set(y)) < 2:
        return
    hard = HardMarginSVM().fit(X, y)
    rows, dual = hard.supports_of_output(0)
    found = dict(zip(rows.tolist(), np.abs(dual).tolist(), strict=True))
    claim = claim_margin(X, y, hard.coef_[0], hard.intercept_[0], found)
    assert claim.verify(X, y)
    assert claim.lower <= claim.upper <= claim.lower * (1 + 1e-6)
    assert claim_separator(X, y, hard.coef_[0], hard.intercept_[0]).verify(X, y)
    assert separability(X, y).verify(X, y)
    soft = SVM(C=0.5, intercept="none").fit(X, y)
    rows, dual = soft.supports_of_output(0)
    found = dict(zip(rows.tolist(), np.abs(dual).tolist(), strict=True))
    claim = claim_gap(X, y, soft.coef_[0], 0.0, found, C=0.5, treatment="none")
    assert claim.verify(X, y)
    assert claim.relative_gap <= 1e-3


def test_a_hand_made_optimum_of_the_largest_margin():
    """The line x1 + x2 = 4, held by (0, 2), (2, 0) and (3, 3)."""
    claim = claim_margin(X, Y, [0.5, 0.5], -2.0, {1: 0.125, 2: 0.125, 3: 0.25})
    assert claim.verify(X, Y)
    assert claim.upper == pytest.approx(np.sqrt(2))
    assert claim.lower == pytest.approx(np.sqrt(2))
    with pytest.raises(CannotClaim):
        claim_margin(X, Y, [0.5, 0.5], -2.0, {1: 0.2, 3: 0.1})  # they do not balance
    with pytest.raises(ValueError, match="rows from 0 to 4"):
        claim_margin(X, Y, [0.5, 0.5], -2.0, {7: 0.2})


def test_regressions_by_hand():
    x, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.5]
    best = LeastSquares().fit(x, y)
    exact = claim_least_squares(x, y, best.coef_, float(best.intercept_))
    rough = claim_least_squares(x, y, [2.0], 1.0)
    assert exact.verify(x, y)
    assert rough.verify(x, y)
    assert exact.excess < 1e-12 < rough.excess
    kinds = ["no", "yes", "no", "yes"]
    fit = LogisticRegression().fit(x, kinds)
    exact = claim_logistic(x, kinds, fit.coef_[0], float(fit.intercept_[0]))
    rough = claim_logistic(x, kinds, [1.0], -1.5)
    assert exact.verify(x, kinds)
    assert rough.verify(x, kinds)
    assert exact.gap < 1e-6 < rough.gap


def test_the_verdict_of_a_run_speaks_of_all_examples():
    """Of which only some are updated on."""
    points, y = [[1.0], [2.0], [-1.0], [-3.0]], [1, 1, -1, -1]
    w = Perceptron(epochs=9, intercept="none").fit(points, y).coef_[0]
    why = claim_perceptron(points, y, w, 9).verify(points, y).why
    assert "re-running on 4 of 4 examples alone, at their places, gives this rule" in why
    why = claim_perceptron(points, y, w + 1, 9).verify(points, y).why
    assert "on 4 examples gives other weights" in why
    Z = np.random.default_rng(0).normal(size=(4, 2))  # No scores near 0.
    why = claim_kernel_perceptron(Z, y, Polynomial(2), [3, 3, 3]).verify(Z, y).why
    assert "on 4 examples alone makes other mistakes" in why


@law
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_runs_are_graded_by_running_again(seed, epochs):
    """Right for the results of the machines, wrong for any other."""
    random = np.random.default_rng(seed)
    X, y = random.integers(-3, 4, (8, 2)).astype(float), np.array([1, -1] * 4)
    Z = random.normal(size=(8, 2))  # No scores near 0, which no re-run decides.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few epochs
        linear = Perceptron(epochs=epochs, intercept="none").fit(X, y)
        curved = KernelPerceptron(Polynomial(2), epochs=epochs).fit(Z, y)
    w = linear.coef_[0]
    assert claim_perceptron(X, y, w, epochs).verify(X, y)
    assert not claim_perceptron(X, y, w + 1.0, epochs).verify(X, y)
    made = curved.trace_.example.tolist()
    assert claim_kernel_perceptron(Z, y, Polynomial(2), made, epochs).verify(Z, y)
    assert not claim_kernel_perceptron(Z, y, Polynomial(2), [*made, 7], epochs).verify(Z, y)
    online = OnlineGradientDescent(lam=0.5, intercept="none", average=False).fit(X, y)
    assert claim_descent(X, y, 0.5, online.coef_[0]).verify(X, y)
    assert not claim_descent(X, y, 0.5, online.coef_[0] + 0.01).verify(X, y)


def test_a_run_from_a_bad_start_is_bounded():
    """From −10 with x = ±1: (k − 10)² ≤ 100 + k holds up to k = 21; 11 updates are made."""
    x, y = [[1.0], [-1.0]], [1, -1]
    claim = claim_mistakes(x, y, {0: 6, 1: 5}, comparator=[1.0], start=[-10.0])
    assert (claim.updates, claim.bound, bool(claim.verify(x, y))) == (11, 21, True)
    assert not replace(claim, bound=20).verify(x, y)
    assert claim_mistakes(x, y, {0: 1}, comparator=[1.0]).bound == 1
    with pytest.raises(CannotClaim, match="more than the 1 that"):
        claim_mistakes(x, y, {0: 2}, comparator=[1.0])


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="rows from 0 to 4"):
        claim_kernel_perceptron(X, Y, Polynomial(2), [7])
    with pytest.raises(ValueError, match="two classes"):
        claim_separator(X, [1, 2, 3, 1, 2], [1.0, 1.0])
    with pytest.raises(ValueError, match="2 numbers"):
        claim_separator(X, Y, [1.0])
    with pytest.raises(ValueError, match="a row for each example"):
        claim_separator([1.0, 2.0], Y, [1.0])
