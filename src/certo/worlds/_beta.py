"""The beta density of an interval, as a coordinate of several worlds."""

from __future__ import annotations

import numpy as np
from scipy import special

from certo.worlds.base import Axis


def log_beta_density(x: np.ndarray, a: float, b: float) -> np.ndarray:
    """log of x^(a−1) (1−x)^(b−1) / B(a, b) on [0, 1], −inf outside."""
    inside = (x >= 0) & (x <= 1)
    at = np.where(inside, x, 0.5)
    logs = special.xlogy(a - 1, at) + special.xlog1py(b - 1, -at) - special.betaln(a, b)
    return np.where(inside, logs, -np.inf)


def beta_axis(a: float, b: float) -> Axis:
    return Axis(lambda x: np.exp(log_beta_density(x, a, b)), 0.0, 1.0)
