r"""Coordinate descent on the dual of the soft-margin problem.

Problem     min_α  ½‖w‖² + (κ/2) s² + β s − Σ α_t,    0 ≤ α_t ≤ c_t,    w = Σ α_t y_t x_t,
            s = Σ α_t y_t.    κ = 0: no intercept. κ = 1, β = 0: the extra feature 1 (lifted).
            Else b = β + κ s is the multiplier of s = 0, the condition of a free intercept
Held        vectors have one entry more than there are features: the last of w is b
Step        α_t ← clip(α_t − (y_t (w·x_t + b) − 1) / (‖x_t‖² + κ), 0, c_t)
Reference   Hsieh, Chang, Lin, Keerthi, Sundararajan (ICML 2008), Algorithm 1
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import PREFETCH_VISITS, lone_row_dot, row_add, row_dot, row_fetch


@jit
def descend(rows, signs, costs, squares, kappa, order, alpha, w):
    """One step for each example of `order`; α and w in place. `squares` are ‖x_t‖² + κ."""
    last = w.size - 1
    for k in range(order.size):
        if k + PREFETCH_VISITS < order.size:
            row_fetch(rows, order[k + PREFETCH_VISITS])
        t = order[k]
        if squares[t] <= 0.0:  # As x_t = 0, only the term −α_t is left.
            alpha[t] = costs[t]
            continue
        y = float(signs[t])
        slope = y * (lone_row_dot(rows, t, w) + w[last]) - 1.0
        old = alpha[t]
        if (slope >= 0.0 and old == 0.0) or (slope <= 0.0 and old == costs[t]):
            continue
        new = min(max(old - slope / squares[t], 0.0), costs[t])
        change = (new - old) * y
        if change != 0.0:
            alpha[t] = new
            row_add(rows, t, change, w)
            w[last] += kappa * change


@jit
def products_at(rows, signs, chosen, w, start, stop, out):
    """out[k] = y_t (w·x_t + w[-1]) for t = chosen[k]."""
    last = w.size - 1
    for k in range(start, stop):
        t = chosen[k]
        out[k] = signs[t] * (row_dot(rows, t, w) + w[last])


@jit
def combine_at(rows, signs, chosen, weights, kappa, start, stop, v):
    """v += Σ weights[k]·y_t (x_t, κ) for t = chosen[k]."""
    last = v.size - 1
    for k in range(start, stop):
        t = chosen[k]
        weight = weights[k] * signs[t]
        if weight != 0.0:
            row_add(rows, t, weight, v)
            v[last] += kappa * weight


@jit
def shuffle(order, state):
    """Shuffle the order in place (Fisher and Yates), by a linear congruential generator (Knuth's
    MMIX) from `state`; its next state."""
    for k in range(order.size - 1, 0, -1):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        j = np.intp(((state >> np.uint64(33)) * np.uint64(k + 1)) >> np.uint64(31))
        order[k], order[j] = order[j], order[k]
    return state
