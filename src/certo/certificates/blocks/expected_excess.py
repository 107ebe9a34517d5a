"""ExpectedExcess by blocks: Σ [1 − margin]₊, and whether a row of a block is longer than is said.

Hinge losses of a block are bounded as for a table in memory, each block's with its allowance, and
these bounds are added exactly. The length of (w, b) and the formula need no rows.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.certificates.base import check_count, require
from certo.certificates.blocks.sums import BlockSum, Top
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.lengths import check_lengths
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact
from certo.numbers.rounded import Rounded, hinge_losses


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def terms(claim: ExpectedExcess, sample: Sample, start: int, attempt: int) -> BlockSum:
    require(claim.space.kernel is None, "of blocks, a claim about a hyperplane is needed.")
    require(sample.d == claim.coef.size, f"the claim has {claim.coef.size:,} weights.")
    check_lengths(claim, sample)
    part = Sample(sample.part(0, sample.m), sample.signs)
    square = part.square_bound()
    margins = Margins.of(part, claim.coef, claim.intercept, square)
    losses = hinge_losses(margins.value, margins.slack, np.ones(part.m), True)
    return BlockSum(sample.m, 0, {"losses": losses, "square": Top(square)})


def squared_length(claim: ExpectedExcess) -> Fraction:
    """‖w‖² + b², exactly."""
    return exact.dot(claim.coef, claim.coef) + Fraction(claim.intercept) ** 2


def objective(claim: ExpectedExcess, losses: Rounded, rows: int) -> Fraction:
    """A number that F does not exceed."""
    return losses.above / rows + Fraction(claim.lam) / 2 * squared_length(claim)


def shown(claim: ExpectedExcess, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    require(
        squared_length(claim) <= claim._reach2, "the weights are not shown to be as short as X/λ."
    )
    require(
        objective(claim, total["losses"], total.rows) <= Fraction(claim.objective),
        f"F of these weights is not shown to be at most {claim.objective!r}.",
    )
    return claim._check_bound()
