r"""Soft margin for many examples of few features: Newton steps on a smoothed primal.

Problem     min P(w) = ½ w·Rw + Σ c_t [r_t]₊,   r_t = 1 − y_t w·x̃_t; R = I, without the entry of a
            free intercept
Smoothed    with weights β_t in [0, 1] and a slope τ, [r]₊ becomes
            max_{0 ≤ a ≤ 1} a r − (a − β)²/(2τ), whose derivative is clip(β + τ r, 0, 1): the
            method of multipliers (Rockafellar 1976), of which τ → ∞ is the problem itself
Step        Newton's, on the piecewise quadratic smoothed P: the second derivative is
            R + Σ τ c_t x̃_t x̃_tᵀ over the *open* examples, those with 0 < β + τ r < 1. Then a line
            search, exact up to a tenth of the slope (Li, Sun, Toh, SIAM J. Optim. 2018)
Settle      when the gradient adds less to the gap than complementarity does: β ← clip(β + τ r),
            and a larger τ
Gap         with α = c·clip(β + τ r) and v = Σ α y x̃:
            P(w) − D(α) = Σ (c [r]₊ − α r) + ½‖w − v‖², both sums being ≥ 0
Fewer rows  within a ball around w an example whose r keeps its sign stays settled: where its
            weight is 0 it is left out, where it is 1 it adds to a linear term. Steps that would
            leave the ball end at its surface, and all examples are looked at again
Start       the solution for one in eight of the examples, found in the same way
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from certo.blas import few_threads
from certo.solvers.gap_ledger import Ledger
from certo.solvers.hinge_rows import HingeRows, Pull

SETTLE_BELOW = 1.0  # Share of the rest of the gap that the gradient may add when settling.
TAU_FACTOR = 2.5  # The factor of τ when settling.
FIRST_WIDTH = 4.0  # 1/τ at the start: all examples are open at w = 0.
CONTINUED_WIDTH = 0.25  # 1/τ where a solution is continued: margins may be off by so much.
COARSE_WIDTH = 2.0  # The same after some epochs of descent.
SAMPLED_PART = 8  # One in so many examples is solved for first.
MIN_SAMPLED_ROWS_PER_FEATURE = 25  # A sample is used if it has so many rows for each feature.
SAMPLE_GAP = 3e-3  # It is solved to this relative gap.
NARROW_ABOVE_NUMBERS = 2**16  # Problems of fewer numbers gain nothing from leaving examples out.


class Part(NamedTuple):
    """Examples that may change sides while w stays within a ball."""

    rows: HingeRows
    chosen: np.ndarray | slice
    pulled: np.ndarray  # Σ c_t y_t x̃_t over the examples left out that stay violated
    cost: float  # Σ c_t
    centre: np.ndarray
    radius: float

    @classmethod
    def whole(cls, rows: HingeRows, w: np.ndarray) -> Part:
        return cls(rows, slice(None), np.zeros(rows.dimension), 0.0, w, np.inf)

    @property
    def is_whole(self) -> bool:
        return self.radius == np.inf

    def reach(self, w: np.ndarray, step: np.ndarray) -> float:
        """How far one may go along the step."""
        if self.is_whole:
            return np.inf
        away = w - self.centre
        a, b, c = step @ step, away @ step, away @ away - self.radius**2
        return float((np.sqrt(max(b * b - a * c, 0.0)) - b) / a) if a > 0 else np.inf


class PrimalNewton:
    """The state: w, the weights β of all examples, and the best so far."""

    def __init__(self, rows: HingeRows, regular: np.ndarray, rng: np.random.Generator):
        self.rows, self.regular, self.rng = rows, regular, rng
        self.best_w, self.best_beta = np.zeros(rows.dimension), np.zeros(rows.m)
        self.w, self.beta, self.tau = self.best_w, np.full(rows.m, 0.5), 1 / FIRST_WIDTH

    def begin(self, ledger: Ledger) -> bool:
        """Start from the solution for a sample, if there are many examples; whether there are."""
        n = self.rows.m // SAMPLED_PART
        if n < MIN_SAMPLED_ROWS_PER_FEATURE * self.rows.dimension:
            return False
        some = np.sort(self.rng.choice(self.rows.m, n, replace=False))
        part = self.rows.take(some)
        part = self.rows.take(some, self.rows.total / (part.total or 1.0))
        coarse = PrimalNewton(part, self.regular, self.rng)
        coarse.begin(ledger)
        quick = Ledger(max(ledger.goal, SAMPLE_GAP), ledger.most, ledger.asked)
        coarse.run(quick)
        ledger.asked_to = quick.asked_to
        self.w = coarse.best_w
        # Margins of a fit to n examples are off by about √(D/n).
        self.tau = 1 / (4 * np.sqrt(self.rows.dimension / n))
        return True

    def continue_from(
        self, alpha: np.ndarray, w: np.ndarray, b: float, width: float = CONTINUED_WIDTH
    ) -> None:
        """From the solution of a problem much like this one."""
        self.w = np.append(w, b)[: self.rows.dimension]
        self.beta, self.tau = alpha / self.rows.costs, 1 / width

    def taking_over(
        self, alpha: np.ndarray, w: np.ndarray, b: float, width: float = CONTINUED_WIDTH
    ) -> PrimalNewton:
        """The same after another method, whose best these are."""
        self.continue_from(alpha, w, b, width)
        self.best_w, self.best_beta = self.w, self.beta.copy()
        return self

    @property
    def best(self) -> np.ndarray:
        """The best multipliers."""
        return self.best_beta * self.rows.costs

    @property
    def best_pair(self) -> tuple[np.ndarray, float]:
        d = self.rows.X.shape[1]
        return self.best_w[:d], float(self.best_w[d]) if self.rows.lift else 0.0

    def run(self, ledger: Ledger) -> None:
        """Until the gap is `ledger.goal`, or the ledger says that it is over."""
        rows, w, tau = self.rows, self.w, self.tau
        part, r = Part.whole(rows, w), 1.0 - rows.products(w, np.empty(rows.m))
        beta, q = self.beta, np.empty(rows.m)
        settled, snapshot = w, False
        while True:
            pull = part.rows.pull(beta, tau, r)
            primal, apart, short = self._values(part, w, pull)
            better_w, better = ledger.note(primal, primal - apart - short)
            if better_w:
                self.best_w = w
            if better:
                if not snapshot and not part.is_whole:
                    self.best_beta[:] = self.beta
                self.best_beta[part.chosen], snapshot = _clip_weights(beta, tau, r), True
            if ledger.over:
                break
            arrived = apart + short <= ledger.goal * primal
            if arrived and part.is_whole:
                break
            if arrived:
                part, r, beta = self._widen(part, w, beta)
                q, snapshot = np.empty(rows.m), False
                continue
            if short <= SETTLE_BELOW * apart:
                beta[:] = _clip_weights(beta, tau, r)
                tau *= TAU_FACTOR
                smaller = self._narrow(part, w, beta, r, 2 * float(np.linalg.norm(w - settled)))
                settled = w
                if smaller is not None:
                    part, r, beta = smaller
                    q, snapshot = np.empty(part.rows.m), False
                continue
            step = self._newton(part, w, pull, tau)
            if step is None:
                break
            part.rows.products(step, q)
            most = part.reach(w, step)
            length = self._line_search(part, w, step, pull, beta, tau, r, q, most)
            w = w + length * step
            r -= length * q
            if length >= most:
                part, r, beta = self._widen(part, w, beta)
                q, snapshot = np.empty(rows.m), False
        self.w, self.tau = w, tau
        self.beta[part.chosen] = beta

    def _values(self, part: Part, w: np.ndarray, pull: Pull) -> tuple[float, float, float]:
        """P(w), and the two parts of the gap: of complementarity, and of the gradient."""
        outside = part.cost - float(part.pulled @ w)
        primal = 0.5 * float(w @ (self.regular * w)) + pull.hinge + outside
        miss = self.regular * w - pull.v - part.pulled
        short = 0.5 * float(miss @ (self.regular * miss))
        # Σ α y ≠ 0: moving so much weight costs about |b|, as b is its price, and roundings
        short += float(np.abs(miss) @ ((1 - self.regular) * (1 + np.abs(w))))
        return primal, max(pull.hinge - pull.product, 0.0), short

    def _newton(self, part: Part, w: np.ndarray, pull: Pull, tau: float) -> np.ndarray | None:
        H = part.rows.squares(pull.opened, tau)
        at = np.diag_indices_from(H)
        # Without open examples nothing but this holds a free intercept.
        H[at] += self.regular + (1 - self.regular) * 1e-10 * tau * self.rows.total
        scale = 1 / np.sqrt(H[at])  # The scaling treats columns of any size alike.
        H *= scale[:, None] * scale
        H[at] += 1e-14
        miss = self.regular * w - pull.v - part.pulled
        try:
            with few_threads(len(H)):
                factor = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
            return -scale * cho_solve(factor, scale * miss, check_finite=False)
        except LinAlgError:  # The factorisation fails in float64.
            return None

    def _line_search(self, part, w, step, pull, beta, tau, r, q, most) -> float:
        """A step length at which the slope is at most a tenth of what it is at 0; or `most`."""
        curve = float(step @ (self.regular * step))
        start = float((self.regular * w - part.pulled) @ step)

        def slope(length: float) -> float:
            return start + length * curve - part.rows.slope_along(beta, tau, r, q, length)

        first = float((self.regular * w - pull.v - part.pulled) @ step)
        low, at_low, high, at_high = 0.0, first, np.inf, np.inf
        length = min(1.0, most)
        for k in range(60):
            here = slope(length)
            if abs(here) <= (0.1 if k else 0.3) * abs(first) or (here < 0 and length >= most):
                break
            if here > 0:
                high, at_high = length, here
            else:
                low, at_low = length, here
            if high == np.inf:
                length = min(4 * length, most)
            elif k % 2:
                length = (low + high) / 2
            else:
                share = at_low / (at_low - at_high)
                length = low + (high - low) * min(max(share, 0.1), 0.9)
        return length

    def _narrow(self, part, w, beta, r, radius) -> tuple[Part, np.ndarray, np.ndarray] | None:
        """The part for this radius, its r and β; None if more than a quarter would be left."""
        if radius == 0 or self.rows.work < NARROW_ABOVE_NUMBERS:
            return None
        near = _unsettled(part.rows, beta, r, radius)
        if 4 * np.count_nonzero(near) > near.size:
            return None
        if not part.is_whole:
            _, r, beta = self._widen(part, w, beta)
            near = _unsettled(self.rows, beta, r, radius)
        chosen = np.flatnonzero(near)
        weights = np.where(near, 0.0, beta)
        outside = self.rows.pull(weights, 0.0, r)
        small = Part(self.rows.take(chosen), chosen, outside.v, outside.total, w, radius)
        return small, r[chosen], beta[chosen]

    def _widen(self, part, w, beta) -> tuple[Part, np.ndarray, np.ndarray]:
        """All examples again."""
        self.beta[part.chosen] = beta
        r = 1.0 - self.rows.products(w, np.empty(self.rows.m))
        return Part.whole(self.rows, w), r, self.beta


def _unsettled(rows: HingeRows, beta: np.ndarray, r: np.ndarray, radius: float) -> np.ndarray:
    """Which examples may change sides somewhere in the ball."""
    reach = rows.lengths * radius
    return ~(((beta == 1) & (r > reach)) | ((beta == 0) & (r < -reach)))


def _clip_weights(beta: np.ndarray, tau: float, r: np.ndarray) -> np.ndarray:
    return np.clip(beta + tau * r, 0.0, 1.0)
