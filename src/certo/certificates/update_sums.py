"""Σηᵢ and Σηᵢ² over updates, and the largest number of updates the theorem allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from certo.certificates import exact
from certo.rates import Constant, Rate

SEARCH = 2**20  # a schedule for which the theorem sets no limit below this many more: no limit


@dataclass(frozen=True)
class UpdateSums:
    """The rates of the updates after the first `before` ones (which another call made)."""

    rate: Rate
    before: int = 0

    @property
    def constant(self) -> float | None:
        return self.rate.value if isinstance(self.rate, Constant) else None

    def totals(self, n) -> tuple[np.ndarray, np.ndarray]:
        """(Σηᵢ, Σηᵢ²) over the first n updates, rounded."""
        n = np.asarray(n, dtype=np.int64)
        if self.constant is not None:
            return self.constant * n, self.constant**2 * n
        first, second = self.running(int(n.max(initial=0)))
        return first[n], second[n]

    def running(self, most: int) -> tuple[np.ndarray, np.ndarray]:
        """(Σηᵢ, Σηᵢ²) over the first 0, 1, …, most updates, rounded."""
        rates = self.rate(self.before + np.arange(1, most + 1))
        return (
            np.concatenate(([0.0], np.cumsum(rates))),
            np.concatenate(([0.0], np.cumsum(rates**2))),
        )


def most_updates(
    sums: UpdateSums,
    *,
    target: Fraction,
    offset: Fraction,
    comparator2: Fraction,
    start2: Fraction,
    radius2: Fraction,
    at_least: int,
) -> int | None:
    """The largest M that target·Ση + offset ≤ sqrt(comparator2·(start2 + radius2·Ση²)) allows:
    one less than the first M that breaks it, since a run passes through every M. None: no limit.
    """
    if sums.constant is not None:
        return _constant_rate(
            Fraction(sums.constant), target, offset, comparator2, start2, radius2
        )
    # Rounded to the weak side: cumulative sums of n rates are off by a factor of at most γ_n.
    most = at_least + SEARCH
    first, second = sums.running(most)
    n = np.arange(most + 1)
    slip = 2.02 * exact.UNIT * (n + 8)
    push = exact.below(target) * first * (1 - slip)
    push = push + exact.below(offset) - 4 * exact.UNIT * (push + abs(exact.below(offset)))
    with np.errstate(over="ignore"):
        hold = exact.above(comparator2) * (exact.above(start2) + exact.above(radius2) * second)
        broken = np.flatnonzero((push > 0) & (push * push * (1 - slip) > hold * (1 + slip)))
    return int(broken[0]) - 1 if broken.size else None


def _constant_rate(eta, target, offset, comparator2, start2, radius2) -> int:
    """Floor of the larger root of (η·target·M + offset)² = comparator2·(start2 + η²·radius2·M).

    The inequality holds at M = 0 (Cauchy–Schwarz), or where η·target·M + offset = 0, so the
    larger root exists and is not negative.
    """
    push = eta * target

    def allowed(M: int) -> bool:
        left = push * M + offset
        return left <= 0 or left * left <= comparator2 * (start2 + eta * eta * radius2 * M)

    a, b = push * push, 2 * push * offset - comparator2 * eta * eta * radius2
    c = offset * offset - comparator2 * start2
    square = max(b * b - 4 * a * c, Fraction(0))
    # √square rounded down by less than a·2⁻⁶⁰, so that M below is right or one too small
    digits = max(0, a.denominator.bit_length() - a.numerator.bit_length()) + 64
    top, bottom = square.numerator, square.denominator
    root = Fraction(math.isqrt((top * bottom) << (2 * digits)), bottom << digits)
    M = max(math.floor((root - b) / (2 * a)), 0)
    while allowed(M + 1):
        M += 1
    return M
