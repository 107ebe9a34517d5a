"""Logistic regression as a value: losses, weights of examples and classes, and the null model."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax
from sklearn.metrics import log_loss

from certo.problems.logistic import LogisticProblem, Weights, against

X = np.random.default_rng(0).standard_normal((12, 2))


def problem(K, *, storage=np.asarray, class_weight=None, sample_weight=None, intercept="free"):
    codes = np.arange(12) % K
    return LogisticProblem(
        storage(X), codes, np.arange(K), class_weight, sample_weight, intercept, 0.5
    )


def weights(K):
    random = np.random.default_rng(K)
    rows = 1 if K == 2 else K
    return Weights(random.standard_normal((rows, 2)), random.standard_normal(rows))


def probabilities(w: Weights):
    scores = X @ w.coef.T + w.intercept
    return softmax(np.hstack([0 * scores, scores]) if len(w.coef) == 1 else scores, axis=1)


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_risk_is_the_mean_of_the_losses(K, storage, weighted):
    s = np.arange(12.0) if weighted else None
    of_class = np.linspace(1, 2, K) if weighted else None
    posed = problem(K, storage=storage, class_weight=of_class, sample_weight=s)
    each = None if s is None else s * of_class[posed.codes]
    p = probabilities(weights(K))
    expected = log_loss(posed.codes, p, sample_weight=each, labels=np.arange(K))
    assert posed.risk(weights(K)) == pytest.approx(expected, rel=1e-12)
    assert posed.total == pytest.approx(12 if each is None else each.sum())
    if weighted:
        np.testing.assert_array_equal(posed.counting, s > 0)


@pytest.mark.parametrize("K", [2, 3, 5])
def test_symmetric_weights_give_the_same_probabilities(K):
    w = weights(K)
    np.testing.assert_allclose(probabilities(w.symmetric), probabilities(w), rtol=1e-12)
    if K > 2:
        np.testing.assert_allclose(w.symmetric.coef.sum(axis=0), 0, atol=1e-12)


def test_weights_against_a_class_of_reference():
    rows = np.array([[1.0], [3.0], [7.0]])
    assert against(rows, 1).tolist() == [[-2.0], [4.0]]
    assert against(np.array([[5.0]]), 0).tolist() == [[5.0]]
    assert against(np.array([[5.0]]), 1).tolist() == [[-5.0]]


@pytest.mark.parametrize("K", [2, 3])
def test_the_null_model_has_the_shares_of_the_classes(K):
    free, none = problem(K), problem(K, intercept="none")
    shares = np.bincount(free.codes) / 12
    assert free.null_log_likelihood == pytest.approx(np.log(shares[free.codes]).sum())
    assert none.null_log_likelihood == pytest.approx(-12 * np.log(K))
    assert (free.columns, none.columns) == (3, 2)
