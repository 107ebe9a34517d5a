"""ErrorCount: how many errors a hyperplane makes.

An error is an example with y (coef·x + intercept) ≤ 0: a score of zero counts, as in the
Perceptron, whatever is predicted there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import WEIGHTS, Certificate, check_shape, require
from certo.certificates.encoding import counted
from certo.certificates.fields import CostVector, FiniteVector, check_weights
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact
from certo.numbers.decimals import readable


@final
@dataclass(frozen=True, repr=False, eq=False)
class ErrorCount(Certificate):
    """Claim: the hyperplane makes `errors` errors (with `sample_weight`: of that weight, rounded
    up), counting a score of zero as an error.

    Proof: the sign of every margin, decided exactly where rounding could matter.
    """

    coef: FiniteVector
    intercept: float
    examples: int
    sample_weight: CostVector
    errors: float

    describes: ClassVar[dict[str, str]] = WEIGHTS | {"errors": "errors_"}

    shows: ClassVar[tuple[str, ...]] = ("examples", "errors")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.sample_weight, self.examples)

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.size)
        wrong = is_error(sample, self.coef, self.intercept)
        found = exact.above(weight_of(wrong, self.sample_weight))
        require(found == self.errors, f"they are {readable(found)}, not {readable(self.errors)}.")
        return f"{counted(int(np.count_nonzero(wrong)), 'margin')} of {sample.m:,} not positive."


def is_error(sample: Sample, coef: np.ndarray, intercept: float) -> np.ndarray:
    """Which examples have y (coef·x + intercept) ≤ 0, decided exactly."""
    margins = Margins.of(sample, np.asarray(coef, dtype=np.float64), float(intercept))
    return margins.is_error(+1) | margins.is_error(-1)


def weight_of(which: np.ndarray, sample_weight: np.ndarray) -> Fraction:
    """How many these examples are, or what they weigh."""
    if not sample_weight.size:
        return Fraction(int(np.count_nonzero(which)))
    return exact.dot(sample_weight[which], np.ones(np.count_nonzero(which)))
