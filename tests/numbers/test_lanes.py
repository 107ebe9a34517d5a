"""Inner products are added in the order that is written down, whatever the machine."""

from __future__ import annotations

import numpy as np
import pytest

from certo.numbers.lanes import LANES, lane_scores


def by_the_book(values, w) -> float:
    lanes = [0.0] * LANES
    for position, (value, weight) in enumerate(zip(values, w, strict=True)):
        lanes[position % LANES] += value * weight
    for half in (4, 2, 1):
        lanes = [lanes[k] + lanes[k + half] for k in range(half)]
    return lanes[0]


@pytest.mark.parametrize("width", [0, 1, 7, 8, 9, 16, 61, 1000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_bit_is_that_of_the_order(width, order):
    random = np.random.default_rng(width)
    values = np.asarray(random.standard_cauchy((5, width)), order=order)
    w = random.standard_cauchy(width)
    expected = [by_the_book(row, w.tolist()) for row in values.tolist()]
    assert lane_scores(values, w).tolist() == expected
    assert lane_scores(values, np.tile(w, (5, 1))).tolist() == expected


def test_zeros_at_the_end_change_nothing():
    random = np.random.default_rng(0)
    values, w = random.normal(size=(4, 21)), random.normal(size=21)
    longer = np.pad(values, ((0, 0), (0, 30)))
    assert np.array_equal(lane_scores(values, w), lane_scores(longer, np.pad(w, (0, 30))))
