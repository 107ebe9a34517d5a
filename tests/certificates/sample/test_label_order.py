"""Orders of labels that no draws come in."""

import itertools
import math

import numpy as np
import pytest

from certo.certificates.sample import label_order


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 5), (4, 4), (3, 6), (5, 4)])
def test_tails_of_runs_are_those_of_all_orders(a, b):
    runs = []
    for ups in itertools.combinations(range(a + b), a):
        y = np.isin(np.arange(a + b), ups)
        runs.append(1 + np.count_nonzero(y[1:] != y[:-1]))
    runs = np.array(runs)
    for r in range(1, a + b + 1):
        few, many = label_order._tails_of_runs(r, a, a + b)
        assert math.isclose(few, np.mean(runs <= r), abs_tol=1e-12)
        assert math.isclose(many, np.mean(runs >= r), abs_tol=1e-12)


def test_orders_that_no_draws_come_in():
    random = np.random.default_rng(3)
    for classes in (2, 3, 8):
        y = random.integers(0, classes, 600)
        assert not label_order.why_ordered(y)
        assert "sorted by their labels" in label_order.why_ordered(np.sort(y))
        assert "sorted" in label_order.why_ordered(
            np.concatenate([np.sort(y[k::3]) for k in range(3)])
        )
    assert "arranged by their labels (400 runs" in label_order.why_ordered(np.tile([0, 1], 200))
    assert not label_order.why_ordered(np.arange(8) // 4)  # too few to tell
    assert not label_order.why_ordered(np.zeros(50, int))


@pytest.mark.slow
def test_random_orders_are_seldom_refused():
    random = np.random.default_rng(4)
    refused = sum(
        bool(label_order.why_ordered(random.integers(0, classes, 200)))
        for classes in (2, 5)
        for _ in range(2000)
    )
    assert refused <= 5
