"""Examples that repeat become one, and are told apart again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo.kernels import Gaussian, Linear, Precomputed
from certo.solvers.repetitions import Repetitions


@st.composite
def tables(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, kinds = draw(st.integers(2, 60)), draw(st.integers(1, 20))
    X = random.integers(-1, 2, (kinds, draw(st.integers(1, 4)))).astype(float)
    X = X[random.integers(0, kinds, m)]
    X[X == 0] *= random.choice([-1.0, 1.0])  # −0 is 0
    X = draw(st.sampled_from([np.asarray, np.float32, sparse.csr_array, sparse.csr_matrix]))(X)
    signs = random.choice([-1, 1], m).astype(np.int8)
    return X, signs, random.choice([0.0, 0.5, 1.0, 2.0], m)


def rows(X):
    return (X.toarray() if sparse.issparse(X) else X).astype(float) + 0.0


@given(tables())
def test_groups_are_the_same_rows_with_the_same_sign(table):
    X, signs, costs = table
    keys = [(*row, sign) for row, sign in zip(rows(X).tolist(), signs.tolist(), strict=True)]
    same = Repetitions.of(Gaussian(1.0), X, signs, costs)
    distinct = len(set(keys))
    if same is None:
        assert distinct > 0.95 * len(keys)
        return
    assert distinct == same.first.size == same.starts.size
    assert sorted(same.members.tolist()) == list(range(len(keys)))
    for t, group in enumerate(same.group):
        assert keys[t] == keys[same.first[group]]
    assert len({keys[t] for t in same.first}) == distinct


@given(tables(), st.integers(0, 2**32 - 1))
def test_sums_and_shares(table, seed):
    X, signs, costs = table
    same = Repetitions.of(Linear(), X, signs, costs)
    if same is None:
        return
    total = same.total(costs)
    np.testing.assert_allclose(total, np.bincount(same.group, costs))
    random = np.random.default_rng(seed)
    alpha = total * random.choice([0.0, 1.0, random.random()], total.size)
    spread = same.spread(alpha, costs)
    assert np.all((spread >= 0) & (spread <= costs))
    np.testing.assert_allclose(same.total(spread), alpha, atol=1e-12)
    for group in range(total.size):  # few are neither 0 nor at their bound
        some = same.group == group
        assert np.sum((spread[some] > 1e-12) & (spread[some] < costs[some] - 1e-12)) <= 1


def test_shares_of_very_uneven_costs():
    """A group's share does not depend on how dear others are."""
    X = np.repeat(np.arange(6.0), 5)[:, None]
    costs = np.repeat([1e12, 1e-6, 1e9, 1e-3, 1.0, 1e-6], 5)
    same = Repetitions.of(Linear(), X, np.ones(30, np.int8), costs)
    alpha = 0.3 * same.total(costs)
    np.testing.assert_allclose(same.total(same.spread(alpha, costs)), alpha, rtol=1e-12)


def test_few_repetitions_are_left_alone():
    X = np.arange(100.0)[:, None]
    X[1] = X[0]
    assert Repetitions.of(Linear(), X, np.ones(100, np.int8), np.ones(100)) is None


def test_the_same_row_with_two_labels_is_two():
    X, signs = np.zeros((6, 2)), np.array([1, -1, 1, -1, 1, -1], np.int8)
    same = Repetitions.of(Linear(), X, signs, np.ones(6))
    assert same.first.size == 2
    assert sorted(signs[same.first]) == [-1, 1]


@pytest.mark.parametrize("size", [1, 3, 64])
def test_rows_that_only_look_alike_stay_apart(size):
    """Sums may agree where rows do not."""
    X = np.tile(np.eye(size) * 1e-300, (4, 1))
    X[:, 0] += 1.0
    same = Repetitions.of(Linear(), X, np.ones(4 * size, np.int8), np.ones(4 * size))
    if same is not None:
        for t, group in enumerate(same.group):
            assert np.array_equal(X[t], X[same.first[group]])


def test_only_vectors():
    assert Repetitions.of(Precomputed(), np.ones((4, 4)), np.ones(4, np.int8), np.ones(4)) is None
