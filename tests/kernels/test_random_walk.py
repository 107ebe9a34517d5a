"""The random-walk kernel beside its definition, written down naively."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import RandomWalk
from tests.oracles.graphs import collections, neighbours


def walks(left, right, decay, length):
    """Σ_{k ≤ length} decay^k·#(pairs of walks of k edges with the same labels), exactly."""
    pairs = [(u, v) for u, v in product(range(len(left[1])), range(len(right[1])))]
    now = {(u, v): 1 for u, v in pairs if left[1][u] == right[1][v]}
    near, far = neighbours(left), neighbours(right)
    total, worth = Fraction(0), Fraction(1)
    for _ in range(length + 1):
        total += worth * sum(now.values())
        worth *= Fraction(decay)
        now = {(u, v): sum(now.get(step, 0) for step in product(near[u], far[v])) for u, v in now}
    return total


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(X=collections, share=st.sampled_from([0.01, 0.5, 0.9]))
def test_random_walk_is_its_definition_within_rounding(X, share):
    """The rest of the series beyond k steps is at most share^k/(1 − share) times the number of
    pairs, since the matrix is symmetric."""
    decay = share * min(1.0, RandomWalk.limit(X))
    kernel, length = RandomWalk(decay), {0.01: 10, 0.5: 60, 0.9: 400}[share]
    points = kernel.examples(X)
    plain, fast = kernel.plain(points, points), kernel(points)
    relative, absolute = kernel.rounding(points, points)
    assert absolute == 0.0
    assert relative < 1e-11
    assert np.array_equal(fast, fast.T)
    for i, j in product(range(len(X)), repeat=2):
        exact = float(walks(X[i], X[j], decay, length))
        allowed = relative * np.sqrt(plain[i, i] * plain[j, j]) + 1e-16 * plain[i, j]
        allowed += len(X[i][1]) * len(X[j][1]) * share**length / (1 - share)
        assert abs(plain[i, j] - exact) <= allowed
        assert abs(fast[i, j] - exact) <= allowed


def test_random_walks_that_never_end_are_refused_with_the_limit():
    edge, triangle = ([(0, 1)], "CC"), ([(0, 1), (1, 2), (2, 0)], "CCC")
    assert RandomWalk.limit([edge, triangle]) == pytest.approx(0.25)  # 1/2²
    assert RandomWalk.limit([([], "CC")]) == np.inf
    large = [(k, (k + 1) % 30) for k in range(30)], ["C"] * 30
    assert RandomWalk.limit([large]) == pytest.approx(0.25)
    RandomWalk(0.2499)([edge, triangle, large])
    apart = [], ["C"] * 150
    assert RandomWalk.limit([apart]) == np.inf
    assert RandomWalk.limit([apart, triangle]) == pytest.approx(0.25)
    with pytest.raises(ValueError, match=r"0\.25 .* graph 1 with itself"):
        RandomWalk(0.3)([apart, triangle])
    for decay in (0.25, 0.26, 0.9, 5.0, 1e300):
        with pytest.raises(ValueError, match=r"must be below 0\.25 .* graph 1 with itself"):
            RandomWalk(decay)([([], "CO"), triangle])
        with pytest.raises(ValueError, match=r"must be below 0\.25 .* graph 0 with itself"):
            RandomWalk(decay)([([], "C")], [large])
    with pytest.raises(
        ValueError,
        match=r"below 0\.25 .* got 0\.24999999999: .* too nearly so .* about 2e-08",
    ):
        RandomWalk(0.24999999999)([triangle])
    RandomWalk(0.25 * (1 - 1e-7))([triangle])
    X = RandomWalk(0.2).examples([edge, triangle])
    with pytest.raises(ValueError, match="must be below"):
        RandomWalk(0.5)(X)


def test_the_rounding_of_random_walks_holds_for_each_with_itself():
    kernel, one, many = RandomWalk(0.01), [([], "C")], [([], ["C"] * 300)]
    alone = kernel.rounding(many, many)
    assert kernel.rounding(one, many) == kernel.rounding(many, one) == alone
    assert alone.relative > 300**2 * 2.0**-53
