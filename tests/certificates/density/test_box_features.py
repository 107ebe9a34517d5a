"""Moments of densities on a box: their proven errors beside rigorous integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from certo.certificates.density.box_features import (
    FEATURE_FAMILIES,
    FEJER,
    BoxCosines,
    BoxPolynomials,
    TooSharp,
    moments,
    truncation,
)
from tests.oracles.density_truth import LogLinear, real, rectangle

KINDS = sorted(FEATURE_FAMILIES)


def off(value: float, truth: arb) -> float:
    return float(abs(real(value) - truth).upper())


@settings(max_examples=25)
@given(
    st.sampled_from(KINDS),
    st.integers(1, 4),
    st.floats(-1.5, 2.0),
    st.integers(0, 10**6),
)
def test_moments_on_an_interval_are_as_near_as_is_said(family, degree, size, seed):
    rng = np.random.default_rng(seed)
    coef = 10.0**size * rng.standard_normal(degree)
    found = moments(FEATURE_FAMILIES[family](degree), coef, 1)
    truth = LogLinear(family, degree, 0.0, 1.0, [[0.5]])
    w = [real(c) for c in coef]
    mass = truth.integral(w)
    assert off(found.log_mass, mass.log()) <= found.mass_error
    means = [truth.integral(w, k) / mass for k in range(degree)]
    assert max(off(a, b) for a, b in zip(found.mean, means, strict=True)) <= found.mean_error
    j, k = rng.integers(0, degree, 2)
    covariance = truth.integral(w, j, k) / mass - means[j] * means[k]
    assert off(found.covariance[j, k], covariance) <= found.covariance_error
    assert found.mean_error < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize("size", [0.1, 3.0, 30.0])
def test_moments_on_a_rectangle_are_as_near_as_is_said(family, size):
    features = FEATURE_FAMILIES[family](2)
    orders = features.orders(2)
    coef = size * np.random.default_rng(0).standard_normal(len(orders))
    found = moments(features, coef, 2)
    mass, means, second = rectangle(family, orders.tolist(), coef.tolist())
    assert off(found.log_mass, mass.log()) <= found.mass_error < 1e-11
    for j, mean in enumerate(means):
        assert off(found.mean[j], mean) <= found.mean_error < 1e-11
        for k in range(len(means)):
            covariance = second[j][k] - mean * means[k]
            assert off(found.covariance[j, k], covariance) <= found.covariance_error


def test_scipy_integrates_the_same():
    features, coef = BoxPolynomials(3), np.array([1.0, -4.0, 2.0])

    def density(x, k=None):
        phi = features.at(np.array([[x]]))[0]
        return math.exp(phi @ coef) * (1.0 if k is None else phi[k])

    mass = integrate.quad(density, 0, 1)[0]
    found = moments(features, coef, 1)
    assert found.log_mass == pytest.approx(math.log(mass), abs=1e-12)
    for k in range(3):
        mean = integrate.quad(density, 0, 1, args=(k,))[0] / mass
        assert found.mean[k] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("n", [64, 256])
def test_fejers_weights_are_as_near_as_is_said(n):
    weights, error = BoxPolynomials(1).weights(n)
    assert error == FEJER
    assert np.all(weights > 0)
    for j in [0, 1, n // 3, n - 1]:
        total = arb(1)
        for k in range(1, n // 2 + 1):
            angle = arb.pi() * real(2 * k * (2 * j + 1)) / (2 * n)
            total -= 2 * angle.cos() / (4 * k * k - 1)
        assert off(weights[j], total / n) <= FEJER / n


def test_the_rule_is_exact_for_polynomials():
    n = 64
    weights, _ = BoxPolynomials(1).weights(n)
    k = np.arange(n)
    table = np.cos(np.outer((2 * np.arange(n) + 1) * math.pi / (2 * n), k))
    means = np.where(k % 2 == 0, 1 / (1 - k.astype(float) ** 2 + (k == 1)), 0.0)
    np.testing.assert_allclose(weights @ table, means, atol=1e-14)


@settings(max_examples=30)
@given(st.sampled_from(KINDS), st.integers(1, 12), st.floats(0, 1), st.floats(0, 1))
def test_features_of_examples_are_as_near_as_is_said(family, degree, low, place):
    features = FEATURE_FAMILIES[family](degree)
    high = low + 0.7
    x = min(low + place * (high - low), high)
    tau = (x - low) / (high - low)
    found = features.at(np.array([[tau]]))[0]
    truth = LogLinear(family, degree, low, high, [[x]])
    assert max(off(a, b) for a, b in zip(found, truth.means, strict=True)) <= features.rounding


@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize("n", [2, 6, 10, 16, 24, 32])
def test_truncation_is_bounded_before_anything_is_computed(family, n):
    """With few nodes on purpose: the error that is seen is there, and below what is said."""
    features, coef = FEATURE_FAMILIES[family](3), np.array([2.0, -3.0, 1.0])
    angles = (2 * np.arange(n) + 1) * math.pi / (2 * n)
    weights, _ = features.weights(n)
    phi = np.cos(np.outer(angles, np.arange(1, 4)))
    truth = LogLinear(family, 3, 0.0, 1.0, [[0.5]])
    w = [real(c) for c in coef]
    peak = math.exp(np.max(features.at(np.linspace(0, 1, 1001)[:, None]) @ coef))
    bound = peak * math.exp(truncation(features, coef, 1, 0, n))
    for k in range(3):
        seen = off(float(weights @ (np.exp(phi @ coef) * phi[:, k])), truth.integral(w, k))
        assert seen <= bound + 1e-13
        assert n > 6 or seen > 1e-6


def test_integration_refuses_too_sharp_densities():
    with pytest.raises(TooSharp, match="axis 0"):
        moments(BoxPolynomials(2), np.array([0.0, -1e8]), 1)
    with pytest.raises(TooSharp, match="nodes"):
        moments(BoxPolynomials(2), np.array([0.0, 0.0, -1e5, 0.0, -1e5]), 2)


@pytest.mark.parametrize("degree", [0, -1, 65, 1.5, True, "2", None])
def test_degrees_are_whole_numbers(degree):
    with pytest.raises(ValueError, match="degree must be an integer"):
        BoxPolynomials(degree)


def test_names_and_orders_go_together():
    assert BoxPolynomials(3).orders(1).ravel().tolist() == [1, 2, 3]
    assert len(BoxCosines(4).orders(2)) == math.comb(6, 2) - 1
    assert BoxCosines(2).names(2) == [
        "cos(π x0)", "cos(π x1)", "cos(2π x0)", "cos(π x0) cos(π x1)", "cos(2π x1)",
    ]  # fmt: skip
    features = BoxPolynomials(2)
    point = np.array([[0.25, 0.75]])  # t = −0.5, 0.5
    np.testing.assert_allclose(features.at(point)[0], [-0.5, 0.5, -0.5, -0.25, -0.5], atol=1e-15)
    for kind in FEATURE_FAMILIES.values():
        places = np.linspace(0, 1, 7)
        back = kind(1).positions(kind(1).angles(places))
        np.testing.assert_allclose(back, places, atol=1e-15)


def test_arithmetic_here_is_what_it_seems():
    assert real(0.1) == arb(fmpq(3602879701896397, 36028797018963968))
