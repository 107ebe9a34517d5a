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
- the sum over rows, and what 1 − p_k differs from the sum of the other p_l, is in entry (a, b) off
  by γ_{n+32} + relative(K) times √(A'_aa A'_bb), since p_k p_l ≤ √(p_k(1 − p_k))·√(p_l(1 − p_l)),
  in all by so much of trace A';
- h changes with z by the root of the variance of Σ_a u_ka e_ika, at most ‖u‖ times the greatest
  ‖e_k‖ᵥ ≤ γ_{p+1}‖|T_k|ᵀσ_k‖ =: ζ, and A' in all by (2‖A'‖^½ + ζ)ζ;
- products with slopes, and lengths, as there.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates import exact
from certo.certificates.base import Refuted
from certo.certificates.curvature import LEAST, inverse_factor, norm_above
from certo.certificates.logistic_terms import CUT, THREADS, LogisticProblem, Terms, relative
from certo.certificates.rounded import ABOVE

BLOCK = 2**18  # numbers that are worked on at once
SMALL = 256  # coordinates: above that BLAS shares the work out better than threads over rows


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
    starts: np.ndarray  # where the coordinates of each class begin

    @property
    def diagonal(self) -> list[np.ndarray]:
        """The part of each class."""
        ends = [*self.starts[1:].tolist(), len(self.gram)]
        return [self.gram[i:k, i:k] for i, k in zip(self.starts.tolist(), ends, strict=True)]


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
        lengths = [_spectral(rows) for rows in np.split(L, hessian.starts[1:])]
        moves = np.sort(hessian.longest * lengths)
        return Decrement(length, float(np.sum(moves[-2:])) / root * ABOVE)


def _spectral(matrix: np.ndarray) -> float:
    """A number that ‖matrix‖ does not exceed: √(‖·‖₁‖·‖_∞), or Frobenius' norm."""
    size = np.abs(matrix)
    ones = math.sqrt(np.max(size.sum(axis=0), initial=0) * np.max(size.sum(axis=1), initial=0))
    return min(ones * ABOVE, norm_above(matrix))


class _Sums(NamedTuple):
    """What blocks of rows add up to, over the coordinates of all classes."""

    cross: np.ndarray  # Σ s p_k p_l z_k z_lᵀ
    own: list[np.ndarray]  # Σ s p_k (1 − p_k) z_k z_kᵀ
    pull: np.ndarray  # Σ s (p_k − [k = y]) z_k
    sizes: np.ndarray  # Σ s |p_k − [k = y]| |z_k|
    inner: np.ndarray  # Σ s |p_k − [k = y]| |x̃|, (classes, p)
    squares: np.ndarray  # Σ s p_k x̃², (classes, p)
    longest: np.ndarray


