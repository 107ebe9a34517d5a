"""The margins y_t (coef·x_t + intercept) of a sample: rounded first, exact where it matters.

The allowance of a margin is that of `exact.allowance` for the d + 1 products of coef·x + b·1. It
is computed for a whole block of rows at once from max|x|·Σ|coef|, or ‖coef‖·max‖x‖ where that is
known (both cheap, both at least Σ|coef_j x_j|), again for single rows from Σ|coef_j x_j| where that was too coarse, and not at all where rows, coef and intercept are
integers with Σ|coef_j x_j| + |b| < 2⁵³: then no operation rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from certo.certificates import exact
from certo.certificates.sample import Sample

EXACT_ROWS = 256  # where more rows than this tie, the least is bounded instead of computed


@dataclass(frozen=True)
class Margins:
    """value[t] is within slack[t] of the true margin."""

    sample: Sample
    coef: np.ndarray
    intercept: float
    value: np.ndarray
    slack: np.ndarray

    @classmethod
    def of(
        cls, sample: Sample, coef: np.ndarray, intercept: float, square: float | None = None
    ) -> Margins:
        """`square`, if known, is a number that no ‖x_t‖² exceeds."""
        value, slack = np.empty(sample.m), np.empty(sample.m)
        length = float(np.sum(np.abs(coef)))
        with np.errstate(over="ignore", invalid="ignore"):
            if square is not None:
                magnitude = math.sqrt(square * float(np.sum(coef * coef)))
            for start, stop in sample.blocks():
                part = sample.part(start, stop)
                if square is None:
                    entries = part.data if sparse.issparse(part) else part
                    peak = max(entries.max(), -entries.min()) if entries.size else 0.0
                    magnitude = peak * length
                scores = part @ coef
                scores += intercept
                np.multiply(scores, sample.signs[start:stop], out=value[start:stop])
                slack[start:stop] = exact.allowance(sample.d, magnitude + abs(intercept))
        return cls(sample, coef, intercept, value, slack)

    def exactly(self, t: int) -> Fraction:
        return self.sample.score(t, self.coef, self.intercept) * int(self.sample.signs[t])

    def _tighten(self, rows: np.ndarray) -> None:
        """Replace the allowances of these rows by their own."""
        integers = float(self.intercept).is_integer() and np.all(self.coef == np.rint(self.coef))
        size = np.abs(self.coef)
        for k in range(0, rows.size, 4096):
            some = rows[k : k + 4096]
            part = self.sample.X[some].astype(np.float64)
            with np.errstate(over="ignore", invalid="ignore"):
                magnitude = abs(part) @ size + abs(self.intercept)
                slack = exact.allowance(self.sample.d, magnitude)
            if integers:
                if sparse.issparse(part):
                    odd = part.copy()
                    odd.data = (part.data != np.rint(part.data)).astype(np.float64)
                    whole = np.asarray(odd.sum(axis=1)).ravel() == 0
                else:
                    whole = np.all(part == np.rint(part), axis=1)
                slack[whole & (magnitude < 2.0**52)] = 0.0
            self.slack[some] = np.fmin(self.slack[some], slack)

    def least(self) -> tuple[Fraction, int]:
        """(γ, t): no margin is below γ, and that of t is γ, or next to it where many tie."""
        rows = self._rivals(np.arange(self.sample.m))
        if rows.size > 1:
            self._tighten(rows)
            rows = self._rivals(rows)
        rows = rows[np.argsort(self.value[rows], kind="stable")]
        if rows.size > EXACT_ROWS and not np.any(self.slack[rows]):
            rows = rows[:1]  # integers: all of these are exactly equal
        least, where = min((self.exactly(t), int(t)) for t in rows[:EXACT_ROWS])
        rest = rows[EXACT_ROWS:]
        if rest.size:
            lower = float(np.min(self.value[rest] - self.slack[rest]))
            if not math.isfinite(lower):  # overflow: no rounded number helps
                return min((self.exactly(t), int(t)) for t in rows)
            least = min(least, Fraction(math.nextafter(lower, -math.inf)))
        return least, where

    def _rivals(self, rows: np.ndarray) -> np.ndarray:
        """The rows that could have the least margin."""
        value, slack = self.value[rows], self.slack[rows]
        with np.errstate(invalid="ignore", over="ignore"):
            ceiling = np.nextafter(np.min(value + slack, initial=np.inf), np.inf)
            # `not >`: rows whose margin overflowed to NaN stay in
            return rows[~(value - slack > ceiling)] if not math.isnan(ceiling) else rows

    def is_error(self, zero_sign: int) -> np.ndarray:
        """Which examples sgn(score) gets wrong, sgn(0) being `zero_sign`; decided exactly."""
        wrong = self.value < 0
        close = np.flatnonzero(~(np.abs(self.value) > self.slack))
        if close.size:
            self._tighten(close)
        for t in close:
            if self.slack[t] == 0:
                sign = np.sign(self.value[t])
            elif abs(self.value[t]) > self.slack[t]:
                sign = 1 if self.value[t] > 0 else -1
            else:
                margin = self.exactly(int(t))
                sign = (margin > 0) - (margin < 0)
            wrong[t] = sign < 0 or (sign == 0 and self.sample.signs[t] != zero_sign)
        return wrong

    def shortfall(self, target: float, rows: np.ndarray, weights: np.ndarray) -> float:
        """A float that Σ_k weights_k·[target − margin_k]₊ over `rows` does not exceed.

        Each margin is taken smaller by its slack, and each difference larger by the rounding of
        the two subtractions, at most 4u(|target| + |margin| + slack); then all terms are
        non-negative, and products and sum are off by a factor of at most 1 ± γ_{n+1}.
        """
        value, slack = self.value[rows], self.slack[rows]
        missing = np.maximum(target - (value - slack), 0.0)
        missing += 4 * exact.UNIT * (abs(target) + np.abs(value) + slack) * (missing > 0)
        total = float(np.sum(missing * weights))
        return math.nextafter(total + exact.allowance(rows.size + 1, total), math.inf)

    def shortfall_to_claim(self, target: float, rows: np.ndarray, weights: np.ndarray) -> float:
        """The same with room for a checker who sums in another order and with his own slack."""
        room = 4 * float(np.sum(self.slack[rows] * weights))
        return (self.shortfall(target, rows, weights) + room) * (1 + 2.0**-40)

    def falls_short_by_at_most(
        self, claimed: float, target: float, rows: np.ndarray, weights: np.ndarray
    ) -> bool:
        """Whether Σ_k weights_k·[target − margin_k]₊ ≤ claimed can be shown."""
        if self.shortfall(target, rows, weights) <= claimed:
            return True
        self._tighten(rows)
        return self.shortfall(target, rows, weights) <= claimed
