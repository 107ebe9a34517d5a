"""Examples on a device as a solver sees them: Gram blocks in float32, and sums over the kernel that
are precise enough to work with; what is claimed in the end is computed by `device_kernels`."""

from __future__ import annotations

import math
from typing import Any

import torch

from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.scale.device_kernels import MAX_BLOCK_VALUES, WIDTH, DeviceKernel, norm_limit

DENOMINATORS = 1, 2, 4, 8, 255  # Of features that are looked upon as fractions; 255: of images.
WHOLE_LIMIT = 2048  # Up to which float16 holds all integers.
LARGEST_HALF = 1024.0  # Near which the largest number of points in float16 is.
MAX_EXPONENT_ERROR = 1e-4  # What float32 may do to the exponent of a typical pair.
PIECE = 64  # Features of a product of tiles.
TILE = 128, 64  # Points and centres of a tile.
EXACT_TILE = 16, 128  # The same for sums in float64.


def has_triton() -> bool:
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


def images_on(kernel: Kernel, X: torch.Tensor) -> DeviceImages:
    """The images of examples in float64 that are on a device."""
    ready = DeviceKernel(kernel, X)
    if X.device.type == "cuda" and isinstance(kernel, Gaussian) and has_triton():
        images = GaussianImages(ready, X)
        if images.is_precise:
            return images
    return DeviceImages(ready, X)


class DeviceImages:
    """φ(x_1), …, φ(x_m) by float64 values of their kernel."""

    def __init__(self, kernel: DeviceKernel, X: torch.Tensor):
        self.kernel, self.X = kernel, X

    def __len__(self) -> int:
        return len(self.X)

    def part(self, rows: torch.Tensor) -> DeviceImages:
        """Those of some examples, copied."""
        return DeviceImages(self.kernel, self.X[rows])

    def block(self, rows: torch.Tensor) -> torch.Tensor:
        """The Gram matrix of some, in float32."""
        some = self.X[rows]
        return self.kernel.values(some, some).float()

    def sums(self, rows: torch.Tensor | None, columns: torch.Tensor, coef) -> torch.Tensor:
        """Σ_j coef_j K(x_i, x_j) for i in `rows` (None: all) and j in `columns`."""
        points = self.X if rows is None else self.X[rows]
        return self.kernel.sums(points, self.X[columns], coef)

    def exact_sums(self, columns: torch.Tensor, coef: torch.Tensor) -> torch.Tensor:
        """The same for all, in float64, with the rounding that `device_kernels` derives."""
        return self.kernel.sums(self.X, self.X[columns], coef)


