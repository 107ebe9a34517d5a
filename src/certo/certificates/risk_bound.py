"""What claims about new examples share: a rate of errors, and the probability of being wrong."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Self

from certo.certificates.base import Certificate

DRAWN = "the examples are independent draws from one distribution, and new ones are too"
UNTOUCHED = "nothing was fitted on them before (scaling, selection, tuning, choice of settings)"


@dataclass(frozen=True, repr=False, eq=False)
class RiskBound(Certificate):
    """Claim: with probability at least 1 − delta over the draw of the examples, the rate of errors
    on new ones is at most `bounds[…]`: several formulas from the same facts. They are listed from
    the weakest to the sharpest, and each is implied by the next, so that the last may be chosen
    without paying for a choice."""

    delta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {self.delta!r}.")

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
    def of_predictions(self) -> bool:
        """Whether it is the error rate of the model's own predictions that is bounded, rather than
        that of one output among several, or of a rule that the model does not use."""
        return True

    @property
    def _unless(self) -> str:
        """What plain words about new examples must not leave out."""
        return f", except with a chance of {self.delta:g}"

    @abc.abstractmethod
    def at(self, delta: float) -> Self:
        """The same with another probability, from the facts stored here."""
