"""Bounds on the error rate of a rule that a few of the examples determine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from certo import bounds
from certo.certificates.base import require
from certo.certificates.fields import index_vector
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.sample.labels import check_classes

SEEDED = "the random seed was chosen without looking at the examples"


@dataclass(frozen=True, repr=False, eq=False)
class SetBound(RiskBound):
    """What claims share about rules that are a function of the k examples `updated` alone, and get
    `errors` of the m − k others wrong: the printed bound, proved for k ≤ m/2, and the exact tail.

    The tail is never above the printed bound: see the pages of both.
    """

    updated: np.ndarray
    examples: int
    errors: int
    printed: float | None
    tail: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "updated", index_vector(self.updated, "updated"))
        check_classes(self.labels)
        k = self.updated.size
        if not (0 <= self.errors <= self.examples - k and self.examples):
            raise ValueError("errors must be from 0 to the number of examples not updated on.")
        if self.updated.size and self.updated[-1] >= self.examples:
            raise ValueError("updated must be places of examples.")
        if (self.printed is None) != (2 * k > self.examples):
            raise ValueError("the printed bound is there for at most half of the examples.")

    @property
    def bounds(self) -> dict[str, float]:
        printed = {} if self.printed is None else {"printed": self.printed}
        return printed | {"exact tail": self.tail}

    def _formulas(self, level: float) -> dict[str, Any]:
        return set_bounds(self.examples, self.updated.size, self.errors, level)

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "errors": self.errors,
            "delta": self.delta,
            "printed": self.printed,
            "tail": self.tail,
        }

    def _check_bounds(self, m: int, wrong: np.ndarray) -> int:
        """The errors outside and the bounds that follow, from what is wrong of all."""
        require(
            m == self.examples,
            f"the claim is about {self.examples:,} examples, but there are {m:,}.",
        )
        k = self.updated.size
        errors = int(np.count_nonzero(wrong)) - int(np.count_nonzero(wrong[self.updated]))
        require(
            errors <= self.errors,
            f"{errors:,} examples not updated on are not shown to be right, not {self.errors:,}.",
        )
        facts = m, k, self.errors, self.level
        if self.printed is not None:
            printed = bounds.perceptron_compression(*facts)
            require(self.printed >= printed, f"the printed bound is {printed!r}.")
        require(
            bounds.shows_binomial_tail(self.tail, *facts),
            f"the exact tail is not shown to be at most {self.tail!r}.",
        )
        return errors


def set_bounds(m: int, k: int, errors: int, delta: float) -> dict[str, Any]:
    printed = bounds.perceptron_compression(m, k, errors, delta) if 2 * k <= m else None
    return {"printed": printed, "tail": bounds.binomial_tail(m, k, errors, delta)}
