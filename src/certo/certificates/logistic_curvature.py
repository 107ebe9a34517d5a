r"""How far a logistic risk can be above its infimum, from gradient and curvature at one point.

Let F be the mean of the losses alive plus the ridge's part, over weights w_k − w_K against the last
class K (for two classes over w), and H, g its Hessian and gradient. Along w + sv let φ(s) be F, and
ρ the greatest range, over examples, of the changes v_k·x̃_i of the scores (two classes: |v·x̃_i|).
The third derivative of a loss is the third central moment of the changes under p, at most ρ times
their variance, which is its second: |φ'''| ≤ ρ φ''. So φ''(s) ≥ φ''(0) e^{−ρs}, and with h² = vᵀHv,
λ ≥ |g·v|/h and ρ ≤ r·h, integrating twice,

    F(w + v)  ≥  F(w) − λh + (e^{−rh} + rh − 1)/r² ,

as (e^{−ρ} + ρ − 1)/ρ² falls with ρ. If x = rλ < 1 the right-hand side grows without bound with h:
a minimiser exists (on the span of what is kept). And its least value, at e^{−rh} = 1 − x, gives

    F(w) − inf F  ≤  (x + (1 − x) ln(1 − x))/r²  =  λ² Σ_{k≥2} x^{k−2}/(k(k − 1))
                  ≤  λ² (1/2 + x/6 + x²/(12(1 − x))) .

λ and r come from coordinates in which H is roughly the identity. For each class k but the last let
T_k be triangular over the columns kept for it, z_ik = T_kᵀx̃_i, A' the Hessian in these coordinates
as computed, |A − A'| ≤ gram_off, and L such that LᵀA'L ≈ I. Every v has v_k = T_k (Lu)_k; with
η ≥ ‖I − LᵀA'L‖ + gram_off·‖L‖², h ≥ √(1 − η)‖u‖. Hence, L_k being the rows of L for class k,

    |g·v| ≤ ‖Lᵀ(T_kᵀg_k)_k‖ h/√(1 − η),    |v_k·x̃_i| ≤ ‖z_ik‖‖L_k‖ h/√(1 − η) ,

and a range is at most the sum of two of the latter.

Rounding. H is Σ_i s_i Σ_{k<l} p_k p_l (e_k − e_l)(e_k − e_l)ᵀ ⊗ x̃_i x̃_iᵀ: lower p_k p_l make it
lower, so they are taken (1 − τ) times, τ being what they may be off by. In what follows these are
the weights; the roundings are those of `curvature`, with σ_kj² = Σ_i s_i p_ik x̃_ij²:
- the sum over rows is off by γ_{n+24} √(A'_aa A'_bb) in entry (a, b), since p_k p_l ≤
  √(p_k(1 − p_k))·√(p_l(1 − p_l)), in all by γ_{n+24}·trace A';
- h changes with z by the root of the variance of Σ_a u_ka e_ika, at most ‖u‖ times the greatest
  ‖e_k‖ᵥ ≤ γ_{p+1}‖|T_k|ᵀσ_k‖ =: ζ, and A' in all by (2‖A'‖^½ + ζ)ζ;
- products with slopes, and lengths, as there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates import exact
from certo.certificates.base import Refuted
from certo.certificates.curvature import LEAST, curvature, inverse_factor, norm_above
from certo.certificates.logistic_terms import CUT, LogisticProblem, Terms, relative
from certo.certificates.rounded import ABOVE

ROWS = 2048  # of a block, for several classes


class Decrement(NamedTuple):
    """λ ≥ sup |g·v|/h and r ≥ sup ρ/h over all changes v ≠ 0."""

    size: float
    reach: float

    @property
    def shown(self) -> bool:
        """Whether rλ < 1 (False where either is not a number)."""
        return self.size * self.reach * ABOVE < 1

    @property
    def excess(self) -> float:
        """A number that F(w) − inf F does not exceed."""
        x = self.size * self.reach * ABOVE
        return self.size**2 * (0.5 + x / 6 + x * x / (12 * (1 - x))) * ABOVE


NOTHING = Decrement(math.inf, math.inf)


class Hessian(NamedTuple):
    """H and g in the coordinates of some factors, classes one after another; the last has none."""

    gram: np.ndarray
    gram_off: float
    pull: np.ndarray  # T_kᵀg_k
    pull_off: np.ndarray  # how far off each entry may be
    longest: np.ndarray  # for each class, ≥ max ‖z_ik‖
    sizes: np.ndarray  # how many coordinates each class has


def decrement(hessian: Hessian, room: int) -> Decrement:
    """λ and r, all allowances taken `room` times."""
    L = inverse_factor(hessian.gram)
    if L is None:
        return NOTHING
    n, size = len(L), np.abs(L)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        flat = norm_above(np.eye(n) - L.T @ hessian.gram @ L)
        # two products of n terms each, then a difference
        rounded = 2 * exact.gamma(2 * n + 4) * norm_above(size.T @ np.abs(hessian.gram) @ size)
        eta = (flat + room * (rounded + hessian.gram_off * _spectral(L) ** 2)) * ABOVE
        if not eta < 1:
            return NOTHING
        root = math.sqrt(1 - eta) / ABOVE
        slack = size.T @ (hessian.pull_off + 2 * exact.gamma(n + 2) * np.abs(hessian.pull))
        length = (norm_above(L.T @ hessian.pull) + room * norm_above(slack)) / root * ABOVE
        of_classes = np.split(L, np.cumsum(hessian.sizes)[:-1])
        moves = hessian.longest * [_spectral(rows) for rows in of_classes]
        return Decrement(length, float(np.sum(np.sort(moves)[-2:])) / root * ABOVE)


def _spectral(matrix: np.ndarray) -> float:
    """A number that ‖matrix‖ does not exceed: √(‖·‖₁‖·‖_∞), or Frobenius' norm."""
    size = np.abs(matrix)
    ones = math.sqrt(np.max(size.sum(axis=0), initial=0) * np.max(size.sum(axis=1), initial=0))
    return min(ones * ABOVE, norm_above(matrix))


