r"""Real numbers, not floats: exact rational arithmetic, and allowances for what is rounded.

Every float is a rational number, so every score, norm and margin of the given data is one too,
and `Fraction` computes it exactly. That is slow, so rounded arithmetic looks first and exact
arithmetic decides only where the rounded answer is too close to call. How far a computed sum of
products may be off, γ_n Σ|a_j b_j| + n·2⁻¹⁰⁷⁴, is told in `certo.numbers.rounding`.

The magnitudes Σ|a_j b_j| in the allowance are themselves computed in float64, hence too small by
at most a factor 1 − γ_n; `allowance` doubles γ_n, which pays for that and for its own roundings.
A comparison of rounded sums with a float needs no allowance of its own where it is strict: rounding
to nearest keeps order, so that fl(a − b) > c, or fl(a + b) < c, holds of the real numbers too.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from certo.numbers.rounding import TINY, gamma
from certo.numbers.rounding import UNIT as UNIT

SHORT = 256  # Vectors up to this length are summed exactly, which takes about 0.2 ms.
ROUND_UP_8 = 1 + 2.0**-49  # A factor that pays for up to eight roundings of non-negative numbers.
ROUND_UP = 1 + 2.0**-40  # A factor that pays for the roundings of a few vector operations.


def allowance(n: Any, magnitude: Any) -> Any:
    """A bound on the error of a computed Σ_{j≤n} a_j b_j, given the computed Σ|a_j b_j|;
    for many sums at once, where n or both are arrays."""
    return 2.0 * gamma(n + 2) * magnitude + 2.0 * (n + 2) * TINY


def _scaled(values: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Floats as integers and exponents: value = integer·2^exponent."""
    fractions, exponents = np.frexp(values)
    return (fractions * 2.0**53).astype(np.int64).tolist(), exponents - 53


def dot(a, b) -> Fraction:
    """Σ a_j b_j exactly, for finite floats."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    (whole, exponents), (others, more) = _scaled(a), _scaled(b)
    exponents = exponents + more
    lowest = int(exponents.min(initial=0))
    shifts = (exponents - lowest).tolist()
    total = sum([m * n << shift for m, n, shift in zip(whole, others, shifts, strict=True)])
    return Fraction(total, 1 << -lowest)


def dot_within(a: np.ndarray, b: np.ndarray) -> tuple[Fraction, Fraction]:
    """Two rationals between which Σ a_j b_j lies: exact, or for long vectors (where that would be
    slow) with the allowance on either side."""
    with np.errstate(over="ignore", invalid="ignore"):
        products = a * b
        magnitude = float(np.sum(np.abs(products)))
    # Outside this range products over- or underflow, and the allowance would be all there is.
    if a.size <= SHORT or not 2.0**-900 < magnitude < 2.0**1000:
        value = dot(a, b)
        return value, value
    middle, slack = Fraction(float(np.sum(products))), Fraction(allowance(a.size, magnitude))
    return middle - slack, middle + slack


def below(value: Fraction) -> float:
    """A float ≤ value, the largest or next to it; −inf below the range of floats."""
    return -above(-value) + 0.0  # The result is never −0.


def above(value: Fraction) -> float:
    """A float ≥ value, the smallest or next to it; +inf above the range of floats."""
    try:
        near = float(value)  # float() rounds correctly.
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0.0)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def root_above(value: Fraction) -> float:
    """A float ≥ √value, within two units in the last place in the normal range."""
    if not value:
        return 0.0
    # ⌈√(value·4^s)⌉/2^s with s chosen so that the integer has at least 64 bits
    shift = max(0, 64 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    square, rest = divmod(value.numerator << (2 * shift), value.denominator)
    root = math.isqrt(square)
    return above(Fraction(root + (rest > 0 or root * root < square), 1 << shift))


def norm(vector: np.ndarray) -> float:
    """‖vector‖, rounded; scaled by the largest entry, whose square might over- or underflow."""
    peak = float(np.max(np.abs(vector), initial=0.0))
    return peak * math.sqrt(float(np.sum((vector / peak) ** 2))) if peak else 0.0
