"""Examples as a solver on a device sees them: blocks and sums, beside the kernel itself."""

from __future__ import annotations

import numpy as np
import pytest

from certo.kernels import Gaussian, Linear, Polynomial
from tests.scale.devices import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)

from certo.scale.device_images import images_on  # noqa: E402

KERNELS = Gaussian(2.0), Linear(), Polynomial(2), Gaussian(1.0) + Linear()


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_blocks_and_sums_are_those_of_the_kernel(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    matrix, coef = kernel.plain(X, X), rng.normal(size=10)
    images = images_on(kernel, torch.from_numpy(X))
    rows, columns, a = torch.arange(5, 30), torch.arange(0, 20, 2), torch.from_numpy(coef)
    single = 2.0**-20 * np.abs(matrix).max()
    block = images.block(rows)
    assert block.dtype == torch.float32
    assert np.abs(block.numpy() - matrix[5:30, 5:30]).max() <= single
    wanted = matrix[:, :20:2] @ coef
    some = images.part(rows).sums(None, torch.arange(0, 3), torch.ones(3, dtype=torch.float64))
    assert np.abs(some.numpy() - matrix[5:30, 5:8].sum(axis=1)).max() <= 3 * single
    assert np.abs(images.sums(rows, columns, a).numpy() - wanted[5:30]).max() <= 100 * single
    assert np.allclose(images.exact_sums(columns, a).numpy(), wanted, rtol=1e-11, atol=1e-11)
    assert len(images) == 50
    assert len(images.part(rows)) == 25
