"""Numbers with a bound on their error, and long sums that have one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from certo.numbers import exact

SUM_LANES = 64  # Terms of a long sum that NumPy adds; `math.fsum` adds the rest.
ABOVE = 1 + 2.0**-20  # Pays for the roundings of a sum of up to 2³⁰ non-negative terms.


class NotShown(Exception):
    """What was to be shown is not shown by these numbers; the message says why, and `rows` are the
    examples it names, counting from 0."""

    def __init__(self, why: str, *rows: int):
        super().__init__(why)
        self.rows = tuple(map(int, rows))


@dataclass(frozen=True)
class Rounded:
    """A number that is at most `within` away from `value`."""

    value: Fraction
    within: Fraction = Fraction(0)

    @property
    def above(self) -> Fraction:
        return self.value + self.within

    @property
    def below(self) -> Fraction:
        return self.value - self.within

    def plus(self, other: Rounded, times: Fraction = Fraction(1)) -> Rounded:
        return Rounded(self.value + times * other.value, self.within + abs(times) * other.within)


def total(terms: np.ndarray) -> Fraction:
    """Σ terms, rounded once."""
    try:
        return Fraction(math.fsum(terms.tolist()))
    except (OverflowError, ValueError) as overflow:
        raise NotShown("numbers overflow float64.") from overflow


def positive_sum(terms: np.ndarray, quickly: bool = False) -> Rounded:
    """Σ terms, where each is non-negative and was rounded at most twice, or is off by at most
    2⁻¹⁰⁷⁵ after underflow. `quickly`: of many, first some with each other."""
    n = terms.size
    if quickly and n > SUM_LANES**2:
        even = n // SUM_LANES * SUM_LANES
        terms = np.append(terms[:even].reshape(SUM_LANES, -1).sum(axis=0), terms[even:])
    value = total(terms)
    roundings = 3 + SUM_LANES * (terms.size < n)
    return Rounded(value, _above(float(value) * 2 * exact.gamma(roundings), n))


def at_most(terms: np.ndarray, underflows: int = 1) -> Fraction:
    """A number that Σ terms, non-negative and rounded a few times, does not exceed, after so many
    underflows of each."""
    return _above(float(np.sum(terms)) * ABOVE, underflows * terms.size)


def _above(product: float, underflows: int) -> Fraction:
    """At least a product ≥ 0 that was rounded twice, and 2⁻¹⁰⁷⁴ for each underflow (at least
    one for each number that was added). It is a float, as the exact sum would have a denominator of
    a thousand bits, which slows all that follows."""
    if not product and not underflows:
        return Fraction(0)
    off = math.nextafter(product * (1 + 2.0**-50) + (underflows + 2) * exact.TINY, math.inf)
    if not off < math.inf:
        raise NotShown("numbers overflow float64.")
    return Fraction(off)


def hinge_losses(
    value: np.ndarray,
    slack: np.ndarray,
    costs: np.ndarray,
    quickly: bool = False,
    target: float = 1.0,
) -> Rounded:
    """Σ c_t [target − margin_t]₊, where margin_t is within slack_t of value_t: a loss is off by at
    most its margin's slack, and not at all where the margin is shown to be above the target."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        near = ~(value - slack > target) & (costs > 0)
        value, slack, costs = value[near], slack[near], costs[near]
        losses = positive_sum(costs * np.maximum(target - value, 0.0), quickly)
        return Rounded(losses.value, losses.within + at_most(costs * slack))
