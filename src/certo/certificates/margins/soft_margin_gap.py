"""What claims about a soft-margin objective share: at most `primal`, and nowhere below `dual`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.base import Certificate, Refuted, require
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.fields import finite_vector, index_vector
from certo.certificates.margins.maximum_margin import INTERCEPTS
from certo.numbers import exact
from certo.numbers.rounded import Rounded, total

HUGE = np.finfo(np.float64).max


def costs_of(C: float, class_weight, signs: np.ndarray, sample_weight=()) -> np.ndarray:
    """The costs c_t = (C·class_weight)·sample_weight, two float64 products in this order: what the
    problem is about, exactly. `class_weight` has a number for −1 and one for +1; no `sample_weight`
    means 1 for each."""
    with np.errstate(over="ignore", under="ignore"):
        negative, positive = np.float64(C) * np.asarray(class_weight, np.float64)
        costs = np.where(signs > 0, positive, negative)
        return costs * np.asarray(sample_weight, np.float64) if len(sample_weight) else costs


@dataclass(frozen=True, repr=False, eq=False)
class SoftMarginGap(Certificate):
    """P(w, b) = ½‖w‖² + Σ_t c_t [1 − y_t (w·x_t + b)]₊ with costs c = `costs_of(C, …)`, and signed
    multipliers dual_coef_t = α_t y_t of the `rows`, all others being 0."""

    intercept: float
    treatment: str
    C: float
    class_weight: np.ndarray
    sample_weight: np.ndarray
    rows: np.ndarray
    dual_coef: np.ndarray
    examples: int
    primal: float
    dual: float
    allowance: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("class_weight", "sample_weight", "dual_coef"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        if self.treatment not in INTERCEPTS:
            raise ValueError(f"treatment must be one of {INTERCEPTS}, got {self.treatment!r}.")
        if self.treatment == "none" and self.intercept != 0:
            raise ValueError(f"without an intercept it must be 0, got {self.intercept!r}.")
        if self.C <= 0:
            raise ValueError(f"C must be positive, got {self.C!r}.")
        if self.class_weight.size != 2:
            raise ValueError("class_weight must hold a number for −1 and one for +1.")
        if np.any(self.class_weight < 0) or np.any(self.sample_weight < 0):
            raise ValueError("class_weight and sample_weight must not be negative.")
        if self.sample_weight.size not in (0, self.examples):
            raise ValueError("sample_weight must hold one number for each example, or none.")
        if self.dual_coef.shape != self.rows.shape:
            raise ValueError("dual_coef must hold one number for each of the rows.")
        if not 0 <= self.dual <= self.primal or self.allowance < 0:
            raise ValueError("0 ≤ dual ≤ primal and 0 ≤ allowance must hold.")

    def _accepted(self, values: Iterable[tuple[Rounded, Rounded]]) -> str:
        """Why the numbers are true, or Refuted, from P(w, b) and D(α) at more and more cost."""
        for primal, dual in values:
            lowest = max(dual.below, Fraction(0))  # P ≥ 0
            spread = Fraction(self.primal) - primal.below + dual.above - Fraction(self.dual)
            shown = primal.above <= self.primal and lowest >= self.dual
            if shown and spread <= self.allowance:
                return (
                    f"the objective is at most {rounded_up(self.primal)}, and nowhere lower by "
                    f"more than {rounded_up(self.gap, 2)}."
                )
        require(
            primal.above <= self.primal,
            f"the objective is not shown to be at most {self.primal!r}.",
        )
        require(
            lowest >= self.dual,
            f"the multipliers do not prove that no objective is below {self.dual!r}.",
        )
        raise Refuted(f"more of the gap is due to rounding than {self.allowance!r}.")

    def _costs(self, sample) -> np.ndarray:
        """The costs, if the multipliers are feasible for them."""
        require(not self.rows.size or self.rows[-1] < sample.m, "rows must be rows of X.")
        costs = costs_of(self.C, self.class_weight, sample.signs, self.sample_weight)
        require(np.all(np.isfinite(costs)), "costs overflow float64.")
        alpha = self.dual_coef * sample.signs[self.rows]
        require(np.all(alpha >= 0), "the multipliers must have the signs of their examples.")
        over = np.flatnonzero(alpha > costs[self.rows])
        require(
            not over.size, f"{counted(over.size, 'multiplier')} above the cost of their examples."
        )
        require(
            self.treatment != "free" or total(self.dual_coef) == 0,
            "with a free intercept the multipliers of the two classes must have the same sum.",
        )
        return costs

    @property
    def gap(self) -> float:
        """primal − dual, rounded up."""
        return exact.above(Fraction(self.primal) - Fraction(self.dual))

    @property
    def relative_gap(self) -> float:
        """(primal − dual)/primal, rounded up; 0 where primal is 0."""
        return exact.above(1 - Fraction(self.dual) / Fraction(self.primal)) if self.primal else 0.0

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "primal": self.primal,
            "dual": self.dual,
            "gap": self.gap,
            "relative_gap": self.relative_gap,
            "allowance": self.allowance,
        }
