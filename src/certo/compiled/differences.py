r"""A small symmetric system whose matrix is made of differences.

Problem     M c = fall,  M_kl = (z_i[k] − z_base[k])·(z_i[l] − z_base[l]), from the Gram matrix of z
How         `ridge` is added to the diagonal of M, which is then scaled to 1; then Cholesky. Up to a
            hundred rows or so this takes less time than handing the matrix to LAPACK
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit


@jit
def solve_differences(gram, i, base, fall, ridge):
    """c, and whether the matrix was positive definite."""
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
