"""What claims about Pegasos share: F of what it found, and what is expected of such runs."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from certo.certificates.base import Certificate, require
from certo.certificates.encoding import counted, rounded_up
from certo.numbers import exact


@dataclass(frozen=True, repr=False, eq=False)
class PegasosExcess(Certificate):
    """F is at most `objective`; no squared length of an example, + 1 if `lifted`, exceeds X² =
    `radius2`; after `steps` steps E F ≤ min F + `bound`: see `ExpectedExcess` for the proof."""

    intercept: float
    lifted: bool
    lam: float
    steps: int
    examples: int
    radius2: float
    objective: float
    bound: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.lifted) is not bool:
            raise ValueError(f"lifted must be True or False, got {self.lifted!r}.")
        if not (self.lam > 0 and self.steps >= 1):
            raise ValueError("lam must be positive and steps at least 1.")
        if not (self.radius2 >= 0 and self.objective >= 0 and self.bound >= 0):
            raise ValueError("radius2, objective and bound must not be negative.")

    def in_probability(self, delta: float) -> float:
        """What the excess is at most with probability 1 − delta over the draws (Markov)."""
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
        return exact.above(Fraction(self.bound) / Fraction(delta))

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "steps": self.steps,
            "lam": self.lam,
            "radius2": self.radius2,
            "objective": self.objective,
            "bound": self.bound,
        }

    @property
    def informative(self) -> bool:
        """Whether 0, whose F is 1, is not known to be as near."""
        return self.bound < 1

    @property
    def _reach2(self) -> Fraction:
        """X²/λ²: no iterate has a greater squared length."""
        return Fraction(self.radius2) / Fraction(self.lam) ** 2

    def _check_bound(self) -> str:
        """Why the claim holds, if F and the lengths are as stated."""
        bound = guarantee(self.radius2, self.lam, self.steps)
        require(self.bound >= bound, f"the guarantee is {bound!r}, not {self.bound!r}.")
        return (
            f"F is at most {rounded_up(self.objective)}, and the guarantee for "
            f"{counted(self.steps, 'step')} is {rounded_up(bound, 4)}; that so many were made is "
            "assumed."
        )


def guarantee(radius2: float, lam: float, steps: int) -> float:
    """(2X²/(λT))(1 + ln T), rounded up: six operations on positive numbers, each correctly rounded
    to 50 decimal digits."""
    with decimal.localcontext(decimal.Context(prec=50)):
        value = 2 * Decimal(radius2) / Decimal(lam) / steps * (1 + Decimal(steps).ln())
    return exact.above(Fraction(value) * (1 + Fraction(1, 10**40)))
