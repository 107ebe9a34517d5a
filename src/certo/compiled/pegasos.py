r"""Pegasos: stochastic subgradient steps on F(w) = (1/m) Σ [1 − y_t w·x̃_t]₊ + (λ/2)‖w‖².

Step        w_{t+1} = (1 − 1/t) w_t + (1/(λt)) v_t, where v_t = y x̃ of the example drawn if its
            hinge is positive, y w_t·x̃ < 1, and 0 otherwise;  w_1 = 0
Closed form w_{t+1} = u_t/(λt) with u_t = v_1 + … + v_t. So the hinge of step t is positive exactly
            when y u_{t−1}·x̃ < λ(t − 1) (or t = 1), and a step touches only the non-zeros of x.
Average     Σ_{t≤T} w_t = (1/λ) Σ_{k<T} u_k/k, and v_s is in u_k for k ≥ s:
            w̄_T = (H_{T−1} u_T − a_T)/(λT),  a_T = Σ_s H_{s−1} v_s,  H_n = 1 + 1/2 + … + 1/n,
            so that the average too is one more sum over the non-zeros (v_T counts 0, as it must).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import PREFETCH_VISITS, by_storage, lone_row_dot, row_fetch


class Sums(NamedTuple):
    """Where a run stands, (d + 1,) each, the intercept's entry last."""

    u: np.ndarray  # Σ v_s
    a: np.ndarray  # Σ H_{s−1} v_s


def _dense_add_twice(rows, i, b, u, c, a):
    x = rows.values[i]
    for j in range(x.size):
        u[j] += b * x[j]
    for j in range(x.size):
        a[j] += c * x[j]


def _csr_add_twice(rows, i, b, u, c, a):
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    x, at = rows.data[start:stop], rows.indices[start:stop]
    for p in range(x.size):
        j = np.uintp(at[p])
        u[j] += b * x[p]
        a[j] += c * x[p]


#: The updates u ← u + b·xᵢ and a ← a + c·xᵢ, in place.
row_add_twice = by_storage(_dense_add_twice, _csr_add_twice)


@jit
def take_steps(rows, signs, lift, lam, draws, done, harmonic, sums):
    """One step on each example of `draws`; `done` steps came before, and H_done is `harmonic`.

    In place    `sums`
    Returns     H after the last step
    """
    u, a = sums.u, sums.a
    for k in range(draws.size):
        if k + PREFETCH_VISITS < draws.size:
            row_fetch(rows, draws[k + PREFETCH_VISITS])
        i = draws[k]
        y = signs[i]
        t = done + k + 1
        # `not >=`: a score that overflowed to NaN is no success.
        if t == 1 or not y * (lone_row_dot(rows, i, u) + lift * u[-1]) >= lam * (t - 1):
            row_add_twice(rows, i, float(y), u, harmonic * y, a)
            u[-1] += lift * y
            a[-1] += lift * harmonic * y
        harmonic += 1.0 / t
    return harmonic
