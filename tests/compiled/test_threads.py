"""Loops shared between the cores."""

import numpy as np
import pytest

from certo.compiled.threads import MIN_WORK_PER_THREAD, even_pieces


@pytest.mark.parametrize("costs", [[], [0, 0], [1] * 9, [9, 1, 1], [1, 1, 9], [4, 3, 2, 1, 0]])
def test_ranges_cover_all_and_cost_about_the_same(costs):
    costs = 8.0 * MIN_WORK_PER_THREAD * np.array(costs, dtype=np.float64)
    ranges = even_pieces(costs)
    assert [i for start, stop in ranges for i in range(start, stop)] == [*range(costs.size)]
    share = costs.sum() / len(ranges) + np.max(costs, initial=0.0)
    assert all(costs[start:stop].sum() <= share for start, stop in ranges)
