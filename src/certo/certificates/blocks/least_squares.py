r"""LeastSquaresExcess by blocks.

Notation as in `regression.least_squares_evidence`, all weights being 1, S = m. With the residuals r
of a block, which are computed as for a table in memory, the sums over the blocks are

    Σ r²                  each block's with its allowance, the blocks exactly;
    Σ x̃ r and Σ |x̃ r|    for the gradient g = X̃ᵀr/m, put into the coordinates of L afterwards;
    Σ x̃²                 for σ;
    Σ z zᵀ, z = Lᵀx̃      for the curvature: of one row in CURVED_STRIDE, or, at the second try, of
                          all.

A part of the rows is enough for the curvature, since the others add a matrix that is not negative.
Let them be m/c of all m, and A' = (c/m) Σ x̃ x̃ᵀ + ridge over them, which is then at most cA. With
η ≥ ‖I − LᵀA'L‖ < 1, gᵀA⁻¹g ≤ c gᵀA'⁻¹g ≤ c‖Lᵀg‖²/(1 − η). What is lost multiplies the square of
a gradient that is nearly 0.

Rounding. An entry of Σ x̃ r passes through at most `depth` additions and three roundings (the shift,
the product, r itself counts in ε): it is off by γ_{depth+4} Σ|x̃ r|, and by σ_j ε since r̂ is not r,
ε = γ_{d+6}‖τ‖. Lᵀ times that adds γ_{r+2}|L|ᵀ|g|. Of the curvature, each block's allowance is that
of `regression.curvature`; adding B blocks rounds entries of size ≤ √(G_jj G_kk), in norm by
γ_B trace(G).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates.base import check_count, require
from certo.certificates.blocks.sums import CURVED_STRIDE, MIN_CURVED_ROWS, BlockSum
from certo.certificates.regression.curvature import curvature, pulled
from certo.certificates.regression.factors import norm_above, roundings
from certo.certificates.regression.least_squares_evidence import (
    Evidence,
    _residuals,
    column_sums,
    objective_of,
    offsets_of,
    sizes_of,
    underflow,
)
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.rounded import ABOVE, Rounded, positive_sum


def require_form(claim: LeastSquaresExcess) -> None:
    """Refuted, unless the proof is one that sums over blocks give."""
    plain = not (claim.sample_weight.size or claim.multipliers.size or claim.combinations)
    require(
        plain and claim.is_curved and claim.reach is None and claim.distance is None,
        "of blocks, a proof by a factor over all columns is needed, without weights.",
    )


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def terms(claim: LeastSquaresExcess, sample: Sample, start: int, attempt: int) -> BlockSum:
    require_form(claim)
    d, m, q, r = sample.d, sample.m, len(claim.coef), claim.kept.size
    require(d == claim.coef.shape[1], f"the claim is about {claim.coef.shape[1]:,} features.")
    require(sample.signs.shape == (m, q), f"y must have {q:,} columns.")
    ones = np.ones(m)
    residuals, squares = _residuals(claim, sample, ones)
    sums, sizes = column_sums(sample, residuals, claim.shift[:d])
    stride = CURVED_STRIDE if attempt == 0 and m >= MIN_CURVED_ROWS * r else 1
    part = Sample(sample.X[::stride], sample.signs[::stride])
    found = curvature(
        part, claim.factor, kept=claim.kept, lifted=claim.lifted, weights=ones[::stride],
        total=1.0, ridge=0.0, right=np.zeros((part.m, 0)), shift=claim.shift[:d],
    )  # fmt: skip
    losses = positive_sum((residuals * residuals).ravel(), quickly=True)
    added = {
        "losses": losses, "curved_rows": part.m, "squares": squares,
        "sums": np.vstack([sums, residuals.sum(axis=0)]),
        "sizes": np.vstack([sizes, np.abs(residuals).sum(axis=0)]), "gram": found.gram,
        "gram_off": found.gram_off, "square_sums": np.sum(residuals * residuals, axis=0),
    }  # fmt: skip
    return BlockSum(m, max(roundings(m, d), m), added)


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def evidence(claim: LeastSquaresExcess, total: BlockSum) -> Evidence:
    """What the sums show; Refuted, if numbers overflow."""
    (q, d), m, kept, L = claim.coef.shape, total.rows, claim.kept, claim.factor
    S = Rounded(Fraction(m))
    n = total.depth
    sigma = np.sqrt(total["squares"] * ABOVE + underflow(m, S)) * ABOVE
    apart = exact.gamma(d + 6) * norm_above(sizes_of(claim, sigma, offsets_of(claim)))  # ε
    losses = total["losses"].plus(Rounded(Fraction(0), q * Fraction(underflow(m, S))))
    require(apart < math.inf and np.all(np.isfinite(total["sizes"])), "numbers overflow float64.")
    objective = objective_of(claim, losses, apart, S)
    part = total["curved_rows"]
    off = total["gram_off"] + 2 * exact.gamma(total.blocks + 4) * float(np.trace(total["gram"]))
    gram, off = total["gram"] / part, off / part
    if claim.ridge:
        slopes = L[: kept.size - claim.lifted]
        gram = gram + claim.ridge * (slopes.T @ slopes)
        size = claim.ridge * norm_above(slopes) ** 2 + norm_above(gram)
        off += 2 * exact.gamma(len(L) + 4) * size
    curved = norm_above(np.eye(kept.size) - gram)
    curved_off = off * ABOVE + 4 * exact.UNIT * (1 + curved)
    places = np.where(kept < d, kept, d)
    penalty = np.vstack([claim.ridge * claim.coef.T, np.zeros((1, q))])
    g = total["sums"] / m - penalty
    rows = np.where(np.arange(d + 1) < d, np.arange(d + 1), -1)
    g_off = exact.gamma(n + 8) * (total["sizes"] / m) + 4 * exact.UNIT * (
        np.abs(g) + 2 * np.abs(penalty)
    )
    g_off = g_off + (sigma[rows] * apart / m)[:, None] + 2 * exact.TINY
    pull, pull_off = pulled(L, g[places], g_off[places] * ABOVE)
    wider = math.sqrt(m / part) * ABOVE  # √c
    length, length_off = norm_above(pull) * wider, norm_above(pull_off) * wider
    return Evidence(objective, curved, curved_off, length, length_off * ABOVE)


def shown(claim: LeastSquaresExcess, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    return claim._compared(evidence(claim, total))
