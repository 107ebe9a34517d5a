"""What one pass over the data shows of a weighted Gram matrix is true in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import Sample
from certo.certificates.base import Refuted
from certo.certificates.regression import curvature, factors
from tests.oracles.least_squares_truth import dot, rational

seeds = st.integers(0, 10**6)


class Case:
    """Rows, a triangular L, weights, and what is multiplied with z_i."""

    def __init__(self, seed: int, lifted: bool, scale: int = 0):
        rng = np.random.default_rng(seed)
        m, d = int(rng.integers(5, 12)), int(rng.integers(1, 4))
        self.lifted, self.ridge = lifted, float(rng.choice([0.0, 0.3]))
        self.X = (rng.standard_normal((m, d)) + rng.choice([0, 100])) * 2.0**scale
        self.shift = self.X.mean(axis=0) if lifted else np.zeros(d)
        self.kept = np.arange(d + lifted)
        if d > 1 and rng.random() < 0.5:
            self.kept = np.delete(self.kept, 0)
        self.weights = rng.choice([0.0, 0.25, 1.0, 3.0], m)
        self.weights[0] = 1.0
        self.right = rng.standard_normal((m, 2))
        self.total = float(m)
        rows = np.c_[self.X - self.shift, np.ones(m)][:, self.kept]
        gram = (rows.T * self.weights) @ rows / m
        gram += self.ridge * np.diag((self.kept < d).astype(float))
        found = factors.inverse_factor(gram + 0.01 * np.diag(np.diag(gram)))
        self.factor = found if found is not None else np.eye(self.kept.size)

    def shown(self, store=np.asarray):
        sample = Sample(store(self.X), np.ones(len(self.X), dtype=np.int8))
        return curvature.curvature(
            sample, self.factor, kept=self.kept, lifted=self.lifted, weights=self.weights,
            total=self.total, ridge=self.ridge, right=self.right, shift=self.shift,
        )  # fmt: skip

    def z(self) -> list[list[Fraction]]:
        """Lᵀx̃_i, exactly."""
        columns = rational(self.factor.T)
        shift = rational(self.shift)[0]
        found = []
        for row in rational(self.X):
            full = [*(x - c for x, c in zip(row, shift, strict=True)), Fraction(1)]
            found.append([dot(column, [full[k] for k in self.kept]) for column in columns])
        return found

    def gram(self) -> list[list[Fraction]]:
        """LᵀAL, exactly."""
        z, v = self.z(), rational(self.weights)[0]
        slopes = rational(self.factor[: self.kept.size - self.lifted].T)
        r = range(self.kept.size)
        return [
            [
                sum(s * row[i] * row[j] for s, row in zip(v, z, strict=True)) / Fraction(self.total)
                + Fraction(self.ridge) * dot(slopes[i], slopes[j])
                for j in r
            ]
            for i in r
        ]


def norm2(table) -> Fraction:
    return sum((entry * entry for row in table for entry in row), Fraction(0))


@given(seeds, st.booleans(), st.sampled_from([-200, -30, 0, 30, 200]))
@settings(max_examples=60, deadline=None)
def test_every_allowance_covers_what_is_rounded(seed, lifted, scale):
    case = Case(seed, lifted, scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(factors, "_step", lambda width: 3)
        shown = case.shown()
    z, gram = case.z(), case.gram()
    off = [
        [Fraction(float(a)) - b for a, b in zip(*pair, strict=True)]
        for pair in zip(shown.gram, gram, strict=True)
    ]
    assert norm2(off) <= Fraction(shown.gram_off) ** 2  # Frobenius bounds the spectral norm
    for k, right in enumerate(zip(*rational(case.right), strict=True)):
        for j, column in enumerate(zip(*z, strict=True)):
            error = abs(Fraction(float(shown.product[j, k])) - dot(column, right))
            assert error <= Fraction(float(shown.product_off[j, k]))


def test_the_allowances_are_small():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 3))
    X[:, 0] = X[:, 1] + 1e-7 * X[:, 0]
    rows = np.c_[X, np.ones(1000)]
    R = np.linalg.qr(rows / np.sqrt(1000), mode="r")
    sample = Sample(X, np.ones(1000, dtype=np.int8))
    shown = curvature.curvature(
        sample, np.triu(np.linalg.inv(R)), kept=np.arange(4), lifted=True, weights=np.ones(1000),
        total=1000.0, ridge=0.0, right=np.zeros((1000, 0)), shift=np.zeros(3),
    )  # fmt: skip
    assert np.linalg.norm(np.eye(4) - shown.gram) + shown.gram_off < 1e-6
    assert shown.product.shape == (4, 0)


@given(seeds, st.booleans())
@settings(max_examples=30, deadline=None)
def test_storage_changes_next_to_nothing(seed, lifted):
    case = Case(seed, lifted)
    shown = case.shown()
    for store in (sparse.csr_array, np.asfortranarray):
        other = case.shown(store)
        np.testing.assert_allclose(other.gram, shown.gram, rtol=0, atol=2 * shown.gram_off)
        assert other.gram_off == pytest.approx(shown.gram_off, rel=1e-6)


def test_overflow_proves_nothing():
    case = Case(1, False)
    case.X = case.X * 1e200
    case.factor = np.eye(case.kept.size)
    with pytest.raises(Refuted, match="overflow"):
        case.shown()


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_pulled(seed):
    rng = np.random.default_rng(seed)
    L, g = np.triu(rng.standard_normal((4, 4))), rng.standard_normal((4, 2))
    off = rng.choice([0.0, 1e-15, 1e-3], (4, 2))
    true = rational(g + off * rng.choice([-1, 0, 1], (4, 2)) * (1 - 1e-12))
    value, slack = curvature.pulled(L, g, off)
    for j, column in enumerate(rational(L.T)):
        for k, entry in enumerate(zip(*true, strict=True)):
            assert abs(dot(column, entry) - Fraction(value[j, k])) <= Fraction(slack[j, k])


class TestWitnesses:
    def test_a_factor_is_found(self):
        gram = np.array([[4.0, 2.0], [2.0, 3.0]])
        L = factors.inverse_factor(gram)
        np.testing.assert_allclose(L.T @ gram @ L, np.eye(2), atol=1e-14)
        for bad in (np.ones((2, 2)) - 2 * np.eye(2), np.zeros((2, 2)), np.full((2, 2), np.nan)):
            assert factors.inverse_factor(bad) is None

    @pytest.mark.parametrize(
        "values",
        [[[1.0]], [[1.0, 2.0], [1.0, 1.0]], [[1.0, 2.0], [0.0, 0.0]]],
    )
    def test_no_triangle(self, values):
        with pytest.raises(ValueError, match="factor must be"):
            factors.check_triangle(np.array(values), 2)

    @pytest.mark.parametrize(
        ("values", "lifted"),
        [([0, 1], True), ([3], False), ([], True)],
    )
    def test_no_columns(self, values, lifted):
        with pytest.raises(ValueError, match="kept must be"):
            factors.check_kept(np.array(values, np.int64), 3, lifted)
