"""NoEstimate: claimed where it is true of a direction, and never where it is false."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import CannotClaim, Labels, NoEstimate
from certo.certificates.spaces.directions import comparison_signs
from certo.checks import check_certificate
from certo.issue.regression.no_estimate import issue_no_estimate
from tests.oracles.logistic_truth import STORES, Problem

seeds = st.integers(0, 10**6)


def table(seed: int, classes: int, treatment: str) -> tuple[Problem, list[list[Fraction]]]:
    """Small integers, their classes mostly as a direction has them, and that direction."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(classes, 16)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (m, d)).astype(float)
    outputs, lifted = (1 if classes == 2 else classes), treatment == "free"
    u = rng.integers(-2, 3, (outputs, d + lifted))
    scores = np.hstack([X, np.ones((m, int(lifted)))]) @ u.T
    codes = (scores[:, 0] > 0).astype(int) if classes == 2 else np.argmax(scores, axis=1)
    if classes == 2:
        tied = scores[:, 0] == 0
        codes[tied] = rng.integers(0, 2, tied.sum())
    wrong = rng.random(m) < rng.choice([0.0, 0.0, 0.1])
    codes[wrong] = rng.integers(0, classes, wrong.sum())
    return Problem(X, codes, classes, treatment), [[Fraction(int(v), 3) for v in row] for row in u]


def brute_signs(p: Problem, direction) -> np.ndarray:
    """(u_y − u_k)·x̃ in fractions."""
    lift = [[Fraction(float(v)) for v in row] for row in p.lift]
    rows = [[Fraction(0)] * len(lift[0]), *direction] if p.classes == 2 else direction
    signs = np.zeros((len(lift), p.classes), dtype=int)
    for t, (x, y) in enumerate(zip(lift, p.codes, strict=True)):
        for k in range(p.classes):
            score = sum(
                ((a - b) * v for a, b, v in zip(rows[y], rows[k], x, strict=True)), Fraction(0)
            )
            signs[t, k] = (score > 0) - (score < 0)
    return signs


class TestTheClaim:
    @settings(max_examples=80, deadline=None)
    @given(seeds, st.integers(2, 4), st.sampled_from(["free", "none"]), st.sampled_from(STORES))
    def test_claim_is_issued_exactly_when_it_is_true(self, seed, classes, treatment, store):
        p, direction = table(seed, classes, treatment)
        signs = brute_signs(p, direction)
        try:
            claim = issue_no_estimate(p.sample, p.labels, treatment, direction)
        except CannotClaim:
            assert signs.min() < 0 or signs.max() == 0
            return
        assert signs.min() >= 0
        assert claim.rising == np.count_nonzero(signs > 0) > 0
        check_certificate(claim, store(p.X), p.y)

    @settings(max_examples=40, deadline=None)
    @given(seeds, st.integers(2, 4), st.sampled_from(["free", "none"]))
    def test_the_loss_falls_along_it(self, seed, classes, treatment):
        p, direction = table(seed, classes, treatment)
        try:
            issue_no_estimate(p.sample, p.labels, treatment, direction)
        except CannotClaim:
            return
        u = np.array(direction, dtype=float)
        W = np.random.default_rng(seed).standard_normal(u.shape)
        risks = [p.risk(W + s * u) for s in (0.0, 1.0, 2.0, 8.0)]
        assert all(after < before for before, after in itertools.pairwise(risks))
        assert p.separated()[0].any()

    @settings(max_examples=40, deadline=None)
    @given(seeds, st.integers(2, 4), st.booleans())
    def test_signs_are_exact(self, seed, classes, large):
        """Also of numbers whose sums round."""
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, (12, 2)) * 2.0 ** rng.integers(-60, 60, (12, 2))
        p = Problem(X, rng.integers(0, classes, 12), classes)
        u = rng.integers(-2, 3, (p.outputs, 3))
        u = [[int(v) * (2**61 + 1 if large else 1) for v in row] for row in u]
        found = comparison_signs(p.sample, u, True)
        truth = brute_signs(p, [[Fraction(v) for v in row] for row in u])
        if classes == 2:
            truth = truth[np.arange(12), 1 - p.codes][:, None]
        assert np.array_equal(found, truth)

    def test_in_words(self):
        X, y = np.array([[0.0], [0.0], [1.0]]), ["no", "yes", "yes"]
        p = Problem(X, np.array([0, 1, 1]), 2)
        labels = replace(p.labels, classes=("no", "yes"))
        claim = issue_no_estimate(p.sample, labels, "free", [[Fraction(1), Fraction(0)]])
        assert "moves 1 of 3 examples" in claim.claim
        assert claim.verify(X, y)
        assert "1 comparison rises" in str(claim.verify(X, y))

    def test_examples_of_weight_zero_are_ignored(self):
        X, codes = np.array([[-1.0], [1.0], [-5.0]]), np.array([0, 1, 1])
        p, direction = Problem(X, codes, 2), [[Fraction(1), Fraction(0)]]
        with pytest.raises(CannotClaim, match="away"):
            issue_no_estimate(p.sample, p.labels, "free", direction)
        claim = issue_no_estimate(p.sample, p.labels, "free", direction, np.array([1.0, 2.0, 0.0]))
        assert claim.ignored.tolist() == [2]
        assert "2 examples of positive weight (of 3)" in claim.claim
        assert claim.assumes == ("1 ignored example has weight 0",)
        assert claim.verify(X, p.y)
        assert not replace(claim, ignored=np.zeros(0, int)).verify(X, p.y)

    def test_no_features(self):
        claim = NoEstimate(Labels((0, 1), 1), "none", 2, 0, ((),), np.zeros(0, np.int64), 1)
        assert "no example is moved" in claim.verify(np.zeros((2, 0)), [0, 1]).why

    def test_many_rows_and_sparse(self):
        rng = np.random.default_rng(0)
        X = (rng.random((20_000, 30)) < 0.1).astype(float)
        codes = rng.integers(0, 3, 20_000)
        X[codes != 2, 7] = 0.0
        direction = [[Fraction(0)] * 31 for _ in range(3)]
        direction[2][7] = Fraction(1)
        p = Problem(X, codes, 3)
        claim = issue_no_estimate(p.sample, p.labels, "free", direction)
        assert claim.rising == 2 * int(X[:, 7].sum())
        assert claim.verify(sparse.csr_array(X), p.y)


