r"""Tails of binomial distributions, shown to be small enough.

These are formulas of bounds on the error rate on new examples; their statements and proofs are on
the pages `docs/bounds`. They are roots of equations between binomial probabilities, which
`certo.bounds` looks for: p is not below the root if the tail at p is small enough, which `shows_…`
decide with all rounding accounted for. Other formulas are in `printed`.

Rounding. Logarithms are taken in decimal arithmetic of 60 digits, correctly rounded everywhere
alike. For n ≤ 10¹⁵ no number there exceeds 10¹⁸, so that each of fewer than 100 operations is off
by less than 10⁻⁴¹; ln n! by Stirling's series is off by less than its first omitted term, 10⁻³⁶.
`ALLOWANCE` pays for all of that many times over. A binomial tail is its largest probability times
a sum of products of ratios (`_series`), in float64: the t-th product has 4t + 1 roundings, and a
sum of t positive terms t more: the relative error 5t·2⁻⁵³ and a little, which is doubled.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from certo.numbers.printed import DIGITS, in_digits, ln, probability, rounded_up, whole_count

ALLOWANCE = Decimal("1e-30")
#: B₂ⱼ / (2j(2j − 1)) for j = 1, …, 10, and ½ ln 2π: Stirling's series
STIRLING = tuple(
    DIGITS.divide(Decimal(a), Decimal(b))
    for a, b in (
        (1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156),
        (-3617, 122400), (43867, 244188), (-174611, 125400),
    )
)  # fmt: skip
HALF_LOG_TWO_PI = Decimal("0.918938533204672741780329736405617639861397473637783412817151540")


class Interval(NamedTuple):
    """Two ends between which a rate lies."""

    lower: float
    upper: float


# The printed formulas ---------------------------------------------------------------------------


@in_digits
def support_vector_compression(m: int, k: int, errors: int, delta: float) -> float:
    """errors/(m − k) + sqrt((k + (k + 1) ln m + ln(1/δ)) / m). It may exceed 1, and does for
    k > m/2."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    return printed_bound(m, k, errors, k + (k + 1) * ln(m) - ln(delta))


def printed_bound(m: int, k: int, errors: int, inside: Decimal) -> float:
    return rounded_up(Decimal(errors) / max(m - k, 1) + (inside / m).sqrt())


def compression_facts(m, k, errors, delta) -> tuple[int, int, int, float]:
    m, k, errors = whole_count(m, "m", 1), whole_count(k, "k", 0), whole_count(errors, "errors", 0)
    if k > m:
        raise ValueError(f"k must be at most m = {m:,}, got {k:,}.")
    if errors > m - k:
        raise ValueError(f"errors must be at most m − k = {m - k:,}, got {errors:,}.")
    return m, k, errors, probability(delta)


# The exact tails --------------------------------------------------------------------------------


@in_digits
def shows_binomial_tail(p: float, m: int, k: int, errors: int, delta: float) -> bool:
    """Whether it is shown that p is at least `binomial_tail`'s true value."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    return shows_upper(p, m - k, errors, ln(delta) - ln(m) - ln_choose(m, k))


class TailExcess:
    """p ↦ ln P[Bin(n, p) ≤ e] − target, or more, for 0 < p < 1 and e < n."""

    def __init__(self, n: int, e: int, target: Decimal):
        self.n, self.e = n, e
        self.constant = ln_choose(n, e) - target + ALLOWANCE

    def __call__(self, p: float | Fraction) -> Decimal:
        n, e, p = self.n, self.e, Fraction(p)
        largest = self.constant + e * ln(p) + (n - e) * ln(1 - p)
        others = tail_ratios(n, e, _quotient(1 - p, p))
        if others == math.inf:
            return Decimal(EXCESS_BEYOND_FLOATS)
        return largest + ln(1 + Fraction(others))


def tail_ratios(n: int, e: int, odds: float) -> float:
    """P[Bin(n, p) < e] / P[Bin(n, p) = e], or more, where odds = (1 − p)/p, since
    P[Bin = j − 1] / P[Bin = j] = odds·j / (n − j + 1), for j = e, e − 1, …"""
    return _series(lambda j: odds * ((e - j) / (n - e + j + 1)), e).upper


def shows_upper(p: float, n: int, e: int, target: Decimal) -> bool:
    return bool(p >= 1 or (p > 0 and e < n and TailExcess(n, e, target)(p) <= 0))


# Campi and Garatti ------------------------------------------------------------------------------


@in_digits
def shows_campi_garatti(p: float, m: int, k: int, delta: float) -> bool:
    """Whether it is shown that p is at least `campi_garatti`'s true value."""
    m, k, _, delta = compression_facts(m, k, 0, delta)
    return bool(p >= 1 or (p > 0 and k < m and CountExcess(m, k, delta)(p) <= 0))


