"""ExpectedExcess: how near to the least regularised risk Pegasos comes, in expectation."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import final

import numpy as np

from certo.certificates.base import require
from certo.certificates.encoding import counted
from certo.certificates.runs.lengths import check_lengths
from certo.certificates.spaces.space import SpaceClaim
from certo.numbers import exact
from certo.numbers.decimals import rounded_up


@final
@dataclass(frozen=True, repr=False, eq=False)
class ExpectedExcess(SpaceClaim):
    r"""Claim: F(w, b) = (1/m) Σ [1 − y_t (⟨w, φ(x_t)⟩ + b)]₊ + (λ/2)(‖w‖² + b²) is at most
    `objective` for this w and b = `intercept`; ‖w‖² + b² ≤ X²/λ², where no ‖φ(x)‖², + 1 if
    `lifted`, exceeds X² = `radius2`; and the average of `steps` iterates of Pegasos has
    E F ≤ min F + `bound`, the expectation being over its draws. In `Vectors` φ(x) = x, and w is
    `coef`; in `Images` φ(x) = K(x, ·), of squared length K(x, x), and w = Σ dual_coef_i K(x_i, ·)
    over `rows`. Without the extra feature 1 (`lifted`) b = 0.

    Proof of the last part, with w̃ = (w, b). Let g_t be the subgradient of the t-th loss,
    ℓ_t = hinge + (λ/2)‖·‖², at w̃_t. Strong convexity and η_t = 1/(λt) give, for every w̃ and all
    draws (see `Regret`),

        Σ ℓ_t(w̃_t) ≤ Σ ℓ_t(w̃) + Σ ‖g_t‖²/(2λt).

    w̃_{t+1} is a mean of vectors of length at most X, divided by λ, so ‖w̃_t‖ ≤ X/λ, ‖g_t‖ ≤ 2X, and
    the last sum is at most (2X²/λ)(1 + ln T). Given the earlier draws, a uniform draw has
    E ℓ_t(w̃) = F(w̃) for the w̃_t at hand and for the minimiser; F(mean) ≤ mean of F by convexity:

        E F(mean) ≤ min F + (2X²/(λT))(1 + ln T).

    Nothing of the space is used but its inner product.

    Checked from the data: X² (of vectors exactly), F from above and the length of (w, b), with the
    allowances of the space, and the formula, in decimal arithmetic, rounded up. How w was found is
    not: that is assumed.
    """

    lifted: bool
    lam: float
    steps: int
    radius2: float
    objective: float
    bound: float

    shows = ("examples", "steps", "lam", "radius2", "objective", "bound")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lifted and self.intercept != 0:
            raise ValueError("without the extra feature 1 the intercept must be 0.")
        if not (self.lam > 0 and self.steps >= 1):
            raise ValueError("lam must be positive and steps at least 1.")
        if not (self.radius2 >= 0 and self.objective >= 0 and self.bound >= 0):
            raise ValueError("radius2, objective and bound must not be negative.")

    @property
    def describes(self) -> dict[str, str]:  # type: ignore[override]
        shared = {"intercept": "intercept_", "steps": "steps_", "objective": "objective_"}
        return self.space.describes | shared

    def in_probability(self, delta: float) -> float:
        """What the excess is at most with probability 1 − delta over the draws (Markov)."""
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
        return exact.above(Fraction(self.bound) / Fraction(delta))

    @property
    def informative(self) -> bool:
        """Whether 0, whose F is 1, is not known to be as near."""
        return self.bound < 1

    @property
    def _reach2(self) -> Fraction:
        """X²/λ²: no iterate has a greater squared length."""
        return Fraction(self.radius2) / Fraction(self.lam) ** 2

    def _check(self, sample) -> str:
        self._check_size(sample)
        check_lengths(self, sample)
        margins = self.space.margins(sample, self.machine)
        length2 = margins.square().above + Fraction(self.intercept) ** 2
        require(length2 <= self._reach2, "the weights are not shown to be as short as X/λ.")
        hinges = (Fraction(self.objective) - Fraction(self.lam) / 2 * length2) * sample.m
        everyone, ones = np.arange(sample.m), np.ones(sample.m)
        require(
            hinges >= 0 and margins.falls_short_by_at_most(hinges, 1.0, everyone, ones, 0),
            f"F of these weights is not shown to be at most {self.objective!r}.",
        )
        return self._check_bound()

    def _check_bound(self) -> str:
        """The bound follows from the facts stored here."""
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
