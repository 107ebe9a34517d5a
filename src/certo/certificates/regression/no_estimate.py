"""NoEstimate: a direction along which the logistic loss only falls, for ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, Refuted, check_shape, require
from certo.certificates.encoding import counted
from certo.certificates.fields import SEPARATION_INTERCEPTS, FractionRows, IndexVector, check_choice
from certo.certificates.sample.classes import check_classes, class_sample
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.directions import (
    check_direction,
    comparison_signs,
    whole_direction,
)


@final
@dataclass(frozen=True, repr=False, eq=False)
class NoEstimate(Certificate):
    """Claim: along `direction` no example's own score falls against another one, and some rise: of
    exactly `rising` comparisons. So without a penalty the mean logistic loss of the examples, with
    whatever weights that are positive but on `ignored` ones, has no minimiser.

    A direction u has one vector for each class (for two classes one, of the second class), over
    the features and, if the intercept is free, a last entry for it. With y the class of example t
    and k another, (u_y − u_k)·x̃_t ≥ 0 for all t that are not ignored, > 0 for some.

    Proof: these signs, in exact arithmetic. From any coefficients w the loss of t at w + su is
    log(1 + Σ_{k≠y} e^{(w_k − w_y)·x̃_t − s(u_y − u_k)·x̃_t}): it never rises with s, and where a
    comparison is positive it strictly falls. So w has not the least loss, whichever it is.
    """

    intercept: str
    examples: int
    features: int
    direction: FractionRows
    ignored: IndexVector
    rising: int

    _reads: ClassVar[str] = "places of classes"

    shows = ("examples", "rising")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.intercept, "intercept", SEPARATION_INTERCEPTS)
        check_classes(self.labels)
        K = len(self.labels.classes)
        check_direction(self.direction, 1 if K == 2 else K, self.features + self.lifted)

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)

    def _comparisons(self, sample: Sample) -> int:
        """How many rise, if none falls."""
        whole = whole_direction(self.direction)
        if whole is None:
            raise Refuted("the direction has no common denominator of a reasonable size.")
        signs = comparison_signs(sample, whole, self.lifted)
        signs[self.ignored] = 0
        falls = np.flatnonzero(signs.reshape(sample.m, -1).min(axis=1) < 0)
        require(
            not falls.size,
            f"{counted(falls.size, 'example')}, such as {falls[:1].tolist()}, would be moved away "
            "from their own class.",
            *falls[:1],
        )
        rising = int(np.count_nonzero(signs > 0))
        require(rising, "no example is moved at all.")
        return rising

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.features)
        require(
            int(max(self.ignored, default=-1)) < sample.m,
            "an example is ignored that is not there.",
        )
        rising = self._comparisons(sample)
        require(
            rising == self.rising,
            f"{counted(rising, 'comparison')} rise along the direction, not {self.rising:,}.",
        )
        verb = "rises" if rising == 1 else "rise"
        return f"{counted(rising, 'comparison')} {verb} along the direction, and none falls."
