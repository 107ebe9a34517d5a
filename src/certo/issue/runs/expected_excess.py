"""How ExpectedExcess finds its numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.pegasos_excess import guarantee
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins
from certo.issue.spaces.vectors import shortfall_to_claim
from certo.numbers import exact


def issue_expected_excess(
    sample: Sample,
    labels: Labels,
    *,
    coef: np.ndarray,
    intercept: float,
    lifted: bool,
    lam: float,
    steps: int,
    square: float | None = None,
    margins: Margins | None = None,
) -> ExpectedExcess:
    """The claim for the average of a run; `square`, if known, bounds ‖x_t‖².

    CannotClaim, where numbers overflow or the weights are longer than any run's.
    """
    square = sample.square_bound() if square is None else square
    margins = margins or Margins.of(sample, coef, intercept, square)
    objective = objective_to_claim(margins, lam)
    # with room for a checker who rounds otherwise
    radius2 = float(np.nextafter(square + exact.allowance(sample.d, square) + lifted, np.inf))
    bound = guarantee(radius2, lam, steps) if radius2 < math.inf else math.inf
    if not (objective < math.inf and bound < math.inf):
        raise CannotClaim("squares of the examples, or the weights, overflow float64.")
    claim = ExpectedExcess(
        labels, intercept, lifted, lam, steps, sample.m, radius2, objective, bound, coef
    )
    if claim._length2 * (1 + Fraction(1, 2**40)) > claim._reach2:
        raise CannotClaim("the weights are longer than those of any run: X/λ.")
    return claim


def objective_to_claim(margins: Margins, lam: float) -> float:
    """A float that F of the weights of these margins does not exceed, with room for a checker who
    rounds otherwise; +inf after overflow."""
    m = margins.sample.m
    hinges = shortfall_to_claim(margins, 1.0, np.arange(m), np.ones(m), 0)
    if hinges == math.inf:
        return math.inf
    length2 = exact.dot_within(margins.coef, margins.coef)[1] + Fraction(margins.intercept) ** 2
    return exact.above(
        (Fraction(hinges) / m + Fraction(lam) / 2 * length2) * (1 + Fraction(1, 2**45))
    )
