"""LeastErrors: that no hyperplane makes fewer errors than so many.

An error is an example with y (coef·x + intercept) ≤ 0, as in `error_count`.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from certo.certificates.base import Certificate, check_count
from certo.certificates.errors.groups import Groups, grouped
from certo.certificates.fields import CostVector, check_weights
from certo.certificates.sample.examples import Sample
from certo.numbers import exact


@dataclass(frozen=True, repr=False, eq=False)
class LeastErrors(Certificate):
    """Claim: every hyperplane (without `lifted`, every one through the origin) makes at least
    `at_least` errors (with `sample_weight`: of that weight)."""

    lifted: bool
    examples: int
    sample_weight: CostVector
    at_least: float

    describes: ClassVar[dict[str, str]] = {"at_least": "lower_bound_"}

    shows: ClassVar[tuple[str, ...]] = ("examples", "at_least")

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.lifted) is not bool:
            raise ValueError("lifted must be true or false.")
        check_weights(self.sample_weight, self.examples)

    @property
    def informative(self) -> bool:
        return self.at_least > 0

    def _check(self, sample: Sample) -> str:
        check_count(self.examples, sample.m)
        groups = grouped(sample, self.sample_weight, self.lifted)
        return self._check_groups(sample, groups, needed(self.at_least, groups))

    @abc.abstractmethod
    def _check_groups(self, sample: Sample, groups: Groups, need: int) -> str:
        """Why the errors among the groups cost at least `need`."""


def needed(at_least: float, groups: Groups) -> int:
    """What has to be proved of the groups: their costs, and so the errors', are integers."""
    return math.ceil(Fraction(at_least) / groups.unit) - groups.constant


def proved(cost: int, groups: Groups) -> float:
    """The claim that follows from errors of at least this cost among the groups."""
    return exact.below((cost + groups.constant) * groups.unit)
