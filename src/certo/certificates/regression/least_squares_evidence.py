r"""What examples show of linear predictions: F, its gradient and its curvature.

F(W, b) = (1/S) Σ_i s_i ‖y_i − W x_i − b‖² + ridge·‖W‖². With functions on the examples as vectors,
⟨f, h⟩ = (1/S) Σ s_i f_i h_i, let r be the residual and g = X̃ᵀSr/S − ridge·W, half the gradient,
downhill; A, L, η, γ, σ, ℓ and n as in `curvature`, norms there weighted with s (‖·‖ₛ² is S times
⟨·, ·⟩). x and y may be shifted: that rounds each number once and only renames b. A square that
underflows is off by 2⁻¹⁰⁷⁵ before it is multiplied by s, so that Σ s_i x_ij² is by (m + S)·2⁻¹⁰⁷⁴.

From the rows. A residual has d + 3 terms and its intercept one more rounding, so that
‖r̂_k − r_k‖ₛ ≤ γ_{d+6} τ_k with τ_k = Σ_j |w_kj| σ_j + ‖y_k‖ₛ + |b_k|√S, by the triangle inequality
over the columns. With ε = γ_{d+6}‖τ‖ for all outputs together,

    ‖r‖ₛ moves by ε at most, hence ‖r‖ₛ² by (2‖r̂‖ₛ + ε)ε;
    Lᵀg = ZᵀSr/S − … by ‖Z‖ε/S, where ‖Z‖ ≤ √(S(1 + η)) and ‖Z‖ ≤ ‖ℓ‖; and ⟨x̃_j, r⟩ by σ_j ε/S.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates.base import Refuted, require
from certo.certificates.regression.curvature import curvature, pulled
from certo.certificates.regression.dependence import others
from certo.certificates.regression.factors import NORM_UNDERFLOW, norm_above, pieces, roundings
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.rounded import ABOVE, Rounded, positive_sum, total

if TYPE_CHECKING:
    from certo.certificates.regression.least_squares_excess import LeastSquaresExcess

NO_COLUMNS = np.zeros(0)


class Evidence(NamedTuple):
    """F, and what the excess is bounded by; each number with its allowance."""

    objective: Rounded
    curved: float = 0.0  # ‖I − LᵀAL‖
    curved_off: float = 0.0
    pull: float = math.inf  # ‖Lᵀg‖
    pull_off: float = 0.0
    beside: np.ndarray = NO_COLUMNS  # For each dropped column: max_k |g_jk|.
    beside_off: np.ndarray = NO_COLUMNS
    length: np.ndarray = NO_COLUMNS  # At least its root mean square.

    def excess(self, allowances: int, reach: float | None) -> float:
        """A bound on F − min F with so many allowances for rounding; inf if there is none."""
        eta = self.curved + allowances * self.curved_off
        pull = (self.pull + allowances * self.pull_off) * ABOVE
        if not (eta < 1 and pull < math.inf):
            return math.inf
        bound = pull * pull / (1 - eta) * ABOVE + NORM_UNDERFLOW
        if reach is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                rest = self.beside + allowances * self.beside_off + math.sqrt(bound) * self.length
                bound += 2 * reach * float(np.max(rest, initial=0.0)) * ABOVE
        return bound * ABOVE if bound < math.inf else math.inf


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def by_rows(claim: LeastSquaresExcess, sample: Sample) -> Evidence:
    """From the examples themselves; Refuted, if numbers overflow."""
    s, S = weights_of(claim)
    d, m, q, kept = sample.d, sample.m, len(claim.coef), claim.kept
    residuals, squares = _residuals(claim, sample, s)
    sigma = np.sqrt(squares * ABOVE + underflow(m, S)) * ABOVE
    size = float(S.below)
    apart = exact.gamma(d + 6) * norm_above(sizes_of(claim, sigma, offsets_of(claim)))  # ε
    terms, right = s[:, None] * (residuals * residuals), s[:, None] * residuals
    require(np.all(np.isfinite(terms)) and apart < math.inf, "numbers overflow float64.")
    losses = positive_sum(terms.ravel(), quickly=True)
    losses = losses.plus(Rounded(Fraction(0), q * Fraction(underflow(m, S))))
    objective = objective_of(claim, losses, apart, S)
    if not claim.is_curved:
        if claim.ridge:
            return _by_ridge(claim, sample, objective, right, apart)
        return Evidence(objective)
    found = curvature(
        sample, claim.factor, kept=kept, lifted=claim.lifted, weights=s, total=float(S.value),
        ridge=claim.ridge, right=right, shift=claim.shift[:d],
    )  # fmt: skip
    curved = norm_above(np.eye(kept.size) - found.gram)
    curved_off = found.gram_off * ABOVE + 4 * exact.UNIT * (1 + curved)
    inner = norm_above(np.abs(claim.factor).T @ sigma[np.where(kept < d, kept, -1)])
    widest = min(math.sqrt(1 + curved + curved_off), inner / math.sqrt(size)) * ABOVE
    pull, off = less_ridge(claim, found.product / size, found.product_off / size)
    length = norm_above(pull)
    pull_off = norm_above(off) + widest * apart / math.sqrt(size) + 4 * exact.UNIT * length
    evidence = Evidence(objective, curved, curved_off, length, pull_off * ABOVE)
    if claim.reach is None:
        return evidence
    rest = others(kept, d)
    sums, sizes = column_sums(sample, right, claim.shift[:d])
    off = exact.gamma(roundings(m, d) + 6) * sizes[rest] + 2 * m * exact.TINY
    return evidence._replace(
        beside=np.max(np.abs(sums[rest]), axis=1, initial=0.0) / size,
        beside_off=(np.max(off, axis=1, initial=0.0) + sigma[rest] * apart) * ABOVE / size * ABOVE,
        length=sigma[rest] / math.sqrt(size) * ABOVE,
    )


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def _by_ridge(
    claim: LeastSquaresExcess, sample: Sample, objective: Rounded, right: np.ndarray, apart: float
) -> Evidence:
    """Without a factor: (ḡ, (g_W − x̄ḡ)/√ridge) in place of Lᵀg."""
    s, S = weights_of(claim)
    q, d, size, root = right.shape[1], sample.d, float(S.below), math.sqrt(claim.ridge)
    unit, tiny = exact.gamma(roundings(sample.m, d) + 6), 2 * sample.m * exact.TINY / size
    right = np.column_stack([right, s]) if claim.lifted else right
    sums, sizes = column_sums(sample, right, claim.shift[:d])
    sums, off = sums / size, unit * ABOVE * (sizes / size) + tiny
    penalty = claim.ridge * claim.coef.T
    g, g_off = sums[:, :q] - penalty, off[:, :q] + 4 * exact.UNIT * np.abs(penalty)
    # How far r̂ − r moves g, whose columns are not longer than the shifted ones.
    squares = _squares(sample, s, claim.shift[:d]) + underflow(sample.m, S)
    wide = norm_above(np.sqrt(squares)) * apart / size
    mean, mean_off = np.zeros(0), np.zeros(0)
    if claim.lifted:
        middle, middle_off = sums[:, q:], off[:, q:]
        mean, mean_size = (_sums(x[:, :q], d) / size for x in (right, np.abs(right)))
        mean_off = unit * ABOVE * mean_size + apart / math.sqrt(size) * ABOVE + tiny
        g = g - middle * mean
        g_off = g_off + np.abs(middle) * mean_off + middle_off * (np.abs(mean) + mean_off)
        g_off += 4 * exact.UNIT * np.abs(middle * mean)
    g_off += 4 * exact.UNIT * np.abs(g)
    pull = norm_above(np.append(np.ravel(g) / root, mean))
    pull_off = (norm_above(g_off) + wide) / root * ABOVE + norm_above(mean_off)
    return Evidence(objective, pull=pull, pull_off=(pull_off + 8 * exact.UNIT * pull) * ABOVE)


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def off_row_space(claim: LeastSquaresExcess, sample: Sample, allowances: int) -> float:
    """Not below ‖coef − Σ z_i (x_i − x̄)‖ for the multipliers z, x̄ = 0 without intercept."""
    s, S = weights_of(claim)
    (q, d), size = claim.coef.shape, float(S.below)
    z = claim.multipliers.T
    require(not np.any(z[s == 0]), "an example of weight 0 has a multiplier.")
    sums, sizes = column_sums(
        sample, np.column_stack([z, s]) if claim.lifted else z, claim.shift[:d]
    )
    off = exact.gamma(roundings(sample.m, d) + 6) * ABOVE * sizes + 2 * sample.m * exact.TINY
    apart = claim.coef.T - sums[:, :q]
    slack = off[:, :q]
    if claim.lifted:
        surplus = np.array([float(total(row)) for row in claim.multipliers])
        taken = sums[:, q:] / size * surplus
        apart = apart + taken
        slack = slack + off[:, q:] / size * np.abs(surplus) + 8 * exact.UNIT * np.abs(taken)
    slack = slack + 4 * exact.UNIT * (np.abs(apart) + np.abs(claim.coef.T))
    return (norm_above(apart) + allowances * norm_above(slack)) * ABOVE


def underflow(m: int, S: Rounded) -> float:
    """What Σ s·x² over m examples may lack: see above."""
    size = m + S.above
    if size < 2**53:  # Then this product is exact.
        return math.ceil(size) * exact.TINY
    return exact.above(size * Fraction(exact.TINY))


def weights_of(claim: LeastSquaresExcess) -> tuple[np.ndarray, Rounded]:
    """s and S. F is the same for weights that are multiplied by a number, here by the power of two
    that makes their mean about 1, so that squares of weighted sums neither over- nor underflow."""
    if not claim.sample_weight.size:
        return np.ones(claim.examples), Rounded(Fraction(claim.examples))
    shift = exponent_of(claim)
    s = np.ldexp(claim.sample_weight, -shift)
    require(np.array_equal(np.ldexp(s, shift), claim.sample_weight), "weights are too different.")
    S = total(s)
    return s, Rounded(S, S * Fraction(exact.UNIT))


def exponent_of(claim: LeastSquaresExcess) -> int:
    """e, where the weights are taken 2⁻ᵉ times; 0 without weights."""
    if not claim.sample_weight.size:
        return 0
    mean = total(claim.sample_weight) / claim.examples
    require(mean > 0, "all weights are 0.")
    return mean.numerator.bit_length() - mean.denominator.bit_length()


def offsets_of(claim: LeastSquaresExcess) -> np.ndarray:
    """b + W·(shift of x) − (shift of y): the intercept of shifted predictions, rounded once."""
    d = claim.coef.shape[1]
    triples = zip(claim.coef, claim.intercept.tolist(), claim.shift[d:].tolist(), strict=True)
    try:
        return np.array([
            float(exact.dot(w, claim.shift[:d]) + Fraction(b) - Fraction(c)) for w, b, c in triples
        ])  # fmt: skip
    except OverflowError as overflow:
        raise Refuted("numbers overflow float64.") from overflow


def sizes_of(claim: LeastSquaresExcess, sigma: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """τ, from the norms of the shifted columns of x and y and of the ones, and the offsets."""
    q, d = claim.coef.shape
    tau = np.abs(claim.coef) @ sigma[:d] + sigma[d : d + q] + np.abs(offsets) * sigma[-1]
    return tau * ABOVE + NORM_UNDERFLOW


def objective_of(claim: LeastSquaresExcess, squares: Rounded, apart: float, S: Rounded) -> Rounded:
    """F from Σ s r̂², r̂ being `apart` from r in norm."""
    error, within = Fraction(apart), squares.within
    if apart:
        within += (2 * Fraction(exact.root_above(squares.above)) + error) * error
    mean = squares.value / S.value
    fit = Rounded(mean, (within + mean * S.within) / S.below)
    if not claim.ridge:
        return fit
    return fit.plus(positive_sum((claim.coef * claim.coef).ravel()), Fraction(claim.ridge))


def less_ridge(
    claim: LeastSquaresExcess, pull: np.ndarray, off: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lᵀg from LᵀX̃ᵀSr/S: less ridge·Lᵀ(W, 0)."""
    if not claim.ridge:
        return pull, off
    slopes, weights = claim.factor[: claim.kept.size - claim.lifted], claim.ridge * claim.coef.T
    moved, slack = pulled(slopes, weights, 2 * exact.UNIT * np.abs(weights))
    return pull - moved, off + slack + 4 * exact.UNIT * (np.abs(pull) + np.abs(moved))


