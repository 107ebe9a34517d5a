"""The tree of packings: what it calls proved, its log proves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certo.certificates import Labels, Sample
from certo.certificates.errors.least_errors import grouped, proved
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree
from certo.certificates.spaces.exact_rows import integer_rows
from certo.solvers.hitting_tree import FINENESS, HittingTree
from tests.oracles.rays import least

NONE = np.zeros(0)


def drawn(seed):
    """Small integers, no intercept, all of one class: the vectors are the rows."""
    random = np.random.default_rng(seed)
    m, d = random.integers(2, 12), random.integers(1, 4)
    return random.integers(-3, 4, (m, d)).astype(float), random


def tree_of(X, weights, random):
    """A tree over the groups of X, told the optimum whenever something can be right."""
    groups = grouped(Sample(X, np.ones(len(X), np.int8)), weights, False)
    vectors = X[groups.rows]
    truth = least([list(map(int, z)) for z in vectors], groups.weights)
    start = sum(groups.weights)
    whole = [list(map(int, z)) for z in vectors]
    tree = HittingTree(
        vectors,
        lambda members: [whole[g] for g in members],
        groups.weights,
        start,
        lambda wrong: (truth, None),
        lambda: math.inf,
        random,
    )
    return tree, groups, truth


def certificate(tree, groups, X, weights, need):
    claim = Labels((1,), 0), False, len(X), weights, proved(need, groups)
    return LeastErrorsByTree(*claim, *tree.proof(need, groups.rows))


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_tree_proves_exactly_the_optimum(seed):
    X, random = drawn(seed)
    assume(grouped(Sample(X, np.ones(len(X), np.int8)), NONE, False).rows.size)
    tree, groups, truth = tree_of(X, NONE, random)
    tree.run(lambda: False)
    assert tree.lower == truth
    y = np.ones(len(X), dtype=int)
    assert certificate(tree, groups, X, NONE, truth).verify(X, y)


@given(st.integers(0, 10**6), st.integers(0, 12))
@settings(max_examples=40)
def test_stopped_at_any_time_it_has_a_proof(seed, patience):
    X, random = drawn(seed)
    weights = random.integers(1, 4, len(X)).astype(float)
    assume(grouped(Sample(X, np.ones(len(X), np.int8)), weights, False).rows.size)
    tree, groups, truth = tree_of(X, weights, random)
    asked = iter(range(patience))
    tree.run(lambda: next(asked, None) is None)
    assert 0 <= tree.lower <= truth
    y = np.ones(len(X), dtype=int)
    assert certificate(tree, groups, X, weights, tree.lower).verify(X, y)
    tree.run(lambda: False)
    assert tree.lower == truth


@pytest.mark.parametrize("largest", [2.0**40, 2.0**60, 2.0**70])
def test_costs_far_apart(largest):
    """Costs beyond 64 bits are still integers; the bound is weak at worst."""
    random = np.random.default_rng(1)
    X = random.integers(-3, 4, (12, 3)).astype(float)
    weights = random.choice([1.0, 3.0, largest, largest * 1.5], 12)
    tree, groups, truth = tree_of(X, weights, random)
    tree.run(lambda: tree.nodes > 20)
    assert tree.lower <= truth
    y = np.ones(12, dtype=int)
    assert certificate(tree, groups, X, weights, tree.lower).verify(X, y)


@pytest.mark.slow
def test_all_that_the_relaxation_counts_is_proved(monkeypatch):
    """Thirds are rounded, so that subsystems in whole numbers are none of thirds: counted in the
    relaxation, they made the packing that its duals suggest prove little of its value."""
    random = np.random.default_rng(0)
    whole = np.unique(random.integers(1, 4, (120, 5)), axis=0) / 3.0
    sample = Sample(whole, np.where(random.random(len(whole)) < 0.5, 1, -1).astype(np.int8))
    lifted = np.column_stack([whole, np.ones(len(whole))]) * sample.signs[:, None]
    tree = HittingTree(
        lifted,
        lambda members: integer_rows(sample, members.tolist(), True),
        [1] * len(whole),
        len(whole),
        lambda wrong: (len(whole), None),
        lambda: math.inf,
        random,
    )
    pack, values = tree._pack, []

    def packed(node):
        values.append(tree._relaxed.value)
        pack(node)

    monkeypatch.setattr(tree, "_pack", packed)
    tree._tighten(tree.root, lambda: False)
    # A dual is cut to a multiple of 2⁻²⁰, or left out below 1e-9. Of the rest, what is charged too
    # much is within HiGHS' tolerance of 1e-7.
    lost = 2.0**-19 * len(tree.pool) + 1e-6 * len(whole)
    assert tree.root.bound >= (max(values) - lost) * FINENESS > 0
    need = tree.lower
    claim = Labels((-1, 1), 1), True, len(whole), NONE, float(need)
    proof = LeastErrorsByTree(*claim, *tree.proof(need, np.arange(len(whole))))
    assert proof.verify(whole, sample.signs)


def test_a_relaxation_without_an_answer_closes_nothing(monkeypatch):
    """What a program that ended early did not find may still be there."""
    X, random = drawn(4)
    tree, _, truth = tree_of(X, NONE, random)
    assert truth
    monkeypatch.setattr(tree.finder, "cheapest", lambda costs: np.zeros(0, np.int64))
    tree.run(lambda: tree.nodes > 0)
    assert tree._open
    monkeypatch.undo()
    tree.run(lambda: False)
    assert tree.lower == truth
