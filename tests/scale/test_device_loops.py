"""Loops in Triton, beside PyTorch's own operations; on a GPU alone."""

from __future__ import annotations

import numpy as np
import pytest

from certo.kernels import Gaussian
from tests.scale.devices import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)

from certo.scale import device_block  # noqa: E402
from certo.scale.device_images import DeviceImages, GaussianImages, has_triton, images_on  # noqa: E402

pytestmark = pytest.mark.skipif(
    not (torch.cuda.is_available() and has_triton()), reason="there is no GPU with Triton"
)


@pytest.mark.parametrize("whole", [False, True])
def test_sums_of_gaussians(whole):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 255, (3000, 20)) / 255 if whole else rng.normal(size=(3000, 20))
    there = torch.from_numpy(X).cuda()
    images = images_on(Gaussian(4.0), there)
    assert isinstance(images, GaussianImages)
    plain = DeviceImages(images.kernel, there)
    columns = torch.arange(0, 3000, 3, device="cuda")
    coef = torch.from_numpy(rng.normal(size=1000)).cuda()
    wanted, size = plain.exact_sums(columns, coef), plain.exact_sums(columns, coef.abs())
    assert torch.all((images.exact_sums(columns, coef) - wanted).abs() <= 1e-11 * size)
    assert torch.all((images.sums(None, columns, coef) - wanted).abs() <= 1e-4 * size)


@pytest.mark.parametrize("free", [False, True])
def test_a_block_is_solved_as_by_pytorch(free):
    from certo.scale.device_soft_margin import _in_one_launch

    rng = np.random.default_rng(1)
    X = torch.from_numpy(rng.normal(size=(500, 4))).cuda()
    K = images_on(Gaussian(2.0), X).block(torch.arange(500, device="cuda"))
    signs = torch.from_numpy(np.where(rng.random(500) < 0.5, 1.0, -1.0)).cuda().float()
    zero = torch.zeros_like(signs)
    low, high = torch.where(signs > 0, zero, -1.0), torch.where(signs > 0, 1.0, zero)
    target = torch.zeros((), device="cuda") if free else None
    gains = []
    for solve in (device_block.solve_block, _in_one_launch):
        e = solve(K, signs, zero, low, high, target, 0.0)
        assert torch.all((e >= low - 1e-6) & (e <= high + 1e-6))
        assert not free or float(e.sum().abs()) <= 1e-3
        gains.append(float(signs @ e - 0.5 * e @ (K @ e)))
    assert gains[1] == pytest.approx(gains[0], rel=0.02)
