"""Spot checks: what some rows say of a claim, and what they do not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from certo import SVM
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.kernels import Gaussian
from certo.spot import spot_check


def data(m: int = 400, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    return X, np.where((X**2).sum(axis=1) + rng.normal(size=m) > 1.5, "out", "in")


def claim_of(X, y, **settings) -> SoftMarginGap:
    return SVM(Gaussian(1.0), C=2.0, **settings).fit(X, y).certificate_[0]


@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
def test_all_rows_give_the_gap_itself(intercept):
    X, y = data()
    claim = claim_of(X, y, intercept=intercept, tol=1e-2)
    found = spot_check(claim, X, y, rows=len(y))
    assert found.error == 0
    assert found.estimate == pytest.approx(claim.gap, abs=claim.allowance + 1e-9)
    assert not found.refuted
    assert not found.doubtful


def test_shares_are_not_negative():
    """So the estimate of no draw is below 0 by more than rounding."""
    X, y = data()
    claim = claim_of(X, y, tol=1e-1)
    for seed in range(20):
        assert spot_check(claim, X, y, rows=20, seed=seed).estimate >= -1e-9


def test_the_mean_of_all_draws_is_the_gap():
    X, y = data()
    claim = claim_of(X, y, tol=2e-1)
    found = [spot_check(claim, X, y, rows=0.25, seed=seed) for seed in range(60)]
    means = np.mean([one.estimate for one in found])
    error = np.mean([one.error for one in found]) / np.sqrt(len(found))
    assert abs(means - claim.gap) <= 5 * error + claim.allowance


def test_a_false_gap_is_refuted_by_the_rows_that_show_it():
    X, y = data()
    claim = claim_of(X, y)
    false = replace(claim, dual_coef=0.5 * claim.dual_coef)  # Feasible, and far from the optimum.
    found = spot_check(false, X, y, rows=len(y))
    assert found.refuted
    assert "add up to more" in str(found)
    assert not false.verify(X, y)


def test_multipliers_that_are_not_feasible_are_refuted_whatever_is_drawn():
    X, y = data()
    claim = claim_of(X, y)
    coef = claim.dual_coef.copy()
    coef[0] *= 100.0
    found = spot_check(replace(claim, dual_coef=coef), X, y, rows=1)
    assert found.refuted
    assert found.rows == 0


def test_other_examples_are_refuted():
    X, y = data()
    claim = claim_of(X, y)
    assert spot_check(claim, X[1:], y[1:], rows=10).refuted


def test_it_is_neither_true_nor_false():
    X, y = data()
    found = spot_check(claim_of(X, y), X, y, rows=50)
    with pytest.raises(TypeError, match="proves nothing"):
        bool(found)
    assert "Spot check, not a proof" in str(found)
    assert "of 400 rows, 50 drawn at random (seed 0)" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["rows"] == 50


def test_the_same_seed_draws_the_same_rows():
    X, y = data()
    claim = claim_of(X, y, tol=1e-1)
    one, same, other = (spot_check(claim, X, y, rows=30, seed=seed) for seed in (1, 1, 2))
    assert one.estimate == same.estimate
    assert one.estimate != other.estimate


@pytest.mark.parametrize("rows", [0, -1, 2.5, True])
def test_numbers_of_rows_that_are_none(rows):
    X, y = data()
    with pytest.raises(ValueError, match="rows must be"):
        spot_check(claim_of(X, y), X, y, rows=rows)


def test_claims_of_other_machines():
    X, y = data()
    with pytest.raises(ValueError, match="one claim SoftMarginGap"):
        spot_check(SVM().fit(X, y).certificate_, X, y)


def test_what_is_not_a_number_is_null_in_json():
    """One row has no standard error, and a claim refuted before any row is scored no estimate."""
    X, y = data()
    claim = claim_of(X, y)
    one = spot_check(claim, X, y, rows=1)
    assert json.loads(json.dumps(one.to_dict(), allow_nan=False))["error"] is None
    assert "too few" in str(one)
    early = spot_check(claim, X[1:], y[1:], rows=10)
    assert json.loads(json.dumps(early.to_dict(), allow_nan=False))["estimate"] is None
