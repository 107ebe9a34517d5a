"""Columns whose values are whole numbers times a step plus a constant, but for rounding.

A column of whole numbers that a scaler has shifted and divided is one. Shifting and scaling a
column changes nothing for hyperplanes with an intercept, but rounding does: examples that were in
one plane no longer are, and few of them can then be shown to be at odds with each other.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

MAX_SPACES = 1000  # Steps from the least value of a column to the largest.
# What shifting and scaling may round, in units in the last place of the largest value.
MAX_ROUNDING = 8 * np.finfo(float).eps


def rounded_columns(X: np.ndarray) -> list[int]:
    """Those with values c + n·step, n whole, up to rounding, but not exactly for any c and step.

    X is a finite matrix of floats. Columns of one or two values are never among them.
    """
    return [j for j, column in enumerate(X.T) if _is_rounded(np.unique(column))]


def _is_rounded(values: np.ndarray) -> bool:
    """Of different values in increasing order."""
    if not 3 <= values.size <= MAX_SPACES + 1:
        return False
    # Halved, so that nothing overflows.
    above, span = values / 2 - values[0] / 2, values[-1] / 2 - values[0] / 2
    places = above / span
    slack = MAX_ROUNDING * np.max(np.abs(values)) / span
    steps = 1
    for place in places.tolist():
        steps = math.lcm(steps, Fraction(place).limit_denominator(MAX_SPACES).denominator)
        if steps > MAX_SPACES:
            return False
    whole = np.rint(places * steps)
    if not np.all(np.abs(places * steps - whole) <= min(slack * steps, 1e-3)):
        return False
    first, *rest = map(Fraction, values.tolist())
    return any(
        (value - first) * steps != int(n) * (rest[-1] - first)
        for value, n in zip(rest, whole[1:].tolist(), strict=True)
    )