def hessian(
    problem: LogisticProblem,
    terms: Terms,
    factors: np.ndarray,
    starts: np.ndarray,
    ridge: float,
    coef: np.ndarray,
    coupled: bool = True,
) -> Hessian:
    """One pass over the data. `factors` has the T_k beside each other, (p, all coordinates), those
    of class k from starts[k] on. Not `coupled`, the parts of the classes alone are right."""
    p, width, c = *factors.shape, starts.size
    sizes = np.diff([*starts, width])
    lowered, lengths = (
        _lowered(problem, terms),
        np.sqrt(
            np.add.reduceat(np.hstack([factors**2, np.zeros((p, 1))]), starts, axis=1) * (sizes > 0)
        ),
    )
    step = max(64, min(4096, BLOCK // max(width, p)))
    bounds = range(0, problem.sample.m, step)

    def look(first: int, last: int) -> _Sums:
        sums = _Sums(
            np.zeros((width, width) if coupled and c > 1 else (0, 0)),
            [np.zeros((n, n)) for n in sizes],
            np.zeros(width), np.zeros(width), np.zeros((c, p)), np.zeros((c, p)), np.zeros(c),
        )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for start in bounds[first:last]:
                some = slice(start, min(start + step, problem.sample.m))
                _add(sums, problem, terms, some, factors, starts, sizes, lengths, lowered[some])
        return sums

    count = len(bounds)
    if width <= SMALL:
        with one_thread(), ThreadPoolExecutor(THREADS) as pool:  # NumPy works without the GIL
            share = -(-count // THREADS)
            parts = list(pool.map(lambda i: look(i, min(i + share, count)), range(0, count, share)))
    else:
        parts = [look(0, count)]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        whole = _Sums(*(
            [sum(block) for block in zip(*values, strict=True)] if name == "own"
            else np.max(values, axis=0) if name == "longest" else sum(values)
            for name, values in zip(_Sums._fields, zip(*parts, strict=True), strict=True)
        ))  # fmt: skip
        return _rounded(whole, problem, factors, starts, ridge, coef, step + count + THREADS)


def _add(sums, problem, terms, some, factors, starts, sizes, lengths, lowered) -> None:
    part = problem.sample.part(some.start, some.stop)
    rows = np.ones((some.stop - some.start, len(factors)))
    rows[:, : problem.sample.d] = part.toarray() if sparse.issparse(part) else part
    c = starts.size
    shares, others = terms.shares[some, :c], terms.others[some, :c]
    slopes = problem.shares[some, None] * terms.slopes[some, :c]
    Z = rows @ factors
    root, weighted = np.sqrt(lowered)[:, None], lowered[:, None] * shares
    if sums.cross.size:
        spread = Z * np.repeat(root * shares, sizes, axis=1)
        sums.cross[...] += spread.T @ spread
    spread = Z * np.repeat(np.sqrt(weighted * others), sizes, axis=1)
    for own, start in zip(sums.own, starts.tolist(), strict=True):
        one = spread[:, start : start + len(own)]
        own += one.T @ one
    sums.squares[...] += weighted.T @ (rows * rows)
    spread = Z * np.repeat(slopes, sizes, axis=1)
    sums.pull[...] += spread.sum(axis=0)
    sums.sizes[...] += np.abs(spread, out=spread).sum(axis=0)
    np.abs(rows, out=rows)
    sums.inner[...] += np.abs(slopes).T @ rows
    long = np.sqrt(_by_class(Z * Z, starts, sizes)) * ABOVE
    long += exact.gamma(len(factors) + 2) * ABOVE * (rows @ lengths)
    long *= problem.counts[some, :c]
    np.maximum(sums.longest, long.max(axis=0), out=sums.longest)


def _by_class(values: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Sums over the coordinates of each class."""
    padded = np.hstack([values, np.zeros((len(values), 1))])
    return np.add.reduceat(padded, starts, axis=1) * (sizes > 0)


def _rounded(
    sums: _Sums,
    problem: LogisticProblem,
    factors: np.ndarray,
    starts: np.ndarray,
    ridge: float,
    coef: np.ndarray,
    n: int,
) -> Hessian:
    """All with what it may be off by; n roundings of the sums over rows."""
    p, K, size = len(factors), problem.classes, np.abs(factors)
    ends = [*starts[1:].tolist(), factors.shape[1]]
    places = list(zip(starts.tolist(), ends, strict=True))
    gram = -sums.cross if sums.cross.size else np.zeros((factors.shape[1],) * 2)
    zeta, inner = 0.0, np.zeros(factors.shape[1])
    sigma = np.sqrt(sums.squares * ABOVE + problem.sample.m * exact.TINY) * ABOVE
    for (i, k), own, of_class, reach in zip(places, sums.own, sigma, sums.inner, strict=True):
        gram[i:k, i:k] = own
        apart = exact.gamma(p + 2) * (size[:, i:k].T @ of_class) * ABOVE + LEAST
        zeta = max(zeta, norm_above(apart))
        inner[i:k] = size[:, i:k].T @ reach
    rounding = 2 * exact.gamma(n + 32) + 2 * relative(K)
    off = rounding * float(np.trace(gram)) + LEAST
    off += (2 * math.sqrt(norm_above(gram) + off) * ABOVE + zeta) * zeta
    pull = sums.pull
    # slopes are off by relative(K) of themselves, and their weights by 4 roundings
    pull_off = (exact.gamma(n + 8) + relative(K)) * sums.sizes + 2 * exact.gamma(p + 2) * inner
    if ridge:
        slopes = factors[: problem.sample.d]
        apart = np.concatenate([np.full(k - i, j) for j, (i, k) in enumerate(places)])
        together = 1 / K if K > 2 else 0.0
        shared = (apart[:, None] == apart) - together
        gram = gram + ridge * shared * (slopes.T @ slopes)
        off += 2 * exact.gamma(p + 8) * (ridge * norm_above(slopes) ** 2 + norm_above(gram))
        mean = coef.mean(axis=0) if K > 2 else np.zeros_like(coef[0])
        size_w = np.abs(coef) + np.abs(coef).mean(axis=0)
        pulled = np.concatenate(
            [slopes[:, i:k].T @ (coef[j] - mean) for j, (i, k) in enumerate(places)]
        )
        sizes = np.concatenate(
            [np.abs(slopes[:, i:k]).T @ size_w[j] for j, (i, k) in enumerate(places)]
        )
        pull = pull + ridge * pulled
        pull_off = pull_off + exact.allowance(p + K + 8, ridge * sizes + np.abs(pull))
    pull_off = pull_off * ABOVE + LEAST
    numbers = (gram, off, pull, pull_off, sums.longest)
    if not all(np.all(np.isfinite(number)) for number in numbers):
        raise Refuted("numbers overflow float64.")
    return Hessian(gram, float(off * ABOVE), pull, pull_off, sums.longest + LEAST, starts)


def _lowered(problem: LogisticProblem, terms: Terms) -> np.ndarray:
    """The weights of the examples times 1 − τ: p_k p_l may be off by a factor e^{4ε} from the
    scores, by 2·relative(K) as they are computed, and weights and products by 16 roundings."""
    off = 4 * terms.within + 2 * relative(problem.classes) + 16 * exact.UNIT
    return problem.shares * np.maximum(1 - off * ABOVE, 0.0)


def slopes_moved(problem: LogisticProblem, terms: Terms, reach: float) -> float:
    """What λ must be raised by since slopes come from computed scores: p moves by the integral of
    the Hessian of the loss along the error Δ of the scores, |Δ_k| ≤ ε, which is at most e^{2ε} times
    that at the end, so Σ_k Δp_k v_k·x̃ ≤ e^{2ε} (Var Δ)^½ (Var v·x̃)^½ ≤ e^{2ε} ε (Var v·x̃)^½, in
    the mean at most e^{2ε} (mean ε²)^½ h. And K·CUT for each class."""
    rows = problem.counts.any(axis=1)
    within, shares = terms.within[rows], problem.shares[rows]
    top = float(np.max(within, initial=0.0))
    if not top < 1:
        return math.inf
    square = float(np.sum(shares * within * within)) * ABOVE + LEAST**2
    return (math.exp(2 * top) * math.sqrt(square) + problem.classes**2 * CUT * reach) * ABOVE
