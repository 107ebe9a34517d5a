"""KernelSample: scores in blocks, never further from the truth than they say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import KernelSample
from certo.certificates.base import Refuted
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.spaces import images as module
from certo.cli.verify import _telling
from certo.kernels import Function, Gaussian, Linear, NotPositive, Polynomial, Precomputed
from tests.oracles.kernel_truth import (
    KERNELS,
    LABELS,
    STORIES,
    problem,
    shared_letters,
    true_gram,
    true_scores,
    true_square,
    true_value,
)  # fmt: skip

seeds = st.integers(0, 10**6)


class TestScores:
    @given(st.sampled_from(KERNELS), st.sampled_from(STORIES), seeds, st.sampled_from([2, 5, 1024]))
    @settings(max_examples=72)
    def test_are_within_their_slack(self, kernel, story, seed, width):
        p = problem(kernel, story, seed, "none")
        rng = np.random.default_rng(seed)
        coef = rng.standard_normal(p.signs.size) * (rng.random(p.signs.size) < 0.7)
        rows = np.flatnonzero(coef)
        sample = p.sample
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "WIDTH", width)
            patch.setattr(module, "HEIGHT", 3)
            scores = sample.scores(rows, coef[rows])
            known = sample.scores(rows, coef[rows], scores.value.copy())
        # scores from elsewhere get the largest slack that those computed here could have
        assert np.all(known.slack >= (1 - 1e-9) * scores.slack)
        gram = true_gram(kernel, p.X, sample.shift)
        truth = true_scores(gram, coef)
        for value, slack, true in zip(*scores, truth, strict=True):
            assert abs(Fraction(value) - true) <= slack
        square = sample.square(rows, coef[rows], scores)
        assert abs(square.value - true_square(gram, coef)) <= square.within
        value, slack = scores.plus(0.1)
        for one, much, true in zip(value, slack, truth, strict=True):
            assert abs(Fraction(one) - true - Fraction(0.1)) <= much

    @given(seeds)
    @settings(max_examples=30)
    def test_slack_is_not_much(self, seed):
        p = problem(Gaussian(1.0), "plain", seed, "none")
        scores = p.sample.scores(np.arange(p.signs.size), np.ones(p.signs.size))
        assert np.all(scores.slack < 1e-11)

    @given(seeds, st.sampled_from([1e-6, 0.01, 1.0, 1e4]), st.sampled_from([0.0, 10.0, 1e4]))
    @settings(max_examples=60)
    def test_the_gaussian_is_close_to_what_it_is(self, seed, variance, far):
        rng = np.random.default_rng(seed)
        X = far + rng.standard_normal((6, int(rng.integers(1, 5)))) * rng.choice([0.1, 1.0, 3.0])
        kernel = Gaussian(variance)
        block, close = kernel.plain(X, X), Fraction(kernel.closeness(X, X))
        for x, row in zip(X, block, strict=True):
            for z, value in zip(X, row, strict=True):
                off = abs(Fraction(value) - true_value(kernel, x, z))
                assert off <= close * Fraction(value) + Fraction(2) ** -1070

    def test_a_narrow_kernel_has_less(self):
        """Σ|coef| is 500, but Σ|coef_i K(x_i, x_t)| little more than 1."""
        X = np.arange(500.0)[:, None] + 1000
        sample = KernelSample.of(X, ["a", "b"] * 250, LABELS, Gaussian(0.1))
        scores = sample.scores(np.arange(500), np.ones(500))
        assert np.all(scores.slack < 2e-11)
        known = sample.scores(np.arange(500), np.ones(500), scores.value)
        assert np.all(known.slack > 1e-9)

    def test_in_every_storage(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((300, 4)).astype(np.float32)
        y = np.where(X[:, 0] > 0, "b", "a")
        rows, coef = np.arange(0, 300, 7), rng.standard_normal(43)
        for kernel in (Gaussian(2.0), Polynomial(2), Linear(), 2 * Linear() + Gaussian(1.0)):
            stores = (X, X.astype(float), sparse.csr_array(X), sparse.csc_matrix(X), X.tolist())
            found = [KernelSample.of(S, y, LABELS, kernel).scores(rows, coef) for S in stores]
            for scores in found[1:]:
                assert np.all(
                    np.abs(scores.value - found[0].value) <= scores.slack + found[0].slack
                )

    def test_no_block_is_large(self, monkeypatch):
        """The whole Gram matrix would have 25 million entries."""
        plain, seen = Gaussian.plain, []

        def watched(self, X, Z):
            block = plain(self, X, Z)
            seen.append(block.size)
            return block

        monkeypatch.setattr(Gaussian, "plain", watched)
        X = np.random.default_rng(0).standard_normal((5000, 2))
        y = np.where(X[:, 0] > 0, "b", "a")
        sample = KernelSample.of(X, y, LABELS, Gaussian(1.0))
        sample.scores(np.arange(5000), np.ones(5000))
        assert sum(seen) == 5000**2
        assert max(seen) <= module.HEIGHT * module.WIDTH <= 2**20

    def test_numbers_that_overflow(self):
        X, y = np.array([[1e100], [-1e100]]), ["a", "b"]
        sample = KernelSample.of(X, y, LABELS, Polynomial(3))
        with pytest.raises(Refuted, match="precisely enough"):
            sample.scores(np.arange(2), np.ones(2))


class TestPrecomputed:
    def gram(self, dtype=np.float64):
        X = np.random.default_rng(1).standard_normal((40, 3)).astype(dtype)
        return (X @ X.T).astype(np.float64), np.where(X[:, 0] > 0, "b", "a")

    def test_a_rounded_matrix_is_shifted_by_little(self):
        for dtype in (np.float64, np.float32):
            K, y = self.gram(dtype)
            sample = KernelSample.of(K, y, LABELS, Precomputed())
            assert 0 <= sample.shift <= 1e-4 * np.trace(K)
            KernelSample.of(K, y, LABELS, Precomputed(), sample.shift)

    def test_nearly_symmetric_matrix_is_symmetrised(self):
        K, y = self.gram()
        K[0, 1] *= 1 + 1e-12
        sample = KernelSample.of(K, y, LABELS, Precomputed())
        assert np.array_equal(sample.X, sample.X.T)
        assert sample.X[0, 1] == 0.5 * (K[0, 1] + K[1, 0])

    def test_an_indefinite_matrix_is_refused_with_a_witness(self):
        K, y = self.gram()
        K[3, 3] -= 1.0
        with pytest.raises(NotPositive) as refused:
            KernelSample.of(K, y, LABELS, Precomputed())
        z = refused.value.witness
        assert z @ K @ z < 0
        with pytest.raises(SampleMismatch, match="not shown"):
            KernelSample.of(K, y, LABELS, Precomputed(), 1e-3)

    def test_the_algebra_of_matrices(self):
        K, y = self.gram()
        one = Precomputed()
        for kernel in (2.5 * one, one + one, one * one, (one + one) * (0.5 * one)):
            sample = KernelSample.of(K, y, LABELS, kernel)
            KernelSample.of(K, y, LABELS, kernel, sample.shift)
            with pytest.raises(SampleMismatch, match="not shown"):
                KernelSample.of(K, y, LABELS, kernel, 0.0)

    def test_matrix_must_be_square(self):
        K, y = self.gram()
        with pytest.raises(SampleMismatch, match="square"):
            KernelSample.of(K[:, :10], y, LABELS, Precomputed(), 0.0)


class TestOfObjects:
    def test_strings(self):
        words, y = ["ab", "bc", "xyz", "x"], ["a", "a", "b", "b"]
        sample = KernelSample.of(words, y, LABELS, Function(shared_letters))
        scores = sample.scores(np.array([0, 2]), np.array([-1.0, 1.0]))
        assert scores.value.tolist() == [-2, -1, 3, 1]

    def test_a_function_that_is_no_kernel(self):
        sample = KernelSample.of([1.0, 2.0], ["a", "b"], LABELS, Function(lambda x, z: -x * z))
        with pytest.raises(Refuted, match="no kernel can be"):
            sample.scores(np.array([0]), np.array([1.0]))


@pytest.mark.parametrize(
    ("X", "y", "why"),
    [
        ([[1.0], [2.0]], ["a"], "2 examples, but y has 1"),
        (np.zeros((0, 2)), [], "no examples"),
        ([[np.nan]], ["a"], "finite"),
        ([[2**60 + 1]], ["a"], "exactly"),
        ([1.0, 2.0], ["a", "b"], "two dimensions"),
        ([[1.0], [2.0]], ["a", "c"], "classes"),
    ],
)
def test_impossible_data_are_refused(X, y, why):
    with pytest.raises(SampleMismatch, match=why):
        KernelSample.of(X, y, LABELS, Gaussian(1.0))


def test_a_long_sum_says_how_far_it_is():
    X, told = np.random.default_rng(0).normal(size=(20, 2)), []
    n = module.WIDTH + 5
    centres = np.resize(X, (n, 2))
    with _telling(lambda done, total: told.append((done, total))):
        module.weighted_sums(Gaussian(1.0), X, centres.__getitem__, np.ones(n))
    assert module.steps is range
    assert told == [(module.WIDTH, n), (n, n)]
