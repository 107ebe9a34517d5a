"""Inner products whose rounding is the same on every machine: a fixed order of additions."""

from __future__ import annotations

import numpy as np

LANES = 8  # Doubles of the widest vectors of x86 processors.


def lane_scores(values: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Σ_p values[:, p]·w[..., p], rounded in a fixed order.

    Of eight lanes, lane k adds the products at positions k, k + 8, k + 16, …; then lanes k and
    k + 4 are added, then k and k + 2, then k and k + 1. Products and sums are rounded to float64.
    """
    products = values * w
    count, width = products.shape
    full = width - width % LANES
    # Along an axis that is not the last, NumPy adds one term after the other.
    lanes = np.add.reduce(products[:, :full].reshape(count, -1, LANES), axis=1)
    lanes[:, : width - full] += products[:, full:]
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return lanes[:, 0]
