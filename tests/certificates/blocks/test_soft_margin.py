"""SoftMarginGap by blocks: the bound is below every objective, and corrupted claims are refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from certo import SVM
from certo.certificates import SoftMarginGap
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, _, _ = table(800)
BLOCKS = ArrayBlocks(X, TWO, ends=cuts(800)[2])


def claim_of(**settings):
    return SVM(**settings).fit(BLOCKS).certificate_[0]


def objective(claim, w, b):
    signs = np.where(TWO == "up", 1, -1)
    lost = np.maximum(1 - signs * (X @ w + b), 0.0)
    extra = 0.5 * b * b if claim.treatment == "lifted" else 0.0
    return 0.5 * w @ w + extra + claim.C * lost.sum()


@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
def test_no_hyperplane_is_below_the_bound(intercept):
    claim = claim_of(intercept=intercept)
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-4, 1e-2, 1.0):
        w = claim.coef + scale * rng.normal(size=claim.coef.size)
        b = claim.intercept + scale * rng.normal() if intercept != "none" else 0.0
        assert objective(claim, w, b) >= claim.dual
    assert objective(claim, claim.coef, claim.intercept) <= claim.primal * (1 + 1e-12)


def test_a_claim_survives_json():
    claim = claim_of()
    again = SoftMarginGap.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again == claim
    assert again.verify(BLOCKS)


def test_a_claim_of_before_has_no_width():
    data = SVM().fit(X, TWO).certificate_[0].to_dict()
    assert "width" not in data
    assert SoftMarginGap.from_dict(data).verify(X, TWO)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: {"primal": c.primal - c.gap / 2},
        lambda c: {"dual": c.dual + c.gap / 2},
        lambda c: {"coef": c.coef * 1.1},
        lambda c: {"coef": -c.coef},
        lambda c: {"intercept": c.intercept + 0.3},
        lambda c: {"width": 2.0},
        lambda c: {"width": c.width * 30},
        lambda c: {"C": c.C * 1.01},
        lambda c: {"examples": c.examples + 1},
        lambda c: {"allowance": 0.0},
        lambda c: {"class_weight": np.array([1.0, 2.0])},
        lambda c: {"coef": c.coef[:-1]},
    ],
)
def test_corrupted_claims_are_refused(change):
    claim = claim_of()
    wrong = replace(claim, **change(claim))
    assert not wrong.verify(BLOCKS)
    assert not wrong.verify(X, TWO)


def test_other_rows_are_refused():
    claim = claim_of()
    other = X.copy()
    other[17] *= 1e3
    assert not claim.verify(ArrayBlocks(other, TWO))
    assert not claim.verify(ArrayBlocks(X[:-1], TWO[:-1]))
    assert not claim.verify(ArrayBlocks(X, TWO[::-1]))


def test_listed_multipliers_are_for_memory():
    (claim,) = SVM().fit(X, TWO).certificate_
    assert "follow from a width" in claim.verify(BLOCKS).why
    with pytest.raises(ValueError, match="width must be positive"):
        replace(claim, width=1.0)