def two_classes(
    problem: LogisticProblem, known: Terms, kept: np.ndarray, factor: np.ndarray, ridge: float,
    coef: np.ndarray,
) -> Hessian:
    """By `curvature`."""
    alive = problem.counts[:, 0]
    curved = curvature(
        problem.sample, factor, kept=kept, lifted=problem.lifted, total=1.0, ridge=ridge,
        weights=_lowered(known, problem) * known.shares[:, 0] * known.others[:, 0],
        right=problem.shares[:, None] * known.slopes, alive=alive,
    )  # fmt: skip
    pull, off = curved.product[:, 0], curved.product_off[:, 0] * _slopes_too(2)
    if ridge:
        slopes, w = factor[: kept.size - problem.lifted], coef[0][kept[: kept.size - problem.lifted]]
        pull = pull + ridge * (slopes.T @ w)
        size = np.abs(pull) + ridge * (np.abs(slopes).T @ np.abs(w))
        off = off + exact.allowance(kept.size + 4, size) * ABOVE
    longest = np.array([curved.longest])
    return Hessian(curved.gram, curved.gram_off, pull, off, longest, np.array([kept.size]))


def _lowered(known: Terms, problem: LogisticProblem) -> np.ndarray:
    """The weights of the examples times 1 − τ: p_k p_l may be off by a factor e^{4ε} from the
    scores, by 2·relative(K) as they are computed, and weights and products by 8 roundings."""
    off = 4 * known.within + 2 * relative(problem.classes) + 16 * exact.UNIT
    return problem.shares * np.maximum(1 - off * ABOVE, 0.0)


def _slopes_too(classes: int) -> float:
    """Slopes are off by relative(K) of themselves, their weights by 4 roundings; a sum of their
    products is allowed 6 roundings at least (see `curvature`), so for more than that it is allowed
    so many times as much."""
    return (1 + (relative(classes) / exact.UNIT + 4) / 6) * ABOVE


def slopes_moved(problem: LogisticProblem, known: Terms, reach: float) -> float:
    """What λ must be raised by since slopes come from computed scores: p moves by the integral of
    the Hessian of the loss along the error Δ of the scores, |Δ_k| ≤ ε, which is at most e^{2ε} times
    itself, so Σ_k Δp_k·v_k·x̃ ≤ e^{2ε} (Var Δ)^½ (Var v·x̃)^½ ≤ e^{2ε} ε (Var v·x̃)^½, in the mean
    at most e^{2ε} (mean ε²)^½ h. And by K·CUT of each class."""
    rows = problem.counts.any(axis=1)
    within, shares = known.within[rows], problem.shares[rows]
    top = float(np.max(within, initial=0.0))
    if not top < 1:
        return math.inf
    square = float(np.sum(shares * within * within)) * ABOVE + LEAST**2
    return (math.exp(2 * top) * math.sqrt(square) + problem.classes**2 * CUT * reach) * ABOVE
