"""The direction of largest margin, beside HardMarginSVM and what several classes need."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import HardMarginSVM
from certo.solvers.interrupt import NEVER, Watch
from certo.solvers.widest_direction import WIDEST_TOL, widest_direction
from certo.stop import Stop


def two_classes(seed: int, m: int = 40, d: int = 3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d))
    codes = (X @ rng.standard_normal(d) > 0).astype(np.int64)
    codes[:2] = (0, 1)
    X[:2] = [-3 * np.ones(d), 3 * np.ones(d)]
    return X + np.where(codes == 1, 3.0, -3.0)[:, None], codes


@pytest.mark.parametrize("lifted", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_two_classes_have_nearly_the_largest_margin(lifted, storage):
    X, codes = two_classes(0)
    u = widest_direction(storage(X), codes, 2, lifted, NEVER)
    best = HardMarginSVM(intercept="free" if lifted else "none").fit(X, codes)
    d = X.shape[1]
    scores = X @ u[0, :d] + u[0, d:].sum()
    margin = np.min(np.where(codes == 1, scores, -scores)) / np.linalg.norm(u[0, :d])
    # The gap of ½‖w‖² is 1 − (margin/largest)².
    assert margin >= best.margin_[0] * np.sqrt(1 - 2 * WIDEST_TOL)
    assert u.shape == (1, d + lifted)


@pytest.mark.parametrize("lifted", [True, False])
def test_scores_of_several_classes_are_highest_in_the_own_one(lifted):
    rng = np.random.default_rng(1)
    codes = np.arange(60) % 4
    X = 5 * np.eye(4)[codes] + rng.standard_normal((60, 4)) / 10
    u = widest_direction(X, codes, 4, lifted, NEVER)
    scores = X @ u[:, :4].T + u[:, 4:].sum(axis=1)
    own = scores[np.arange(60), codes]
    others = np.where(np.arange(4) == codes[:, None], -np.inf, scores).max(axis=1)
    assert np.min(own - others) > 0.99
    assert u.shape == (4, 4 + lifted)


def test_there_may_be_none():
    X, codes = two_classes(0)
    late = Watch(lambda: Stop.BY_HAND)
    assert widest_direction(np.vstack([X, X]), np.append(codes, 1 - codes), 2, True, NEVER) is None
    assert widest_direction(1e150 * X, codes, 2, True, NEVER) is None
    assert widest_direction(X, np.ones_like(codes), 2, True, NEVER) is None
    found = widest_direction(X, codes, 2, True, late)
    assert found is None or found.shape == (1, 4)
