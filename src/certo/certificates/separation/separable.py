"""Separable: some hyperplane has every example strictly on its own side, and this is one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from certo.certificates.base import Certificate, Refuted
from certo.certificates.encoding import counted
from certo.certificates.fields import finite_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_distance, check_weights
from certo.numbers import exact

# A score is a sum of products of two floats, hence a multiple of 2⁻²¹⁴⁸: positive is at least that.
LEAST = Fraction(1, 2**2148)


@final
@dataclass(frozen=True, repr=False, eq=False)
class Separable(Certificate):
    """Claim: y_t (coef·x_t + intercept) > 0 for all t, and no example is nearer to the hyperplane
    than `margin`, the geometric margin: y_t (coef·x_t + intercept) ≥ margin·‖coef‖.

    Proof: the margins of all m examples, each rounded with a proven allowance, those too close to
    call in exact arithmetic. `margin` is rounded down; it is 0 where nothing better can be said:
    where coef = 0 (one class alone needs no hyperplane, and has no distance to it), or where the
    distance is too small for a float. The examples are separated all the same.
    """

    coef: np.ndarray
    intercept: float
    examples: int
    margin: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))
        if self.margin < 0:
            raise ValueError(f"margin must not be negative, got {self.margin!r}.")

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples, "margin": self.margin}

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        margins = Margins.of(sample, self.coef, self.intercept)
        wrong = margins.below(LEAST)
        if wrong is not None:
            found = exact.below(margins.exactly(wrong))
            raise Refuted(f"example {wrong} has margin {found:.17g}, which is not positive.")
        if self.margin > 0:
            check_distance(margins, self.margin)
        return f"all {counted(sample.m, 'example')} are strictly on their own side."
