"""How far predicted numbers are off on test examples bounds how far they are off on new ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import beta

from certo import LeastSquares, bounds, certify
from certo.certificates import (
    CannotClaim,
    Certificate,
    Certified,
    Composite,
    TestDistances,
    TrainingErrors,
    Values,
)  # fmt: skip
from certo.issue.risk import issue_test_distances

W = np.array([1.0, -2.0])


def sample(n: int = 50, seed: int = 0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2))
    return X, X @ W + 3 + random.standard_t(3, size=n)


@settings(max_examples=12, deadline=None)
@given(n=st.integers(1, 300), delta=st.floats(1e-6, 0.49))
def test_the_share_is_that_of_an_order_statistic(n, delta):
    X, y = sample(n)
    claim = issue_test_distances(X, y, W, 3.0, delta)
    k = int(np.ceil(0.9 * n - 1e-9))
    assert claim.within == k
    assert claim.beyond == pytest.approx(1 - beta.ppf(delta, k, n - k + 1), rel=1e-6)
    off = np.sort(np.abs(y - X @ W - 3))[k - 1]
    assert off < claim.distance < off + 1e-12
    assert claim.verify(X, y)
    assert claim.verify(sparse.csr_array(X), y.reshape(-1, 1))
    for nudged in (
        {"distance": off * 0.999},
        {"beyond": claim.beyond * 0.999},
        {"delta": delta / 2},
    ):
        assert not Certificate.from_dict(claim.to_dict() | nudged).verify(X, y)
    assert replace(claim, distance=2 * off, beyond=1.0).verify(X, y)


@settings(max_examples=12, deadline=None)
@given(n=st.integers(1, 200), delta=st.floats(1e-6, 0.49), cap=st.floats(0.1, 50))
def test_the_mean_counts_no_error_above_the_cap(n, delta, cap):
    X, y = sample(n)
    claim = issue_test_distances(X, y, W, 3.0, delta, cap)
    far = np.abs(y - X @ W - 3)
    assert claim.mean == pytest.approx(bounds.capped_mean(far, cap, delta / 2), rel=1e-8)
    assert claim.beyond == issue_test_distances(X, y, W, 3.0, delta / 2).beyond
    assert claim.verify(X, y)
    assert f"counts as {cap:,.12g}" in claim.plain
    lower = Certificate.from_dict(claim.to_dict() | {"mean": claim.mean * 0.999})
    assert bool(lower.verify(X, y)) == (claim.mean == 0)
    if claim.mean < cap:
        assert not replace(claim, delta=delta / 2).verify(X, y)
    old = issue_test_distances(X, y, W, 3.0, delta).to_dict()
    for name in ("cap", "mean"):  # As files of before have it.
        assert old.pop(name) == 0
    assert Certificate.from_dict(old).verify(X, y)


def test_the_claim_is_about_these_rows_and_this_rule():
    X, y = sample()
    claim = issue_test_distances(X, y, W, 3.0)
    assert not claim.verify(X[1:], y[1:])
    assert not claim.verify(X[:, :1], y)
    assert not claim.verify(X, np.c_[y, y])
    assert not claim.verify(X, y + 5)
    assert not claim.verify(np.repeat(X[:5], 10, axis=0), np.repeat(y[:5], 10))
    assert "within" in claim.numbers
    assert not replace(claim, coef=-W).verify(X, y)


def test_what_cannot_be_claimed():
    X, y = sample()
    with pytest.raises(CannotClaim, match="copies"):
        issue_test_distances(np.repeat(X, 3, axis=0), np.repeat(y, 3), W, 3.0)
    with pytest.raises(CannotClaim, match="too large"):
        issue_test_distances(X * 1e100, y, np.array([1e250, 1.0]), 0.0)
    with pytest.raises(CannotClaim, match="below 1/2"):
        issue_test_distances(X, y, W, 3.0, 0.5)
    claim = issue_test_distances(X, y, W, 3.0)
    for field, value in (
        ("delta", 0.5), ("beyond", 1.5), ("distance", -1.0), ("examples", 0), ("labels", Values(2)),
        ("mean", 1.0), ("cap", -1.0),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="needed"):
            replace(claim, **{field: value})


def test_a_page_holds_it_beside_what_the_fit_proves():
    (X, y), (X_test, y_test) = sample(seed=1), sample(seed=2)
    model = LeastSquares().fit(X, y)
    page = certify(model, X, y, X_test=X_test, y_test=y_test)
    (claim,) = page.of_kind(TestDistances)
    assert page.verify(X, y, X_test, y_test)
    assert claim.described() == {"coef_": claim.coef, "intercept_": model.intercept_}
    assert Certified.from_dict(page.to_dict()) == page
    for wrong in ({"claims": page.test}, {"test": page.claims}, {"delta": 0.01}):
        with pytest.raises(ValueError, match=r"only be TestErrors|delta of at most"):
            replace(page, **wrong)
    copied = certify(model, X, y, X_test=X, y_test=y)
    assert "all test rows are training rows" in str(copied.not_claimed)
    several = certify(
        LeastSquares().fit(X, np.c_[y, y]), X, np.c_[y, y], X_test=X_test,
        y_test=np.c_[y_test, y_test],
    )  # fmt: skip
    assert [item.name for item in several.test.not_claimed] == ["TestDistances"]
    assert TrainingErrors not in map(type, page)
    assert isinstance(page.test, Composite)


@pytest.mark.slow
def test_it_fails_no_more_often_than_it_says():
    """True shares of a normal distribution, and of a discrete one with many ties."""
    random = np.random.default_rng(0)
    trials, n, delta = 400, 40, 0.1
    failed = np.zeros(2)
    for _ in range(trials):
        noise = random.normal(size=n)
        for which, y in enumerate((noise, np.round(noise))):
            claim = issue_test_distances(np.arange(n)[:, None] + 0.5, y, np.zeros(1), 0.0, delta)
            fresh = random.normal(size=4000)
            fresh = fresh if which == 0 else np.round(fresh)
            failed[which] += np.mean(np.abs(fresh) > claim.distance) > claim.beyond + 0.01
    assert np.all(failed / trials <= delta + 3 * np.sqrt(delta * (1 - delta) / trials))
