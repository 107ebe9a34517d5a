"""The soft-margin problem handed to a solver that knows nothing of it: an interior-point method
for quadratic programs."""

import clarabel
import numpy as np
from scipy import sparse


def objective(X, signs, costs, intercept, w, b) -> float:
    """P(w, b), as computed."""
    X = np.asarray(X.todense() if sparse.issparse(X) else X, dtype=float)
    extra = b * b if intercept == "lifted" else 0.0
    return 0.5 * (w @ w + extra) + float(costs @ np.maximum(0, 1 - signs * (X @ w + b)))


def soft_margin_qp(X, signs, costs, intercept):
    """w and b that minimise P: variables (w, b, ξ), ξ_t ≥ 0, y_t (w·x_t + b) + ξ_t ≥ 1."""
    X = np.asarray(X.todense() if sparse.issparse(X) else X, dtype=float)
    m, d = X.shape
    curvature = {"free": 0.0, "lifted": 1.0, "none": 1.0}[intercept]
    column = np.zeros((m, 1)) if intercept == "none" else signs[:, None]
    P = sparse.diags(np.r_[np.ones(d), curvature, np.zeros(m)]).tocsc()
    q = np.r_[np.zeros(d + 1), costs]
    I = sparse.identity(m)  # noqa: E741
    A = sparse.bmat(
        [[sparse.csc_matrix(-signs[:, None] * X), sparse.csc_matrix(-column), -I],
         [sparse.csc_matrix((m, d)), sparse.csc_matrix((m, 1)), -I]]
    ).tocsc()  # fmt: skip
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(2 * m)]
    b = np.r_[-np.ones(m), np.zeros(m)]
    found = np.array(
        clarabel.DefaultSolver(sparse.triu(P).tocsc(), q, A, b, cones, settings).solve().x
    )
    return found[:d], 0.0 if intercept == "none" else float(found[d])
