"""Inseparable: no hyperplane, or no scores of classes, have every example on its own side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import Refuted, check_shape, require
from certo.certificates.encoding import counted
from certo.certificates.fields import SEPARATION_INTERCEPTS, Fractions, IndexVector, check_choice
from certo.certificates.sample.examples import Sample, rows_within
from certo.certificates.separation.separation import Separation, named, slots_of
from certo.certificates.spaces.family import VectorFamily, family_of
from certo.numbers.farkas import cancels, common_denominator


def check_convex(weights: Fractions, count: int) -> None:
    """ValueError, unless these are `count` positive fractions that add up to 1."""
    if any(weight <= 0 for weight in weights):
        raise ValueError("weights must be positive fractions.")
    common = common_denominator(weights)
    whole = 0 if common is None else sum(w.numerator * (common // w.denominator) for w in weights)
    if len(weights) != count or not count or whole != common:
        raise ValueError("there must be one weight for each vector, and they must add up to 1.")


@dataclass(frozen=True, repr=False, eq=False)
class Cancelling(Separation):
    """Weights a_i > 0 of some vectors with Σ a_i z_i = 0. So Σ a_i w·z_i = 0 whatever w: not every
    term is positive, and if none is negative, all are 0, as in every vector that these span.

    `vectors` are indices: t of the example t; or, for several classes, t·n_classes + k of the
    comparison of t with the class at place k.
    """

    intercept: str
    examples: int
    features: int
    vectors: IndexVector
    weights: Fractions

    shows = ("examples",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.intercept, "intercept", SEPARATION_INTERCEPTS)
        if self.vectors.size or self.weights:
            check_convex(self.weights, self.vectors.size)

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    @property
    def rows(self) -> np.ndarray:
        """The examples of the vectors, one for each."""
        return self.vectors // self._slots

    @property
    def against(self) -> np.ndarray | None:
        """The places of the classes that these are compared with; None for two classes."""
        return None if self.labels.positive is not None else self.vectors % self._slots

    @property
    def _slots(self) -> int:
        return slots_of(self.labels)

    def _cancelling(self, sample: Sample) -> VectorFamily:
        """The vectors of the sample, if those named are among them and cancel."""
        check_shape(sample, self.examples, self.features)
        family = family_of(sample, self.labels, self.lifted)
        for strange in family.missing(self.vectors)[:1].tolist():
            raise Refuted(f"{named(self.labels, strange)} is named, but there is no such thing.")
        if self.vectors.size:
            together = cancels(family.whole(self.vectors).tolist(), self.weights)
            require(together, "the weighted vectors do not add up to zero exactly.")
        return family


@final
@dataclass(frozen=True, repr=False, eq=False)
class Inseparable(Cancelling):
    """Claim: for no coef (and no intercept, with "free") is y_t (coef·x_t + intercept) > 0 for all
    of `rows`, nor hence for all examples. For several classes: no weights w_k (and intercepts b_k)
    have (w_y − w_k)·x_t + b_y − b_k > 0 for each of `rows`, t, of class y, and the class k that it
    is compared with in `against`, nor hence give every example its highest score in its own class.

    Proof: the weights a_i > 0 of these vectors have Σ a_i z_i = 0, in exact rational arithmetic. So
    Σ a_i w·z_i = 0 whatever w, and not every term can be positive. In other words: for two classes
    and an intercept, a point that is a mean of examples of either class; without, the origin is a
    mean of the y_t x_t; for several classes, Σ_{y = c} a x̃_t = Σ_{k = c} a x̃_t for every class c.
    """

    _of_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_convex(self.weights, self.vectors.size)

    def _check(self, sample: Sample) -> str:
        if sample.places is not None:
            return replace(self, vectors=rows_within(sample, self.vectors))._check(
                replace(sample, places=None)
            )
        self._cancelling(sample)
        return f"{counted(self.vectors.size, 'weighted vector')} add up to exactly zero."
