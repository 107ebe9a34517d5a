"""Σηᵢ and Σηᵢ² over updates, and the largest number of updates the theorem allows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from certo.numbers import exact
from certo.rates import Constant, Rate

SEARCHED_UPDATES = (2**12, 2**18)  # Updates, beyond those made, for which a schedule is followed.
MAX_RATES = 2**26  # Updates whose rates are held in memory.


@dataclass(frozen=True)
class UpdateSums:
    """The rates of the updates after the first `before` ones (which another call made).

    With S = `shards` (None: 1), the run is iterative parameter mixing (McDonald, Hall and Mann
    2010): in each epoch every one of S parts of the examples is gone through from the same weights,
    at the constant rate η, and the average of the S results is where the next epoch starts.
    """

    rate: Rate
    before: int = 0
    shards: int | None = field(default=None, metadata={"since": 7})

    def __post_init__(self) -> None:
        if not 0 <= self.before < 2**53:
            raise ValueError(f"before must be a number of updates, got {self.before!r}.")
        if self.shards is not None and not 2 <= self.shards < 2**31:
            raise ValueError(f"shards must be at least 2, or None, got {self.shards!r}.")
        if self.shards is not None and self.constant is None:
            raise ValueError("a run on shards must have a constant rate.")

    @property
    def parts(self) -> int:
        """S, the number of runs that are averaged."""
        return self.shards or 1

    def roundings(self, updates: int) -> int:
        """How many roundings an update may pass through on its way into the last weights.

        Without shards these are the later additions. An average takes S − 1 additions and a
        division more; every epoch but the last one makes an update.
        """
        return updates + (updates + 1) * (self.shards or 0)

    @property
    def constant(self) -> float | None:
        return self.rate.value if isinstance(self.rate, Constant) else None

    def rates(self, most: int) -> np.ndarray:
        """η of the first `most` updates."""
        with np.errstate(over="ignore"):
            return self.rate(self.before + np.arange(1, most + 1))


@dataclass(frozen=True)
class Inequality:
    """target·Ση + offset ≤ sqrt(comparator2·(start2 + radius2·Ση²)), which every run obeys."""

    target: Fraction
    offset: Fraction
    comparator2: Fraction
    start2: Fraction
    radius2: Fraction

    def holds(self, first: Fraction, second: Fraction) -> bool:
        """Whether it does where Ση = first and Ση² = second."""
        left = self.target * first + self.offset
        return left <= 0 or left * left <= self.comparator2 * (self.start2 + self.radius2 * second)


def most_updates(sums: UpdateSums, law: Inequality, at_least: int) -> int | None:
    """The largest M that the inequality allows: one less than the first M found to break it, since
    a run passes through every M. None: no limit was found.
    """
    if sums.constant is not None:
        return _constant_rate(Fraction(sums.constant), sums.parts, law)
    if at_least < MAX_RATES:
        for reach in SEARCHED_UPDATES:
            limit = _scheduled(sums.rates(min(at_least + reach, MAX_RATES)), law)
            if limit is not None:
                return limit
    return None


def _scheduled(rates: np.ndarray, law: Inequality) -> int | None:
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        # Where it seems to break, from rounded numbers, u scaled to a length of about 1 …
        scale = np.float64(1.0) / exact.root_above(law.comparator2)
        first, second = np.cumsum(rates), np.cumsum(rates * rates)
        push = (exact.below(law.target) * scale) * first + exact.below(law.offset) * scale
        hold = np.sqrt(exact.above(law.start2) + exact.above(law.radius2) * second)
        usable = int(np.count_nonzero(np.isfinite(first) & np.isfinite(second)))
        seems = np.flatnonzero(push[:usable] > hold[:usable])
    for at in seems[:1].tolist():
        # … and where it does, going on a little if that was too early
        for M in (at + 1, at + 2, int(at * (1 + 2.0**-20)) + 3):
            if usable >= M and not law.holds(*_sums_within(rates[:M])):
                return M - 1
    return None


def _sums_within(rates: np.ndarray) -> tuple[Fraction, Fraction]:
    """A number that Ση is not below, and one that Ση² is not above.

    `fsum` rounds once; a square rounds once, or underflows by at most 2⁻¹⁰⁷⁵.
    """
    first = Fraction(math.fsum(rates.tolist())) * (1 - Fraction(1, 2**52))
    second = Fraction(math.fsum((rates * rates).tolist())) * (1 + Fraction(1, 2**50))
    return first, second + rates.size * Fraction(exact.TINY)


def _constant_rate(eta: Fraction, parts: int, law: Inequality) -> int:
    """Floor of the larger root of (η·target·M/S + offset)² = comparator2·(start2 + η²·radius2·M/S),
    whose numbers become integers: floor((√D − b)/2a) is that of ⌊√D⌋ in place of √D.

    The inequality holds at M = 0 (Cauchy–Schwarz), or where η·target·M/S + offset = 0, so the
    larger root exists and is not negative.
    """
    push, pull = eta * law.target / parts, law.comparator2 * eta * eta * law.radius2 / parts
    start = law.comparator2 * law.start2
    left = math.lcm(push.denominator, law.offset.denominator)
    right = math.lcm(pull.denominator, start.denominator)
    p, offset = int(push * left), int(law.offset * left)
    a = right * p * p
    b = 2 * right * p * offset - left * left * int(pull * right)
    c = right * offset * offset - left * left * int(start * right)
    return max((math.isqrt(max(b * b - 4 * a * c, 0)) - b) // (2 * a), 0)
