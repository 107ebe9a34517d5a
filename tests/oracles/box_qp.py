"""A dual in its box, handed to an interior-point method that knows nothing of it."""

import clarabel
import numpy as np
from scipy import sparse


def box_qp(gram, low, high, v, free: bool):
    """d that maximises v·d − ½ dᵀKd over low ≤ d ≤ high, and Σ d = 0 if `free`; None where the
    other solver gives up."""
    some = np.flatnonzero(low < high)  # a point between two equal bounds is no inside
    d = np.clip(np.zeros(len(v)), low, high)
    if not some.size:
        return d
    n, v = some.size, v - gram @ d
    P = sparse.csc_matrix(np.triu(gram[np.ix_(some, some)]))
    rows, sides = [sparse.identity(n), -sparse.identity(n)], [high[some], -low[some]]
    cones = [clarabel.NonnegativeConeT(2 * n)]
    if free:
        rows, sides = [np.ones((1, n)), *rows], [[-d.sum()], *sides]
        cones = [clarabel.ZeroConeT(1), *cones]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    A, b = sparse.csc_matrix(sparse.vstack(rows)), np.concatenate(sides)
    found = clarabel.DefaultSolver(P, -v[some], A, b, cones, settings).solve()
    if found.status != clarabel.SolverStatus.Solved:
        return None
    d[some] = found.x
    return d


def gain(gram, v, d) -> float:
    return float(v @ d - 0.5 * d @ gram @ d)
