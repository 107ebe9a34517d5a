r"""The method of `certo.solvers.primal_newton` as one loop, for dense examples that are few.

Problem     min ½ w·Rw + Σ c_t [r_t]₊,   r_t = 1 − z_t·w, z_t = y_t x̃_t; R = diag(regular)
Smoothed    weights clip(β_t + τ r_t, 0, 1) with multipliers α_t = c_t times these
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit, loose

SETTLE_BELOW = 1.0  # As in `certo.solvers.primal_newton`.
TAU_FACTOR = 2.5
MAX_IDLE_LOOKS = 30  # As in `certo.solvers.gap_ledger`.
STALLED_GAP = 1e-8


@loose
def dot(a, b):
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@jit
def lifted_rows(X, above, Z):
    """Z ← X, moved to its mean if the square of that is more than `above` times the mean square of
    what is left, and a last column of ones, if Z has room for it; the mean square of its rows."""
    m, d = X.shape
    mean = np.zeros(d)
    for t in range(m):
        for j in range(d):
            Z[t, j] = X[t, j]
            mean[j] += Z[t, j]
        for j in range(d, Z.shape[1]):
            Z[t, j] = 1.0
    mean /= m
    square, left = 0.0, 0.0
    for t in range(m):
        for j in range(d):
            square += Z[t, j] ** 2
            left += (Z[t, j] - mean[j]) ** 2
    if not dot(mean, mean) * m > above * left:
        return square / m
    for t in range(m):
        for j in range(d):
            Z[t, j] -= mean[j]
    return left / m


@jit
def factorise(H):
    """H = L Lᵀ in its lower triangle; whether that is possible."""
    for i in range(H.shape[0]):
        for j in range(i):
            H[i, j] = (H[i, j] - dot(H[i, :j], H[j, :j])) / H[j, j]
        square = H[i, i] - dot(H[i, :i], H[i, :i])
        if not square > 0.0:
            return False
        H[i, i] = np.sqrt(square)
    return True


@jit
def solve(L, b):
    """b ← (L Lᵀ)⁻¹ b."""
    n = b.size
    for i in range(n):
        b[i] = (b[i] - dot(L[i, :i], b[:i])) / L[i, i]
    for i in range(n - 1, -1, -1):
        b[i] /= L[i, i]
        for k in range(i):
            b[k] -= L[i, k] * b[i]


@loose
def combine(alpha, Z):
    """Σ α_t z_t; in the end few α_t are not 0."""
    total = np.zeros(Z.shape[1])
    for t in range(alpha.size):
        if alpha[t] != 0.0:
            for j in range(total.size):
                total[j] += alpha[t] * Z[t, j]
    return total


@jit
def newton_matrix(Z, costs, beta, r, tau, regular, total):
    """R + Σ τ c_t z_t z_tᵀ over the open examples, with its diagonal scaled to about 1, and the
    scales."""
    m, n = Z.shape
    count = 0
    for t in range(m):
        part = beta[t] + tau * r[t]
        count += 0.0 < part < 1.0
    opened = np.empty((count, n))
    count = 0
    for t in range(m):
        part = beta[t] + tau * r[t]
        if 0.0 < part < 1.0:
            factor = np.sqrt(tau * costs[t])
            for j in range(n):
                opened[count, j] = factor * Z[t, j]
            count += 1
    H = opened.T @ opened
    scale = np.empty(n)
    for j in range(n):
        # Without open examples nothing holds a free intercept but the second term.
        H[j, j] += regular[j] + (1.0 - regular[j]) * 1e-10 * tau * total
        scale[j] = 1.0 / np.sqrt(H[j, j])
    for i in range(n):
        for j in range(n):
            H[i, j] *= scale[i] * scale[j]
        H[i, i] += 1e-14
    return H, scale


@jit
def slope_at(costs, beta, tau, r, q, length):
    """Σ α_t q_t, where the smoothed weights are taken at r − length·q."""
    total = 0.0
    for t in range(r.size):
        part = beta[t] + tau * (r[t] - length * q[t])
        total += min(max(part, 0.0), 1.0) * costs[t] * q[t]
    return total


@jit
def step_length(costs, beta, tau, r, q, start, curve, first):
    """A step length at which the slope is at most a tenth of `first`, that at 0."""
    low, at_low, high, at_high, length = 0.0, first, np.inf, np.inf, 1.0
    for k in range(60):
        here = start + length * curve - slope_at(costs, beta, tau, r, q, length)
        if abs(here) <= (0.1 if k else 0.3) * abs(first):
            break
        if here > 0.0:
            high, at_high = length, here
        else:
            low, at_low = length, here
        if high == np.inf:
            length *= 4.0
        elif k % 2:
            length = (low + high) / 2
        else:
            share = at_low / (at_low - at_high)
            length = low + (high - low) * min(max(share, 0.1), 0.9)
    return length


@jit
def minimise(Z, costs, regular, tau, goal, looks, w, beta):
    """Until the relative gap is `goal`, nothing improves, or `looks`, of shape (most, 2), is full.

    looks[k] = (primal, dual), the best so far. w and beta start at what they hold, and end with the
    best; returns how many looks there were.
    """
    m = len(Z)
    r = 1.0 - Z @ w
    total = costs.sum()
    alpha, now, here = np.empty(m), beta.copy(), w.copy()
    best_primal, best_dual, least = np.inf, -np.inf, np.inf
    idle = 0
    for look in range(len(looks)):
        hinge, product = 0.0, 0.0
        for t in range(m):
            alpha[t] = costs[t] * min(max(now[t] + tau * r[t], 0.0), 1.0)
            hinge += costs[t] * max(r[t], 0.0)
            product += alpha[t] * r[t]
        miss = regular * here - combine(alpha, Z)
        primal = 0.5 * np.sum(regular * here * here) + hinge
        apart = max(hinge - product, 0.0)
        # Σ α y ≠ 0: moving so much weight costs about |b|, as b is its price, and roundings.
        short = 0.5 * np.sum(regular * miss * miss)
        short += np.sum(np.abs(miss) * (1.0 - regular) * (1.0 + np.abs(here)))
        dual = primal - apart - short
        if primal < best_primal:
            best_primal = primal
            w[:] = here
        if dual > best_dual:
            best_dual = dual
            for t in range(m):
                beta[t] = min(max(now[t] + tau * r[t], 0.0), 1.0)
        gap = best_primal - best_dual
        idle += 1
        if gap < 0.9 * least:
            least, idle = gap, 0
        looks[look, 0], looks[look, 1] = best_primal, best_dual
        stalled = idle >= MAX_IDLE_LOOKS and gap <= STALLED_GAP * best_primal
        if gap <= goal * best_primal or apart + short <= goal * primal or stalled:
            return look + 1
        if short <= SETTLE_BELOW * apart:
            for t in range(m):
                now[t] = min(max(now[t] + tau * r[t], 0.0), 1.0)
            tau *= TAU_FACTOR
            continue
        H, scale = newton_matrix(Z, costs, now, r, tau, regular, total)
        if not factorise(H):
            return look + 1
        step = -scale * miss
        solve(H, step)
        step *= scale
        q = Z @ step
        curve = np.sum(regular * step * step)
        length = step_length(
            costs, now, tau, r, q, np.sum(regular * here * step), curve, np.sum(miss * step)
        )
        here = here + length * step
        r -= length * q
    return len(looks)
