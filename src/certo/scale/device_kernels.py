r"""Kernels of vectors on a device: values and sums in float64, as `Kernel.plain` computes them.

Rounding. The operations are those of `plain`, in another order at most, so that `Kernel.rounding`
holds of them. Inner products are added in any order, and a fused multiplication and addition rounds
once where two operations would twice. Additions, multiplications, divisions and square roots of
float64 are rounded correctly on CUDA devices (CUDA C++ Programming Guide, "Mathematical
Functions"), and `exp` is within 1 unit of the last place, less than the `ULPS` that `rounding`
counts. Sums over examples are taken in pieces of at most WIDTH, which are added one after another,
as `certificates.spaces.images` counts them.
"""

from __future__ import annotations

from functools import cache, reduce
from typing import Any

import numpy as np
import torch

from certo.kernels.algebra import Normalised, Product, Sum
from certo.kernels.base import Kernel
from certo.kernels.gaussian import MAX_NORM_ERROR, Gaussian
from certo.kernels.linear import Linear
from certo.kernels.polynomial import Polynomial
from certo.scale.device import as_tensor, is_foreign, require_known

WIDTH = 1024  # Centres of a piece of a sum: `certificates.spaces.images` allows for so many.
MAX_BLOCK_VALUES = 2**26  # Kernel values made at once: 512 MB.
MAX_DIFFERENCES = 2**25  # Numbers of differences of vectors held at once.


def tensor(X: Any, device: torch.device) -> torch.Tensor:
    """Numbers as float64 on the device."""
    if is_foreign(X):
        return as_tensor(X).to(device, torch.float64)
    X = X.toarray() if hasattr(X, "toarray") else np.ascontiguousarray(X)
    X = X if X.flags.writeable else X.copy()  # PyTorch warns of memory that cannot be written to.
    return torch.from_numpy(X).to(device).to(torch.float64)


class DeviceKernel:
    """A kernel, for vectors like these: Gaussians move them by their mean."""

    def __init__(self, kernel: Kernel, X: torch.Tensor):
        require_known(kernel)
        self.kernel = kernel
        self.middle = X.mean(dim=0) if len(X) else X.sum(0)

    def values(self, X: torch.Tensor, Z: torch.Tensor) -> torch.Tensor:
        """K(x_i, z_j) in float64."""
        return self._of(self.kernel, X, Z)

    def diagonal(self, X: torch.Tensor) -> torch.Tensor:
        """K(x_i, x_i)."""
        return self._diagonal(self.kernel, X)

    def _diagonal(self, kernel: Kernel, X: torch.Tensor) -> torch.Tensor:
        match kernel:
            case Gaussian():
                return torch.ones(len(X), dtype=torch.float64, device=X.device)
            case Normalised(inner):
                return (self._diagonal(inner, X) > 0).to(torch.float64)
            case Linear():
                return (X * X).sum(1)
            case Polynomial():
                return _raised((X * X).sum(1), kernel)
        parts = [self._diagonal(part, X) for part in kernel.parts_]  # type: ignore[attr-defined]
        return _combined(kernel, parts)

    def _of(self, kernel: Kernel, X: torch.Tensor, Z: torch.Tensor) -> torch.Tensor:
        match kernel:
            case Linear():
                return X @ Z.T
            case Polynomial():
                return _raised(X @ Z.T, kernel)
            case Gaussian():
                return self._gaussian(kernel, X, Z)
            case Normalised(inner):
                left, right = (_inverse_roots(self._diagonal(inner, part)) for part in (X, Z))
                return self._of(inner, X, Z).mul_(left[:, None]).mul_(right)
        return _combined(kernel, [self._of(part, X, Z) for part in kernel.parts_])  # type: ignore[attr-defined]

    def _gaussian(self, kernel: Gaussian, X: torch.Tensor, Z: torch.Tensor) -> torch.Tensor:
        scale, limit = 0.5 / float(kernel.variance), norm_limit(kernel, X.shape[1])
        left, right = X - self.middle, Z - self.middle
        own, other = (left * left).sum(1), (right * right).sum(1)
        block = left @ right.T
        block.mul_(2.0).sub_(own[:, None]).sub_(other).clamp_(max=0.0)
        far, remote = own > limit, other > limit
        if far.any():
            block[far] = -_squared_differences(X[far], Z)
        if remote.any():
            block[:, remote] = -_squared_differences(X, Z[remote])
        return block.mul_(scale).exp_()

    def sums(self, X: torch.Tensor, Z: torch.Tensor, coef: torch.Tensor) -> torch.Tensor:
        """Σ_j coef_j K(x_i, z_j) in float64."""
        out = torch.zeros(len(X), *coef.shape[1:], dtype=torch.float64, device=X.device)
        height = max(1, MAX_BLOCK_VALUES // WIDTH)
        for i in range(0, len(X), height):
            for j in range(0, len(Z), WIDTH):
                block = self.values(X[i : i + height], Z[j : j + WIDTH])
                out[i : i + height] += block @ coef[j : j + WIDTH]
        return out


def gram(kernel: Kernel, X: Any, Z: Any, device: torch.device) -> np.ndarray:
    """The Gram block of points X and centres Z in float64."""
    left, right = tensor(X, device), tensor(Z, device)
    ready = DeviceKernel(kernel, right)
    out = np.empty((len(left), len(right)))
    height = max(1, MAX_BLOCK_VALUES // max(1, len(right)))
    for i in range(0, len(left), height):
        out[i : i + height] = ready.values(left[i : i + height], right).cpu().numpy()
    return out


@cache
def norm_limit(kernel: Gaussian, d: int) -> float:
    """The largest power of two such that distances of points whose squared lengths do not exceed it
    follow from inner products well enough."""
    limit = 2.0**1000
    while limit and not kernel.off_by_norms(d, limit, limit) <= MAX_NORM_ERROR:
        limit *= 0.5
    return limit


def _raised(base: torch.Tensor, kernel: Polynomial) -> torch.Tensor:
    """(offset + scale·base)^degree, by squaring and multiplying, as `Polynomial` does."""
    base = base.mul_(kernel.scale).add_(kernel.offset)
    power = base.clone() if kernel.degree > 1 else base
    for bit in bin(kernel.degree)[3:]:
        power *= power
        if bit == "1":
            power *= base
    return power


def _combined(kernel: Kernel, parts: list[torch.Tensor]) -> torch.Tensor:
    match kernel:
        case Sum():
            return reduce(torch.Tensor.add_, parts)
        case Product():
            return reduce(torch.Tensor.mul_, parts)
    return parts[0].mul_(kernel.factor)  # type: ignore[attr-defined]


def _inverse_roots(diagonal: torch.Tensor) -> torch.Tensor:
    roots = diagonal.clamp(min=0.0).sqrt()
    return torch.where(roots > 0, 1.0 / roots, 0.0)


def _squared_differences(X: torch.Tensor, Z: torch.Tensor) -> torch.Tensor:
    """‖x_i − z_j‖², each difference by itself."""
    out = torch.empty(len(X), len(Z), dtype=torch.float64, device=X.device)
    step = max(1, MAX_DIFFERENCES // max(1, Z.numel()))
    for i in range(0, len(X), step):
        difference = X[i : i + step, None, :] - Z[None]
        out[i : i + step] = difference.mul_(difference).sum(2)
    return out
