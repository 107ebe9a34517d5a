"""Which examples a rule gets right or wrong, however its scores are computed.

For two classes a rule has one score, that of the second class against the first; for K > 2 it has
K, and the highest wins. An example is right if its own score is the highest (for two classes: has
the sign of its class), and wrong if another is higher, *whether the scores are computed exactly or
in float64*, in whatever order: what a model predicts is computed, by code that is not looked at
here, and where scores are level but for rounding it may be either. So may ties.

Let A be a bound on the error of any such evaluation of a score s. Then one, ŝ, is within A of s,
and every other within 2A of ŝ, as is s. If the ŝ of two scores differ by more than twice the sum of
their As, all evaluations of the one are on the same side of all of the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Wrong(NamedTuple):
    """What a rule gets wrong, a truth value for each example."""

    errors: np.ndarray  # Examples that are not shown to be right.
    ties: np.ndarray  # Errors not shown to be wrong either: ties, or too close to call.


def undecided_is_wrong(value: np.ndarray, slack: np.ndarray, codes: np.ndarray) -> Wrong:
    """Wrong, by scores `value` that may be off by their `slack`.

    A difference that is rounded to nearest and above a float is above it really (see `exact`).
    """
    known, rows = codes >= 0, np.arange(codes.size)
    with np.errstate(over="ignore", invalid="ignore"):
        if value.shape[1] == 1:
            ahead, room = np.where(codes[:, None] == 1, value, -value), slack
        else:
            ahead = value[rows, codes][:, None] - value
            room = np.nextafter(slack[rows, codes][:, None] + slack, np.inf)
            ahead[rows, codes], room[rows, codes] = np.inf, 0.0  # Its own class is no rival.
        right = known & np.all(ahead > room, axis=1)
        lost = ~known | np.any(ahead < -room, axis=1)
    return Wrong(~right, ~right & ~lost)


def joined(parts: Iterable[Wrong]) -> Wrong:
    """What is wrong of examples that came in several parts."""
    return Wrong(*map(np.concatenate, zip(*parts, strict=True)))
