"""The formulas of bounds on new examples, in rationals and decimals."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

NEARLY = 1 - Decimal(10) ** -45  # the decimals here are rounded, too


def at_most(n: int, p: Fraction, k: int) -> Fraction:
    """P[Bin(n, p) ≤ k]: for p = a/(a + c) it is Σ_{i≤k} C(n, i) aⁱ cⁿ⁻ⁱ / (a + c)ⁿ, and each term
    times (n − i)·a / ((i + 1)·c) is the next one."""
    k, a, c = min(k, n), p.numerator, p.denominator - p.numerator
    if not c:
        return Fraction(k == n)
    term = total = c**k
    for i in range(k):
        term = term * ((n - i) * a) // ((i + 1) * c)
        total += term
    return Fraction(total * c ** (n - k), p.denominator**n)


def is_upper_end(p: float, n: int, errors: int, level: Fraction) -> bool:
    """Whether P[Bin(n, q) ≤ errors] ≤ level for all q ≥ p."""
    return p >= 1 or (p > 0 and errors < n and at_most(n, Fraction(p), errors) <= level)


def binomial_tail_holds(p: float, m: int, k: int, errors: int, delta: float) -> bool:
    """Whether p is at least the largest with P[Bin(m − k, p) ≤ errors] ≥ δ/(m·C(m, k))."""
    return is_upper_end(p, m - k, errors, Fraction(delta) / (m * math.comb(m, k)))


def clopper_pearson_holds(
    lower: float, upper: float, n: int, least: int, most: int, delta: float
) -> bool:
    """Whether neither end is inside that of Clopper and Pearson, for from `least` to `most`."""
    half = Fraction(delta) / 2
    if not is_upper_end(upper, n, most, half):
        return False
    return lower <= 0 or (
        least > 0 and lower < 1 and 1 - at_most(n, Fraction(lower), least - 1) <= half
    )


def campi_garatti_holds(p: float, m: int, k: int, delta: float) -> bool:
    """Whether (δ/m) Σ_{i=k}^{m−1} C(i, k)/C(m, k)·(1 − p)^{−(m−i)} ≥ 1: it grows with p."""
    if p >= 1:
        return True
    if p <= 0 or k >= m:
        return False
    q = 1 - Fraction(p)
    whole = sum(
        (Fraction(math.comb(i, k), math.comb(m, k)) / q ** (m - i) for i in range(k, m)),
        Fraction(0),
    )
    return Fraction(delta) * whole >= m


def printed(p: float, m: int, k: int, errors: int, inside) -> bool:
    """Whether p ≥ errors/(m − k) + sqrt(inside/m)."""
    with decimal.localcontext(decimal.Context(prec=60)):
        bound = Decimal(errors) / max(m - k, 1) + (inside() / m).sqrt()
        return Decimal(p) >= bound * NEARLY


def perceptron_holds(p: float, m: int, k: int, errors: int, delta: float) -> bool:
    def inside():
        return (k + 1) * Decimal(m).ln() + 1 - Decimal(delta).ln()

    return 2 * k <= m and printed(p, m, k, errors, inside)


def support_vector_holds(p: float, m: int, k: int, errors: int, delta: float) -> bool:
    def inside():
        return k + (k + 1) * Decimal(m).ln() - Decimal(delta).ln()

    return printed(p, m, k, errors, inside)


def online_to_batch_holds(p: float, m: int, loss: float, delta: float, span: float = 1.0) -> bool:
    with decimal.localcontext(decimal.Context(prec=60)):
        root = (-Decimal(delta).ln() / (2 * m)).sqrt()
        return Decimal(p) >= (Decimal(loss) / m + Decimal(span) * root) * NEARLY
