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

    The split is not stratified, since Clopper and Pearson's proof does not hold of a stratified
    one. Given the training rows, a stratified split fixes the share of each class among the test
    rows: it is the share that the training rows have, not a draw of its own. A machine answers the
    class that is too frequent among the training rows more often than it should; that class is then
    as much too frequent among the test rows, and errors on the other one are too few. By Hoeffding
    (1956) the bound still holds of Σ_c (n_c/n) p_c, where p_c is the error rate in class c, but not
    of the risk Σ_c P(c) p_c. `tests/tables/test_held_out.py` computes an example: an upper end that
    may be wrong with probability 0.025 is wrong with more than 0.0254 for a fifth of 500 rows, and
    with more than 0.029 for half of 200. A random split keeps to what is stated.
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
