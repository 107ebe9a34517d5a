r"""Damped Newton steps for a penalised logistic risk as one loop, for few dense examples.

Problem     min F(W) = Σ s_t (log Σ_k e^{f_k(z_t)} − f_y(z_t)) + ½ w·Pw,  f_k = W_k·z for k < K,
            f_K = 0, w the rows of W one after another, P positive semi-definite
Step        as in `certo.solvers.logistic`: H⁻¹g, halved until F falls
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.small_soft_margin import factorise, solve

MIN_PIVOT = 1e-12  # Squared pivots of the scaled Hessian below this are left to others.
MIN_STEP = 2.0**-40  # As in `certo.solvers.newton`.


@jit
def look(Z, codes, shares, W, P, curvature, g, H):
    """The loss and F at W; the gradient into g and, if asked for, the Hessian into H."""
    m, p = Z.shape
    v = W.shape[0]
    scores = Z @ W.T
    slopes, loss = np.empty((m, v)), 0.0
    for t in range(m):
        top = 0.0
        for k in range(v):
            top = max(top, scores[t, k])
        whole = np.exp(-top)
        for k in range(v):
            slopes[t, k] = np.exp(scores[t, k] - top)
            whole += slopes[t, k]
        own = scores[t, codes[t]] if codes[t] < v else 0.0
        loss += shares[t] * (np.log(whole) + top - own)
        for k in range(v):
            slopes[t, k] /= whole
    if curvature:
        for k in range(v):
            for n in range(k + 1):
                factor = np.empty((m, 1))
                for t in range(m):
                    same = 1.0 if k == n else 0.0
                    factor[t, 0] = shares[t] * slopes[t, k] * (same - slopes[t, n])
                block = Z.T @ (factor * Z)
                H[k * p : k * p + p, n * p : n * p + p] = block
                H[n * p : n * p + p, k * p : k * p + p] = block
        H += P
    for t in range(m):
        for k in range(v):
            slopes[t, k] = shares[t] * (slopes[t, k] - (1.0 if codes[t] == k else 0.0))
    w = W.copy().reshape(v * p)
    pulled = P @ w
    g[:] = (slopes.T @ Z).copy().reshape(v * p) + pulled
    return loss, loss + 0.5 * np.sum(w * pulled)


@jit
def descend(Z, codes, shares, P, enough, armijo, rounding, W, H, direction, notes):
    """Steps until one promises at most `enough`, which is still taken, or `notes` is full.

    W ends where they lead, H is the last Hessian, `direction` the last step, and notes[k] is
    (loss, F, decrement, length of the step before). Returns the number of notes; −1 if a Hessian is
    singular or F does not fall.
    """
    n = H.shape[0]
    g, even, scale = np.empty(n), np.empty((n, n)), np.empty(n)
    length = 0.0
    loss, objective = look(Z, codes, shares, W, P, True, g, H)
    for k in range(len(notes) - 1):
        for j in range(n):
            scale[j] = 1.0 / np.sqrt(H[j, j]) if H[j, j] > 0.0 else 0.0
        for i in range(n):
            for j in range(n):
                even[i, j] = H[i, j] * scale[i] * scale[j]
        if not factorise(even):
            return -1
        for j in range(n):
            if not even[j, j] * even[j, j] > MIN_PIVOT:
                return -1
        step = -scale * g
        solve(even, step)
        step *= scale
        square = -np.sum(step * g)
        if not 0.0 <= square < np.inf:
            return -1
        notes[k, 0], notes[k, 1], notes[k, 2] = loss, objective, np.sqrt(square)
        notes[k, 3] = length
        direction[:] = step
        last = 0.5 * square <= enough
        noise = rounding * abs(objective) if square < 1e-6 * abs(objective) else 0.0
        length, before = 1.0, objective
        while True:
            trial = W + length * step.reshape(W.shape)
            loss, objective = look(Z, codes, shares, trial, P, not last, g, H)
            if objective <= before - armijo * length * square + noise:
                break
            if last or length < MIN_STEP:
                return -1
            length /= 2
        W[:] = trial
        if last:
            notes[k + 1, 0], notes[k + 1, 1], notes[k + 1, 2] = loss, objective, np.nan
            notes[k + 1, 3] = length
            return k + 2
    return -1
