"""The likeliest Gaussian density by blocks: that of a table in memory, and its claim."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import certo
from certo import GaussianDensity
from certo.estimators import NoDensity
from certo.losses import NegativeLogLikelihood
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X = table()[0] @ np.random.default_rng(1).normal(size=(4, 4)) + 100
M = len(X)


@pytest.mark.parametrize("kind", ["full", "diagonal"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_density_of_a_table_in_memory(kind, dtype):
    rows = X.astype(dtype)
    usual = GaussianDensity(covariance=kind).fit(rows)
    for ends in cuts(M):
        found = GaussianDensity(covariance=kind).fit(ArrayBlocks(rows, ends=ends))
        np.testing.assert_allclose(found.mean_, usual.mean_, rtol=1e-12)
        scale = np.abs(usual.covariance_).max()
        np.testing.assert_allclose(found.covariance_, usual.covariance_, atol=1e-11 * scale)
        assert found.certificate_.verify(rows)
        for others in cuts(M, seed=1):
            assert found.certificate_.verify(ArrayBlocks(rows, ends=others))
    blocks = ArrayBlocks(rows, ends=cuts(M)[2])
    np.testing.assert_array_equal(found.score_samples(blocks), found.score_samples(rows))
    assert certo.risk(found, blocks, loss=NegativeLogLikelihood()) <= found.risk_


@pytest.mark.parametrize("column", [np.ones(M), X[:, 0]])
def test_no_density_is_said(column):
    with pytest.raises(NoDensity, match="No likeliest Gaussian density"):
        GaussianDensity().fit(ArrayBlocks(np.column_stack([X, column])))


def test_what_cannot_be_used_is_refused():
    with pytest.raises(ValueError, match="dense examples"):
        GaussianDensity().fit(ArrayBlocks(sparse.csr_array(X)))
    with pytest.raises(ValueError, match="finite numbers"):
        GaussianDensity().fit(ArrayBlocks(np.where(X > 105, np.nan, X)))
