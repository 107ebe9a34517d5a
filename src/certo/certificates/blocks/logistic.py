r"""LogisticExcess by blocks.

Losses and their slopes of a block are computed as for a table in memory, each row with the share
1/m; `regression.logistic_curvature` gives gradient and Hessian of a block in the coordinates of the
claim's factors, with their allowances. F is a sum over the blocks, and so are its gradient and its
Hessian: the ridge is counted with the first block. The curvature is that of some of the rows,
which bounds that of all from below; the gradient is that of all.

Rounding. Each block's H_b and g_b come with allowances, which are added; adding B blocks rounds by
γ_B times the sum of the sizes: for H in norm at most γ_B Σ trace H_b, as entries of H_b are at most
√(H_jj H_kk); for g by γ_B Σ|g_b|. The greatest lengths ‖z_ik‖ are the greatest of all blocks. A
block's mean loss comes with its allowance, and means are added as fractions. Of a proof by the
ridge, sums over blocks pass through no more than `depth` roundings more than each block's allowance
pays for.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.base import Refuted, check_count, require
from certo.certificates.blocks.sums import CURVED_STRIDE, MIN_CURVED_ROWS, BlockSum, Top
from certo.certificates.regression.logistic_curvature import Hessian, decrement
from certo.certificates.regression.logistic_excess import LogisticExcess, mean_loss
from certo.certificates.regression.logistic_ridge import Pulls, excess_of, pulls_of
from certo.certificates.regression.logistic_terms import LogisticProblem, Point
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.rounded import ABOVE

MIN_CURVED_STRIDE = 2  # The curvature is always that of a part of the rows.


def require_form(claim: LogisticExcess) -> None:
    """Refuted, unless the proof is one that sums over blocks give."""
    plain = not (claim.sample_weight.size or claim.class_weight.size or claim.dropped.size)
    require(
        plain and claim.reach is None,
        "of blocks, a proof with all examples is needed, without weights.",
    )


def terms(claim: LogisticExcess, sample: Sample, start: int, attempt: int) -> BlockSum:
    require_form(claim)
    require(
        sample.d == claim.coef.shape[1],
        f"the claim is about {claim.coef.shape[1]:,} features, but X has {sample.d:,}.",
    )
    require(sample.m <= claim.examples, f"there are more than {claim.examples:,} examples.")
    shares = np.full(sample.m, 1 / claim.examples)
    problem = LogisticProblem(sample, len(claim.labels.classes), claim.lifted, shares, None)
    point = Point.at(problem, claim.coef, claim.intercept, 0.0 if start else claim.ridge)
    parts: dict[str, Any] = {"risk": mean_loss(shares, point.terms.losses, point.terms.losses_off)}
    if claim.proof == "none":
        return BlockSum(sample.m, 0, parts)
    if claim.proof == "ridge":
        pulls = pulls_of(point)
        return BlockSum(sample.m, 0, parts | pulls._asdict())
    require(claim.missed(point, 1) == 0.0, "a column is not the combination that it is said to be.")
    if not claim.coordinates:  # Nothing moves a score, as was just shown of these rows.
        return BlockSum(sample.m, 0, parts)
    few = attempt or sample.m < MIN_CURVED_ROWS * claim.coordinates
    found = claim.hessian(point, stride=MIN_CURVED_STRIDE if few else CURVED_STRIDE)
    parts |= {
        "gram": found.gram, "gram_off": found.gram_off, "pull": found.pull,
        "pull_off": found.pull_off, "pull_size": np.abs(found.pull), "longest": Top(found.longest),
        "trace": float(np.trace(found.gram)),
    }  # fmt: skip
    return BlockSum(sample.m, 0, parts)


def hessian_of(claim: LogisticExcess, total: BlockSum) -> Hessian:
    """H and g of all blocks together."""
    unit = 2 * exact.gamma(total.blocks + 2)
    off = (total["gram_off"] + unit * total["trace"]) * ABOVE
    pull_off = (total["pull_off"] + unit * total["pull_size"]) * ABOVE
    sizes = [places.size for places in claim._free]
    ends = np.cumsum(sizes).tolist()
    parts = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    numbers = (total["gram"], off, total["pull"], pull_off, total["longest"])
    require(all(np.all(np.isfinite(number)) for number in numbers), "numbers overflow float64.")
    return Hessian(*numbers, parts, True)


def bounds(claim: LogisticExcess, total: BlockSum, room: int) -> tuple[Fraction, Fraction, float]:
    """F(w) rounded up, F'(w) rounded down, and a number that F'(w) − inf F does not exceed, with
    allowances `room` times; infinite, if there is none."""
    risk, left = claim._risks_of(total["risk"], total["risk"], room)
    if claim.proof == "none":
        return risk, left, math.inf
    if claim.proof == "ridge":
        return risk, left, by_ridge(claim, total, exact.above(risk), room)
    if not claim.coordinates:
        return risk, left, 0.0
    # What errors of scores add to slopes is in `pull_off`, so that no point is needed.
    found = decrement(None, hessian_of(claim, total), room)  # type: ignore[arg-type]
    return risk, left, found.excess * ABOVE if found.shown else math.inf


def by_ridge(claim: LogisticExcess, total: BlockSum, value: float, room: int) -> float:
    """What strong convexity gives, with the sums of all blocks; the weights of classes, sums of
    positive numbers, are rounded by far less than a factor of ABOVE, which is paid for."""
    unit = 2 * exact.gamma(total.depth + 2)
    slack = (total["slack"] + unit * total["sizes"]) * ABOVE
    pulls = Pulls(total["sums"], slack, total["sizes"], total["weights"])
    return excess_of(pulls, claim.coef, claim.intercept, claim.ridge, claim.lifted, value, room)


def shown(claim: LogisticExcess, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    risk, left, excess = bounds(claim, total, 1)
    if claim.proof != "none" and excess == math.inf:
        raise Refuted("gradient and curvature do not show that a least risk exists.")
    return claim._compared(risk, left, excess)
