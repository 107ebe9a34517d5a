"""Claims as they are made, and those that are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.sample.examples import SampleMismatch
from certo.guarantees.unwrapping import Wrapped

OF_THE_STEPS = (
    "in the fit, the steps of the pipeline gave the machine what fit_transform returns, and what "
    "the fit proved does not hold of what transform returns for X (TargetEncoder differs by "
    "cross-fitting, PCA in the last digits; or X and y are not the examples of the fit). Fit and "
    "certify the machine alone, on what transform returns."
)


SEEDED_STEPS = (
    "Bounds from the examples of the fit assume that random_state of {} was chosen without looking "
    "at the examples."
)


class OtherExamples(ValueError):
    """A claim of the fit, or a vector of the model, is not about these examples."""


class Page:
    """What is claimed about one set of examples."""

    def __init__(self, wrapped: Wrapped, delta: float) -> None:
        self.wrapped, self.delta = wrapped, delta
        self.claims: list[Certificate] = []
        self.refusals: list[NotClaimed] = []
        self.remarks: list[str] = []
        self.asked = 0  # Number of bounds on the error rate that were tried.

    def add(self, name: str, make: Callable[[], Any]) -> None:
        """The claim, or why there is none."""
        try:
            self.claims.append(make())
        except (CannotClaim, SampleMismatch) as reason:
            self.refuse(name, str(reason))
        except OtherExamples as wrong:
            self.refuse_others((name,), wrong)

    def add_risk(
        self, name: str, make: Callable[[float], Any], *, of_predictions: bool = True
    ) -> None:
        """The same for a claim about new examples, given its delta: that the settings were chosen
        among several is paid for, and steps that were fitted to the same examples forbid it."""
        if self.wrapped.spoilt:
            self.refuse(name, self.wrapped.spoilt)
            return
        self.asked += of_predictions
        tried = self.wrapped.tried
        before = len(self.claims)
        self.add(name, lambda: make(self.delta).at(self.delta, tried))
        if self.wrapped.seeded and before < len(self.claims):
            remark = SEEDED_STEPS.format(" and ".join(self.wrapped.seeded))
            self.remarks += [remark] * (remark not in self.remarks)

    def refuse_others(self, names: Iterable[str], wrong: OtherExamples) -> None:
        """Where steps of a pipeline may be why these claims are about other examples, they are not
        made, nor bounds that rest on the examples of the fit; else that is an error."""
        if not self.wrapped.steps:
            raise wrong
        self.wrapped = replace(self.wrapped, spoilt=self.wrapped.spoilt or OF_THE_STEPS)
        for name in names:
            self.refuse(name, OF_THE_STEPS)

    def refuse(self, name: str, reason: str) -> None:
        self.refusals.append(NotClaimed(name, reason))

    def composite(self) -> Composite:
        return Composite(tuple(self.claims), tuple(self.refusals))
