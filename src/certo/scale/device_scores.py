"""Scores of functions Σ_j a_j K(z_j, ·) on a device, in float64, as claims and predictions need
them; `device_kernels` says how they are rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.scale.device import on_device, require_memory
from certo.scale.device_images import images_on
from certo.scale.device_kernels import MAX_BLOCK_VALUES, WIDTH, DeviceKernel, tensor

BLOCKS_HELD = 4  # Blocks of kernel values in memory at once, at most.


def sums_and_sizes(
    kernel: Kernel, X: torch.Tensor, rows: np.ndarray, coef: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Σ_j a_j K(x_i, x_j) and Σ_j |a_j K(x_i, x_j)| for all i, and the j of `rows`."""
    with on_device(X.device):
        places, a = torch.tensor(rows, device=X.device), tensor(coef, X.device)
        if isinstance(kernel, Gaussian):  # Its values are not negative.
            images = images_on(kernel, X)
            found = images.exact_sums(places, a), images.exact_sums(places, a.abs())
        else:
            found = _both(DeviceKernel(kernel, X), X, X[places], a)
        value, size = (part.cpu().numpy() for part in found)
        return value, size


def _both(ready: DeviceKernel, X, Z, a) -> tuple[torch.Tensor, torch.Tensor]:
    value, size = torch.zeros(2, len(X), dtype=torch.float64, device=X.device)
    height = max(1, MAX_BLOCK_VALUES // WIDTH)
    for j in range(0, len(Z), WIDTH):
        some, mine = Z[j : j + WIDTH], a[j : j + WIDTH]
        for i in range(0, len(X), height):
            block = ready.values(X[i : i + height], some)
            value[i : i + height] += block @ mine
            size[i : i + height] += block.abs_() @ mine.abs()
    return value, size


def sums(kernel: Kernel, X: Any, centres: Any, coef: np.ndarray, device: Any) -> np.ndarray:
    """Σ_j coef_j K(x_i, z_j); coef may have several columns."""
    bytes_needed = 8 * (2 * (X.shape[0] + centres.shape[0]) * X.shape[1])
    bytes_needed += 8 * (X.shape[0] * coef[:1].size + BLOCKS_HELD * MAX_BLOCK_VALUES)
    require_memory(device, bytes_needed, f"Scores of {X.shape[0]:,} examples")
    with on_device(device):
        left, right = tensor(X, device), tensor(centres, device)
        ready = DeviceKernel(kernel, right)
        found: np.ndarray = ready.sums(left, right, tensor(coef, device)).cpu().numpy()
        return found


def waves(X: Any, frequencies: np.ndarray, device: Any) -> np.ndarray:
    """(cos ω_k·x, sin ω_k·x)_k/√D for each row."""
    m, D = X.shape[0], frequencies.shape[1]
    require_memory(device, 8 * (X.shape[0] * X.shape[1] + 4 * m * D), f"Waves of {m:,} examples")
    with on_device(device):
        turned = tensor(X, device) @ tensor(frequencies, device)
        table = torch.cat([turned.cos(), turned.sin()], dim=1).div_(D**0.5)
        found: np.ndarray = table.cpu().numpy()
        return found
