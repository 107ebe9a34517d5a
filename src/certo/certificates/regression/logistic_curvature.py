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

Part of the rows. Every loss is convex, so φ'' is at least what some of the rows add to it, and the
bound holds with H and ρ of these rows alone, and the gradient of all. Of many rows one in
`partial_stride` is enough: what is lost multiplies λ², which is about the square of a rounding
error. The gradient is then added up before T is applied, G = Σ s (p − y) x̃, and its errors are in
terms of σ_j of all rows. For a slope, which a change Δ of the scores with |Δ_l| ≤ ε moves by the
covariance of Δ and the indicator of k, at most ε/2, they are

    |ΔG_jk| ≤ σ_j ((γ_{n+8} + relative(K)) (Σ s slope_k²)^½ + ½ (Σ s ε²)^½ + K·CUT) .

Rounding. H is Σ_i s_i Σ_{k<l} p_k p_l (e_k − e_l)(e_k − e_l)ᵀ ⊗ x̃_i x̃_iᵀ: lower p_k p_l make it
lower, so they are taken (1 − τ) times, τ being what they may be off by. In what follows these are
the weights; the roundings are those of `curvature`, with σ_j² = Σ_i s_i x̃_ij²:
- the sum over rows, and what 1 − p_k differs from the sum of the other p_l, is in entry (a, b) off
  by γ_{n+32} + relative(K) times √(A'_aa A'_bb), since p_k p_l ≤ √(p_k(1 − p_k))·√(p_l(1 − p_l)),
  in all by so much of trace A';
- h changes with z by the root of the variance of Σ_a u_ka e_ika, at most ‖u‖ times the greatest
  ‖e_k‖ᵥ ≤ γ_{p+1}‖|T_k|ᵀσ‖ =: ζ, and A' in all by (2‖A'‖^½ + ζ)ζ;
- a sum of slopes times z_a is off by γ_{n+8} + relative(K) times the sum of their sizes, which by
  Cauchy and Schwarz is at most (Σ s slope²)^½ (Σ s z_a²)^½, and as z is by γ_{p+1} (|T|ᵀσ)_a times
  the first;
- ‖z_ik‖ is off by γ_{p+1} Σ_j |x̃_ij|‖T_kj‖ ≤ γ_{p+1} (p Σ_j x̃_ij² ‖T_kj‖²)^½.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import map_in_threads
from certo.certificates.base import require
from certo.certificates.regression.factors import NORM_UNDERFLOW, inverse_factor, norm_above
from certo.certificates.regression.logistic_terms import (
    BLOCK_NUMBERS,
    CUT,
    THREADS,
    Point,
    relative,
)
from certo.numbers import exact
from certo.numbers.rounded import ABOVE

Factors = Sequence[np.ndarray]
MAX_THREADED_DIM = 2048  # Coordinates; above that, sums take much memory, and BLAS has threads.
CURVED_ROWS_PER_COORDINATE = 32  # Rows whose curvature is enough, for each coordinate.
# Below that a part of the rows is not worth a second look: of so few, or of so small a table.
MIN_STRIDE, MIN_PARTIAL_NUMBERS = 4, 2**18


def partial_stride(m: int, coordinates: int) -> int:
    """One row in so many has curvature enough."""
    stride = m // max(1, CURVED_ROWS_PER_COORDINATE * coordinates)
    return stride if stride >= MIN_STRIDE and m * coordinates >= MIN_PARTIAL_NUMBERS else 1


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


UNBOUNDED_DECREMENT = Decrement(math.inf, math.inf)


class Hessian(NamedTuple):
    """H and g in the coordinates of some factors, classes one after another; the last has none."""

    gram: np.ndarray
    gram_off: float
    pull: np.ndarray  # T_kᵀg_k
    pull_off: np.ndarray  # Error bound of each entry.
    longest: np.ndarray  # For each class, at least max ‖z_ik‖.
    parts: list[slice]  # The coordinates of each class.
    moved: bool  # Whether `pull_off` has what errors of the scores add to it.


