"""What the gradient of a penalised risk shows is never less than what is to be gained."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from certo.certificates.base import Refuted
from certo.certificates.regression.logistic_ridge import strong_convexity
from certo.certificates.regression.logistic_terms import LogisticProblem, Point
from certo.certificates.sample.examples import Sample

RANDOM = np.random.default_rng(0)
M, D, RIDGE = 40, 3, 0.1
X = RANDOM.normal(size=(M, D))


def risk(theta: np.ndarray, codes: np.ndarray, K: int, lifted: bool) -> float:
    """The objective, written from its definition: the first class of two has the score 0."""
    outputs = 1 if K == 2 else K
    coef, b = theta[: outputs * D].reshape(outputs, D), theta[outputs * D :] * lifted
    scores = X @ coef.T + b
    if K == 2:
        scores = np.column_stack([np.zeros(M), scores])
    losses = logsumexp(scores, axis=1) - scores[np.arange(M), codes]
    return float(losses.mean() + RIDGE / 2 * np.sum(coef**2))


@pytest.mark.parametrize("lifted", [True, False])
@pytest.mark.parametrize("K", [2, 3])
def test_the_excess_is_not_understated(K, lifted):
    codes = np.digitize(X[:, 0] + 0.5 * RANDOM.normal(size=M), [-0.4, 0.4][: K - 1])
    outputs = 1 if K == 2 else K
    problem = LogisticProblem(Sample(X, codes), K, lifted, np.full(M, 1 / M), None)
    size = outputs * (D + 1)
    found = minimize(risk, np.zeros(size), (codes, K, lifted), tol=1e-12)
    for far in (0.0, 1e-6, 1e-3, 0.1, 1.0):
        theta = found.x + far * RANDOM.normal(size=size)
        theta[outputs * D :] *= lifted
        value = risk(theta, codes, K, lifted)
        coef, b = theta[: outputs * D].reshape(outputs, D), theta[outputs * D :]
        point = Point.at(problem, coef, b, RIDGE)
        shown = strong_convexity(point, value * (1 + 1e-12), room=1)
        assert value - found.fun <= shown + 1e-12  # The minimum is that of floats.
        if far == 0.0:
            assert shown < 1e-3


def test_without_a_ridge_nothing_is_shown():
    problem = LogisticProblem(
        Sample(X, (X[:, 0] > 0).astype(int)), 2, False, np.full(M, 1 / M), None
    )
    with pytest.raises(Refuted, match="strongly convex"):
        strong_convexity(Point.at(problem, np.zeros((1, D)), np.zeros(1), 0.0), 1.0, room=1)
