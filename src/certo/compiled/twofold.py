r"""Sums of products to twice the digits of float64, with a bound on what is then still missing.

Sum         (h, l, e): h is the rounded sum, l the rounded sum of all its errors, e that of their
            absolute values (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 2005)
Errors      a + b = s + t and a·b = p + t, where s and p are rounded and t is a float (Knuth 1969;
            Veltkamp 1968, Dekker 1971), but for 5·2⁻¹⁰⁷⁴ where a product underflows
Bound       n errors are added: |Σ a_j b_j − (h + l)| ≤ γ_n Σ|t| + 5n·2⁻¹⁰⁷⁴. The computed e is too
            small by at most a factor 1 − γ_n, which twice γ_n pays for

`certo.numbers.twofold` has the same for NumPy. After overflow results are not finite.
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit

UNIT = 2.0**-53
TINY = 2.0**-1074
SPLIT = 2.0**27 + 1
ROWS_AT_ONCE = 8  # Examples whose sums are made together.
NO_UNDERFLOW = 2.0**-960  # Products of at least this size have an error that is a float.


@jit
def two_sum(a, b):
    s = a + b
    other = s - a
    return s, (a - (s - other)) + (b - other)


@jit
def two_product(a, b):
    """a·b = p + t; the third number is what underflow may have added."""
    p = a * b
    high = SPLIT * a
    a_high = high - (high - a)
    a_low = a - a_high
    high = SPLIT * b
    b_high = high - (high - b)
    b_low = b - b_high
    t = a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)
    exact = (abs(p) >= NO_UNDERFLOW) | (a == 0.0) | (b == 0.0)  # No branch: loops stay vectors.
    return p, t, 0.0 if exact else 8 * TINY


@jit
def bound(n, e, underflow):
    """What a sum of n errors, whose absolute values add up to e, is off by at most."""
    return 2.02 * n * UNIT * e + underflow + 8 * TINY * (e > 0.0)


@jit
def _add_rows(X, signs, w, b, first, columns, sums):
    """sums[:, k] ← 1 − y (w·x + b) of the example first + k, as h, l, e and what underflow may have
    added: of several examples at once, by vector instructions. `columns` is memory for their
    numbers, one row for each feature."""
    lanes, d = columns.shape[1], X.shape[1]
    h, low, e, lost = sums[0], sums[1], sums[2], sums[3]
    for k in range(lanes):
        t = first + k
        h[k], low[k], e[k], lost[k] = 0.0, 0.0, 0.0, 0.0
        if t < X.shape[0]:
            y = -1.0 if signs[t] > 0 else 1.0
            h[k], low[k] = two_sum(1.0, y * b)
            e[k] = abs(low[k])
            for j in range(d):
                columns[j, k] = y * X[t, j]
        else:
            columns[:, k] = 0.0
    for j in range(d):
        numbers, weight = columns[j], w[j]
        for k in range(lanes):
            p, error, under = two_product(numbers[k], weight)
            total, other = two_sum(h[k], p)
            h[k] = total
            low[k] += error + other
            e[k] += abs(error) + abs(other)
            lost[k] += under


@jit
def primal_parts(X, signs, w, b, costs, out):
    """out[0] = Σ c_t [1 − y_t (w·x_t + b)]₊ and out[1] = ‖w‖², as (h, l, bound).

    A loss is off by no more than its margin, and the product of its cost with l is rounded once
    more than the other errors.
    """
    m, d = X.shape
    h, low, e, slack, lost = 0.0, 0.0, 0.0, 0.0, 0.0
    columns, sums = np.empty((d, ROWS_AT_ONCE)), np.empty((4, ROWS_AT_ONCE))
    for t in range(m):
        lane = t % ROWS_AT_ONCE
        if lane == 0:
            _add_rows(X, signs, w, b, t, columns, sums)
        cost = costs[t]
        if cost == 0.0:
            continue
        row_h, row_low = sums[0, lane], sums[1, lane]
        row_e, row_lost = sums[2, lane], sums[3, lane]
        off = bound(3 * d + 4, row_e, row_lost)
        if row_h + row_low > 0.0:
            p, error, under = two_product(cost, row_h)
            h, other = two_sum(h, p)
            part = cost * row_low
            low += error + other + part
            e += abs(error) + abs(other) + abs(part)
            slack += cost * off
            lost += under + 16 * TINY * (row_e != 0.0)
        elif row_h + row_low >= -off:
            slack += cost * off
            lost += 16 * TINY
    out[0, 0], out[0, 1] = h, low
    out[0, 2] = bound(4 * m + 8, e, lost) + slack * (1 + 2.0**-20)
    h, low, e, lost = 0.0, 0.0, 0.0, 0.0
    for j in range(d):
        p, error, under = two_product(w[j], w[j])
        h, other = two_sum(h, p)
        low += error + other
        e += abs(error) + abs(other)
        lost += under
    out[1, 0], out[1, 1], out[1, 2] = h, low, bound(3 * d + 4, e, lost)


@jit
def dual_parts(X, rows, weights, out):
    """out[0] = Σ |weights_i| and out[1] = ‖Σ weights_i x_rows_i‖², as (h, l, bound).

    Where |v_j − (h + l)| ≤ δ, v_j² = h² + 2hl + l² up to (2|h + l| + δ) δ.
    """
    n, d = rows.size, X.shape[1]
    highs, lows, sizes, unders = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    h, low, e = 0.0, 0.0, 0.0
    for i in range(n):
        a = weights[i]
        h, other = two_sum(h, abs(a))
        low += other
        e += abs(other)
        t = rows[i]
        for j in range(d):
            p, error, under = two_product(a, X[t, j])
            highs[j], other = two_sum(highs[j], p)
            lows[j] += error + other
            sizes[j] += abs(error) + abs(other)
            unders[j] += under
    out[0, 0], out[0, 1], out[0, 2] = h, low, bound(n + 2, e, 0.0)
    h, low, e, slack, lost = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(d):
        off = bound(3 * n + 4, sizes[j], unders[j])
        p, error, under = two_product(highs[j], highs[j])
        h, other = two_sum(h, p)
        cross, small = 2 * (highs[j] * lows[j]), lows[j] * lows[j]
        low += (error + other) + (cross + small)
        e += (abs(error) + abs(other)) + (abs(cross) + small)
        slack += (2 * (abs(highs[j]) + abs(lows[j])) + off) * off
        lost += under + 32 * TINY * (off > 0.0)
    out[1, 0], out[1, 1] = h, low
    out[1, 2] = bound(5 * d + 8, e, lost) + slack * (1 + 2.0**-20)