def decrement(point: Point, hessian: Hessian, room: int) -> Decrement:
    """λ and r, all allowances taken `room` times."""
    L = inverse_factor(hessian.gram)
    if L is None:
        return UNBOUNDED_DECREMENT
    n, size = len(L), np.abs(L)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        flat = norm_above(np.eye(n) - L.T @ hessian.gram @ L)
        # Two products of n terms each, then a difference.
        rounded = 2 * exact.gamma(2 * n + 4) * norm_above(size.T @ np.abs(hessian.gram) @ size)
        eta = (flat + room * (rounded + hessian.gram_off * _spectral(L) ** 2)) * ABOVE
        if not eta < 1:
            return UNBOUNDED_DECREMENT
        root = math.sqrt(1 - eta) / ABOVE
        slack = size.T @ (hessian.pull_off + 2 * exact.gamma(n + 2) * np.abs(hessian.pull))
        length = (norm_above(L.T @ hessian.pull) + room * norm_above(slack)) / root * ABOVE
        lengths = [_spectral(L[part]) for part in hessian.parts]
        moves = np.sort(hessian.longest * lengths)
        reach = float(np.sum(moves[-2:])) / root * ABOVE
        moved = 0.0 if hessian.moved else slopes_moved(point, reach)
        return Decrement((length + room * moved) * ABOVE, reach)


def _spectral(matrix: np.ndarray) -> float:
    """A number that ‖matrix‖ does not exceed: √(‖·‖₁‖·‖_∞), or Frobenius' norm."""
    size = np.abs(matrix)
    ones = math.sqrt(np.max(size.sum(axis=0), initial=0) * np.max(size.sum(axis=1), initial=0))
    return min(ones * ABOVE, norm_above(matrix))


class _Sums(NamedTuple):
    """What blocks of rows add up to, over the coordinates of all classes."""

    gram: np.ndarray  # Σ s p_k (1 − p_k) z_k z_kᵀ for a class, −Σ s p_k p_l z_k z_lᵀ for two
    pull: np.ndarray  # Σ s (p_k − [k = y]) z_l, (classes, coordinates)
    slopes: np.ndarray  # Σ s (p_k − [k = y])²
    squares: np.ndarray  # Σ s x̃²
    z_squares: np.ndarray  # Σ s z²
    longest: np.ndarray  # The greatest ‖z_k‖².
    furthest: np.ndarray  # The greatest Σ_j x̃_j² ‖T_kj‖².

    @classmethod
    def zero(cls, p: int, width: int, c: int) -> _Sums:
        shapes = ((width, width), (c, width), c, p, width, c, c)
        return cls(*(np.zeros(shape) for shape in shapes))

    def include(self, other: _Sums) -> None:
        for mine, its in zip(self[:5], other[:5], strict=True):
            mine += its
        for mine, its in zip(self[5:], other[5:], strict=True):
            np.maximum(mine, its, out=mine)


class _Coordinates(NamedTuple):
    """The factors T_k beside each other, (p, coordinates), and where those of each class are."""

    factors: np.ndarray
    parts: list[slice]
    of_class: np.ndarray  # 1 where a coordinate is of a class, (coordinates, classes)

    @classmethod
    def of(cls, factors: Factors) -> _Coordinates:
        sizes = [factor.shape[1] for factor in factors]
        ends = np.cumsum(sizes).tolist()
        parts = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        return cls(np.hstack(factors), parts, np.repeat(np.eye(len(sizes)), sizes, axis=0))


