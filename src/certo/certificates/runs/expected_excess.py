"""ExpectedExcess: how near to the least regularised risk Pegasos comes, in expectation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.fields import finite_vector
from certo.certificates.runs.pegasos_excess import PegasosExcess
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_weights
from certo.numbers import exact


@final
@dataclass(frozen=True, repr=False, eq=False)
class ExpectedExcess(PegasosExcess):
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

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "steps": "steps_",
        "objective": "objective_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))

    @property
    def _length2(self) -> Fraction:
        return exact.dot_within(self.coef, self.coef)[1] + Fraction(self.intercept) ** 2

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
        return self._check_bound()
