"""What claims about densities share: R(p) is at most `risk`, and that of no other below `lower`."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate, check_shape, require
from certo.certificates.fields import FiniteVector, check_weights, finite_vector
from certo.certificates.sample.examples import Sample, SampleMismatch
from certo.certificates.sample.values import Unlabelled
from certo.numbers import exact
from certo.numbers.decimals import rounded_up

COVARIANCES = ("full", "diagonal")


class Shown(NamedTuple):
    """What the examples show: numbers that a claim may not be better than."""

    risk: float
    lower: float
    errors: dict[str, float]  # Distance of the moments from the examples', by field.


@dataclass(frozen=True, repr=False, eq=False)
class DensityClaim(Certificate):
    """About examples without labels, in a dense X, with weights s_i or all of weight 1 (none)."""

    labels: Unlabelled  # type: ignore[assignment]  # X alone: there is no y
    sample_weight: FiniteVector
    examples: int

    def __post_init__(self) -> None:
        super().__post_init__()
        weight_vector(self.sample_weight, self.examples)

    @property
    @abstractmethod
    def columns(self) -> int:
        """How many X has."""

    def _sample(self, X, y) -> Sample:
        if sparse.issparse(X):
            raise SampleMismatch("the claim is about a dense X, but X is sparse.")
        return super()._sample(X, y)

    def _counting(self, sample: Sample) -> np.ndarray:
        """The examples of positive weight."""
        return sample.X[self.sample_weight > 0] if self.sample_weight.size else sample.X


@dataclass(frozen=True, repr=False, eq=False)
class LikelihoodGap(DensityClaim):
    """R(p) = −Σ s_i log p(x_i) / Σ s_i."""

    risk: float
    lower: float

    shows: ClassVar[tuple[str, ...]] = ("examples", "risk", "lower", "excess")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lower <= self.risk:
            raise ValueError("lower must not be above risk.")

    @abstractmethod
    def _shown(self, sample: Sample, times: float) -> Shown:
        """The numbers, with `times` the allowances for rounding; or Refuted."""

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.columns)
        return self._compared(self._shown(sample, 1))

    def _compared(self, shown: Shown) -> str:
        """Whether the claim says no more than is shown."""
        require(shown.risk <= self.risk, f"the risk is not shown to be at most {self.risk!r}.")
        require(
            shown.lower >= self.lower,
            f"it is not shown that no density has a risk below {self.lower!r}.",
        )
        for name, error in shown.errors.items():
            claimed = getattr(self, name)
            require(error <= claimed, f"the {name} is not shown to be at most {claimed!r}.")
        return (
            f"the mean −log p is at most {rounded_up(self.risk)}, and none is smaller by more than "
            f"{rounded_up(self.excess, 2)}."
        )

    @property
    def excess(self) -> float:
        """risk − lower, rounded up."""
        return exact.above(Fraction(self.risk) - Fraction(self.lower))


def weight_vector(values, examples: int) -> np.ndarray:
    """Weights s_i ≥ 0, one for each example, or none: 1 for each. Those above 0 must not be so
    different that a share underflows."""
    weights = finite_vector(values, "sample_weight")
    check_weights(weights, examples)
    if weights.size:
        least, most = np.min(weights[weights > 0], initial=math.inf), np.max(weights)
        if np.any(weights < 0) or not 0 < most < 2.0**900 or least < most * 2.0**-400:
            raise ValueError(
                "sample_weight must not be negative, not all 0, and those above 0 of moderate size."
            )
    return weights
