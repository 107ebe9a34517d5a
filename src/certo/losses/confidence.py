"""How far the risk may be from its mean on a test set.

All intervals are two-sided, each end fails with probability at most (1 − confidence)/2, and all
suppose independent examples that had no part in making the predictor.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
from scipy.special import ndtri

from certo.bounds import clopper_pearson
from certo.numbers.decimals import rounded_down, rounded_up
from certo.numbers.digits import confidence as in_percent


class EstimatedRisk(float):
    """The empirical risk, a float, with an interval for the risk itself.

    Attributes
    ----------
    low, high : float
        The ends of the interval.
    confidence : float
        With at least this probability, over the draw of the examples, the risk is between them;
        by the normal approximation, only about so.
    method : {"Clopper–Pearson", "Hoeffding", "empirical Bernstein", "normal approximation"}
    remark : str
        What is known against the examples being new, if anything.
    """

    low: float
    high: float
    confidence: float
    method: str
    remark: str

    def __new__(
        cls, value: float, low: float, high: float, confidence: float, method: str, remark: str = ""
    ):
        made = super().__new__(cls, value)
        made.low, made.high, made.confidence, made.method = low, high, confidence, method
        made.remark = remark
        return made

    def __getnewargs__(self):
        return float(self), self.low, self.high, self.confidence, self.method, self.remark

    def __repr__(self) -> str:
        between = f"{rounded_down(self.low, 4)} to {rounded_up(self.high, 4)}"
        sure = in_percent(1 - Decimal(repr(float(self.confidence))))
        method, but = self.method, f", but {self.remark}" if self.remark else ""
        return (
            f"{float(self):.4g} ({between} at {sure} %, {method}, if these "
            f"examples had no part in the fit{but})"
        )


def estimated(
    value: float,
    losses: np.ndarray,
    shares: np.ndarray,
    confidence: float,
    loss_range: tuple[float, float] | None,
    least: float = -math.inf,
    remark: str = "",
) -> EstimatedRisk:
    """`value` = Σ sharesᵢ lossesᵢ with its interval; the shares are positive and add up to 1, and
    no loss is below `least`."""
    alike = bool(np.all(shares == shares[0]))
    if not np.isfinite(value):  # An infinite loss was observed.
        low = high = value
        method = "normal approximation"
    elif loss_range == (0.0, 1.0) and alike and np.isin(losses, (0.0, 1.0)).all():
        low, high = clopper_pearson(losses.size, int(losses.sum()), 1 - confidence)
        method = "Clopper–Pearson"
    elif loss_range is None:
        low, high = _normal(value, losses, shares, confidence)
        low = min(value, max(least, low))
        method = "normal approximation"
    elif alike:
        low, high = _bernstein(value, losses, confidence, *loss_range)
        method = "empirical Bernstein"
    else:
        low, high = _hoeffding(value, shares, confidence, *loss_range)
        method = "Hoeffding"
    return EstimatedRisk(value, float(low), float(high), confidence, method, remark)


def _bernstein(value, losses, confidence, least, most) -> tuple[float, float]:
    """Maurer and Pontil (COLT 2009, Theorem 4), on both sides: the deviation is at most
    √(2 V ln(2/tail)/m) + 7 (most − least) ln(2/tail)/(3(m − 1)), V the sample variance."""
    m, log = losses.size, math.log(4 / (1 - confidence))
    if m == 1:
        return least, most
    off = math.sqrt(2 * losses.var(ddof=1) * log / m) + 7 * (most - least) * log / (3 * (m - 1))
    return max(least, value - off), min(most, value + off)


def _hoeffding(value, shares, confidence, least, most) -> tuple[float, float]:
    """For fixed weights: the deviation is at most (most − least) √(ln(1/tail) Σ sharesᵢ²/2)."""
    log = math.log(2 / (1 - confidence))
    off = (most - least) * math.sqrt(log * float(shares @ shares) / 2)
    return max(least, value - off), min(most, value + off)


def _normal(value, losses, shares, confidence) -> tuple[float, float]:
    """By the central limit theorem: nothing is proved of so many examples."""
    m = losses.size
    if m == 1:
        return -math.inf, math.inf
    error = math.sqrt(m / (m - 1) * float(np.sum((shares * (losses - value)) ** 2)))
    off = ndtri((1 + confidence) / 2) * error
    return value - off, value + off
