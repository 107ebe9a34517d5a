"""The least errors over all cells, beside brute force over rays."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certo.certificates.errors import cells
from tests.oracles.rays import least


def on_different_lines(vectors):
    lines = {}
    for z in filter(any, vectors):
        side = 1 if next(filter(None, z)) > 0 else -1
        lines.setdefault(tuple(side * a // math.gcd(*z) for a in z), z)
    return list(lines.values())


UP_TO_FOUR = st.integers(1, 4)


@st.composite
def arrangements(draw, ranks=UP_TO_FOUR):
    """Small vectors of full rank on different lines, with many ties, and weights."""
    r = draw(ranks)
    entry = st.integers(-draw(st.integers(1, 3)), 3)
    rows = st.lists(
        st.lists(entry, min_size=r, max_size=r), min_size=r, max_size=max(14 - 2 * r, 8)
    )
    vectors = on_different_lines(draw(rows))
    assume(vectors and len(cells.independent_columns(vectors)) == r)
    weights = draw(st.lists(st.integers(1, 4), min_size=len(vectors), max_size=len(vectors)))
    return vectors, weights


def scaled_columns(vectors, numbers):
    powers = [7 ** (number % 35) for number in numbers]
    return [[a * p for a, p in zip(z, itertools.cycle(powers), strict=False)] for z in vectors]


def scaled_rows(vectors, numbers):
    factors = itertools.cycle(3 ** (number % 40) for number in numbers)
    return [[a * next_one for a in z] for z, next_one in zip(vectors, factors, strict=False)]


def sheared(vectors, numbers):
    """Columns moved by large multiples of others: other coordinates of the same w."""
    vectors = [list(z) for z in vectors]
    r = len(vectors[0])
    for k, number in enumerate(numbers):
        i, j = k % r, (k + 1) % r
        if i != j:
            for z in vectors:
                z[i] += number * 10**7 * z[j]
    return vectors


def check_least(vectors, weights, truth):
    for known in (truth, truth + 1, sum(weights) + 1):
        found = cells.least(vectors, weights, known)
        assert found.value == truth
        if known > truth:
            assert sum(weights) - sum(weights[g] for g in found.right) == truth
        else:
            assert found.right is None


class TestLeast:
    @given(arrangements())
    def test_whole_numbers(self, arrangement):
        vectors, weights = arrangement
        check_least(vectors, weights, least(vectors, weights))

    @given(
        arrangements(),
        st.sampled_from([scaled_columns, scaled_rows, sheared]),
        st.lists(st.integers(0, 10**6), min_size=4, max_size=4),
    )
    def test_numbers_beyond_exact_floats(self, arrangement, change, numbers):
        vectors, weights = arrangement
        check_least(change(vectors, numbers), weights, least(vectors, weights))

    @pytest.mark.slow
    @given(arrangements(st.just(5)), st.lists(st.integers(1, 10**6), min_size=5, max_size=5))
    @settings(max_examples=15)
    def test_rank_five(self, arrangement, numbers):
        vectors, weights = arrangement
        truth = least(vectors, weights)
        check_least(vectors, weights, truth)
        check_least(sheared(vectors, numbers), weights, truth)
        check_least(scaled_rows(vectors, numbers), weights, truth)

    def test_lines_that_meet_on_a_facet_of_a_facet(self):
        """Rank 5 with large numbers: the vector a path names may share a line with others."""
        vectors = [
            [0, 0, -1, -1, -1],
            [-1, -1, -1, 1, 0],
            [1, 0, 0, 1, 1],
            [0, 0, 0, 1, -1],
            [1, 1, -1, 0, 1],
            [0, -1, 1, 1, 1],
            [-1, -1, 1, -1, 0],
        ]
        large = [[a * 3 ** (20 + k) for a in z] for k, z in enumerate(vectors)]
        check_least(large, [1] * 7, least(vectors, [1] * 7))

    @given(arrangements(st.integers(2, 3)), st.data())
    def test_near_ties(self, arrangement, data):
        """Ties of the small vectors, broken by one part in 10¹⁶ to 10⁴⁰."""
        vectors, weights = arrangement
        large = 10 ** data.draw(st.integers(15, 40))
        nudges = st.lists(st.integers(-2, 2), min_size=len(vectors[0]), max_size=len(vectors[0]))
        vectors = [[large * a + data.draw(nudges)[j] for j, a in enumerate(z)] for z in vectors]
        assume(len(on_different_lines(vectors)) == len(vectors))
        check_least(vectors, weights, least(vectors, weights))

    @given(arrangements(st.integers(1, 3)), st.data())
    def test_coarse_weights_bound_from_below(self, arrangement, data):
        """Of weights beyond exact floats, the bound is low by a few parts in 2⁵⁰ at most."""
        vectors, weights = arrangement
        size = st.integers(1, 2**62) | st.just(10**400)
        weights = [data.draw(size) for _ in weights]
        truth = least(vectors, weights)
        rounded, unit = cells.coarse(weights)
        assert all(unit * a <= b < unit * (a + 1) for a, b in zip(rounded, weights, strict=True))
        found = cells.least(vectors, rounded, sum(rounded) + 1)
        assert truth - len(weights) * unit <= found.value * unit <= truth
        assert len(weights) * unit <= max(len(weights), sum(weights) * len(weights) >> 48)

    @pytest.mark.parametrize("rank", [4, 5])
    def test_all_other_lines_may_cancel_on_a_facet(self, rank):
        """Pairs that differ by a multiple of the first vector: opposite in its complement."""
        eye = np.eye(rank, dtype=int)
        pairs = [v for e in eye[1:] for v in (e, eye[0] - e)]
        vectors = [list(map(int, z)) for z in [eye[0], *pairs]]
        weights = [1] * len(vectors)
        check_least(vectors, weights, least(vectors, weights))

    def test_a_tick_can_stop_it(self):
        vectors = [[a, b, 1] for a in range(5) for b in range(5)]
        parts = []
        cells.least(vectors, [1] * 25, 25, lambda part: parts.append(part))
        assert parts == sorted(parts)
        assert parts[-1] == pytest.approx(1)
        with pytest.raises(cells.Stopped):
            cells.least(vectors, [1] * 25, 25, lambda part: True)


class TestCoordinates:
    @given(
        st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=9),
        st.integers(-(10**12), 10**12),
        st.booleans(),
    )
    def test_the_problem_stays_the_same(self, rows, offset, lifted):
        vectors = [[s, 2 * s, s + offset, *[1] * lifted] for s in map(sum, rows)]
        vectors += [[*row, *[1] * lifted] for row in rows]
        signs = itertools.cycle((1, -1, -1))
        vectors = on_different_lines(
            [[s * a for a in z] for s, z in zip(signs, vectors, strict=False)]
        )
        assume(vectors and any(z[-1] for z in vectors))
        small = cells.coordinates(vectors)
        rank = fmpz_mat(small).rank()
        assert len(small) == len(vectors)
        assert all(len(z) == len(small[0]) for z in small)
        assert len(small[0]) == rank
        weights = [1] * len(vectors)
        assert least(small, weights) == least(vectors, weights)

    def test_of_nothing(self):
        assert cells.coordinates([]) == []
        assert cells.coordinates([[]]) == []