def _residuals(
    claim: LeastSquaresExcess, sample: Sample, s: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """r̂ (m, q), and the weighted sums of squares of the shifted columns of x, y and of the ones."""
    (q, d), shift, offsets = claim.coef.shape, claim.shift, offsets_of(claim)
    residuals, squares = np.empty((sample.m, q)), np.zeros(q + 1)
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, d):
            y, v = sample.signs[start:stop] - shift[d:], s[start:stop]
            rows = shifted(sample, start, stop, shift[:d])
            residuals[start:stop] = y - np.asarray(rows @ claim.coef.T) - offsets
            squares += np.append(v @ (y * y), np.sum(v))
        return residuals, np.append(_squares(sample, s, shift[:d]), squares)


def shifted(sample: Sample, start: int, stop: int, shift: np.ndarray):
    """x − shift for some rows; still sparse where nothing is shifted."""
    part = sample.part(start, stop)
    if not np.any(shift):
        return part
    return (part.toarray() if sparse.issparse(part) else part) - shift


def _squares(sample: Sample, s: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Σ s_i (x_ij − shift_j)²."""
    squares = np.zeros(sample.d)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, sample.d):
            rows = shifted(sample, start, stop, shift)
            rows = rows.multiply(rows) if sparse.issparse(rows) else rows * rows
            squares += rows.T @ s[start:stop]
    return squares


def column_sums(
    sample: Sample, right: np.ndarray, shift: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Σ right_i (x_i − shift) and Σ |right_i (x_i − shift)|, each (d, columns of right)."""
    sums, sizes = (np.zeros((sample.d, right.shape[1])) for _ in range(2))
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, sample.d):
            rows, some = shifted(sample, start, stop, shift), right[start:stop]
            sums += rows.T @ some
            sizes += abs(rows).T @ np.abs(some)
    return sums, sizes


def _sums(right: np.ndarray, d: int) -> np.ndarray:
    """Σ right_i, in the same pieces."""
    return np.sum([right[start:stop].sum(axis=0) for start, stop in pieces(len(right), d)], axis=0)