def hessian(point: Point, factors: Factors, coupled: bool = True, stride: int = 1) -> Hessian:
    """One pass over the data, for the T_k over all p columns. If not `coupled`, only what is of one
    class is right. The curvature is that of one row in `stride`."""
    axes = _Coordinates.of(factors)
    p, width = axes.factors.shape
    lowered, m = _lowered(point), point.problem.sample.m
    step = max(64, min(4096, BLOCK_NUMBERS // max(width, p)))
    bounds = range(0, m, step * stride)

    def look(first: int) -> _Sums:
        sums = _Sums.zero(p, width, len(factors))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for start in bounds[first : first + share]:
                some = slice(start, min(start + step * stride, m), stride)
                _add(sums, point, some, axes, lowered[some], coupled and len(factors) > 1)
        return sums

    share = -(-len(bounds) // THREADS) if width <= MAX_THREADED_DIM else len(bounds)
    whole, *rest = map_in_threads(look, range(0, len(bounds), share), THREADS)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for part in rest:
            whole.include(part)
        return _rounded(whole, point, axes, min(step, m) + len(bounds) + THREADS, stride > 1)


def _whole_pull(point: Point, axes: _Coordinates) -> tuple[np.ndarray, np.ndarray]:
    """T_kᵀG_k of all rows, and what each entry may be off by: a term passes through the additions
    of its block and of the blocks."""
    problem, (factors, parts, of_class) = point.problem, axes
    sample, (p, c), K = problem.sample, (len(factors), len(parts)), problem.classes
    slopes = point.terms.slopes[:, :c]
    weighted = problem.shares[:, None] * slopes
    G, squares = np.zeros((p, c)), np.zeros(p)
    squares[sample.d :] = problem.shares.sum()
    step = max(64, min(4096, BLOCK_NUMBERS // p))
    for start in range(0, sample.m, step):
        rows, some = sample.part(start, min(start + step, sample.m)), slice(start, start + step)
        G[: sample.d] += rows.T @ weighted[some]
        G[sample.d :] += weighted[some].sum(axis=0)
        again = rows.multiply(rows) if sparse.issparse(rows) else rows * rows
        squares[: sample.d] += again.T @ problem.shares[some]
    within = np.where(problem.left, point.terms.within, 0.0)
    of_slopes = problem.shares @ np.column_stack([slopes * slopes, within * within])
    tiny, rounding = 2 * sample.m * exact.TINY, 2 * exact.gamma(step + sample.m // step + 9)
    sigma, sizes = (np.sqrt(a * ABOVE + tiny) * ABOVE for a in (squares, of_slopes))
    off = (rounding + relative(K)) * sizes[:c] + sizes[c] / 2 + K * CUT
    slack = off[:, None] * sigma * ABOVE + exact.allowance(p + 2, np.abs(G.T))
    pull = np.sum((G.T @ factors) * of_class.T, axis=0)
    return pull, np.sum((slack @ np.abs(factors)) * of_class.T, axis=0) * ABOVE


def _add(
    sums: _Sums, point: Point, some: slice, axes: _Coordinates, lowered: np.ndarray, coupled: bool
) -> None:
    problem, terms, (factors, parts, of_class) = point.problem, point.terms, axes
    d, c = problem.sample.d, len(parts)
    weights = problem.shares[some]
    shares, others = terms.shares[some, :c], terms.others[some, :c]
    rows = problem.sample.part(some.start, some.stop)
    rows = rows if some.step == 1 else rows[:: some.step]
    Z = np.asarray(rows @ factors[:d])
    squares = rows.multiply(rows) if sparse.issparse(rows) else rows * rows
    lengths = (factors * factors) @ of_class
    far = np.asarray(squares @ lengths[:d])
    sums.squares[:d] += squares.T @ weights
    if problem.lifted:
        Z += factors[d]
        far += lengths[d]
        sums.squares[d] += weights.sum()
    slopes = terms.slopes[some, :c]
    sums.pull[...] += (weights[:, None] * slopes).T @ Z
    sums.slopes[...] += weights @ (slopes * slopes)
    if coupled:
        spread = Z * ((np.sqrt(lowered)[:, None] * shares) @ of_class.T)
        cross = spread.T @ spread
        for part in parts:
            cross[part, part] = 0.0
        sums.gram[...] -= cross
    spread = np.sqrt(lowered[:, None] * shares * others)
    spread = Z * (spread @ of_class.T if c > 1 else spread)
    for part in parts:
        sums.gram[part, part] += spread[:, part].T @ spread[:, part]
    Z *= Z
    sums.z_squares[...] += weights @ Z
    counts = problem.counts[some, :c]
    np.maximum(sums.longest, np.max(Z @ of_class * counts, axis=0), out=sums.longest)
    np.maximum(sums.furthest, np.max(far * counts, axis=0), out=sums.furthest)


def _rounded(sums: _Sums, point: Point, axes: _Coordinates, n: int, part: bool) -> Hessian:
    """All with what it may be off by; n roundings of the sums over rows, a `part` of them."""
    problem, coef, _, ridge, _ = point
    factors, of_class, gram = axes.factors, axes.of_class, sums.gram
    p, K = len(factors), problem.classes
    # √Σ s x̃², √Σ s z² and √Σ s slopes², all not below
    sigma, z_sigma, slopes = (
        np.sqrt(squares * ABOVE + 2 * problem.sample.m * exact.TINY) * ABOVE
        for squares in (sums.squares, sums.z_squares, of_class @ sums.slopes)
    )
    apart = exact.gamma(p + 2) * (np.abs(factors).T @ sigma) * ABOVE + NORM_UNDERFLOW
    zeta = math.sqrt(float(np.max((apart * apart) @ of_class))) * ABOVE
    off = (2 * exact.gamma(n + 32) + 2 * relative(K)) * float(np.trace(gram)) + NORM_UNDERFLOW
    off += (2 * math.sqrt(norm_above(gram) + off) * ABOVE + zeta) * zeta
    pull = (sums.pull * of_class.T).sum(axis=0)
    # Slopes are off by relative(K) of themselves, and their weights by 4 roundings.
    pull_off = ((2 * exact.gamma(n + 8) + relative(K)) * z_sigma + apart) * slopes
    if part:
        pull, pull_off = _whole_pull(point, axes)
    if ridge:
        slopes_of, mean = factors[: problem.sample.d], 1 / K if K > 2 else 0.0
        gram = gram + ridge * (of_class @ of_class.T - mean) * (slopes_of.T @ slopes_of)
        off += 2 * exact.gamma(p + 8) * (ridge * norm_above(slopes_of) ** 2 + norm_above(gram))
        c = len(axes.parts)
        far = coef[:c] - mean * coef.sum(axis=0)
        size = np.abs(coef[:c]) + mean * np.abs(coef).sum(axis=0)
        pull = pull + ridge * np.sum((far @ slopes_of) * of_class.T, axis=0)
        size = ridge * np.sum((size @ np.abs(slopes_of)) * of_class.T, axis=0) + np.abs(pull)
        pull_off = pull_off + exact.allowance(p + K + 8, size)
    longest = np.sqrt(sums.longest) * ABOVE
    longest += exact.gamma(p + 2) * math.sqrt(p) * np.sqrt(sums.furthest) * ABOVE + NORM_UNDERFLOW
    pull_off = pull_off * ABOVE + NORM_UNDERFLOW
    numbers = (gram, float(off * ABOVE), pull, pull_off, longest)
    require(all(np.all(np.isfinite(number)) for number in numbers), "numbers overflow float64.")
    return Hessian(*numbers, axes.parts, part)


def _lowered(point: Point) -> np.ndarray:
    """The weights of the examples times 1 − τ: p_k p_l may be off by a factor e^{4ε} from the
    scores, by 2·relative(K) as they are computed, and weights and products by 16 roundings."""
    off = 4 * point.terms.within + 2 * relative(point.problem.classes) + 16 * exact.UNIT
    return point.problem.shares * np.maximum(1 - off * ABOVE, 0.0)


def slopes_moved(point: Point, reach: float) -> float:
    """What λ must be raised by since slopes come from computed scores: p moves by the integral of
    the Hessian of the loss along the error Δ of the scores, |Δ_k| ≤ ε, which is at most e^{2ε}
    times that at the end, so Σ_k Δp_k v_k·x̃ ≤ e^{2ε} (Var Δ)^½ (Var v·x̃)^½ with (Var Δ)^½ ≤ ε, in
    the mean at most e^{2ε} (mean ε²)^½ h. And K·CUT for each class."""
    problem, rows = point.problem, point.problem.left
    within, shares = point.terms.within[rows], problem.shares[rows]
    top = float(np.max(within, initial=0.0))
    if not top < 1:
        return math.inf
    square = float(np.sum(shares * within * within)) * ABOVE + NORM_UNDERFLOW**2
    return (math.exp(2 * top) * math.sqrt(square) + problem.classes**2 * CUT * reach) * ABOVE
