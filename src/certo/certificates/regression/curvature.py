r"""How strongly a weighted sum of squares curves: shown from the data and a triangular witness.

Let x̃_i = (x_i − shift, 1) with an intercept (`lifted`; a shift only renames the intercept), x_i
without; J the columns `kept` of x̃ in increasing order, that of the ones, number d, always among
them; L = `factor`, upper triangular over J with no 0 on its diagonal; z_i = Lᵀx̃_iJ and

    A  =  (1/total) Σ_i v_i x̃_iJ x̃_iJᵀ  +  ridge·(identity on the slopes),       v_i ≥ 0 .

L is invertible, so every a over J is Lu, and with η ≥ ‖I − LᵀAL‖, if η < 1,

    aᵀAa = uᵀLᵀALu ≥ (1 − η)‖L⁻¹a‖² ,        gᵀA⁻¹g ≤ ‖Lᵀg‖²/(1 − η)  for every g .

`curvature(sample, factor, kept=…, lifted=…, weights=v, total=…, …)` passes over the data once and
gives LᵀAL and, for the columns `right` (m, q), `product` ≈ Σ_i z_i right_iᵀ with the most that each
of its entries may be off. Errors of `right` itself, and of v, are the caller's. `pulled` is Lᵀg for
a g that is known within some error.

Rounding (see `exact` for γ_n). Rows come in `pieces`, alike in any storage, whose sums are added
one after another: with b rows in a piece and c pieces a term passes through n ≤ b + c roundings.
Write ‖·‖ᵥ for the norm of a column weighted with v, σ_j = ‖x̃_j‖ᵥ, ℓ_m = Σ_j |L_jm| σ_j.

- Each computed ẑ_im has r = |J| products and a subtraction, so it differs from z_im by at most
  γ_{r+1} Σ_j |x̃_ij L_jm|, and ‖ẑ_m − z_m‖ᵥ ≤ γ_{r+1} ℓ_m =: ζ_m by the triangle inequality.
- Hence ‖ẐᵀVẐ − ZᵀVZ‖ ≤ 2‖Ẑ‖ᵥ‖ζ‖ + ‖ζ‖², which grows with the condition number of X̃, not of X̃ᵀX̃.
- The sum ẐᵀVẐ itself, made from √v_i ẑ_i (a root is within 8 roundings, `rounding.ULPS`), is off
  by at most γ_{n+24} ‖ẑ_k‖ᵥ‖ẑ_m‖ᵥ in entry (k, m), in all by γ_{n+24} Σ_m ‖ẑ_m‖ᵥ².
- Σ_i ẑ_im right_i, where right_i was rounded up to twice, is off by at most
  γ_{n+4} Σ_i |ẑ_im right_i|, and by γ_{r+1} Σ_j |L_jm| Σ_i |x̃_ij right_i| more since ẑ is not z.

Sums of non-negative numbers that enter these bounds are computed too: a factor ABOVE pays for that,
and numbers of the order 2⁻¹⁰⁷⁴ for underflow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates.base import Refuted
from certo.certificates.regression.factors import norm_above, pieces, roundings
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.rounded import ABOVE


class Curvature(NamedTuple):
    """What one pass over the data shows of A and L."""

    gram: np.ndarray  # LᵀAL, computed
    gram_off: float  # ≥ ‖gram − LᵀAL‖
    product: np.ndarray  # (r, q): Σ z_i right_i, computed
    product_off: np.ndarray  # Error bound of each entry.


def curvature(
    sample: Sample,
    factor: np.ndarray,
    *,
    kept: np.ndarray,
    lifted: bool,
    weights: np.ndarray,
    total: float,
    ridge: float,
    right: np.ndarray,
    shift: np.ndarray,
) -> Curvature:
    """One pass over the data. `shift` has a number for each of the d features. Refuted, if numbers
    overflow."""
    r = kept.size
    gram, squares = np.zeros((r, r)), np.zeros(r)
    product, sizes, inner = (np.zeros((r, right.shape[1])) for _ in range(3))
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, r):
            rows = kept_part(sample, start, stop, kept, lifted, shift)
            Z, v, some = rows @ factor, weights[start:stop], right[start:stop]
            scaled = Z * np.sqrt(v)[:, None]
            gram += scaled.T @ scaled
            squares += v @ (rows * rows)
            product += Z.T @ some
            some = np.abs(some)
            sizes += np.abs(Z, out=Z).T @ some
            inner += np.abs(rows, out=rows).T @ some
        size, n, m = np.abs(factor), roundings(sample.m, r), sample.m
        # ‖ζ‖, ‖Ẑ‖ᵥ² and the two parts of the error of ẐᵀVẐ
        # A square that underflows is off by 2⁻¹⁰⁷⁵ before it is multiplied by its weight.
        weight = float(np.sum(weights)) * ABOVE
        sigma = np.sqrt(squares * ABOVE + (m + weight) * exact.TINY) * ABOVE
        apart = exact.gamma(r + 2) * (size.T @ sigma) * ABOVE
        apart += 2 * r * exact.TINY * math.sqrt(weight)
        zeta = norm_above(apart)
        summed = 2 * exact.gamma(n + 24) * float(np.trace(gram)) + 2 * r * m * exact.TINY
        square = norm_above(gram) + summed
        off = (summed + (2 * math.sqrt(square) * ABOVE + zeta) * zeta) * ABOVE / total * ABOVE
        gram /= total
        if ridge:
            slopes = factor[: r - lifted]
            gram += ridge * (slopes.T @ slopes)
            penalty = ridge * norm_above(slopes) * norm_above(slopes)
            off += 2 * exact.gamma(r + 4) * (penalty + norm_above(gram))
        product_off = exact.gamma(n + 4) * sizes + exact.gamma(r + 2) * (size.T @ inner)
        product_off += 2 * (m + r * np.sum(np.abs(right), axis=0)) * exact.TINY
        product_off *= ABOVE
    numbers = (gram, product, product_off, off)
    if not all(np.all(np.isfinite(number)) for number in numbers):
        raise Refuted("numbers overflow float64.")
    return Curvature(gram, float(off * ABOVE), product, product_off)


def kept_part(
    sample: Sample, start: int, stop: int, kept: np.ndarray, lifted: bool, shift: np.ndarray | None
) -> np.ndarray:
    """x̃_J for rows start … stop − 1, dense, each entry rounded at most once."""
    slopes = kept[: kept.size - lifted]
    part = sample.part(start, stop)
    if sparse.issparse(part):
        part = part[:, slopes].toarray()
    elif slopes.size < sample.d:
        part = part[:, slopes]
    rows = np.ones((stop - start, kept.size))
    rows[:, : slopes.size] = part if shift is None else part - shift[slopes]
    return rows


def pulled(factor: np.ndarray, g: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lᵀg and how far off each entry may be, where each entry of g is within `off` (r, q)."""
    size = np.abs(factor)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        slack = size.T @ (off + exact.gamma(len(factor) + 2) * np.abs(g))
        return factor.T @ g, slack * ABOVE + 2 * len(factor) * exact.TINY
