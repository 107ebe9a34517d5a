"""ExpectedExcess: how near to the least regularised risk Pegasos comes, in expectation."""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates import exact
from certo.certificates.base import CannotClaim, Certificate, require
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.margins import Margins
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import check_weights, finite_vector


@final
@dataclass(frozen=True, repr=False, eq=False)
class ExpectedExcess(Certificate):
    r"""Claim: F(w) = (1/m) Σ [1 − y_t w·x̃_t]₊ + (λ/2)‖w‖² is at most `objective` for these
    weights w = (coef, intercept), ‖w‖ ≤ X/λ, and the average of `steps` iterates of Pegasos has
    E F ≤ min F + `bound`, the expectation being over its draws.

    Proof of the last part. Let g_t be the subgradient of the t-th loss, ℓ_t = hinge + (λ/2)‖·‖²,
    at w_t. Strong convexity and η_t = 1/(λt) give, for every w and all draws (see `Regret`),

        Σ ℓ_t(w_t) ≤ Σ ℓ_t(w) + Σ ‖g_t‖²/(2λt).

    w_{t+1} is a mean of vectors of length at most X, divided by λ, so ‖w_t‖ ≤ X/λ, ‖g_t‖ ≤ 2X, and
    the last sum is at most (2X²/λ)(1 + ln T). Given the earlier draws, a uniform draw has
    E ℓ_t(w) = F(w) for the w_t at hand and for the minimiser; F(mean) ≤ mean of F by convexity:

        E F(w̄) ≤ min F + (2X²/(λT))(1 + ln T).

    Checked from the data: X² (exactly), F(w) from above (margins rounded down by their slack, all
    roundings of the sum paid), the length of w, and the formula, in decimal arithmetic, rounded
    up. How w was found is not: that is assumed.
    """

    coef: np.ndarray
    intercept: float
    lifted: bool
    lam: float
    steps: int
    examples: int
    radius2: float
    objective: float
    bound: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "steps": "steps_",
        "objective": "objective_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))
        if type(self.lifted) is not bool:
            raise ValueError(f"lifted must be True or False, got {self.lifted!r}.")
        if not (self.lam > 0 and self.steps >= 1):
            raise ValueError("lam must be positive and steps at least 1.")
        if not (self.radius2 >= 0 and self.objective >= 0 and self.bound >= 0):
            raise ValueError("radius2, objective and bound must not be negative.")

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Labels,
        *,
        coef: np.ndarray,
        intercept: float,
        lifted: bool,
        lam: float,
        steps: int,
        square: float | None = None,
        margins: Margins | None = None,
    ) -> ExpectedExcess:
        """The claim for the average of a run; `square`, if known, bounds ‖x_t‖².

        CannotClaim, where numbers overflow or the weights are longer than any run's.
        """
        square = sample.square_bound() if square is None else square
        margins = margins or Margins.of(sample, coef, intercept, square)
        objective = objective_to_claim(margins, lam)
        # with room for a checker who rounds otherwise
        radius2 = float(np.nextafter(square + exact.allowance(sample.d, square) + lifted, np.inf))
        bound = guarantee(radius2, lam, steps) if radius2 < math.inf else math.inf
        if not (objective < math.inf and bound < math.inf):
            raise CannotClaim("squares of the examples, or the weights, overflow float64.")
        claim = cls(
            labels, coef, intercept, lifted, lam, steps, sample.m, radius2, objective, bound
        )
        if claim._length2 * (1 + Fraction(1, 2**40)) > claim._reach2:
            raise CannotClaim("the weights are longer than those of any run: X/λ.")
        return claim

    def in_probability(self, delta: float) -> float:
        """What the excess is at most with probability 1 − delta over the draws (Markov)."""
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
        return exact.above(Fraction(self.bound) / Fraction(delta))

    @property
    def claim(self) -> str:
        helps = "" if self.bound < 1 else ", which is no better than what w = 0 has"
        return (
            f"{self.labels.shown} against {self.labels.rest}: on these "
            f"{counted(self.examples, 'example')} F(w) = mean hinge loss + (λ/2)‖w‖², with "
            f"λ = {self.lam!r}, is at most {rounded_up(self.objective)} for these weights, and "
            f"they are no longer than X/λ, like all iterates of Pegasos. The average of "
            f"{counted(self.steps, 'step')} of Pegasos, over all its draws, is expected to "
            f"exceed the least F by at most {rounded_up(self.bound, 4)}{helps}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return (
            "each step drew one of these examples uniformly, whatever was drawn before",
            "the weights are the average of the iterates of that many steps, a number set before",
            "the guarantee is one of exact arithmetic; the run was in float64",
        )

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
    def _length2(self) -> Fraction:
        return exact.dot_within(self.coef, self.coef)[1] + Fraction(self.intercept) ** 2

    @property
    def _reach2(self) -> Fraction:
        return Fraction(self.radius2) / Fraction(self.lam) ** 2

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(
            self.lifted or self.intercept == 0,
            "without the extra feature 1 there can be no intercept.",
        )
        far = sample.longer_than(Fraction(self.radius2) - int(self.lifted))
        require(far is None, f"example {far} is longer than the square root of {self.radius2!r}.")
        require(self._length2 <= self._reach2, "the weights are longer than X/λ.")
        margins = Margins.of(sample, self.coef, self.intercept)
        penalty = Fraction(self.lam) / 2 * self._length2
        hinges = exact.below((Fraction(self.objective) - penalty) * sample.m)
        everyone = np.arange(sample.m)
        require(
            hinges >= 0
            and margins.falls_short_by_at_most(hinges, 1.0, everyone, np.ones(sample.m), 0),
            f"F of these weights is not shown to be at most {self.objective!r}.",
        )
        bound = guarantee(self.radius2, self.lam, self.steps)
        require(self.bound >= bound, f"the guarantee is {bound!r}, not {self.bound!r}.")
        return (
            f"F is at most {rounded_up(self.objective)}, and the guarantee for "
            f"{counted(self.steps, 'step')} is {rounded_up(bound, 4)}; that so many were made is "
            "assumed."
        )


def objective_to_claim(margins: Margins, lam: float) -> float:
    """A float that F of the weights of these margins does not exceed, with room for a checker who
    rounds otherwise; +inf after overflow."""
    m = margins.sample.m
    hinges = margins.shortfall_to_claim(1.0, np.arange(m), np.ones(m), 0)
    if hinges == math.inf:
        return math.inf
    length2 = exact.dot_within(margins.coef, margins.coef)[1] + Fraction(margins.intercept) ** 2
    return exact.above(
        (Fraction(hinges) / m + Fraction(lam) / 2 * length2) * (1 + Fraction(1, 2**45))
    )


def guarantee(radius2: float, lam: float, steps: int) -> float:
    """(2X²/(λT))(1 + ln T), rounded up: six operations on positive numbers, each correctly rounded
    to 50 decimal digits."""
    with decimal.localcontext(decimal.Context(prec=50)):
        value = 2 * Decimal(radius2) / Decimal(lam) / steps * (1 + Decimal(steps).ln())
    return exact.above(Fraction(value) * (1 + Fraction(1, 10**40)))
