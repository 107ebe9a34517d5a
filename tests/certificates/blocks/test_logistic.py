"""LogisticExcess by blocks: corrupted claims and other rows are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import LogisticRegression
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, THREE, _ = table(800)


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_corrupted_claims_are_refused(y, ridge):
    blocks = ArrayBlocks(X, y, ends=cuts(800)[2])
    (claim,) = LogisticRegression(ridge=ridge).fit(blocks).certificate_
    assert claim.verify(blocks)
    changes = [
        {"risk": claim.lower * (1 - 1e-6), "lower": 0.0},
        {"lower": claim.risk},
        {"coef": claim.coef * 1.01},
        {"intercept": claim.intercept + np.linspace(0.01, 0.05, claim.intercept.size)},
        {"ridge": ridge + 0.01},
        {"examples": claim.examples + 1},
    ]
    for change in changes:
        assert not replace(claim, **change).verify(blocks), change
    other = X.copy()
    other[17] += 30.0
    assert not claim.verify(ArrayBlocks(other, y))
    assert not claim.verify(ArrayBlocks(X, y[::-1]))


def test_without_a_proof_nothing_is_known_from_below():
    blocks = ArrayBlocks(X, TWO)
    (claim,) = LogisticRegression().fit(blocks).certificate_
    none = {"proof": "none", "kept": [], "combinations": (), "factors": ()}
    bare = replace(claim, lower=0.0, **none)
    assert bare.verify(blocks)
    assert not replace(bare, lower=claim.lower).verify(blocks)
    assert not replace(bare, examples=0).verify(blocks)


def test_weights_are_for_memory():
    (claim,) = LogisticRegression(class_weight="balanced").fit(X, TWO).certificate_
    assert "without weights" in claim.verify(ArrayBlocks(X, TWO)).why
