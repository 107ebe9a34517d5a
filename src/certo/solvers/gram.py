"""Sums over kernels, block by block."""

from __future__ import annotations

import numpy as np

from certo.kernels import Kernel

BLOCK = 2**22  # numbers of a block


def scores(kernel: Kernel, X, centres, coef: np.ndarray) -> np.ndarray:
    """Σ_j coef_j K(x_i, z_j) for all points x_i, in float64."""
    m = X.shape[0] if hasattr(X, "shape") else len(X)
    step = max(1, BLOCK // max(1, len(coef)))
    parts = [
        np.asarray(kernel(X[start : start + step], centres), dtype=np.float64) @ coef
        for start in range(0, m, step)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, *coef.shape[1:]))
