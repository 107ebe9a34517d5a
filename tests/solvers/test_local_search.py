"""Local search: what it says it found, it found."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from certo.solvers.local_search import cost_of, local_search, surrogate
from tests.oracles.rays import least


def never() -> bool:
    return False


def drawn(seed, whole):
    random = np.random.default_rng(seed)
    n, d = random.integers(1, 12), random.integers(2, 4)
    vectors = random.integers(-2, 3, (n, d)).astype(float) if whole else random.normal(size=(n, d))
    return vectors, random.integers(1, 4, n).astype(float), random


@given(st.integers(0, 10**6), st.booleans())
@example(215318, True)  # examples that are 0
@settings(max_examples=50)
def test_cost_never_rises_nor_beats_the_optimum(seed, whole):
    vectors, costs, random = drawn(seed, whole)
    w = random.normal(size=vectors.shape[1])
    _, found = local_search(vectors, costs, w, random, never, patience=3)
    assert np.all(np.isfinite(found))
    assert cost_of(vectors, costs, found) <= cost_of(vectors, costs, w)
    if whole:
        truth = least([list(map(int, z)) for z in vectors], list(map(int, costs)))
        assert cost_of(vectors, costs, found) >= truth


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_the_cost_is_that_of_the_weights_where_there_are_no_ties(seed):
    vectors, costs, random = drawn(seed, whole=False)
    value, found = local_search(vectors, costs, np.ones(vectors.shape[1]), random, never, 3)
    assert value == cost_of(vectors, costs, found)


def test_stop_request_is_obeyed():
    vectors, costs, random = drawn(3, whole=False)
    w = np.ones(vectors.shape[1])
    _, found = local_search(vectors, costs, w, random, lambda: True)
    assert np.array_equal(found, w / np.linalg.norm(w))


def test_the_surrogate_separates_what_is_far_apart():
    random = np.random.default_rng(0)
    vectors = random.normal((5.0, 0.0, 0.0), size=(200, 3))
    w = surrogate(vectors, np.ones(200), lambda: False)
    assert cost_of(vectors, np.ones(200), w) == 0
