"""The soft-margin problem of hyperplanes and of functions of an RKHS alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from certo.losses.hinge import Hinge
from certo.problems.free_intercept import balanced, smallest_b


@dataclass(frozen=True)
class SoftMargin:
    """Signs y_t, costs c_t ≥ 0, and what the intercept is: "free", "lifted" or "none".

    Primal        min  P(f, b) = ½‖f‖² + Σ c_t ℓ(y_t (f(x_t) + b)),  ℓ the hinge loss;
                  over all b ("free"), with ½b² added ("lifted"), or with b = 0 ("none")
    Dual          max  D(α) = Σ α_t − ½‖Σ α_t y_t φ(x_t)‖² over 0 ≤ α_t ≤ c_t, where φ(x) has the
                  further coordinate 1 if "lifted", and Σ α_t y_t = 0 if "free": −Σ c_t ℓ*(−α_t/c_t)
                  is Σ α_t there, ℓ* being the conjugate of the hinge loss
    """

    signs: np.ndarray
    costs: np.ndarray
    intercept: str

    loss: ClassVar[Hinge] = Hinge()

    def feasible(self, alpha: np.ndarray) -> np.ndarray:
        """Multipliers nearby that are feasible, exactly."""
        alpha = np.minimum(np.maximum(alpha, 0.0), self.costs)
        return balanced(alpha, self.signs, self.costs) if self.intercept == "free" else alpha

    def best_intercept(self, scores: np.ndarray, lifted: float) -> float:
        """The best b for scores f(x_t), the smallest if several are; `lifted`, the further
        coordinate that belongs to f, where it is one."""
        if self.intercept == "free":
            return smallest_b(scores, self.signs, self.costs)
        return lifted if self.intercept == "lifted" else 0.0

    def square(self, square: float, b: float) -> float:
        """The squared length that is penalised, from ‖f‖²."""
        return square + b * b if self.intercept == "lifted" else square

    def primal(self, square: float, scores: np.ndarray, b: float) -> float:
        """P(f, b) from ‖f‖² and the scores f(x_t)."""
        losses = self.loss.of(self.signs, scores + b)
        return 0.5 * self.square(square, b) + float(self.costs @ losses)

    def dual(self, square: float, alpha: np.ndarray) -> float:
        """D(α) from ‖Σ α_t y_t φ(x_t)‖², the further coordinate left out."""
        return float(alpha.sum()) - 0.5 * self.square(square, float(alpha @ self.signs))
