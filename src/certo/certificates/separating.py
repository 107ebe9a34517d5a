"""Separating: the hyperplane has every example strictly on its own side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates import exact
from certo.certificates.base import CannotClaim, Certificate, require
from certo.certificates.margins import Margins
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import check_weights, finite_vector


@final
@dataclass(frozen=True, repr=False, eq=False)
class Separating(Certificate):
    """Claim: γ(w) = min_t y_t (coef·x_t + intercept) ≥ margin > 0, and the examples keep at least
    `geometric_margin` away from the hyperplane.

    Proof: the margins of all m examples, each rounded with a proven allowance, the smallest ones
    in exact arithmetic. ‖coef‖ is rounded up before γ is divided by it.
    """

    coef: np.ndarray
    intercept: float
    examples: int
    margin: float
    geometric_margin: float

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    def __post_init__(self) -> None:
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))

    @classmethod
    def of(
        cls, sample: Sample, labels: Labels, coef, intercept: float, margins: Margins | None = None
    ) -> Separating:
        """The strongest such claim, or CannotClaim with an example on the wrong side."""
        margins = margins or Margins.of(sample, coef, intercept)
        least, where = margins.least()
        if least <= 0:
            raise CannotClaim(
                f"example {where} has margin {float(least):.6g}: "
                "it is not strictly on its own side of the hyperplane."
            )
        return cls(
            labels,
            coef,
            intercept,
            sample.m,
            exact.below(least),
            _geometric(least, coef),
        )

    @property
    def claim(self) -> str:
        return (
            f"The hyperplane separates {self.labels.name()!r} from the rest: all {self.examples:,} "
            f"examples are strictly on their own side, with margin at least {self.margin:.6g}, "
            f"at a distance of at least {self.geometric_margin:.6g}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return ()

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
        least, where = Margins.of(sample, self.coef, self.intercept).least()
        require(
            least >= Fraction(self.margin),
            f"example {where} has margin {float(least):.17g}, below the claimed {self.margin!r}.",
        )
        distance = _geometric(least, self.coef)
        require(
            self.geometric_margin <= distance,
            f"the examples come within {distance!r} of the hyperplane, "
            f"not only within the claimed {self.geometric_margin!r}.",
        )
        return f"the smallest of the {sample.m:,} margins, at example {where}, is {float(least):.6g}."


def _geometric(margin: Fraction, coef: np.ndarray) -> float:
    """margin/‖coef‖ rounded down; without a direction (coef = 0) there is no distance: 0."""
    length = exact.root_above(exact.dot_within(coef, coef)[1])
    return exact.below(margin / Fraction(length)) if 0 < length < float("inf") else 0.0
