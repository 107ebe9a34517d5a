"""LeastSquaresExcess by blocks: corrupted claims and other rows are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import LeastSquares
from certo.certificates.sample.values import Values
from certo.issue.by_blocks import issue_least_squares, least_squares_draft, totals_of
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, _, _, V = table(800)
BLOCKS = ArrayBlocks(X, V, ends=cuts(800)[2])
CLAIM = LeastSquares().fit(BLOCKS).certificate_[0]


@pytest.mark.parametrize(
    "change",
    [
        {"risk": CLAIM.lower * (1 - 1e-9), "lower": 0.0},
        {"lower": CLAIM.risk, "excess": 0.0},
        {"coef": CLAIM.coef * (1 + 1e-3)},
        {"intercept": CLAIM.intercept + 1e-2},
        {"factor": CLAIM.factor * 3.0},
        {"ridge": 0.1},
        {"examples": CLAIM.examples - 1},
    ],
)
def test_corrupted_claims_are_refused(change):
    assert not replace(CLAIM, **change).verify(BLOCKS)


def test_other_rows_are_refused():
    other = X.copy()
    other[17] += 30.0
    assert not CLAIM.verify(ArrayBlocks(other, V))
    assert not CLAIM.verify(ArrayBlocks(X[:-1], V[:-1]))
    assert not CLAIM.verify(ArrayBlocks(X, V[::-1]))


def test_the_excess_is_what_the_gradient_costs():
    """Coefficients that are off by a known change have a known excess, which the claim covers."""
    moved = CLAIM.coef + 1e-3
    draft = least_squares_draft(
        Values(), 800, coef=moved, intercept=CLAIM.intercept, treatment="free", ridge=0.0,
        shift=CLAIM.shift, factor=CLAIM.factor,
    )  # fmt: skip
    claim, _ = issue_least_squares(draft, totals_of(BLOCKS, [draft])[0])
    r = V - X @ moved[0] - CLAIM.intercept[0]
    truth = np.mean(r * r) - np.mean((V - X @ CLAIM.coef[0] - CLAIM.intercept[0]) ** 2)
    assert 0 < truth <= claim.excess <= 50 * truth  # Of the order: 16 times, and the stride.
    assert claim.verify(BLOCKS)
    assert not replace(claim, excess=truth / 2, lower=claim.risk - truth / 2).verify(BLOCKS)
