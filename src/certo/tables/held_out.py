"""Rows of a table that a fit does not see, drawn at random, so that they speak of new data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from certo.data.problem import Problem
from certo.words.reader import setting

MAX_SEED = 2**32 - 1


@dataclass(frozen=True)
class HeldOut:
    """A share of the rows, drawn without looking at them: as independent draws as all rows are.

    (Were each class to have its share, as in a stratified split, the number of rows of each would
    not be random, and the errors on them would not be binomial.)
    """

    share: float
    seed: int = 0

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise Problem(
                f"{setting('test')} must be a share of the rows above 0 and below 1, got "
                f"{self.share!r}."
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise Problem(f"{setting('seed')} must be from 0 to {MAX_SEED}, got {self.seed!r}.")

    def of(self, rows: int) -> np.ndarray:
        """Which of so many rows are held out: the same for ever, since NumPy promises not to change
        what RandomState draws."""
        held_out = np.zeros(rows, dtype=bool)
        many = round(self.share * rows)
        held_out[np.random.RandomState(self.seed).permutation(rows)[:many]] = True
        return held_out
