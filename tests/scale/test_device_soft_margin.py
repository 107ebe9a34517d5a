"""The soft margin on a device: what it returns is feasible, and what it says of it is true."""

from __future__ import annotations

import numpy as np
import pytest

from certo.kernels import Gaussian, Linear, Polynomial
from tests.scale.devices import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)

from certo.problems.soft_margin import SoftMargin  # noqa: E402
from certo.scale import device_soft_margin as solver  # noqa: E402
from certo.solvers.kernel_soft_margin import kernel_soft_margin  # noqa: E402
from certo.stop import Stop  # noqa: E402

CPU = torch.device("cpu")


def problem(m: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    signs = np.where((X**2).sum(axis=1) + rng.normal(size=m) > 3, 1, -1).astype(np.int8)
    return X, signs, rng.integers(0, 4, m).astype(float)


@pytest.mark.parametrize("kernel", [Gaussian(2.0), Linear(), Polynomial(2)], ids=repr)
@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
@pytest.mark.parametrize("block", [4096, 64])
def test_values_are_those_of_feasible_multipliers(kernel, intercept, block, monkeypatch):
    monkeypatch.setattr(solver, "BLOCK_ROWS", block)
    X, signs, costs = problem()
    found = solver.device_soft_margin(kernel, X, signs, costs, intercept, CPU, tol=1e-3)
    assert np.all((found.alpha >= 0) & (found.alpha <= costs))
    if intercept == "free":
        assert found.alpha @ signs == pytest.approx(0, abs=1e-9)
    scores = kernel.plain(X, X) @ (found.alpha * signs)
    assert np.allclose(found.scores, scores, rtol=1e-9, atol=1e-9)
    posed, square = SoftMargin(signs, costs, intercept), found.alpha * signs @ scores
    assert found.primal == pytest.approx(posed.primal(square, scores, found.b))
    assert found.dual == pytest.approx(posed.dual(square, found.alpha))
    assert found.stop is Stop.CONVERGED
    assert found.gap <= 1e-3 * found.primal
    other = kernel_soft_margin(kernel, X, signs, costs, intercept, tol=1e-6)
    assert found.dual <= other.primal * (1 + 1e-12)
    assert other.dual <= found.primal * (1 + 1e-12)


def test_a_question_to_stop_is_heard():
    X, signs, costs = problem()
    found = solver.device_soft_margin(
        Gaussian(2.0), X, signs, costs, "free", CPU, asked=lambda: Stop.BY_HAND
    )
    assert found.stop is Stop.BY_HAND
    assert found.dual <= found.primal


def test_a_start_is_not_lost():
    X, signs, costs = problem()
    first = solver.device_soft_margin(Gaussian(2.0), X, signs, costs, "none", CPU, tol=1e-3)
    again = solver.device_soft_margin(
        Gaussian(2.0), X, signs, costs, "none", CPU, tol=1e-3, start=first.alpha
    )
    assert again.passes == 1
    assert again.dual >= first.dual * (1 - 1e-12)


def test_the_same_fit_twice():
    X, signs, costs = problem()
    one, two = (
        solver.device_soft_margin(Gaussian(2.0), X, signs, costs, "free", CPU) for _ in range(2)
    )
    assert np.array_equal(one.alpha, two.alpha)


def test_more_memory_for_more_examples():
    needed = [solver.bytes_needed(m, 54) for m in (10**4, 10**6, 10**8)]
    assert needed == sorted(needed)
    assert needed[2] > 10**8 * 54 * 8