class TestAttacks:
    @settings(max_examples=60, deadline=None)
    @given(seeds, st.integers(2, 3), st.sampled_from(["free", "none"]))
    def test_false_claims_are_refuted(self, seed, classes, treatment):
        p, direction = table(seed, classes, treatment)
        try:
            claim = issue_no_estimate(p.sample, p.labels, treatment, direction)
        except CannotClaim:
            return
        rng = np.random.default_rng(seed)
        assert not replace(claim, rising=claim.rising + 1).verify(p.X, p.y)
        rows = [list(row) for row in direction]
        rows[0][0] += Fraction(int(rng.integers(-3, 4)), 7)
        forged = replace(claim, direction=tuple(map(tuple, rows)))
        if forged.verify(p.X, p.y):
            assert brute_signs(p, rows).min() >= 0
        codes = p.codes.copy()
        codes[rng.integers(codes.size)] = rng.integers(classes)
        other = p._replace(codes=codes)
        if claim.verify(other.X, other.y):
            assert brute_signs(other, direction).min() >= 0
        assert not claim.verify(p.X[1:], p.y[1:])
        assert not claim.verify(np.c_[p.X, p.X], p.y)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("intercept", "lifted"), ("direction", ()), ("direction", ((1, 0),)),
            ("direction", ((Fraction(1),),)), ("direction", ((Fraction(1),) * 2,) * 2),
            ("ignored", [1, 0]), ("ignored", [-1]), ("rising", 0.5), ("examples", "x"),
        ],
    )  # fmt: skip
    def test_hostile_fields_are_refused(self, field, value):
        p = Problem(np.array([[-1.0], [1.0]]), np.array([0, 1]), 2)
        claim = issue_no_estimate(p.sample, p.labels, "free", [[Fraction(1), Fraction(0)]])
        with pytest.raises(ValueError, match="must"):
            replace(claim, **{field: value})

    def test_a_denominator_beyond_reason(self):
        p = Problem(np.array([[-1.0], [1.0]]), np.array([0, 1]), 2)
        claim = issue_no_estimate(p.sample, p.labels, "free", [[Fraction(1), Fraction(0)]])
        forged = replace(claim, direction=((Fraction(1, 2**600_000), Fraction(0)),))
        assert not forged.verify(p.X, p.y)
