"""A free intercept: the smallest best b, and multipliers that balance exactly."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.problems import free_intercept
from certo.problems.free_intercept import balanced, rebalanced, smallest_b


def hinge(b, scores, signs, costs) -> Fraction:
    """Σ c_t [1 − y_t (s_t + b)]₊, exactly."""
    return sum(
        (
            Fraction(c) * max(Fraction(0), 1 - int(y) * (Fraction(s) + Fraction(b)))
            for s, y, c in zip(scores.tolist(), signs.tolist(), costs.tolist(), strict=True)
        ),
        Fraction(0),
    )


def every_kink(scores, signs, costs) -> float:
    """The smallest kink at which the sum is least: brute force."""
    kinks = sorted({float(k) for k in (signs - scores)[costs > 0]})
    values = [hinge(b, scores, signs, costs) for b in kinks]
    return kinks[values.index(min(values))]


whole = st.integers(-4, 4)
triples = st.lists(
    st.tuples(whole, st.sampled_from([-1, 1]), st.sampled_from([0, 1, 1, 2, 3])),
    min_size=1,
    max_size=14,
)


def columns(rows, halves=1.0):
    scores, signs, costs = np.array(rows, float).T
    return scores / halves, signs.astype(np.int8), costs


@settings(max_examples=180)
@given(triples, st.sampled_from([1.0, 0.1, 1e-200, 1e200]))
def test_smallest_b_is_the_first_of_the_best_kinks(rows, price):
    """Ties are the rule here: scores are quarters, and costs few integers times a price."""
    scores, signs, costs = columns(rows, 4.0)
    if not costs.any():
        assert smallest_b(scores, signs, costs) == 0.0
        return
    want = every_kink(scores, signs, costs)
    assert smallest_b(scores, signs, costs * price) == want
    shuffled = np.random.default_rng(len(rows)).permutation(len(rows))
    assert smallest_b(scores[shuffled], signs[shuffled], (costs * price)[shuffled]) == want


@settings(max_examples=90)
@given(st.integers(0, 10**6), st.integers(-12, 12), st.integers(1, 40))
def test_smallest_b_where_one_class_is_much_dearer(seed, power, m):
    random = np.random.default_rng(seed)
    signs = np.where(random.random(m) < 0.5, 1, -1).astype(np.int8)
    scores = random.standard_normal(m)
    costs = random.random(m) * np.where(signs > 0, 10.0 ** (2 * power), 1.0)
    if signs.max() == signs.min():
        return
    least = hinge(every_kink(scores, signs, costs), scores, signs, costs)
    found = hinge(smallest_b(scores, signs, costs), scores, signs, costs)
    rounding = 2.0**-52 * costs.sum() * (1 + np.abs(scores).max())  # of the kinks, times the slope
    assert found <= least * (1 + Fraction(1, 10**12)) + Fraction(float(rounding))


@pytest.mark.parametrize("seed", range(12))
def test_many_examples_are_sorted_only_where_it_matters(seed):
    random = np.random.default_rng(seed)
    m = 2500 if seed % 2 else 20_000
    signs = np.where(random.random(m) < [0.5, 0.999, 0.001, 0.2][seed % 4], 1, -1).astype(np.int8)
    signs[:2] = 1, -1
    scores = random.standard_normal(m).round([1, 12, 0][seed % 3])
    costs = random.choice([0.25, 0.5, 1.0, 3.0], m)  # sums are exact
    if seed >= 6:
        costs *= random.random(m) < 0.7
    kinks = signs - scores
    order = np.argsort(kinks)
    slopes = np.cumsum(costs[order]) - costs[signs > 0].sum()
    positive = costs[order] > 0
    want = kinks[order][positive][slopes[positive] >= 0][0]
    assert smallest_b(scores, signs, costs) == want


def test_small_costs_among_many_examples_count_too():
    """Σ c over all kinks but a few falls short of what is needed by less than 1e-9 of it."""
    small, others = 1000, 3000
    signs = np.r_[np.ones(small + 1), -np.ones(others)].astype(np.int8)
    kinks = np.r_[np.linspace(5, 6, small), 7.0, np.linspace(-1, 1, others)]
    costs = np.r_[np.full(small, 2.0**-30), others, np.ones(others)]
    scores = signs - kinks
    assert smallest_b(scores, signs, costs) == (signs - scores)[small - 1]


@pytest.mark.parametrize("m", [1999, 2000, 300_000])
def test_classes_that_balance_up_to_rounding_balance(m):
    """All positive kinks right of all negative ones and equal totals: the slope is 0 between."""
    half = m // 2
    random = np.random.default_rng(0)
    signs = np.r_[-np.ones(half), np.ones(half)].astype(np.int8)
    kinks = np.r_[random.uniform(-3, 0, half), random.uniform(1, 3, half)]
    shuffled = random.permutation(2 * half)
    signs, kinks = signs[shuffled], kinks[shuffled]
    scores = signs - kinks
    found = smallest_b(scores, signs, np.full(2 * half, 0.1))
    assert found == (signs - scores)[signs < 0].max()


def test_one_class_alone_ends_at_a_kink():
    scores, ones = np.array([0.5, -1.0, 2.0]), np.ones(3)
    assert smallest_b(scores, ones.astype(np.int8), ones) == 2.0  # the slope is 0 from there on
    assert smallest_b(scores, -ones.astype(np.int8), ones) == -3.0  # and up to here


@st.composite
def boxes(draw):
    """Multipliers within uneven boxes, some at the ends."""
    m = draw(st.integers(1, 30))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    spread = draw(st.sampled_from([0, 3, 12, 30, 100]))
    costs = 10.0 ** random.uniform(-spread, spread, m) * draw(st.sampled_from([1.0, 1e-150]))
    costs[random.random(m) < draw(st.sampled_from([0.0, 0.3]))] = 0.0
    where = random.choice([0.0, 0.5, 1.0], m)
    share = np.where(where == 0.5, random.random(m), where)
    signs = np.where(random.random(m) < draw(st.sampled_from([0.5, 0.9, 0.0])), 1, -1)
    return costs * share, signs.astype(np.int8), costs


def feasible(alpha, signs, costs):
    assert np.all(alpha >= 0)
    assert np.all(alpha <= costs)
    assert math.fsum(alpha * signs) == 0.0


@settings(max_examples=240)
@given(boxes())
def test_balanced_is_exact(box):
    alpha, signs, costs = box
    found = balanced(alpha, signs, costs)
    feasible(found, signs, costs)
    assert sum(int(y) * Fraction(a) for a, y in zip(found.tolist(), signs, strict=True)) == 0


@settings(max_examples=120)
@given(boxes())
def test_balanced_moves_no_more_than_is_too_much(box):
    """‖α − α'‖₁ is |Σ α y| up to rounding, which no feasible α' can beat."""
    alpha, signs, costs = box
    found = balanced(alpha, signs, costs)
    # what one class has at most is all that the other can use
    most = min(costs[signs > 0].sum(), costs[signs < 0].sum())
    moved, excess = np.abs(found - alpha).sum(), abs(math.fsum(alpha * signs))
    assert moved <= excess * (1 + 1e-9) + 1e-13 * alpha.size * min(most, alpha.max())


def test_balanced_keeps_what_is_balanced():
    signs = np.array([1, 1, -1, -1], np.int8)
    alpha, costs = np.array([0.25, 0.375, 0.375, 0.25]), np.full(4, 0.375)
    assert np.array_equal(balanced(alpha, signs, costs), alpha)
    assert not balanced(np.zeros(4), signs, costs).any()
    assert not balanced(np.zeros(4), signs, np.zeros(4)).any()


def test_very_unequal_class_costs():
    signs, costs = np.array([1, -1, -1], np.int8), np.array([1e30, 1.0, 0.5])
    found = balanced(np.array([1.5, 1.0, 0.5]), signs, costs)
    feasible(found, signs, costs)
    assert np.array_equal(found, [1.5, 1.0, 0.5])


@settings(max_examples=120)
@given(boxes())
def test_rebalanced_is_within_the_box_and_nearly_balanced(box):
    alpha, signs, costs = box
    found = rebalanced(alpha, signs, costs)
    assert np.all(found >= 0)
    assert np.all(found <= costs)
    assert abs(found @ signs) <= 1e-12 * alpha.size * costs.max()


@pytest.mark.parametrize("kind", [np.int8, np.float64])
@given(seed=st.integers(0, 10**6))
def test_loops_and_vector_operations_agree(kind, seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 40))
    signs, costs = rng.choice([-1, 1], m).astype(kind), np.exp(rng.standard_normal(m))
    scores, alpha = rng.standard_normal(m), costs * rng.random(m)
    with pytest.MonkeyPatch.context() as patch:
        found = smallest_b(scores, signs, costs), balanced(alpha, signs, costs)
        patch.setattr(free_intercept, "COMPILED_UP_TO_ROWS", -1)
        twin = smallest_b(scores, signs, costs), balanced(alpha, signs, costs)
    assert found[0] == twin[0]
    assert np.allclose(found[1], twin[1], atol=1e-12)
    assert math.fsum((found[1] * signs).tolist()) == 0
