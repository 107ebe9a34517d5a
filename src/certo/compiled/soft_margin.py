r"""Passes over the examples for the soft-margin problem in the primal.

Problem     min ½‖w‖² + Σ c_t [r_t]₊,   r_t = 1 − y_t (w·x_t + b)
Smoothed    with weights β_t in [0, 1] and a slope τ: β_t(w) = clip(β_t + τ r_t, 0, 1), whose
            multipliers are α_t = c_t β_t(w); an example with 0 < β_t(w) < 1 is *open*

Every loop takes the examples from `start` to `stop`, so that several threads can share them;
`lift` is 1 where (x, 1) is meant, and vectors then have one entry more than there are features.
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import add_square, row_add, row_dot, row_square


@jit
def lengths(rows, lift, start, stop, out):
    """out[t] = ‖x̃_t‖."""
    for t in range(start, stop):
        out[t] = np.sqrt(row_square(rows, t) + lift)


@jit
def signed_products(rows, signs, w, lift, start, stop, out):
    """out[t] = y_t (⟨w, x_t⟩ + lift·w[-1]); without lift, w may end with the last feature."""
    for t in range(start, stop):
        out[t] = signs[t] * (row_dot(rows, t, w) + lift * w[-1])


@jit
def pull(rows, signs, costs, beta, tau, r, lift, start, stop, v, sums, opened):
    """v += Σ α_t y_t x̃_t, and sums += (Σ c_t [r_t]₊, Σ α_t r_t, Σ α_t) at the smoothed weights.

    The open examples are listed in `opened` from `start` on; returns how many there are.
    """
    count = start
    last = v.size - 1
    hinge, product, total, lifted = 0.0, 0.0, 0.0, 0.0
    for t in range(start, stop):
        part = beta[t] + tau * r[t]
        if r[t] > 0.0:
            hinge += costs[t] * r[t]
        if part <= 0.0:
            continue
        if part >= 1.0:
            part = 1.0
        else:
            opened[count] = t
            count += 1
        alpha = costs[t] * part
        product += alpha * r[t]
        total += alpha
        pulls = alpha * signs[t]
        lifted += pulls
        row_add(rows, t, pulls, v)
    if lift > 0.0:
        v[last] += lifted
    sums[0] += hinge
    sums[1] += product
    sums[2] += total
    return count - start


@jit
def slope_along(costs, beta, tau, r, q, step, start, stop):
    """Σ α_t q_t, where the smoothed weights are taken at r − step·q."""
    total = 0.0
    for t in range(start, stop):
        part = beta[t] + tau * (r[t] - step * q[t])
        total += min(max(part, 0.0), 1.0) * costs[t] * q[t]
    return total


@jit
def add_squares(rows, costs, opened, tau, lift, start, stop, H):
    """The lower triangle of H += Σ τ c_t x̃_t x̃_tᵀ over opened[start:stop], for CSR rows whose
    indices increase."""
    for k in range(start, stop):
        t = opened[k]
        add_square(rows, t, tau * costs[t], lift, H)


@jit
def fill_up(alpha, members, starts, costs, out):
    """out of a group's members: what its alpha is, in turn, as much as their costs allow."""
    for group in range(starts.size):
        left = alpha[group]
        stop = starts[group + 1] if group + 1 < starts.size else members.size
        for t in members[starts[group] : stop]:
            out[t] = min(left, costs[t])
            left -= out[t]
