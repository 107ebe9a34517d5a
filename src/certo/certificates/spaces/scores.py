"""Scores with what they are off by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.numbers import exact


class Scores(NamedTuple):
    """value[t] is within slack[t] of f(x_t)."""

    value: np.ndarray
    slack: np.ndarray

    def plus(self, intercept: float) -> Scores:
        """Of f + b: one more rounding, unless b is 0."""
        if intercept == 0:
            return self
        value = self.value + intercept
        return Scores(value, self.slack + 4 * exact.UNIT * np.abs(value))
