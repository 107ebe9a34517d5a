r"""The soft-margin SVM from sums over rows: Newton's method on a smoothed hinge loss.

Problem     min ½‖w‖² + Σ c_t [1 − m_t]₊,  m_t = y_t (w·x_t + b)    (b free, none, or lifted: + ½b²)
Smoothed    in place of the hinge loss of r = 1 − m, with a window of width τ: 0 below −τ/2,
            (r + τ/2)²/(2τ) within, r above. Its slope, clip(½ + r/τ, 0, 1), times c_t is the
            multiplier α_t, so that no number is kept with a row: α is a function of w, b and τ
Gap         P(w, b) − (Σ α_t − ½‖v‖²), v = Σ α_t y_t x_t, in two parts: Σ c_t [r_t]₊ − α_t r_t, of
            the window, which goes with τ²; and ½‖w − v‖² + B|e|, e = Σ α_t y_t, of the gradient.
            Where there are many rows, a small gap is reached with many of them in the window
Step        (I + Σ_{t in the window} (c_t/τ) x̃_t x̃_tᵀ) s = −gradient, halved until the smoothed
            objective falls by a share of what the step promises; τ becomes smaller where the gap of
            the window is what is left, and w and b move along, to the solution for the new τ if
            the same rows stay in the window: where rows repeat, these would leave it else. A look
            at the rows costs one pass
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from certo.issue.slack import SLACK_FACTOR
from certo.numbers.exact import UNIT, allowance
from certo.solvers.gap_ledger import Ledger
from certo.solvers.interrupt import Stopped

WINDOW_SHARE = 0.25  # Share of the gap aimed at that the window may cost.
GRADIENT_SHARE = 0.25  # The same of the gradient.
NARROWING = 0.25  # A narrower window is at least this share of the one before,
MAX_NARROWING = 0.7  # and at most this one.
DECREASE_SHARE = 1e-4  # The share of the promised decrease that a step must bring.
EMPTY_WINDOW_SHARE = 1e-2  # Share of all multipliers that is taken to be in an empty window.
MIN_STEP_LENGTH = 2.0**-12
SHORT_STEP_LENGTH = 2.0**-6  # A shorter step says that the window is too narrow to steer by.
WIDENING = 64.0  # A window that is too narrow becomes wider by this factor,
MAX_WIDENINGS = 4  # at most so often.
MAX_WIDTH = 4.0  # A window from margin −1 to margin 3, in which rows of margin 0 are.
MIN_WIDTH = 2.0**-40


class Point(NamedTuple):
    """Weights (d,), the intercept, and the width of the window."""

    w: np.ndarray
    b: float
    width: float


@dataclass
class Look:
    """What rows add to the sums at a point."""

    hinge: float  # Σ c [r]₊
    smooth: float  # Σ c h_τ(r)
    linear: float  # Σ α r
    total: float  # Σ α
    pull: np.ndarray  # Σ α y (x, 1)
    hessian: np.ndarray  # Σ (c/τ) (x, 1)(x, 1)ᵀ over the window
    tilt: np.ndarray  # Σ (c/τ) r y (x, 1) over the window

    def __add__(self, other: Look) -> Look:
        return Look(
            self.hinge + other.hinge, self.smooth + other.smooth, self.linear + other.linear,
            self.total + other.total, self.pull + other.pull, self.hessian + other.hessian,
            self.tilt + other.tilt,
        )  # fmt: skip


def look(X, signs: np.ndarray, costs: np.ndarray, point: Point) -> Look:
    """At rows in float64."""
    w, b, width = point
    r = 1.0 - signs * (X @ w + b)
    slope = np.clip(0.5 + r / width, 0.0, 1.0)
    alpha = costs * slope
    inside = np.flatnonzero((slope > 0) & (slope < 1))
    weighted = alpha * signs
    pull = np.append(X.T @ weighted, weighted.sum())
    roots = np.sqrt(costs[inside] / width)[:, None]
    rows = X[inside].toarray() if sparse.issparse(X) else X[inside]
    Z = np.hstack([rows * roots, roots])
    positive = np.maximum(r, 0.0)
    half = 0.5 * width
    smooth = np.where(slope < 1, slope * (0.5 * (r + half)), r)
    return Look(
        float(costs @ positive), float(costs @ smooth), float(alpha @ r), float(alpha.sum()),
        pull, Z.T @ Z, Z.T @ (roots[:, 0] * (signs * r)[inside]),
    )  # fmt: skip


class Smoothed(NamedTuple):
    """Where the run ended, by its own sums, and what is proved there is for a claim to say."""

    point: Point
    primal: float
    dual: float
    steps: int


def window_gap(r: np.ndarray, costs: np.ndarray, width: float) -> float:
    """Σ c [r]₊ − α r."""
    slope = np.clip(0.5 + r / width, 0.0, 1.0)
    return float(costs @ (np.maximum(r, 0.0) - slope * r))


def widest(r: np.ndarray, costs: np.ndarray, allowed: float) -> float:
    """About the widest window whose part of the gap is allowed. Its rows are taken to be spread
    over it, which makes τ/24 of each on average: in a solution with this window they are."""
    width = MAX_WIDTH
    while width > MIN_WIDTH and costs[np.abs(r) < 0.5 * width].sum() * width / 24 > allowed:
        width *= 0.7
    return width


def minimise(
    start: Point, intercept: str, ledger: Ledger, tol: float, radius: float, least: float
) -> Generator[Point, Look, Smoothed]:
    """Asks for looks at points; ends when the gap is at most tol·primal, or the ledger says so, or
    when `Stopped` is thrown in place of a look, with the best so far. No row is longer than the
    radius, and the costs of each class are at least so much."""
    best = [Smoothed(start, np.inf, 0.0, 0)]
    try:
        yield from _minimise(start, intercept, ledger, tol, radius, least, best)
    except Stopped:
        ledger.asked_to = ledger.asked_to or ledger.asked()
    return best[0]


def _minimise(
    start: Point,
    intercept: str,
    ledger: Ledger,
    tol: float,
    radius: float,
    least: float,
    kept: list[Smoothed],
) -> Generator[Point, Look, None]:
    """The same; the best so far is kept in the list."""
    regular = np.ones(start.w.size + 1)
    if intercept != "lifted":
        regular[-1] = 0.0
    lift = intercept != "none"
    point = start if lift else start._replace(b=0.0)
    state = yield point
    steps = widened = 0
    balanced = False
    while True:
        found, rounding = _worth(point, state, regular, intercept, radius, least)
        if found.primal - found.dual < kept[0].primal - kept[0].dual:
            kept[0] = found._replace(steps=steps)
        best = kept[0]
        ledger.note(found.primal, found.dual)
        gap = best.primal - best.dual
        if gap <= tol * best.primal or ledger.spent or point.width <= MIN_WIDTH:
            break
        u = np.append(point.w, point.b)
        miss = regular * u - state.pull
        if not lift:
            miss[-1] = 0.0
        window = state.hinge - state.linear
        aim = tol * found.primal
        short = found.primal - found.dual - window - rounding
        if short <= max(GRADIENT_SHARE * aim, 0.1 * window):
            # What is left is of the window, whose gap goes with the width or its square, and of
            # rounding, which goes with 1/τ and is as much as the window's at the balance.
            share = np.sqrt(WINDOW_SHARE * aim / window) if window > 0 else NARROWING
            balance = np.sqrt(rounding / window) if window > 0 else 0.0
            if balance > MAX_NARROWING and (balanced or balance < 1 / MAX_NARROWING):
                break
            balanced = balanced or balance > MAX_NARROWING
            factor = max(min(MAX_NARROWING, max(NARROWING, share)), min(balance, WIDENING))
            new = min(MAX_WIDTH, float(point.width * factor))
            along = _newton(state, miss, regular, lift, point.width, new)
            moved = u if along is None or not np.all(np.isfinite(along)) else u + along
            point = Point(moved[:-1], float(moved[-1]) if lift else 0.0, new)
            state = yield point
            continue
        step = _newton(state, miss, regular, lift, point.width, point.width)
        if step is None or not np.all(np.isfinite(step)):
            break
        value = 0.5 * float(regular @ (u * u)) + state.smooth
        promised, length = -float(miss @ step), 1.0
        while True:
            moved = u + length * step
            trial = Point(moved[:-1], float(moved[-1]) if lift else 0.0, point.width)
            seen = yield trial
            now = 0.5 * float(regular @ (moved * moved)) + seen.smooth
            noise = 1e-13 * abs(value)
            if now <= value - DECREASE_SHARE * length * promised + noise:
                break
            length *= 0.5
            ledger.note(best.primal, best.dual)
            if ledger.spent or length < MIN_STEP_LENGTH:
                return
            if length < SHORT_STEP_LENGTH and point.width < MAX_WIDTH and widened < MAX_WIDENINGS:
                # As where many rows are equal: then a window has all of them or none.
                widened += 1
                trial = point._replace(width=min(MAX_WIDTH, WIDENING * point.width))
                seen = yield trial
                break
        point, state, steps = trial, seen, steps + 1


def _worth(
    point: Point, state: Look, regular: np.ndarray, intercept: str, radius: float, least: float
) -> tuple[Smoothed, float]:
    """What can be claimed of the point, about; and how much of its gap pays for the rounding of
    margins, of which multipliers follow (see `issue.by_blocks.issue_soft_margin`)."""
    u = np.append(point.w, point.b)
    primal = 0.5 * float(regular @ (u * u)) + state.hinge
    dual = state.total - 0.5 * float(regular @ (state.pull * state.pull))
    length, price = float(np.linalg.norm(state.pull[:-1])), 0.0
    if intercept == "free":  # What a claim pays for Σ α y: see `certificates.blocks.soft_margin`.
        e, price = abs(float(state.pull[-1])), primal / least + radius * length
        dual -= e * price + 0.5 * (radius * e) ** 2
    slack = allowance(u.size, radius * float(np.linalg.norm(point.w)) + abs(point.b))
    moves = float(state.hessian[-1, -1]) * (2 * slack + 8 * UNIT * point.width)
    rounding = 2 * SLACK_FACTOR * moves * (1 + radius * length + price)
    return Smoothed(point, primal, dual - rounding, 0), rounding


def _newton(
    state: Look, miss: np.ndarray, regular: np.ndarray, lift: bool, width: float, new: float
) -> np.ndarray | None:
    """The step to the solution for a window of width `new`, if the rows in the window are those
    that are there now; None, where float64 does not tell it."""
    H = state.hessian * (width / new)
    toward = (width / new - 1) * state.tilt - miss
    at = np.diag_indices_from(H)
    H[at] += regular
    if not lift:
        H[-1, :] = H[:, -1] = toward[-1] = 0.0
        H[-1, -1] = 1.0
    if H[-1, -1] == 0:  # Without rows in the window nothing else holds a free intercept.
        H[-1, -1] = max(1.0, EMPTY_WINDOW_SHARE * state.total / new)
    scale = 1 / np.sqrt(H[at])  # The scaling treats columns of any size alike.
    H *= scale[:, None] * scale
    H[at] += 1e-14
    try:
        return scale * cho_solve(cho_factor(H, lower=True), scale * toward)
    except LinAlgError:
        return None
