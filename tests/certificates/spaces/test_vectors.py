"""Margins: rounded numbers within their slack, and decisions that are those of the real numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import Margins, Sample
from certo.certificates.spaces import vectors as module
from certo.issue.slack import SLACK_FACTOR

law = settings(max_examples=60, deadline=None)
STORES = [np.asarray, sparse.csr_array, np.float32]


def truth(X, signs, coef, b) -> list[Fraction]:
    X = X.toarray() if sparse.issparse(X) else X
    return [
        int(s) * (sum((Fraction(float(x)) * Fraction(c) for x, c in zip(row, coef, strict=True)),
                      Fraction(0)) + Fraction(b))
        for row, s in zip(X, signs, strict=True)
    ]  # fmt: skip


KINDS = [
    "cancel",
    "plain",
    "integer",
    "near 2^53",
    "huge",
    "tiny coef",
    "subnormal",
    "ties",
    "zero",
]


def scene(kind: str, seed: int, m: int = 12, d: int = 5):
    """Data on which careless rounding goes wrong."""
    rng = np.random.default_rng(seed)
    X, coef, b = rng.standard_normal((m, d)), rng.standard_normal(d), float(rng.standard_normal())
    if kind == "cancel":  # large terms whose sum is (almost) nothing
        X[:, 1] = X[:, 0] * rng.choice([1, 1 + 2.0**-52, 1 - 2.0**-53], m)
        coef[1], b = -coef[0], 0.0
        X[:, 2:] = rng.choice([0.0, 1e-17, -1e-17], (m, d - 2))
        X[:, :2] *= 1e6
    elif kind == "integer":
        X, coef, b = rng.integers(-3, 4, (m, d)) * 1.0, rng.integers(-3, 4, d) * 1.0, 0.0
    elif kind == "near 2^53":
        X = rng.integers(2**26 - 2, 2**26 + 2, (m, d)) * rng.choice([-1.0, 1.0], (m, d))
        coef, b = rng.integers(2**26 - 2, 2**26 + 2, d) * rng.choice([-1.0, 1.0], d), 1.0
    elif kind == "huge":
        X, coef = X * 1e160, coef * 10.0 ** rng.integers(140, 150)
    elif kind == "tiny coef":
        coef, b = coef * 1e-200, 0.0
    elif kind == "subnormal":
        X, coef, b = X * 1e-160, coef * 1e-160, 5e-324
    elif kind == "ties":
        X, b = np.repeat(X[: m // 4], 4, axis=0), 0.0
    elif kind == "zero":
        coef, b = np.zeros(d), float(rng.choice([0.0, 1.0]))
    return X, rng.choice([-1, 1], m).astype(np.int8), coef, b


kinds = st.sampled_from(KINDS)
seeds = st.integers(0, 10**6)
stores = st.sampled_from(STORES)


def margins_of(X, signs, coef, b, bounded):
    sample = Sample(X, signs)
    square = sample.square_bound() if bounded else None
    return Margins.of(sample, coef, b, square)


def stored(store, X):
    with np.errstate(over="ignore"):
        kept = store(X)
    return kept if np.all(np.isfinite(kept.data if sparse.issparse(kept) else kept)) else X


@law
@given(kinds, seeds, stores, st.booleans())
def test_the_slack_covers_the_rounding(kind, seed, store, bounded):
    X, signs, coef, b = scene(kind, seed)
    X = stored(store, X)
    margins, true = margins_of(X, signs, coef, b, bounded), truth(X, signs, coef, b)
    for _ in range(2):
        for t, margin in enumerate(true):
            assert margins.exactly(t) == margin
            if np.isfinite(margins.slack[t]):
                assert abs(Fraction(margins.value[t]) - margin) <= Fraction(margins.slack[t])
        margins._tighten(np.arange(len(true)))


@law
@given(kinds, seeds, stores, st.booleans())
def test_decisions_are_those_of_the_real_numbers(kind, seed, store, bounded):
    X, signs, coef, b = scene(kind, seed)
    X = stored(store, X)
    true = truth(X, signs, coef, b)
    least, where = margins_of(X, signs, coef, b, bounded).least()
    assert least == min(true) == true[where]
    for limit in (least, least + Fraction(1, 2**1200), least - 1, Fraction(0), max(true)):
        low = margins_of(X, signs, coef, b, bounded).below(limit)
        assert (low is None) == all(margin >= limit for margin in true)
        assert low is None or true[low] < limit
    for zero_sign in (-1, 1):
        wrong = margins_of(X, signs, coef, b, bounded).is_error(zero_sign)
        assert wrong.tolist() == [
            margin < 0 or (margin == 0 and s != zero_sign)
            for margin, s in zip(true, signs, strict=True)
        ]


@law
@given(kinds, seeds, st.booleans(), st.sampled_from([0.0, 1e-9, 1.0, 3.7]))
def test_shortfalls_are_not_understated_and_a_claimed_one_can_be_shown(
    kind, seed, bounded, quantile
):
    X, signs, coef, b = scene(kind, seed)
    rng = np.random.default_rng(seed)
    true = truth(X, signs, coef, b)
    middle = sorted(true)[len(true) // 2]
    target = abs(float(middle)) * (1 + quantile) if abs(middle) < 10**300 else 1.0
    target = target or 1.0
    rows = np.flatnonzero(rng.random(len(true)) < 0.7)
    counts = rng.integers(1, 50, rows.size)
    weights = counts * 0.1
    falls = sum(
        (int(c) * Fraction(0.1) * max(Fraction(target) - true[t], 0)
         for t, c in zip(rows, counts, strict=True)), Fraction(0))  # fmt: skip
    roundings = int(counts.sum())
    margins = margins_of(X, signs, coef, b, bounded)
    claimed = margins.shortfall(target, rows, weights, roundings, SLACK_FACTOR)
    bound = margins.shortfall(target, rows, weights, roundings)
    assert claimed >= bound
    assert bound == np.inf or Fraction(bound) >= falls
    # the checker knows no bound on the lengths, and may hold the rows in another storage
    for store in (np.asarray, np.asfortranarray, sparse.csr_array):
        checker = margins_of(store(X), signs, coef, b, False)
        assert checker.falls_short_by_at_most(claimed, target, rows, weights, roundings)
        if np.isfinite(claimed) and falls > 0:
            less = float(falls * (1 - Fraction(1, 10**6)))
            assert not checker.falls_short_by_at_most(less, target, rows, weights, roundings)


def test_tied_rows_give_a_lower_bound(monkeypatch):
    monkeypatch.setattr(module, "EXACT_ROWS", 3)
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((1, 6)), 40, axis=0)
    coef = rng.standard_normal(6)
    coef[5], X[:, 5] = 1e-18, rng.standard_normal(40)  # differences that rounding hides
    signs = np.full(40, 1 if X[0] @ coef > 0 else -1, dtype=np.int8)
    sample = Sample(X, signs)
    true = truth(X, signs, coef, 0.0)
    least, where = Margins.of(sample, coef, 0.0).least()
    assert least <= min(true) <= true[where]
    assert least >= min(true) * (1 - Fraction(1, 10**13))
    assert Margins.of(sample, coef, 0.0).below(min(true)) is None
    assert Margins.of(sample, coef, 0.0).below(min(true) + Fraction(1, 2**200)) is not None


def test_repeated_rows_are_computed_once(monkeypatch):
    X = np.repeat(np.array([[0.1, 0.7], [-0.3, 0.1]]), 2000, axis=0)
    margins = Margins.of(Sample(X, np.ones(4000, np.int8)), np.array([0.3, 0.1]), 0.0)
    asked = []
    exactly = Margins.exactly
    monkeypatch.setattr(Margins, "exactly", lambda self, t: asked.append(t) or exactly(self, t))
    least, _ = margins.least()
    assert margins.below(least) is None
    assert least == min(exactly(margins, 0), exactly(margins, 2000))
    assert len(asked) <= 6


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_zero_weights_and_empty_rows_need_no_exact_arithmetic(store, monkeypatch):
    monkeypatch.setattr(Margins, "exactly", None)
    X = np.random.default_rng(0).standard_normal((3000, 3))
    margins = Margins.of(Sample(store(X), np.ones(3000, np.int8)), np.zeros(3), 0.0)
    assert not margins.is_error(1).any()
    assert margins.is_error(-1).all()
    empty = Margins.of(Sample(store(0 * X), np.ones(3000, np.int8)), np.full(3, 0.1), 0.0)
    assert empty.is_error(-1).all()
