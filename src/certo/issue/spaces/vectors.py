"""What the margins of hyperplanes are claimed to be at most."""

from __future__ import annotations

import math

import numpy as np

from certo.certificates.spaces.vectors import Margins
from certo.issue.slack import SLACK_FACTOR


def shortfall_to_claim(
    margins: Margins, target: float, rows: np.ndarray, weights: np.ndarray, roundings: int
) -> float:
    """`Margins.shortfall`, with room for a checker who adds in another order."""
    with np.errstate(over="ignore", invalid="ignore"):
        room = SLACK_FACTOR * float(np.sum(margins.slack[rows] * weights))
    total = (margins.shortfall(target, rows, weights, roundings) + room) * (1 + 2.0**-40)
    return total if math.isfinite(total) else math.inf
