"""GaussianLikelihood by blocks: claims of a table in memory, and changed ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import GaussianDensity
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X = table(700)[0]
BLOCKS = ArrayBlocks(X, ends=cuts(700)[2])
(CLAIM,) = GaussianDensity().fit(BLOCKS).certificate_


@pytest.mark.parametrize("kind", ["full", "diagonal"])
def test_claims_of_a_table_in_memory_are_accepted(kind):
    (usual,) = GaussianDensity(covariance=kind).fit(X).certificate_
    for ends in cuts(700)[:1] + cuts(700)[2:]:
        assert usual.verify(ArrayBlocks(X, ends=ends))


def test_risk_and_bound_enclose_the_truth():
    model = GaussianDensity().fit(X)
    assert CLAIM.lower <= -model.score(X) <= CLAIM.risk
    assert CLAIM.excess < 1e-9


@pytest.mark.parametrize(
    "change",
    [
        lambda c: {"risk": c.lower},
        lambda c: {"lower": c.risk},
        lambda c: {"mean": c.mean + 1e-9},
        lambda c: {"covariance": 1.001 * c.covariance},
        lambda c: {"mean_error": 0.0},
        lambda c: {"covariance_error": 0.0},
        lambda c: {"examples": 699},
    ],
)
def test_what_is_not_shown_is_refused(change):
    assert not replace(CLAIM, **change(CLAIM)).verify(BLOCKS)


def test_weights_and_other_columns_are_refused():
    weighted = replace(CLAIM, sample_weight=np.ones(700))
    assert "without weights" in weighted.verify(BLOCKS).why
    assert not CLAIM.verify(ArrayBlocks(X[:, :3]))
    assert not CLAIM.verify(ArrayBlocks(np.zeros_like(X)))
