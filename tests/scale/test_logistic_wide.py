"""Logistic regression with many coefficients by blocks: that of a table in memory, and proved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import LogisticRegression
from certo.scale import ArrayBlocks, logistic
from certo.solvers.interrupt import stopped_by
from tests.scale.scenes import cuts, table

X, TWO, THREE, _ = table()
M = len(X)


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("intercept", ["free", "none"])
def test_with_a_ridge_it_is_proved(y, intercept, monkeypatch):
    """The sample, from which the fit begins, is other rows than all."""
    monkeypatch.setattr(logistic, "MAX_DIM", 3)
    monkeypatch.setattr("certo.scale.first_look.SAMPLE_NUMBERS", 4000)
    settings = {"ridge": 0.01, "intercept": intercept}
    usual = LogisticRegression(tol=1e-12, **settings).fit(X, y)
    for ends in cuts(M)[::2]:
        found = LogisticRegression(**settings).fit(ArrayBlocks(X, y, ends=ends))
        assert found.converged_
        # F − F* ≤ tol, and F is ridge-strongly convex in the weights.
        assert np.linalg.norm(found.coef_ - usual.coef_) <= np.sqrt(2 * 1e-8 / 0.01)
        (claim,) = found.certificate_
        assert claim.proof == "ridge"
        assert claim.gap <= 2e-8
        assert claim.verify(X, y)
        for others in cuts(M, seed=1):
            assert claim.verify(ArrayBlocks(X, y, ends=others))
        assert not claim.verify(ArrayBlocks(X, y[::-1]))


def test_more_columns_than_a_hessian_may_have():
    rng = np.random.default_rng(0)
    thin = sparse.random(3000, 5000, density=0.003, format="csr", rng=rng, dtype=np.float64)
    y = np.where(thin @ rng.normal(size=5000) + 0.3 * rng.logistic(size=3000) > 0, 1, 0)
    blocks = ArrayBlocks(thin, y, ends=[1000, 2500, 3000])
    found = LogisticRegression(ridge=1e-2).fit(blocks)
    assert found.converged_
    assert blocks.passes < 40
    assert found.certificate_.verify(thin, y)
    assert found.certificate_.verify(ArrayBlocks(thin, y, ends=[700, 3000]))


def test_without_a_ridge_nothing_is_claimed_from_below(monkeypatch):
    monkeypatch.setattr(logistic, "MAX_DIM", 3)
    with pytest.warns(match="nothing is proved"):
        found = LogisticRegression().fit(ArrayBlocks(X, TWO))
    (claim,) = found.certificate_
    assert (claim.proof, claim.lower) == ("none", 0.0)
    usual = LogisticRegression(tol=1e-12).fit(X, TWO)
    np.testing.assert_allclose(found.coef_, usual.coef_, atol=1e-6)


def test_ctrl_c_keeps_what_was_reached(monkeypatch):
    monkeypatch.setattr(logistic, "MAX_DIM", 3)
    blocks = ArrayBlocks(X, TWO, ends=cuts(M)[3])
    with stopped_by(lambda: blocks.passes > 4), pytest.warns(match="Stopped by hand"):
        found = LogisticRegression(ridge=1e-6, tol=1e-15).fit(blocks)
    assert found.certificate_.verify(X, TWO)