class CountExcess:
    """p ↦ ln (m·p / δ) − ln (P[Bin(m, p) > k] / P[Bin(m, p) = k]), or more, for 0 < p < 1 and
    k < m: it falls as p grows."""

    def __init__(self, m: int, k: int, delta: float):
        self.m, self.k = m, k
        self.constant = ln(m) - ln(delta) + ALLOWANCE

    def __call__(self, p: float) -> Decimal:
        m, k = self.m, self.k
        odds = _quotient(Fraction(p), 1 - Fraction(p))
        # P[Bin = j + 1] / P[Bin = j] = odds·(m − j) / (j + 1), for j = k, k + 1, …
        above = _series(lambda j: odds * ((m - k - j) / (k + 1 + j)), m - k).lower
        return self.constant + ln(p) - ln(above) if above else Decimal(EXCESS_BEYOND_FLOATS)


# Sums of products -------------------------------------------------------------------------------

FIRST_RATIOS, MAX_RATIOS = 1 << 10, 1 << 18  # Ratios looked at first, and at most.
NEGLIGIBLE_TERM_SHARE = 2.0**-70  # Share of the sum below which a product does not matter.


def _series(ratios: Callable[[np.ndarray], np.ndarray], n: int) -> Interval:
    """r₀ + r₀r₁ + … + r₀⋯rₙ₋₁, from below and from above, for ratios that never grow, each
    rounded three times at most: where they are below 1, what is left out is less than a geometric
    series. (The products that are added are large beside 2⁻¹⁰⁷⁴ if the first is; where it is not,
    2⁻¹⁰⁰⁰ pays for all that underflows.)"""
    if n == 0:
        return Interval(0.0, 0.0)
    size = min(n, FIRST_RATIOS)
    while True:
        with np.errstate(over="ignore", under="ignore"):
            r = ratios(np.arange(size, dtype=np.float64))
            products = np.cumprod(r)
            total = float(np.sum(products))
        small = np.flatnonzero((products <= NEGLIGIBLE_TERM_SHARE * total) & (r < 1))
        if size == n or small.size or total == math.inf or size >= MAX_RATIOS:
            break
        size = min(n, 4 * size)
    last = int(small[0]) if small.size else size - 1
    rest = 0.0
    if last + 1 < n:
        ratio = float(r[last]) * (1 + 2.0**-50)  # Not below the true one.
        rest = float(products[last]) * ratio / (1 - ratio) if ratio < 1 else math.inf
    with np.errstate(over="ignore"):
        total = float(np.sum(products[: last + 1]))
    off = 2.0 * (5 * (last + 1) + 8) * 2.0**-53
    lower = min(total, sys.float_info.max) * (1 - off) if total > 2.0**-900 else 0.0
    return Interval(lower, (total + rest) * (1 + off) + 2.0**-1000)


# Arithmetic -------------------------------------------------------------------------------------


@functools.lru_cache(4096)
def ln_factorial(n: int) -> Decimal:
    """ln n!: Stirling's series, whose error is below its first omitted term, from n = 64 on."""
    if n < 64:
        return ln(math.factorial(n))
    value = (n + Decimal("0.5")) * ln(n) - n + HALF_LOG_TWO_PI
    power = 1 / Decimal(n)
    square = power * power
    for b in STIRLING:
        value += b * power
        power *= square
    return value


def ln_choose(n: int, k: int) -> Decimal:
    return ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)


def _quotient(a: Fraction, b: Fraction) -> float:
    """a/b rounded once, where that is a float."""
    try:
        return float(a / b)
    except OverflowError:
        return math.inf


EXCESS_BEYOND_FLOATS = 1e9  # An excess too large to be computed.
