r"""Sums of products to twice the digits of float64, for many at once, with a bound on their error.

A rounded sum of two floats, and a rounded product, differ from the true one by a float, which is
computed without rounding: a + b = s + t (Knuth 1969) and a·b = p + t (Veltkamp 1968, Dekker 1971),
the latter but for 5·2⁻¹⁰⁷⁴ where something underflows. So Σ a_j b_j = h + Σ t, where h is the
rounded sum and n errors t are left. If l is their rounded sum,

    |Σ a_j b_j − (h + l)|  ≤  γ_n Σ|t| + 5n·2⁻¹⁰⁷⁴      (Ogita, Rump, Oishi 2005),

about the square of what float64 allows for. After overflow the bound is not finite.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from certo.numbers.rounded import ABOVE, NotShown, Rounded
from certo.numbers.rounding import TINY, UNIT

SPLIT = 2.0**27 + 1


class Twofold(NamedTuple):
    """Numbers that are within `off` of high + low."""

    high: np.ndarray
    low: np.ndarray
    off: np.ndarray


def two_sum(a, b):
    s = a + b
    other = s - a
    return s, (a - (s - other)) + (b - other)


def two_product(a, b):
    p = a * b
    high = SPLIT * a
    a_high = high - (high - a)
    a_low = a - a_high
    high = SPLIT * b
    b_high = high - (high - b)
    b_low = b - b_high
    return p, a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)


def sum_of_products(a: np.ndarray, b: np.ndarray) -> Twofold:
    """Σ_j a_j b_j over the first axis of both, which may be broadcast against each other."""
    p, t = two_product(a, b)
    n = p.shape[0]
    low, size = t.sum(axis=0), np.abs(t).sum(axis=0)
    while p.shape[0] > 1:  # Halves are added to halves.
        half = p.shape[0] // 2
        s, t = two_sum(p[:half], p[half : 2 * half])
        low += t.sum(axis=0)
        size += np.abs(t).sum(axis=0)
        p = s if p.shape[0] == 2 * half else np.concatenate([s, p[-1:]])
    high = p[0] if n else np.zeros(p.shape[1:])
    return Twofold(high, low, 2.02 * (3 * n + 4) * UNIT * size + 8 * n * TINY)


def scores(X: np.ndarray, coef: np.ndarray, intercept: float) -> Twofold:
    """coef·x_t + intercept for the rows of X."""
    high, low, off = sum_of_products(X.T, coef[:, None])
    high, error = two_sum(high, intercept)
    return Twofold(high, low + error, off + 2 * UNIT * (np.abs(low) + np.abs(error)))


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def may_be_least(X: np.ndarray, signs, coef: np.ndarray, intercept: float) -> np.ndarray:
    """Which of the margins y_t (coef·x_t + intercept) are not shown to be above another.

    The difference from the least one, as it seems, is off by both bounds, and is rounded by no more
    than 4u times the sum of its parts."""
    high, low, off = scores(X, coef, intercept)
    high, low = signs * high, signs * low
    at = np.argmin(high + low)
    high, low = high - high[at], low - low[at]
    return ~(high + low > off + off[at] + 8 * UNIT * (np.abs(high) + np.abs(low)))


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def hinge_losses(X: np.ndarray, signs, coef: np.ndarray, intercept: float, costs) -> Rounded:
    """Σ c_t [1 − y_t (coef·x_t + intercept)]₊ over the rows of X; NotShown after overflow.

    A loss is off by no more than its margin, and is 0 where that is above 1 beyond doubt.
    """
    score = scores(X, coef, intercept)
    loss, error = two_sum(1.0, -signs * score.high)
    low = error - signs * score.low
    off = score.off + 2 * UNIT * (np.abs(error) + np.abs(score.low))
    within = np.sum((costs * off)[~(loss + low < -off)]) + costs.size * TINY
    some = ~(loss + low < 0)
    total = sum_of_products(np.tile(costs[some], 2), np.append(loss[some], low[some]))
    return _rounded(total, within)


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def squared_combination(X: np.ndarray, weights: np.ndarray) -> Rounded:
    """‖Σ weights_i x_i‖² over the rows of X; NotShown after overflow.

    Where |v_j − (h + l)| ≤ δ, v_j² = h² + 2hl + l² up to (2|h + l| + δ) δ.
    """
    high, low, off = sum_of_products(X, weights[:, None])
    square = sum_of_products(np.append(high, [2 * high, low]), np.append(high, [low, low]))
    within = np.sum((2 * (np.abs(high) + np.abs(low)) + off) * off) + 2 * off.size * TINY
    return _rounded(square, within)


def _rounded(found: Twofold, within: float) -> Rounded:
    """A number that is further off by `within`, a rounded sum; NotShown after overflow."""
    high, low, off = float(found.high), float(found.low), float(found.off + within) * ABOVE
    if not np.isfinite(high + low + off):
        raise NotShown("numbers overflow float64.")
    return Rounded(Fraction(high) + Fraction(low), Fraction(off))
