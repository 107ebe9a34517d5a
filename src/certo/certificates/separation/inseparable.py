"""Inseparable: no hyperplane has every example strictly on its own side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from certo.certificates.base import Certificate, require
from certo.certificates.encoding import counted
from certo.certificates.fields import index_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.spans import integer_rows
from certo.numbers.farkas import cancels, common_denominator

INTERCEPTS = ("free", "none")


def intercept_mode(value: Any) -> str:
    """'free' or 'none', or a ValueError."""
    if not isinstance(value, str) or value not in INTERCEPTS:
        raise ValueError(f"intercept must be 'free' or 'none', got {str(value)[:40]!r}.")
    return value


def convex_weights(weights: Any, count: int) -> tuple[Fraction, ...]:
    """`count` positive fractions that add up to 1, or a ValueError."""
    weights = tuple(weights)
    if not all(isinstance(weight, Fraction) and weight > 0 for weight in weights):
        raise ValueError("weights must be positive fractions.")
    common = common_denominator(weights)
    whole = 0 if common is None else sum(w.numerator * (common // w.denominator) for w in weights)
    if len(weights) != count or not count or whole != common:
        raise ValueError("there must be one weight for each row, and they must add up to 1.")
    return weights


@final
@dataclass(frozen=True, repr=False, eq=False)
class Inseparable(Certificate):
    """Claim: for no coef (and no intercept, with "free") is y_t (coef·x_t + intercept) > 0 for all
    of `rows`, nor hence for all examples.

    Proof: the weights a_t > 0 of these rows have Σ a_t y_t x_t = 0 (and Σ a_t y_t = 0 with an
    intercept), in exact rational arithmetic. So Σ a_t y_t (coef·x_t + intercept) = 0 whatever the
    hyperplane, and not every term can be positive. In other words: with an intercept, a point that
    is a mean of examples of either class; without, the origin is a mean of the y_t x_t.
    """

    intercept: str
    examples: int
    features: int
    rows: np.ndarray
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        intercept_mode(self.intercept)
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        object.__setattr__(self, "weights", convex_weights(self.weights, self.rows.size))

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples}

    def _check(self, sample: Sample) -> str:
        check_shape(self, sample)
        vectors = integer_rows(sample, self.rows.tolist(), self.intercept == "free")
        require(
            cancels(vectors, self.weights),
            "the weighted examples do not add up to zero exactly.",
        )
        return f"{counted(self.rows.size, 'weighted example')} add up to exactly zero."


def check_shape(certificate: Any, sample: Sample) -> None:
    """The claim is about this many examples and features, and names rows among them."""
    m, d = certificate.examples, certificate.features
    require(sample.m == m, f"the claim is about {m:,} examples, but X has {sample.m:,} rows.")
    require(sample.d == d, f"the claim is about {d:,} features, but X has {sample.d:,} columns.")
    last = max(certificate.rows.tolist(), default=-1)
    require(last < m, f"row {last} is named, but there are {m:,} examples.")
