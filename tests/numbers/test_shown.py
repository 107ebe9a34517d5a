"""Numbers are printed so that what is said of them stays true."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo import (
    SVM,
    GaussianDensity,
    HardMarginSVM,
    LeastSquares,
    LogLinearDensity,
    Perceptron,
    certify,
)
from certo.features import BoxPolynomials
from certo.kernels import Gaussian
from certo.losses.confidence import EstimatedRisk
from certo.numbers.decimals import rounded_down, rounded_up
from certo.numbers.shown import AT_LEAST, AT_MOST, shown_numbers
from certo.verify import numbers_text

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.sampled_from(sorted(AT_MOST)), st.floats(1e-9, 1e9))
def test_a_number_is_never_shown_on_the_wrong_side(name, value):
    assert Fraction(shown_numbers({name: value})[name]) >= Fraction(value)
    for below in AT_LEAST:
        assert Fraction(shown_numbers({below: value})[below]) <= Fraction(value)


def test_a_bound_is_the_same_in_the_claim_and_beside_it():
    assert numbers_text({"bound": 0.1187386, "delta": 0.05}) == "bound 0.118739, delta 0.05"


random = np.random.default_rng(0)
X = random.normal(size=(80, 2))
noisy = np.where(X[:, 0] + 0.4 * random.normal(size=80) > 0, 1, -1)
clear = np.where(X[:, 0] > 0, 1, -1)
X_APART = X + 0.2 * np.outer(clear, [1, 0])
height = 1e3 + X @ [1.0, 2.0] + random.normal(size=80)

MODELS = {
    "svm": (SVM(C=30.0, tol=1e-12), X, noisy),
    "kernel svm": (SVM(Gaussian(2.0), C=5.0, tol=1e-9), X, noisy),
    "hard margin": (HardMarginSVM(tol=1e-10), X_APART, clear),
    "kernel margin": (HardMarginSVM(Gaussian(2.0), tol=1e-9), X_APART, clear),
    "least squares": (LeastSquares(), X, height),
    "gaussian": (GaussianDensity(), X, None),
    "log-linear": (LogLinearDensity(features=BoxPolynomials(2), box=[(-5.0, 5.0)]), X[:, :1], None),
}


@pytest.mark.parametrize("name", MODELS)
def test_no_two_roundings_contradict_a_gap(name):
    """A value and a lower bound that agree to all digits shown are not shown as two numbers."""
    model, A, y = MODELS[name]
    model = model.fit(A) if y is None else model.fit(A, y)
    page = certify(model, A, y)
    for claim in model.certificate_:
        texts = [claim.claim, claim.plain, claim.verify(A, y).why, model.status_]
        for text in texts:
            assert not contradicts(text, claim.numbers), text
        shown = shown_numbers(claim.numbers)
        assert not contradicts(" ".join(shown.values()), claim.numbers), shown
        assert claim._repr_html_()
    assert page.verify(A, y)


def contradicts(text: str, numbers) -> bool:
    """Whether both ends of a range appear in a text, further apart than they are."""
    found = {Fraction(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", text)}
    for high, low in (("primal", "dual"), ("risk", "lower"), ("upper", "lower")):
        if not (isinstance(numbers.get(high), float) and isinstance(numbers.get(low), float)):
            continue
        top, end = (Fraction(numbers[name]) for name in (high, low))
        both = Fraction(rounded_up(float(top))), Fraction(rounded_down(float(end)))
        if both[0] - both[1] > 2 * (top - end) and set(both) <= found and both[0] != both[1]:
            return True
    return False


def test_intervals_of_estimates_are_rounded_outward():
    estimate = EstimatedRisk(0.1, 0.033339, 0.222221, 0.95, "some method")
    assert "0.03333 to 0.2223" in repr(estimate)


def test_a_perceptron_shows_its_bound_as_its_claim_does():
    model = Perceptron(epochs=5).fit(X_APART, clear)
    for claim in certify(model, X_APART, clear).risks:
        shown = shown_numbers(claim.numbers)
        for name in ("printed", "tail"):
            assert Fraction(shown[name]) >= Fraction(claim.numbers[name])
