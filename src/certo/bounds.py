"""How often a predictor errs on new examples, at most: the formulas, with their rounding paid for.

Every function returns a float that is not below the true value of its formula (a lower end: not
above it). The statements, their assumptions and their proofs are on the pages `docs/bounds`.

A root of an equation between binomial probabilities is looked for in rounded arithmetic here, and
what is returned was shown by `certo.numbers.tails`, which is all that a checker needs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special

from certo.numbers.capped_mean import BETS, shows_capped_mean
from certo.numbers.clopper_pearson import shows_clopper_pearson, test_facts
from certo.numbers.online_to_batch import online_to_batch
from certo.numbers.perceptron_compression import perceptron_compression
from certo.numbers.printed import in_digits, ln, probability, whole_count
from certo.numbers.tails import (
    CountExcess,
    Interval,
    TailExcess,
    compression_facts,
    ln_choose,
    shows_binomial_tail,
    shows_campi_garatti,
    shows_upper,
    support_vector_compression,
    tail_ratios,
)

__all__ = [
    "Interval", "binomial_tail", "campi_garatti", "capped_mean", "clopper_pearson",
    "fixed_dimension", "online_to_batch", "perceptron_compression", "shows_binomial_tail",
    "shows_campi_garatti", "shows_capped_mean", "shows_clopper_pearson", "shows_fixed_dimension",
    "support_vector_compression",
]  # fmt: skip

MAX_ROOT, MIN_ROOT = 1 - 2.0**-53, 1e-300  # No root is sought outside these.
NEAR_ROOT = 1e-12  # Relative error that a root found in float64 has at most, mostly.
MAX_ROOT_STEPS, MAX_TAIL_STEPS = 3, 30  # Floats looked at beside a root, and steps towards it.


@in_digits
def binomial_tail(m: int, k: int, errors: int, delta: float) -> float:
    """The largest p with P[Bin(m − k, p) ≤ errors] ≥ δ / (m·C(m, k)); 1 if all others are wrong,
    or there are none."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    return _upper_end(m - k, errors, ln(delta) - ln(m) - ln_choose(m, k))


@in_digits
def fixed_dimension(m: int, dimension: int, delta: float) -> float:
    """The ε with P[Bin(m, ε) ≤ dimension − 1] = δ, the (1 − δ)-quantile of
    Beta(dimension, m − dimension + 1); 1 if dimension > m."""
    m, s, delta = whole_count(m, "m", 1), whole_count(dimension, "dimension", 1), probability(delta)
    return _upper_end(m, min(s - 1, m), ln(delta))


@in_digits
def shows_fixed_dimension(p: float, m: int, dimension: int, delta: float) -> bool:
    """Whether it is shown that p is at least `fixed_dimension`'s true value."""
    m, s, delta = whole_count(m, "m", 1), whole_count(dimension, "dimension", 1), probability(delta)
    return shows_upper(p, m, min(s - 1, m), ln(delta))


@in_digits
def clopper_pearson(n: int, errors: int, delta: float) -> Interval:
    """Two ends between which an error rate lies with probability at least 1 − δ, given its errors
    on n examples: each end is wrong with probability at most δ/2."""
    n, errors, delta = test_facts(n, errors, delta)
    half = ln(delta) - ln(2)
    upper = _upper_end(n, errors, half)
    if errors == 0:
        return Interval(0.0, upper)
    # P[Bin(n, p) ≥ errors] = P[Bin(n, 1 − p) ≤ n − errors], which is the same tail, mirrored.
    tail = TailExcess(n, n - errors, half)
    width = _reach(n, n - errors, half)
    return Interval(_first(lambda p: tail(1 - Fraction(p)), errors / n, -width), upper)


def _upper_end(n: int, e: int, target: Decimal) -> float:
    """The p with ln P[Bin(n, p) ≤ e] = target < 0, rounded up; 1 for e = n, where the tail is 1."""
    if e >= n:
        return 1.0
    excess = functools.cache(TailExcess(n, e, target))
    near, slope = _near_root(n, e, target)
    if 0 < near < 1:
        p = math.nextafter(near - float(excess(near)) / slope, 1.0)
        for _ in range(MAX_ROOT_STEPS):
            if excess(p) <= 0:
                return p
            p = math.nextafter(p, 1.0)
        return _first(excess, near * (1 - NEAR_ROOT), 2 * NEAR_ROOT * near)
    return _first(excess, e / n, _reach(n, e, target))