class GaussianImages(DeviceImages):
    """Those of the Gaussian kernel: points moved to their mean as sums of two float16 numbers, or,
    where they are whole numbers, exactly as one."""

    def __init__(self, kernel: DeviceKernel, X: torch.Tensor, points: Any = None):
        super().__init__(kernel, X)
        self.points = _Halves.of(X) if points is None else points
        variance = float(kernel.kernel.variance)  # type: ignore[attr-defined]
        self.scale = 0.5 / variance * self.points.unit**2

    @property
    def is_precise(self) -> bool:
        """Whether float32 tells the exponents of typical pairs well."""
        size = 4.0 * self.scale * float(self.points.square.mean())
        return 2.0**-22 * size <= MAX_EXPONENT_ERROR

    def part(self, rows: torch.Tensor) -> GaussianImages:
        return GaussianImages(self.kernel, self.X[:0], self.points.take(rows))

    def __len__(self) -> int:
        return len(self.points.square)

    def block(self, rows: torch.Tensor) -> torch.Tensor:
        some = self.points.take(rows).whole
        square = (some * some).sum(1)
        block = some @ some.T
        block.mul_(2.0).sub_(square[:, None]).sub_(square).clamp_(max=0.0)
        return block.mul_(self.scale).exp_()

    def sums(self, rows: torch.Tensor | None, columns: torch.Tensor, coef) -> torch.Tensor:
        from certo.scale.device_loops import gaussian_sums

        left = self.points if rows is None else self.points.take(rows)
        right, m = self.points.take(columns), len(left.square)
        out = torch.empty(m, dtype=torch.float32, device=coef.device)
        used = torch.full((1,), len(columns), dtype=torch.int32, device=coef.device)
        D = left.hi.shape[1]
        gaussian_sums[(math.ceil(m / TILE[0]),)](
            left.hi, left.lo, left.square, right.hi, right.lo, right.square, coef.float(), used,
            out, m, self.scale * math.log2(math.e), D, min(D, PIECE), *TILE, left.split,
            num_warps=8,
        )  # fmt: skip
        return out.double()

    def exact_sums(self, columns: torch.Tensor, coef: torch.Tensor) -> torch.Tensor:
        gaussian: Gaussian = self.kernel.kernel  # type: ignore[assignment]
        X = self.X - self.kernel.middle
        square = (X * X).sum(1)
        near = square <= norm_limit(gaussian, X.shape[1])
        close, remote = columns[near[columns]], columns[~near[columns]]
        own, others = coef[near[columns]], coef[~near[columns]]
        out = self.kernel.sums(self.X, self.X[remote], others)
        out[near] += self._by_norms(X[near], square[near], X[close], square[close], own)
        out[~near] += self.kernel.sums(self.X[~near], self.X[close], own)
        return out

    def _by_norms(self, X, square, Z, centre_square, coef) -> torch.Tensor:
        """Σ_j coef_j K(x_i, z_j) in float64, where that of inner products is precise."""
        from certo.scale.device_loops import exponential_sums

        out = torch.zeros_like(square)
        scale = torch.full_like(out[:1], 0.5 / float(self.kernel.kernel.variance))  # type: ignore[attr-defined]
        height = max(1, MAX_BLOCK_VALUES // WIDTH)
        for j in range(0, len(Z), WIDTH):
            some = slice(j, j + WIDTH)
            turned = Z[some].T.contiguous()
            for i in range(0, len(X), height):
                left, n = X[i : i + height], turned.shape[1]
                exponential_sums[(math.ceil(len(left) / EXACT_TILE[0]),)](
                    left @ turned, square[i:], centre_square[some], coef[some], out[i:], len(left),
                    n, scale, *EXACT_TILE, num_warps=8,
                )  # fmt: skip
        return out


class _Halves:
    """Points as hi + lo in float16, times `unit` what they are, padded with zeros; their squared
    lengths in float32."""

    def __init__(self, hi, lo, square, unit: float, split: bool):
        self.hi, self.lo, self.square, self.unit, self.split = hi, lo, square, unit, split

    @classmethod
    def of(cls, X: torch.Tensor) -> _Halves:
        whole = _denominator(X)
        if whole is None:
            X = X - X.mean(dim=0)
            largest = float(X.abs().max()) if X.numel() else 1.0
            power = math.floor(math.log2(LARGEST_HALF / largest)) if largest > 0 else 0
            factor = 2.0**power
        else:
            factor = float(whole)
        scaled = X * factor
        d = X.shape[1]
        width = PIECE * math.ceil(d / PIECE) if d > PIECE else max(16, 2 ** math.ceil(math.log2(d)))
        hi = torch.zeros(len(X), width, dtype=torch.float16, device=X.device)
        hi[:, :d] = scaled
        lo = hi
        if whole is None:
            lo = torch.zeros_like(hi)
            lo[:, :d] = scaled - hi[:, :d].double()
        return cls(hi, lo, (scaled * scaled).sum(1).float(), 1.0 / factor, whole is None)

    def take(self, rows: torch.Tensor) -> _Halves:
        hi = self.hi[rows]
        lo = self.lo[rows] if self.split else hi
        return _Halves(hi, lo, self.square[rows], self.unit, self.split)

    @property
    def whole(self) -> torch.Tensor:
        """The points in float32."""
        return self.hi.float() + self.lo.float() if self.split else self.hi.float()


def _denominator(X: torch.Tensor) -> int | None:
    """n such that X·n are whole numbers that float16 holds."""
    for n in DENOMINATORS:
        whole = torch.round(X * n)
        if bool(((whole / n) == X).all()) and float(whole.abs().max()) <= WHOLE_LIMIT:
            return n
    return None
