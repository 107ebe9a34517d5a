"""`certo.problems.free_intercept` for few examples: the same results without temporary arrays."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit


@jit
def smallest_b(scores, signs, costs, tolerance):
    """The first kink y_t − s_t at which the costs of the kinks so far reach those of the positive
    examples, up to `tolerance` of these."""
    kinks = np.empty(signs.size)
    needed = 0.0
    for t in range(signs.size):
        kinks[t] = signs[t] - scores[t]
        if signs[t] > 0:
            needed += costs[t]
    reached, last = 0.0, 0.0
    for t in np.argsort(kinks):
        if costs[t] > 0.0:
            reached, last = reached + costs[t], kinks[t]
            if reached >= needed * (1.0 - tolerance):
                break
    return last


@jit
def rebalance(alpha, signs, costs):
    """α ← multipliers nearby with Σ α_t y_t = 0 up to rounding."""
    excess, inside, every = 0.0, 0.0, 0.0
    for t in range(alpha.size):
        excess += alpha[t] * signs[t]
    if excess == 0.0:
        return
    for t in range(alpha.size):
        room = alpha[t] if signs[t] * excess > 0 else costs[t] - alpha[t]
        every += room
        if 0.0 < alpha[t] < costs[t]:
            inside += room
    enough = inside >= abs(excess) * (1.0 - 1e-12)  # Up to the rounding of the sums.
    total = inside if enough else every
    share = min(abs(excess) / (total if total > 0.0 else 1.0), 1.0)
    for t in range(alpha.size):
        if enough and not 0.0 < alpha[t] < costs[t]:
            continue
        lower = signs[t] * excess > 0
        step = share * (alpha[t] if lower else costs[t] - alpha[t])
        alpha[t] = min(max(alpha[t] - step if lower else alpha[t] + step, 0.0), costs[t])


@jit
def round_balanced(alpha, signs, costs, unit):
    """α ← multiples of `unit`, a power of two, with Σ α_t y_t = 0 exactly: what is missing is
    given to, or taken from, first those strictly inside their boxes, then the others. None may
    exceed 2⁵³ units, and 2¹⁰ of them be there at most, so that sums stay within int64."""
    whole = np.empty(alpha.size, np.int64)
    most = np.empty(alpha.size, np.int64)
    excess = np.int64(0)
    for t in range(alpha.size):
        most[t] = np.int64(min(np.floor(costs[t] / unit), 2.0**53))
        whole[t] = min(max(np.int64(np.rint(alpha[t] / unit)), np.int64(0)), most[t])
        excess += whole[t] * signs[t]
    for turn in range(4):
        for t in range(alpha.size):
            if excess == 0:
                break
            lower = (signs[t] > 0) == (excess > 0)
            if lower != (turn % 2 == 0) or (turn < 2 and not 0 < whole[t] < most[t]):
                continue
            room = whole[t] if lower else most[t] - whole[t]
            step = min(abs(excess), room)
            whole[t] += -step if lower else step
            excess -= step if excess > 0 else -step
    for t in range(alpha.size):
        alpha[t] = whole[t] * unit
