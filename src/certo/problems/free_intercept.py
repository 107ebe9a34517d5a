"""What a free intercept asks for: the smallest best b, and Σ α_t y_t = 0 *exactly*."""

from __future__ import annotations

import math

import numpy as np

from certo.compiled import free_intercept as compiled

COMPILED_UP_TO_ROWS = 1000  # Examples for which loops are quicker than vector operations.
EQUAL_SUMS = 1e-13  # Sums of costs that differ by this share of them count as equal.


def smallest_b(scores: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> float:
    """The smallest minimiser over b of Σ c_t [1 − y_t (s_t + b)]₊, whose kinks are y_t − s_t.

    The slope left of all kinks is −Σ c_t over the positive examples, and each kink adds its c_t.
    Sums that differ by rounding alone count as equal: the two classes may balance exactly.
    """
    if 0 < costs.size <= COMPILED_UP_TO_ROWS:
        return float(compiled.smallest_b(scores, signs.astype(np.int8), costs, EQUAL_SUMS))
    used = costs > 0
    if not np.all(used):
        scores, signs, costs = scores[used], signs[used], costs[used]
    if not costs.size:
        return 0.0
    kinks = signs - scores
    needed = float(np.sum(costs[signs > 0]))
    low, high = _bracket(kinks, costs, needed)
    some = np.flatnonzero((kinks >= low) & (kinks <= high))
    some = some[np.argsort(kinks[some], kind="stable")]
    below = float(np.sum(costs[kinks < low]))
    tiny = max(EQUAL_SUMS, 1e-16 * some.size) * needed  # No sum before the kink exceeds `needed`.
    right = below + np.cumsum(costs[some]) - needed
    found = np.flatnonzero(right >= -tiny)
    return float(kinks[some[found[0] if found.size else -1]])


def _bracket(kinks: np.ndarray, costs: np.ndarray, needed: float) -> tuple[float, float]:
    """Two kinks between which the costs, added up in order, reach `needed`: few need sorting."""
    if kinks.size < 2000:
        return -math.inf, math.inf
    marks = np.quantile(kinks[:: max(1, kinks.size // 1000)], np.linspace(0, 1, 65))
    sums = np.cumsum(np.bincount(np.searchsorted(marks, kinks), costs, 66))
    first, last = np.searchsorted(sums, [needed * (1 - 1e-9), needed * (1 + 1e-9)])
    low = marks[first - 2] if first >= 2 else -math.inf
    high = marks[last + 1] if last + 1 < 65 else math.inf
    return low, high


def rebalanced(alpha: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Multipliers nearby with Σ α_t y_t = 0 up to rounding: what is too much for one class is
    taken from, or given to, those strictly inside their boxes, in proportion to their room."""
    excess = float(alpha @ signs)
    if excess == 0:
        return alpha
    lower = signs * excess > 0  # These can be lowered, the others raised.
    room = np.where(lower, alpha, costs - alpha)
    inside = (alpha > 0) & (alpha < costs)
    if float(room[inside].sum()) >= abs(excess):
        room[~inside] = 0.0
    share = min(abs(excess) / float(room.sum() or 1.0), 1.0)
    return np.clip(alpha - np.where(lower, 1.0, -1.0) * share * room, 0.0, costs)


def balanced(alpha: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The multipliers rounded so that Σ α_t y_t = 0 *exactly*, and 0 ≤ α_t ≤ c_t.

    All become whole multiples of the last digit of the largest (so that α_t = c_t stays, where the
    costs are the same), which float64 holds exactly; what is then missing is spread over examples
    that have room for it.
    """
    few = alpha.size <= COMPILED_UP_TO_ROWS
    if few:
        alpha, signs = alpha.copy(), signs.astype(np.int8)
        compiled.rebalance(alpha, signs, costs)
    else:
        alpha = rebalanced(alpha, signs, costs)
    largest = float(alpha.max(initial=0.0))
    if largest == 0:
        return np.zeros(alpha.size)
    unit = math.ulp(largest)
    if few:
        compiled.round_balanced(alpha, signs, costs, unit)
        return alpha
    most = np.minimum(np.floor(costs / unit), 2.0**53).astype(np.int64)
    whole = np.clip(np.rint(alpha / unit).astype(np.int64), 0, most)
    high, low = whole >> 26, whole & (2**26 - 1)  # Sums of halves stay within int64.
    excess = (int(np.sum(high * signs)) << 26) + int(np.sum(low * signs))
    lower = signs * (1 if excess > 0 else -1) > 0
    # First those strictly inside, then the others.
    for some in (lower & (whole > 0) & (whole < most), ~lower & (whole > 0) & (whole < most),
                 lower, ~lower):  # fmt: skip
        for t in np.flatnonzero(some):
            if not excess:
                break
            room = int(whole[t]) if lower[t] else int(most[t] - whole[t])
            step = min(abs(excess), room)
            whole[t] += -step if lower[t] else step
            excess -= step if excess > 0 else -step
    return whole * unit
