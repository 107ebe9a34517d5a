"""The short way for few examples of a kernel agrees with the general one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import Gaussian
from certo.solvers.kernel_soft_margin import kernel_soft_margin
from certo.solvers.small_kernel import SmallGram
from certo.stop import Stop, go_on
from tests.solvers.test_small_soft_margin import INTERCEPTS, clouds


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(INTERCEPTS))
def test_small_gram_agrees_with_the_general_way(seed, intercept):
    X, signs, costs = clouds(seed)
    kernel = Gaussian(3.0)
    found = SmallGram.of(kernel, X, intercept).soft_margin(signs, costs, 1e-4, True, go_on)
    if found is None:  # Left to the general way.
        return
    general = kernel_soft_margin(kernel, X, signs, costs, intercept, tol=1e-7)
    assert found.gap <= 1e-11 * found.primal
    assert found.primal == pytest.approx(general.primal, rel=1e-6)
    assert np.allclose(found.scores, kernel(X, X) @ (found.alpha * signs))


def test_small_gram_stops_when_asked():
    X, signs, costs = clouds(1)
    gram = SmallGram.of(Gaussian(3.0), X, "free")
    assert gram.soft_margin(signs, costs, 1e-4, False, lambda: Stop.BY_HAND) is None
