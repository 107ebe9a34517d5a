"""Loops of `certo.solvers.nearest_point`: exchanges of weight between pairs, and small systems."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit


@jit
def exchange(gram, group, groups, weights, slopes, size, tol, steps):
    """A cheap start: move weight between two rows of a group, at most `steps` times or until the
    gap is at most tol·‖p‖²; `size` is ‖p‖² before. Returns the number of steps made.

    Problem     min ½‖p‖², p = Σ λ_i z_i, λ ≥ 0 with sum 1 in every group
    Step        i: the smallest slope z_i·p of a group; j: the row with λ_j > 0 of the same group
                whose exchange with i gains most, (s_j − s_i)²/(2‖z_i − z_j‖²); move
                t = min((s_j − s_i)/‖z_i − z_j‖², λ_j) from j to i      (Fan, Chen, Lin, JMLR 2005)
    In place    `weights` and `slopes` (those of one group are right up to a common shift, if the
                Gram matrix is that of shifted rows)
    """
    n = weights.size
    lowest = np.empty(groups, np.int64)
    highest = np.empty(groups)
    for done in range(steps):
        for g in range(groups):
            lowest[g], highest[g] = -1, -np.inf
        for k in range(n):
            g = group[k]
            if lowest[g] < 0 or slopes[k] < slopes[lowest[g]]:
                lowest[g] = k
            if weights[k] > 0.0 and slopes[k] > highest[g]:
                highest[g] = slopes[k]
        gap, top = 0.0, 0
        for g in range(groups):
            width = highest[g] - slopes[lowest[g]]
            gap += width
            if width > highest[top] - slopes[lowest[top]]:
                top = g
        if not gap > tol * size:
            return done
        i = lowest[top]
        j, gain = -1, 0.0
        for k in range(n):
            if weights[k] > 0.0 and group[k] == top:
                fall = slopes[k] - slopes[i]
                if fall > 0.0:
                    square = max(gram[i, i] + gram[k, k] - 2.0 * gram[i, k], 1e-14 * gram[i, i])
                    if square > 0.0 and fall * fall / square > gain:
                        j, gain = k, fall * fall / square
        if j < 0:
            return done
        fall = slopes[j] - slopes[i]
        square = max(gram[i, i] + gram[j, j] - 2.0 * gram[i, j], 1e-14 * gram[i, i])
        t = fall / square
        if t >= weights[j]:
            t = weights[j]
            weights[j] = 0.0
        else:
            weights[j] -= t
        weights[i] += t
        size += t * (t * square - 2.0 * fall)
        for k in range(n):
            slopes[k] += t * (gram[i, k] - gram[j, k])
    return steps


@jit
def solve_differences(gram, i, base, fall, ridge):
    """c, and whether the matrix M was positive definite.

    Problem     M c = fall,  M_kl = (z_i[k] − z_base[k])·(z_i[l] − z_base[l]), from the Gram matrix
    How         `ridge` is added to the diagonal of M, which is then scaled to 1; then Cholesky. Up
                to a hundred rows or so this takes less time than handing the matrix to LAPACK
    """
    n = i.size
    L, unit, c = np.empty((n, n)), np.empty(n), np.empty(n)
    for k in range(n):
        p, b = i[k], base[k]
        unit[k] = 1.0 / np.sqrt(max(gram[p, p] - 2.0 * gram[p, b] + gram[b, b], 0.0) + ridge)
        c[k] = fall[k] * unit[k]
    for k in range(n):
        p, b, row = i[k], base[k], L[k]
        for j in range(k + 1):
            q, a = i[j], base[j]
            entry = (gram[p, q] - gram[p, a] - gram[b, q] + gram[b, a]) * unit[k] * unit[j]
            other = L[j]
            for s in range(j):
                entry -= row[s] * other[s]
            if j < k:
                row[j] = entry / other[j]
            elif entry + ridge * unit[k] * unit[k] > 0.0:
                row[k] = np.sqrt(entry + ridge * unit[k] * unit[k])
            else:
                return c, False
        entry = c[k]
        for s in range(k):
            entry -= row[s] * c[s]
        c[k] = entry / row[k]
    for k in range(n - 1, -1, -1):
        c[k] /= L[k, k]
        for s in range(k):
            c[s] -= L[k, s] * c[k]
    for k in range(n):
        c[k] *= unit[k]
    return c, True
