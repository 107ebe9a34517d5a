"""Examples that cannot all be on their own side, in exact arithmetic.

Write z_t = y_t x_t, or y_t (x_t, 1) with an intercept. If Σ a_t z_t = 0 with every a_t > 0, no w
has w·z_t > 0 for all of these t: the sum of the a_t w·z_t is w·0 = 0 (the easy half of Farkas'
lemma, or Gordan's theorem). Every float is a rational number, so the sum can be checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

MAX_DENOMINATOR_BITS = 2**19  # Bits of the common denominator of weights.


def whole_numbers(dense: np.ndarray) -> list[list[int]]:
    """A matrix of finite floats times the least power of two that makes them integers."""
    mantissas, exponents = np.frexp(dense)
    exponents = np.where(dense != 0, exponents - 53, 0)
    wholes = (mantissas * 2.0**53).astype(np.int64)
    # Trailing zero bits belong to the exponent, so that small integers stay small.
    trailing = np.zeros_like(wholes)
    low = wholes & -wholes
    trailing[wholes != 0] = np.log2(low[wholes != 0].astype(np.float64)).astype(np.int64)
    least = int(np.min(np.where(wholes != 0, exponents + trailing, 0), initial=0))
    return [
        [
            m << (e - least) if e >= least else m >> (least - e)
            for m, e in zip(mantissa, exponent, strict=True)
        ]
        for mantissa, exponent in zip(wholes.tolist(), exponents.tolist(), strict=True)
    ]


def common_denominator(weights: Sequence[int | Fraction]) -> int | None:
    """The least common denominator, or None if it is larger than honest weights can need."""
    common = 1
    for weight in weights:
        common = math.lcm(common, Fraction(weight).denominator)
        if common.bit_length() > MAX_DENOMINATOR_BITS:
            return None
    return common


def cancels(vectors: Sequence[Sequence[int]], weights: Sequence[int | Fraction]) -> bool:
    """Whether Σ weight·vector = 0, exactly; False also where the weights have no common
    denominator of a reasonable size (that found by an exact solution is theirs, or near it)."""
    common = common_denominator(weights)
    if common is None:
        return False
    whole = [int(weight * common) for weight in weights]
    return all(
        sum(a * v for a, v in zip(whole, column, strict=True)) == 0
        for column in zip(*vectors, strict=True)
    )
