"""The short way for few examples of a kernel agrees with the general one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import Gaussian
from certo.solvers.kernel_soft_margin import kernel_soft_margin
from certo.solvers.small_kernel import PartOfProducts, SmallGram
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


def two_classes(m: int, apart: float):
    """Wide examples of two classes, most of them far from the others; three of four are positive,
    so that a free intercept is far from 0."""
    random = np.random.default_rng(3)
    signs = np.where(np.arange(m) % 4 == 0, -1, 1).astype(np.int8)
    X = random.standard_normal((m, 60))
    X[:, 0] += apart * signs
    return X, signs


@pytest.mark.slow
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("apart", [3.0, 4.0])
def test_products_of_some_examples_are_enough(intercept, apart):
    """The multipliers of the others are 0 or at their bounds, as the gap over all says."""
    X, signs = two_classes(1500, apart)
    costs = np.where(np.arange(1500) % 7 == 0, 0.0, 1.0)
    part = PartOfProducts(X, intercept, np.empty(1500**2, np.float32))
    found = part.soft_margin(signs, costs, 1e-4, False, go_on)
    assert found is not None
    assert found.gap <= 1e-4 * found.primal
    assert 0 < part.active.size < 1500
    w = (found.alpha * signs) @ X
    lift = found.b**2 if intercept == "lifted" else 0.0
    slack = np.maximum(0.0, 1 - signs * (X @ w + found.b))
    assert found.primal == pytest.approx(0.5 * (w @ w + lift) + costs @ slack, rel=1e-9)


def test_products_are_left_to_the_general_way_where_memory_is_too_small():
    X, signs = two_classes(1500, 0.0)
    part = PartOfProducts(X, "free", np.empty(300**2, np.float32))
    assert part.soft_margin(signs, np.ones(1500), 1e-4, False, go_on) is None


@pytest.mark.parametrize("side", [-1, 1])
def test_products_of_one_class(side):
    X, _ = two_classes(600, 1.0)
    part = PartOfProducts(X, "free", np.empty(600**2, np.float32))
    found = part.soft_margin(np.full(600, side, np.int8), np.ones(600), 1e-4, False, go_on)
    assert found is not None
    assert not found.alpha.any()