def _near_root(n: int, e: int, target: Decimal) -> tuple[float, float]:
    """The p with ln P[Bin(n, p) ≤ e] = target in float64, by Newton's method, and the slope there:
    −(n − e)/(1 − p)·P[Bin(n, p) = e]/P[Bin(n, p) ≤ e]. (NaN, NaN), if none is found."""
    constant = float(ln_choose(n, e) - target)
    p = float(special.betainccinv(e + 1, n - e, math.exp(target)))
    if not 0 < p < 1:
        p = e / n + _reach(n, e, target)
    for _ in range(MAX_TAIL_STEPS):
        if not 0 < p < 1:
            break
        sum_of_ratios = 1 + tail_ratios(n, e, (1 - p) / p)
        excess = constant + e * math.log(p) + (n - e) * math.log1p(-p) + math.log(sum_of_ratios)
        slope = -(n - e) / ((1 - p) * sum_of_ratios)
        if abs(excess) <= -slope * NEAR_ROOT * p:
            return p, slope
        p -= excess / slope
    return math.nan, math.nan


def capped_mean(losses: Any, cap: float, delta: float) -> float:
    """A number that the mean of losses ≥ 0, each cut at the cap, exceeds with probability at most
    δ, given independent draws of them: the least for which `shows_capped_mean` holds, about."""
    losses = np.minimum(np.asarray(losses, dtype=np.float64), cap)
    probability(delta)
    if not (losses.ndim == 1 and losses.size and np.all(losses >= 0)):
        raise ValueError("losses must be a list of numbers that are not negative.")
    if not 0 < cap < math.inf:
        raise ValueError(f"cap must be a positive number, got {cap!r}.")
    target = math.log(len(BETS)) - math.log(delta)

    def excess(u: float) -> float:
        steps = np.maximum((u - losses) / cap, -1.0)
        with np.errstate(divide="ignore"):
            gains = [float(np.sum(np.log1p(bet * steps))) for bet in BETS]
        return float(special.logsumexp(gains)) - target

    low = float(np.mean(losses))
    if not (excess(low) < 0 < excess(cap)):  # By Jensen, no product exceeds 1 at the mean.
        return float(cap)
    mean = _root(excess, low, cap, xtol=1e-300, rtol=1e-13)
    step = math.ulp(mean) * losses.size
    while not shows_capped_mean(mean, losses, cap, delta):
        mean, step = min(mean + step, cap), 2 * step
    return float(mean)


@in_digits
def campi_garatti(m: int, k: int, delta: float) -> float:
    """The root ε in (k/m, 1) of m·ε·P[Bin(m, ε) = k] = δ·P[Bin(m, ε) > k]; 1 for k = m."""
    m, k, _, delta = compression_facts(m, k, 0, delta)
    if k == m:
        return 1.0
    return _first(CountExcess(m, k, delta), k / m, _reach(m, k, ln(delta) - ln(m)))


def _reach(n: int, e: int, target: Decimal) -> float:
    """About how far from e/n a tail falls to e^target, by Bernstein's inequality."""
    t = -float(target) / n
    return math.sqrt(2 * t * (e / n) * (1 - e / n)) + t


def _root(excess: Callable[[float], float], low: float, high: float, **accuracy: Any) -> float:
    """Where the excess changes its sign between two numbers, about."""
    from scipy.optimize import brentq  # It is needed for new claims alone, and takes long to load.

    return float(brentq(excess, low, high, **accuracy))


def _first(excess: Callable, start: float, width: float) -> float:
    """The first number met from `start` on, about, at which the excess is shown not to be
    positive; 1 or 0 at the end, where it is not shown of any other."""
    excess = functools.cache(excess)
    end, sign = (MAX_ROOT, 1) if width > 0 else (MIN_ROOT, -1)
    a = min(max(start, MIN_ROOT), MAX_ROOT)
    if excess(a) <= 0:  # The root is on the other side of the start.
        b = a
        while excess(a) <= 0 and MIN_ROOT < a < MAX_ROOT:
            a, b = (a / 2 if sign > 0 else (1 + a) / 2), a
    else:
        b = a
        while excess(b) > 0 and b != end:
            a, b = b, min(b + width, end) if sign > 0 else max(b + width, end)
            width *= 2
    p = b
    if excess(a) > 0 >= excess(b):
        p = _root(lambda q: float(excess(q)), a, b, xtol=1e-308, rtol=1e-15, maxiter=2000)
    step = sign * math.ulp(p)
    while 0 < p < 1 and excess(p) > 0:
        p, step = p + step, 2 * step
    return float(min(max(p, 0.0), 1.0))
