r"""Values of functions of a kernel's space at any points, and how far they may be off.

As in `images`, but for points x that need not be among the centres z_i of the function:
for f = Σ_i a_i K(z_i, ·), with s = √K(·, ·), n products being added in any order,

    |f̂(x) − f(x)|  ≤  γ_n Σ|a_i k̂(z_i, x)| + n·2⁻¹⁰⁷⁴  +  ε s(x) Σ|a_i| s(z_i) + δ Σ|a_i| ,

or with η Σ|a_i k̂(z_i, x)| for the third term. Where K(x, x) is not known (a row of a precomputed
matrix tells of x and the centres alone) and ε is not 0, there is η or nothing.

It holds of every evaluation whose kernel values k̂ are as near as `Kernel.rounding` says: of the
blocks here, and of the compiled loops of the machines, which add one product after another. Their
Σ|a_i k̂(z_i, x)| may be another than ours, by as little as the k̂ are (ε ≤ 2⁻⁷), for which the
doubled γ of `allowance` pays.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from certo.certificates.spaces.images import Scores, rounding_of, weighted_sums
from certo.containers import count
from certo.kernels.base import Kernel
from certo.numbers import exact


def scores_at(kernel: Kernel, X, centres, coef: np.ndarray, intercept: np.ndarray) -> Scores:
    """f_k(x) + b_k for all points x of X, f_k = Σ_i coef[k, i] K(centre_i, ·), with their slack:
    both of shape (points, functions)."""
    m, n = count(X), count(centres)
    if not n:
        return Scores(np.tile(intercept, (m, 1)), np.zeros((m, len(coef))))
    epsilon, delta = rounding_of(kernel, X, centres)
    some = centres.__getitem__ if kernel.takes == "matrix" else partial(kernel.points, centres)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        value, size = weighted_sums(kernel, X, some, coef.T)
        mass = np.sum(np.abs(coef), axis=1)
        slack = exact.allowance(n + 2, size)
        slack += 1.01 * delta * mass + 4 * exact.TINY * (n + 4 * mass)
        if epsilon:
            lengths = lengths_of(kernel, centres, delta)
            pull = np.abs(coef) @ lengths + n * exact.TINY
            far = epsilon * lengths_of(kernel, X, delta)[:, None] * pull
            slack += 1.02 * np.fmin(far, kernel.closeness(X, centres) * size)
        value += intercept
        slack += 4 * exact.UNIT * np.abs(value)
    return Scores(value, slack)


def lengths_of(kernel: Kernel, X, delta: float) -> np.ndarray:
    """Numbers that the √K(x, x) do not exceed; infinite, where nothing is known."""
    if kernel.takes == "matrix":
        return np.full(count(X), np.inf)
    return 1.01 * np.sqrt(np.maximum(kernel.diagonal(X), 0.0) + delta)
