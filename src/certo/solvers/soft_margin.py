"""Soft-margin linear SVM: pairs of multipliers, and Newton steps on those inside their boxes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from scipy import sparse

SMALL = 1000  # problems of so many examples are finished as exactly as float64 allows


@dataclass(frozen=True, repr=False)
class GapTrace:
    """What was known after every look at all examples.

    Attributes
    ----------
    output : integer array
        Whose machine.
    seconds : array
        Since the start.
    passes : array
        Passes over the examples so far.
    primal, dual : arrays
        Values of the best pair so far, as computed.
    """

    output: np.ndarray
    seconds: np.ndarray
    passes: np.ndarray
    primal: np.ndarray
    dual: np.ndarray

    @property
    def gap(self) -> np.ndarray:
        """(primal − dual)/primal; 0 where primal is 0."""
        return (self.primal - self.dual) / np.where(self.primal == 0, 1.0, self.primal)

    @classmethod
    def layer(cls, traces: list[GapTrace]) -> GapTrace:
        """The traces of several outputs in one."""
        parts = {f.name: [getattr(trace, f.name) for trace in traces] for f in fields(cls)}
        parts["output"] = [part + k for k, part in enumerate(parts["output"])]
        return cls(**{name: np.concatenate(some) for name, some in parts.items()})

    def __len__(self) -> int:
        return len(self.seconds)

    def __repr__(self) -> str:
        return f"GapTrace({len(self)} looks at all examples)"


class SoftOutcome(NamedTuple):
    w: np.ndarray  # (d,)
    b: float  # free: the smallest minimiser of P(w, ·)
    alpha: np.ndarray  # (m,); 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    primal: float
    dual: float
    passes: int
    stopped: bool  # because it was asked to
    trace: GapTrace


def smallest_b(scores: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> float:
    """The smallest minimiser over b of Σ c_t [1 − y_t (s_t + b)]₊, whose kinks are y_t − s_t."""
    used = costs > 0
    kinks, signs, costs = (signs - scores)[used], signs[used], costs[used]
    order = np.argsort(kinks, kind="stable")
    slope = -float(np.sum(costs[signs > 0]))  # left of all kinks; every kink adds its cost
    tiny = 1e-12 * float(np.sum(costs))
    right = slope + np.cumsum(costs[order])
    found = np.flatnonzero(right >= -tiny)
    return float(kinks[order[found[0]]]) if found.size else 0.0


def soft_margin(
    X,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    start: np.ndarray | None = None,
    rng: np.random.Generator | None = None,
    asked: Callable[[], bool] = lambda: False,
    after_look: Callable[[float, float], bool] = lambda primal, dual: False,
) -> SoftOutcome:
    """min ½‖w‖² (lifted: + ½b²) + Σ c_t [1 − y_t (w·x_t + b)]₊ to a relative gap of tol."""
    began = time.monotonic()
    free, m = intercept == "free", len(signs)
    Z = X.toarray() if sparse.issparse(X) else X
    Z = np.column_stack([Z, np.ones(m)]) if intercept == "lifted" else Z
    Z = Z.astype(np.float64) * signs[:, None]
    K, y = Z @ Z.T, signs.astype(np.float64)
    alpha = np.zeros(m) if start is None else np.clip(start, 0, costs)
    alpha = _balanced(alpha, signs) if free else alpha
    looks: list[tuple[float, int, float, float]] = []
    best = (np.inf, np.zeros(X.shape[1]), 0.0)
    dual, stuck, stopped = -np.inf, 0, False
    while True:
        kept = _balanced(alpha, signs) if free else alpha
        v, before = Z.T @ kept, dual
        scores = y * (Z @ v)
        b = smallest_b(scores, signs, costs) if free else 0.0
        loss = float(costs @ np.maximum(0, 1 - y * (scores + b)))
        dual = max(dual, float(kept.sum() - 0.5 * (v @ v)))
        primal = float(0.5 * (v @ v) + loss)
        if primal < best[0]:
            lifted = intercept == "lifted"
            best = (primal, v[:-1] if lifted else v, float(v[-1]) if lifted else b)
        looks.append((time.monotonic() - began, len(looks), best[0], dual))
        stuck = stuck + 1 if dual <= before * (1 + 1e-15) else 0
        goal = tol if m > SMALL else 1e-16
        stopped = asked()
        done = best[0] - dual <= goal * best[0] or stuck > 3 or len(looks) > max_iter
        if after_look(best[0], dual) or stopped or done:
            break
        _pairs(K, y, costs, alpha, free)
        _newton(K, y, costs, alpha, free)
    seconds, passes, primals, duals = map(np.array, zip(*looks, strict=True))
    trace = GapTrace(np.zeros(len(looks), dtype=np.int64), seconds, passes, primals, duals)
    return SoftOutcome(best[1], best[2], kept, best[0], dual, len(looks) - 1, stopped, trace)


def _pairs(K, y, costs, alpha, free) -> None:
    """As many steps as there are examples, each on the pair that promises most."""
    gradient = 1 - K @ alpha
    for _ in range(len(y)):
        grows, shrinks = alpha < costs, alpha > 0
        if not free:
            gain = np.where(grows, gradient, 0).clip(0) + np.where(shrinks, -gradient, 0).clip(0)
            i = int(np.argmax(gain))
            if gain[i] <= 1e-15:
                return
            new = np.clip(alpha[i] + gradient[i] / max(K[i, i], 1e-300), 0, costs[i])
            gradient -= K[:, i] * (new - alpha[i])
            alpha[i] = new
            continue
        up = np.where(np.where(y > 0, grows, shrinks), y * gradient, -np.inf)
        low = np.where(np.where(y < 0, grows, shrinks), y * gradient, np.inf)
        i = int(np.argmax(up))
        curve = np.maximum(K[i, i] + np.diag(K) - 2 * y[i] * y * K[i], 1e-12)
        gain = np.where(low < up[i], (up[i] - low) ** 2 / curve, -1.0)
        j = int(np.argmax(gain))
        if gain[j] <= 0 or up[i] - low[j] <= 1e-15:
            return
        room = min(
            costs[i] - alpha[i] if y[i] > 0 else alpha[i],
            alpha[j] if y[j] > 0 else costs[j] - alpha[j],
        )
        step = min((up[i] - low[j]) / curve[j], room)
        for k, change in ((i, y[i] * step), (j, -y[j] * step)):
            new = np.clip(alpha[k] + change, 0, costs[k])
            gradient -= K[:, k] * (new - alpha[k])
            alpha[k] = new


def _newton(K, y, costs, alpha, free) -> None:
    """The best point of the face of the box, as far as the box allows; then of the next face."""
    for _ in range(len(y)):
        inside = np.flatnonzero((alpha > 0) & (alpha < costs))
        if not inside.size:
            return
        system, slopes = K[np.ix_(inside, inside)], 1 - K[inside] @ alpha
        basis = np.eye(inside.size)
        if free:  # directions that keep Σ α_t y_t
            basis = np.linalg.qr(y[inside][:, None], mode="complete")[0][:, 1:]
        curvatures, axes = np.linalg.eigh(basis.T @ system @ basis)
        axes = basis @ axes
        rises = axes.T @ slopes
        flat = curvatures <= 1e-13 * max(curvatures.max(initial=0.0), 1e-300)
        if np.abs(rises[flat]).max(initial=0) > 1e-8 * np.abs(rises).max(initial=0):
            move = axes[:, flat] @ rises[flat]  # no curvature: to the wall of the box
        else:
            move = axes[:, ~flat] @ (rises[~flat] / curvatures[~flat])
        rise, curvature = float(slopes @ move), float(move @ system @ move)
        if rise <= 0:
            return
        whole = rise / curvature if curvature > 0 else np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.where(move > 0, (costs - alpha)[inside] / move, -alpha[inside] / move)
        limits = np.where(move == 0, np.inf, limits)
        first = int(np.argmin(limits))
        step = min(whole, float(limits[first]))
        alpha[inside] = np.clip(alpha[inside] + step * move, 0, costs[inside])
        if step == whole:
            return
        alpha[inside[first]] = costs[inside[first]] if move[first] > 0 else 0.0


def _balanced(alpha: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Multipliers not above these with Σ α_t y_t = 0 *exactly*: multiples of a power of two, and
    what one class has too much taken from its largest ones."""
    if not np.any(alpha):
        return alpha
    unit = 2.0 ** (math.floor(math.log2(alpha.max())) - 52)
    whole = np.floor(alpha / unit).astype(np.int64)
    excess = int(np.sum(whole * signs))
    heavier = np.flatnonzero(signs == (1 if excess > 0 else -1))
    for t in heavier[np.argsort(-whole[heavier], kind="stable")]:
        taken = min(abs(excess), int(whole[t]))
        whole[t] -= taken
        excess -= taken if excess > 0 else -taken
        if not excess:
            break
    return whole * unit
