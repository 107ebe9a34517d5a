"""The sums of rates that the curves are made of. (That norms of runs stay between them is tested
with the claim.)"""

from __future__ import annotations

import numpy as np
import pytest

from certo.certificates import UpdateSums
from certo.plots.update_curves import rate_sums
from certo.rates import Constant, Geometric, Power


@pytest.mark.parametrize("rate", [Constant(0.3), Power(0.7, 0.5), Geometric(0.7, 0.9)])
@pytest.mark.parametrize(("before", "n"), [(0, 0), (0, 7), (5, 50)])
def test_sums_are_those_of_the_rates(rate, before, n):
    first, second = rate_sums(UpdateSums(rate, before), np.array([n]))
    values = rate(before + np.arange(1, n + 1))
    np.testing.assert_allclose(first, [values.sum()], rtol=1e-12)
    np.testing.assert_allclose(second, [(values**2).sum()], rtol=1e-12)


def test_an_average_of_runs_moves_by_its_share():
    whole, shared = (rate_sums(UpdateSums(Constant(0.5), 0, s), [8]) for s in (None, 4))
    np.testing.assert_allclose(np.array(shared) * 4, whole)
