r"""What sums over examples show of linear predictions, without another look at the examples.

Notation as in `certificates.regression.least_squares_evidence`, whose evidence this is, too.

From a Gram matrix Ĝ of z = (x, y, 1) whose entries were rounded R times: |Ĝ − G|_jk ≤ γ_R σ_j σ_k
by Cauchy and Schwarz. Residuals are r_k = z·v_k, so that S·F, SLᵀg and SLᵀAL, with N = d + q + 1
columns v_kᵀGv_k, LᵀGv_k and LᵀGL, are off by at most 2γ_{R+4N+32} times τ_k², ℓ_m τ_k and ℓ_m ℓ_n
(the 2 pays for products of errors). R is taken to be not below the n of a checker who goes by the
rows: then these allowances are not below his, term by term, since ‖r_k‖ₛ ≤ τ_k and ‖z_m‖ₛ ≤ ℓ_m.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates.base import require
from certo.certificates.regression.dependence import Combinations, others
from certo.certificates.regression.factors import norm_above, roundings
from certo.certificates.regression.least_squares_evidence import (
    Evidence,
    exponent_of,
    less_ridge,
    objective_of,
    offsets_of,
    sizes_of,
    underflow,
    weights_of,
)
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.numbers import exact
from certo.numbers.farkas import common_denominator
from certo.numbers.rounded import ABOVE, Rounded
from certo.problems.shifted_gram import ShiftedGram


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def by_gram(claim: LeastSquaresExcess, known: ShiftedGram) -> Evidence:
    """From sums over the examples; Refuted, if numbers overflow."""
    _, S = weights_of(claim)
    q, d = claim.coef.shape
    n, m = d + q + 1, claim.examples
    most = max(known.roundings, roundings(m, d), roundings(m, claim.kept.size))
    unit = 2 * exact.gamma(most + 4 * n + 32)
    columns = np.where(claim.kept < d, claim.kept, n - 1)
    offsets = offsets_of(claim)
    V = np.concatenate((-claim.coef.T, np.eye(q), -offsets[None, :]))
    L, gram, size = claim.factor, known.gram, float(S.below)
    if exponent := exponent_of(claim):
        gram = np.ldexp(gram, -exponent)
    sigma = np.sqrt(gram.diagonal() * ABOVE + underflow(m, S)) * ABOVE
    tau, inner = (
        norm_above(sizes_of(claim, sigma, offsets)),
        norm_above(np.abs(L).T @ sigma[columns]),
    )
    GV = gram @ V
    square, within = float(np.sum(V * GV)), unit * tau * tau * ABOVE
    curved_gram = L.T @ gram[columns[:, None], columns] @ L / size
    if claim.ridge:
        slopes = L[: columns.size - claim.lifted]
        curved_gram += claim.ridge * (slopes.T @ slopes)
    curved = norm_above(np.eye(columns.size) - curved_gram)
    curved_off = unit * (inner * inner / size + norm_above(curved_gram)) * ABOVE
    pull = L.T @ GV[columns] / size
    pull, off = less_ridge(claim, pull, np.zeros_like(pull))
    pull_off = (unit * inner * tau / size + norm_above(off)) * ABOVE
    pulled = norm_above(pull)
    all_of_them = square + within + curved + curved_off + pulled + pull_off
    require(math.isfinite(all_of_them), "numbers overflow float64.")
    evidence = Evidence(
        objective_of(claim, Rounded(Fraction(max(square, 0.0)), Fraction(within)), 0.0, S),
        curved, curved_off, pulled, pull_off,
    )  # fmt: skip
    if claim.kept.size == d + claim.lifted:
        return evidence
    rest = others(claim.kept, d)
    beside = np.max(np.abs(GV[rest]), axis=1, initial=0.0) / size
    beside_off = unit * sigma[rest] * tau / size * ABOVE
    require(np.isfinite(beside.sum() + beside_off.sum()), "numbers overflow float64.")
    length = sigma[rest] / math.sqrt(size) * ABOVE
    return evidence._replace(beside=beside, beside_off=beside_off, length=length)


def shown_exact(claim: LeastSquaresExcess, known: ShiftedGram) -> bool:
    """Whether Σ s E_j² = 0 for what every combination misses, from sums that were not rounded: then
    E_j = 0 on all examples that count."""
    if not known.exact:
        return False
    d = claim.coef.shape[1]
    places = [*range(d), -1]  # Places of x̃ among (x, y, 1).
    gram, shift = known.gram[np.ix_(places, places)], claim.shift[:d]
    return exactly_by_sums(gram, shift, claim.kept, claim.combinations, claim.lifted)


def exactly_by_sums(
    gram: np.ndarray, shift: np.ndarray, kept: np.ndarray, combinations: Combinations, lifted: bool
) -> bool:
    """Whether Σ_i s_i E_ij² = 0 for every column j that is not kept, from Σ_i s_i z_i z_iᵀ for
    z = (x − shift, 1), integers that were not rounded; that is E = 0 wherever s_i is not 0."""
    d = shift.size
    away = [Fraction(float(c)) for c in shift] + [Fraction(0)]
    for j, line in zip(others(kept, d).tolist(), combinations, strict=True):
        terms = {j: Fraction(-1)} | {k: c for k, c in zip(kept.tolist(), line, strict=True) if c}
        if lifted:  # The sums of the shifted columns.
            terms[d] = terms.get(d, Fraction(0)) + sum(c * away[k] for k, c in terms.items())
        part = gram[np.ix_([*terms], [*terms])]
        common = common_denominator([*terms.values()])
        if common is None or not np.array_equal(part, np.rint(part)):
            return False
        whole = [int(c * common) for c in terms.values()]
        if _square(whole, part):
            return False
    return True


def _square(terms: list[int], gram: np.ndarray) -> int:
    """termsᵀ·gram·terms for integers, exactly."""
    if sum(map(abs, terms)) ** 2 * int(np.max(np.abs(gram))) < 2**62:  # Then no sum overflows.
        a = np.array(terms, dtype=np.int64)
        return int(a @ gram.astype(np.int64) @ a)
    a = np.array(terms, dtype=object)
    return a @ np.array([[int(entry) for entry in row] for row in gram.tolist()], dtype=object) @ a
