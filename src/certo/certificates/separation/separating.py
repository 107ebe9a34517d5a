"""Separating: the hyperplane has every example strictly on its own side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, Refuted, require
from certo.certificates.encoding import rounded_down
from certo.certificates.fields import finite_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_distance, check_weights
from certo.numbers import exact


@final
@dataclass(frozen=True, repr=False, eq=False)
class Separating(Certificate):
    """Claim: γ(w) = min_t y_t (coef·x_t + intercept) ≥ margin > 0, and the examples keep at least
    `geometric_margin` away from the hyperplane.

    Proof: the margins of all m examples, each rounded with a proven allowance, those too close to
    call in exact arithmetic. The distance of x_t is its margin divided by ‖coef‖, rounded up.
    """

    coef: np.ndarray
    intercept: float
    examples: int
    margin: float
    geometric_margin: float

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "margin": self.margin,
            "geometric_margin": self.geometric_margin,
        }

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(self.margin > 0, f"the claimed margin {self.margin!r} is not positive.")
        margins = Margins.of(sample, self.coef, self.intercept)
        low = margins.below(Fraction(self.margin))
        if low is not None:
            found = exact.below(margins.exactly(low))
            raise Refuted(f"example {low} has margin {found:.17g}, not at least {self.margin!r}.")
        if self.geometric_margin > 0:
            check_distance(margins, self.geometric_margin)
        return f"all {sample.m:,} margins are at least {rounded_down(self.margin)}."
