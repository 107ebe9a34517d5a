"""The point of a polytope nearest to the origin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo.compiled.nearest_point import exchange
from certo.solvers.nearest_point import Gram, Vectors, nearest_point
from tests.solvers.scenes import separable


class TestNearestPoint:
    @given(
        points=st.lists(
            st.lists(st.integers(-4, 4), min_size=2, max_size=2), min_size=2, max_size=9
        ),
        seed=st.integers(0, 9),
    )
    def test_it_is_optimal_for_points_and_for_their_gram_matrix(self, points, seed):
        Z = np.array(points, float) + np.array([5.0, 0.5])  # the origin is outside
        group = np.random.default_rng(seed).integers(0, 2, len(Z))
        group[:2] = 0, 1
        start = np.zeros(len(Z))
        start[:2] = 1
        for known in (Gram(Z @ Z.T), Vectors(Z, group), Vectors(sparse.csr_array(Z), group)):
            found = nearest_point(known, group, start)
            p = found @ Z
            lows = sum((Z @ p)[group == g].min() for g in (0, 1))
            assert np.allclose(np.bincount(group, found), 1)
            assert found.min() >= 0
            assert lows >= p @ p * (1 - 1e-9)

    def test_exchanges_come_near_and_keep_their_sums(self):
        random = np.random.default_rng(0)
        Z = random.standard_normal((60, 8)) + 1
        group = (np.arange(60) % 2).astype(np.int64)
        weights = np.full(60, 1 / 30)
        slopes = Z @ (weights @ Z)
        before = float(weights @ slopes)
        steps = exchange(Z @ Z.T, group, 2, weights, slopes, before, 1e-3, 100_000)
        p = weights @ Z
        assert 0 < steps < 100_000
        assert np.allclose(slopes, Z @ p)
        assert np.allclose(np.bincount(group, weights), 1)
        assert p @ p - sum((Z @ p)[group == g].min() for g in (0, 1)) <= 1.01e-3 * (p @ p)

    def test_points_in_a_kernels_space_need_their_gram_matrix_only(self):
        X, signs = separable(80, 3, seed=4)
        square = (signs[:, None] * signs) * (1 + X @ X.T) ** 2
        group = (signs > 0).astype(np.int64)
        start = np.zeros(80)
        start[[np.argmax(group == 0), np.argmax(group == 1)]] = 1
        found = nearest_point(Gram(square), group, start)
        slopes = square @ found
        size = found @ slopes
        assert sum(slopes[group == g].min() for g in (0, 1)) >= size * (1 - 1e-9)

    def test_it_can_be_stopped(self):
        X, signs = separable(500, 20)
        group = (signs > 0).astype(np.int64)
        start = np.zeros(500)
        start[[np.argmax(group == 0), np.argmax(group == 1)]] = 1
        found = nearest_point(Vectors(X, group), group, start, spend=lambda work: True)
        assert np.allclose(np.bincount(group, found), 1)
