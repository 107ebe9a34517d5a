"""Forged claims that only a check by blocks might believe."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from certo import SVM, LogisticRegression, certify
from certo.certificates import blocks
from certo.certificates.blocks import soft_margin


def two_blocks(X, y):
    half = len(X) // 2
    return [(X[:half], y[:half]), (X[half:], y[half:])]


@pytest.mark.parametrize("classes", [2, 3])
def test_weights_that_no_coordinate_could_move_must_be_so(classes):
    """A proof over no column at all, or with all coordinates fixed, says that any weights are the
    best ones: the columns must be shown to have no effect."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=90), [-0.3, 0.4][: classes - 1])
    claim = LogisticRegression(intercept="none").fit(X, y).certificate_[0]
    assert blocks.verify([claim], two_blocks(X, y))
    risk = math.log(classes)
    forged = replace(
        claim, coef=np.zeros_like(claim.coef), kept=np.zeros(0, np.int64),
        combinations=((),) * 3, factors=(np.zeros((0, 0)),) * (classes - 1),
        risk=risk * (1 + 1e-9), lower=risk * (1 - 1e-9),
    )  # fmt: skip
    assert not forged.verify(X, y)
    assert not blocks.verify([forged], two_blocks(X, y))
    zero = np.zeros_like(X)
    assert forged.verify(zero, y)
    assert blocks.verify([forged], two_blocks(zero, y))


def test_a_bound_by_supports_counts_them():
    """Without multipliers it would say that there are no support vectors."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, size=(200, 1))
    X += 0.2 * np.sign(X)
    y = np.where(X[:, 0] > 0, "b", "a")
    page = certify(SVM(intercept="none", tol=1e-9).fit(X, y), X, y)
    bound = page.of_kind("SupportBound")[0]
    listed = bound.solutions[0]
    draft = replace(
        listed, rows=np.zeros(0, np.int64), dual_coef=np.zeros(0), width=1e-3, dual=0.0,
        primal=1e9, allowance=1e9,
    )  # fmt: skip
    total = soft_margin.terms(draft, draft._sample(draft._read(X), y), 0, 0)
    primal, dual = soft_margin.objectives(draft, total)
    follows = replace(
        draft, primal=math.nextafter(float(primal.above), math.inf),
        dual=max(0.0, float(dual.below) * (1 - 1e-9)),
    )  # fmt: skip
    assert follows.verify(X, y)
    with pytest.raises(ValueError, match="lists no multipliers"):
        replace(bound, solutions=(follows,))
