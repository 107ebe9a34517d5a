"""What claims about new examples share: a bound on the error rate, and its confidence."""

from __future__ import annotations

import abc
import importlib
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from certo.certificates.base import Certificate, Verification
from certo.certificates.sample import draws
from certo.numbers import exact

LEAST_DELTA = 1e-300  # Below it, a share of delta may underflow.


@dataclass(frozen=True, repr=False, eq=False)
class RiskBound(Certificate):
    """Claim: with probability at least 1 − delta over the draw of the examples, the error rate on
    new ones is at most `bounds[…]`: several formulas from the same facts. They are listed from
    the weakest to the sharpest, and each is implied by the next, so that the last may be chosen
    without paying for a choice.

    Where the settings of the fit are the best of so many that were `tried` on the same examples, a
    bound that fails with probability delta/tried for each fails with delta for the one kept.

    `majority` counts the examples of the most frequent class (for one output among several: of the
    larger side). It is part of the claim only so that a reader sees how strong the bound is: see
    `informative`."""

    delta: float
    tried: int = field(default=1, kw_only=True)
    majority: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {self.delta!r}.")
        if not (self.tried >= 1 and self.level > 0):
            raise ValueError("tried must be at least 1, and delta/tried a positive float.")
        most = self.examples  # type: ignore[attr-defined]
        if not 1 <= self.majority <= most:
            raise ValueError(f"majority must be from 1 to {most:,}, got {self.majority!r}.")

    @property
    def level(self) -> float:
        """The delta of the formulas: delta/tried, rounded down."""
        return exact.below(Fraction(self.delta) / self.tried)

    @property
    @abc.abstractmethod
    def bounds(self) -> dict[str, float]:
        """The bounds by the names of their formulas, the sharpest last."""

    @property
    def best(self) -> float:
        return min(self.bounds.values())

    @property
    def vacuous(self) -> bool:
        """A risk is never above 1, so a bound of 1 or more says nothing."""
        return self.best >= 1

    @property
    def majority_error(self) -> Fraction:
        """The share of these examples that always answering the majority class gets wrong."""
        return 1 - Fraction(self.majority, self.examples)  # type: ignore[attr-defined]

    @property
    def informative(self) -> bool:
        """Whether the bound is below `majority_error`. That is a rule for what is shown first, and
        no claim: what the majority class gets wrong is counted on these examples alone."""
        return self.best < self.majority_error

    @property
    def of_predictions(self) -> bool:
        """Whether it is the error rate of the model's own predictions that is bounded, rather than
        that of one output among several, or of a rule that the model does not use."""
        return True

    def at(self, delta: float, tried: int | None = None) -> Self:
        """The same with another probability, or as the best of so many settings, from the facts
        stored here."""
        draft = replace(self, delta=delta, tried=self.tried if tried is None else tried)
        find = importlib.import_module("certo.issue.risk").formulas
        found = replace(draft, **find(draft, draft.level))
        found._check_formulas()  # What the issuer finds counts once it is shown here.
        return found

    @abc.abstractmethod
    def _check_formulas(self) -> None:
        """The bounds follow from the facts stored here, or Refuted."""

    def _majority_of(self, sample: Any) -> int:
        return majority(sample.signs)

    def _rows(self, sample: Any) -> tuple[Any, np.ndarray]:
        """The features and the class, or side, of every example."""
        return sample.X, sample.signs

    def _why_not_drawn(self, sample: Any) -> str:
        """What shows that the examples are not independent draws; nothing, if nothing does, or if
        the bound is vacuous, and true of all."""
        return "" if self.vacuous else draws.why_copied(*self._rows(sample))

    def _verify(self, sample: Any) -> Verification:
        found = super()._verify(sample)
        if not found:
            return found
        counted, why = self._majority_of(sample), ""
        if counted != self.majority:
            why = f"{counted:,} examples are of the majority class, not {self.majority:,}."
        why = why or self._why_not_drawn(sample)
        return Verification(False, self.name, why) if why else found


def majority(codes: np.ndarray) -> int:
    """How many examples the most frequent class has, from the class or side of each example."""
    if not codes.size:
        return 0
    return int(np.bincount(codes.astype(np.int64) - int(codes.min())).max())
