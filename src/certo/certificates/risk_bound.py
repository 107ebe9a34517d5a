"""What claims about new examples share: a rate of errors, and the probability of being wrong."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

from certo.certificates import exact
from certo.certificates.base import Certificate

DRAWN = "the examples are independent draws from one distribution, and new ones are too"
UNTOUCHED = "nothing was fitted on them before (scaling, selection, tuning, choice of settings)"
COMPARED = (
    "nothing was fitted on them before, but that {:,} settings, which had been fixed before, were "
    "compared on them: that is paid for, delta being shared by all of them"
)


@dataclass(frozen=True, repr=False, eq=False)
class RiskBound(Certificate):
    """Claim: with probability at least 1 − delta over the draw of the examples, the rate of errors
    on new ones is at most `bounds[…]`: several formulas from the same facts. They are listed from
    the weakest to the sharpest, and each is implied by the next, so that the last may be chosen
    without paying for a choice.

    Where the settings of the fit are the best of so many that were `tried` on the same examples, a
    bound that fails with probability delta/tried for each fails with delta for the one kept."""

    delta: float
    tried: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {self.delta!r}.")
        if not (self.tried >= 1 and self.level > 0):
            raise ValueError("tried must be at least 1, and delta/tried a positive float.")

    @property
    def level(self) -> float:
        """The delta of the formulas: delta/tried, rounded down."""
        if self.tried == 1:
            return self.delta
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
    def of_predictions(self) -> bool:
        """Whether it is the error rate of the model's own predictions that is bounded, rather than
        that of one output among several, or of a rule that the model does not use."""
        return True

    @property
    def _unless(self) -> str:
        """What plain words about new examples must not leave out."""
        return f", except with a chance of {self.delta:g}"

    @property
    def _untouched(self) -> str:
        """What is assumed of the time before the fit."""
        return UNTOUCHED if self.tried == 1 else COMPARED.format(self.tried)

    @property
    def _if_drawn(self) -> str:
        """The beginning of what follows for new examples."""
        paid = "" if self.tried == 1 else f" but the best of {self.tried:,} settings, paid for here"
        return (
            f"If these are independent draws and nothing was fitted or tuned on them before{paid}, "
            f"then with probability at least 1 − {self.delta!r}"
        )

    def at(self, delta: float, tried: int | None = None) -> Self:
        """The same with another probability, or as the best of so many settings, from the facts
        stored here."""
        draft = replace(self, delta=delta, tried=self.tried if tried is None else tried)
        return replace(draft, **draft._formulas(draft.level))

    @abc.abstractmethod
    def _formulas(self, level: float) -> dict[str, Any]:
        """The fields that hold what the formulas give, with this delta."""
