r"""SoftMarginGap by blocks, with multipliers that follow from the margins.

A claim with a `width` τ lists no multipliers. Whoever checks it gives each row

    α_t = c_t · clip(½ + (1 − m_t)/τ, 0, 1) ,       m_t its margin as computed,

which is between 0 and c_t whatever was rounded, since a float64 product by a number of at most 1
does not exceed c_t. So these multipliers are feasible, and need not be anybody else's: the proof of
`SoftMarginGap` from below is about whatever feasible multipliers a checker has. (They are optimal
for the hinge loss smoothed over a width of τ; the gap is of the order of τ².) With
v = Σ α_t y_t x_t and e = Σ α_t y_t,

    P(w, b)  ≥  Σ α_t − ½‖v‖² − b·e          for all w, b.

"none": b = 0. "lifted": with ½b² added to P, the least over b is Σ α_t − ½‖v‖² − ½e². "free": only
(w, b) with P(w, b) ≤ V need be looked at, V being the objective of the claim. With R ≥ ‖x_t‖ and
the costs S_k of a class, V ≥ S_k (1 − R‖w‖ − y_k b), so that, as both classes are there, |b| ≤
V/min_k S_k + R‖w‖. Let z = ‖w − v‖. By ½‖w‖² − ⟨w, v⟩ = ½z² − ½‖v‖², and since ½z² − R|e|z is at
least −½R²e²,

    P(w, b)  ≥  Σ α_t − ½‖v‖² + ½z² − |e|(V/min_k S_k + R‖v‖ + Rz)
             ≥  Σ α_t − ½‖v‖² − B|e| − ½R²e² ,          B := V/min_k S_k + R‖v‖ .

So Σ α_t y_t need not be 0, and no multiplier need be corrected: what e takes from the bound is the
rounding of the weights, times B.

Rounding. Margins and hinge losses of a block as for a table in memory. An entry of v passes through
`depth` additions and two roundings: off by γ_{depth+4} Σ_t α_t |x_tj|, and v by γ_{depth+4}·R·Σα.
Σ α_t, and its parts of either class, are sums of non-negative numbers, each block's with its
allowance, the blocks exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates.base import Refuted, check_count, require
from certo.certificates.blocks.sums import BlockSum, Top
from certo.certificates.margins.soft_margin_gap import HALF, SoftMarginGap, costs_of
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.numbers.exact import ROUND_UP
from certo.numbers.rounded import Rounded, hinge_losses, positive_sum


def multipliers(values: np.ndarray, costs: np.ndarray, width: float) -> np.ndarray:
    """α of rows with these margins: feasible, whatever is rounded."""
    return costs * np.clip(0.5 + (1.0 - values) / width, 0.0, 1.0)


def width_of(claim: SoftMarginGap) -> float:
    """The width from which multipliers follow. Refuted, unless the proof is one that sums over
    blocks give."""
    plain = claim.space.kernel is None and not claim.sample_weight.size
    if not plain or claim.width is None:
        raise Refuted(
            "of blocks, a claim about a hyperplane is needed whose multipliers follow from a "
            "width, without sample weights."
        )
    return claim.width


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def terms(claim: SoftMarginGap, sample: Sample, start: int, attempt: int) -> BlockSum:
    width = width_of(claim)
    require(
        sample.d == claim.coef.size,
        f"the claim has {claim.coef.size:,} weights, but there are {sample.d:,} to give.",
    )
    costs = costs_of(claim.C, claim.class_weight, sample.signs)
    part = Sample(sample.part(0, sample.m), sample.signs)
    square = part.square_bound()
    margins = Margins.of(part, claim.coef, claim.intercept, square)
    require(np.all(np.isfinite(margins.value + margins.slack)), "numbers overflow float64.")
    alpha = multipliers(margins.value, costs, width)
    positive = sample.signs > 0
    parts = {
        "losses": hinge_losses(margins.value, margins.slack, costs, True),
        "positive": positive_sum(alpha[positive], True),
        "negative": positive_sum(alpha[~positive], True),
        "v": np.asarray(part.X.T @ (alpha * sample.signs)),
        "costs": np.array([costs[~positive].sum(), costs[positive].sum()]),
        "square": Top(square),
    }
    return BlockSum(sample.m, sample.m, parts)


def objectives(claim: SoftMarginGap, total: BlockSum) -> tuple[Rounded, Rounded]:
    """P(w, intercept), and the bound from below."""
    square = exact.dot(claim.coef, claim.coef)
    primal = total["losses"].plus(Rounded(square), HALF)
    if claim.treatment == "lifted":
        primal = primal.plus(Rounded(Fraction(claim.intercept) ** 2), HALF)
    both = total["positive"].plus(total["negative"])
    v, radius, size = total["v"], longest(total), exact.above(both.above)
    with np.errstate(over="ignore", invalid="ignore"):
        off = exact.gamma(total.depth + 4) * radius * size * ROUND_UP
        off += total.rows * v.size * exact.TINY
        length = exact.norm(v) * ROUND_UP
    require(math.isfinite(off + length), "numbers overflow float64.")
    combined = Rounded(exact.dot(v, v), Fraction(off) * (2 * Fraction(length) + Fraction(off)))
    dual = both.plus(combined, -HALF)
    left = total["positive"].plus(total["negative"], Fraction(-1))
    if claim.treatment == "lifted":
        e = abs(left.value)
        dual = dual.plus(Rounded(e * e, (2 * e + left.within) * left.within), -HALF)
    elif claim.treatment == "free":
        e, off_e, R2 = abs(left.value), left.within, Fraction(radius) ** 2
        B = intercept_price(claim, total, primal.above, length + off)
        lost = Rounded(B * e + R2 * e * e / 2, off_e * (B + R2 * (e + off_e)))
        dual = dual.plus(lost, Fraction(-1))
    return primal, dual


def longest(total: BlockSum) -> float:
    """R, which no ‖x_t‖ exceeds."""
    return exact.root_above(Fraction(total["square"]))


def intercept_price(
    claim: SoftMarginGap, total: BlockSum, value: Fraction, length: float
) -> Fraction:
    """B, for objectives of at most this value and ‖v‖ ≤ length; 0, where b is not free."""
    if claim.treatment != "free":
        return Fraction(0)
    least = Fraction(float(np.min(total["costs"]))) * (1 - Fraction(exact.gamma(total.depth + 2)))
    require(least > 0, "there must be examples of both classes.")
    return value / least + Fraction(longest(total)) * Fraction(length)


def shown(claim: SoftMarginGap, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    primal, dual = objectives(claim, total)
    lowest = max(dual.below, Fraction(0))  # P ≥ 0
    spread = Fraction(claim.primal) - primal.below + dual.above - Fraction(claim.dual)
    require(
        primal.above <= claim.primal, f"the objective is not shown to be at most {claim.primal!r}."
    )
    require(
        lowest >= claim.dual,
        f"the multipliers do not prove that no objective is below {claim.dual!r}.",
    )
    if spread > claim.allowance:
        raise Refuted(f"more of the gap is due to rounding than {claim.allowance!r}.")
    return (
        f"the objective is at most {rounded_up(claim.primal)}, and its infimum is "
        f"lower by at most {rounded_up(claim.gap, 2)}."
    )
