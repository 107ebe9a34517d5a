"""Scores at points that are no centres are never further from the truth than they say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from certo.certificates.spaces.images import lengths_of, scores_at
from certo.kernels import Gaussian, Linear, Polynomial, Precomputed

RANDOM = np.random.default_rng(0)
X, CENTRES = RANDOM.normal(size=(7, 3)), RANDOM.normal(size=(5, 3))
COEF, INTERCEPT = RANDOM.standard_cauchy((2, 5)), np.array([0.1, -3.0])


def exact_value(x, z, degree):
    return (
        sum(Fraction(a) * Fraction(b) for a, b in zip(x, z, strict=True)) + (degree > 1)
    ) ** degree


@pytest.mark.parametrize(("kernel", "degree"), [(Linear(), 1), (Polynomial(3), 3)])
def test_the_slack_covers_the_rounding(kernel, degree):
    found = scores_at(kernel, X, CENTRES, COEF, INTERCEPT)
    assert found.value.shape == found.slack.shape == (7, 2)
    for t, x in enumerate(X.tolist()):
        values = [exact_value(x, z, degree) for z in CENTRES.tolist()]
        for k in range(2):
            terms = zip(COEF[k].tolist(), values, strict=True)
            truth = sum(Fraction(a) * v for a, v in terms) + Fraction(INTERCEPT[k])
            off = abs(Fraction(float(found.value[t, k])) - truth)
            assert off <= Fraction(float(found.slack[t, k]))
            assert found.slack[t, k] < 1e-10 * max(1, abs(truth), np.abs(COEF).max() * 1e3)


def test_without_centres_there_is_the_intercept_alone():
    found = scores_at(Gaussian(1.0), X, CENTRES[:0], COEF[:, :0], INTERCEPT)
    assert np.array_equal(found.value, np.tile(INTERCEPT, (7, 1)))
    assert not found.slack.any()


def test_lengths_are_not_understated():
    assert np.all(lengths_of(Linear(), X, 0.0) >= np.linalg.norm(X, axis=1))
    assert np.all(lengths_of(Gaussian(1.0), X, 0.0) >= 1)
    assert np.all(np.isinf(lengths_of(Precomputed(), X, 0.0))), "a matrix tells nothing of them"
