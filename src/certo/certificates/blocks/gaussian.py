r"""GaussianLikelihood by blocks: the moments of the blocks, added.

Rounding. The means of a block are those of a table in memory; times its number of rows, added over
B blocks and divided by m, a product passes through B + 2 roundings more. So γ_{n+B+2} takes the
place of γ_n, n = ROUNDINGS, in all that `numbers.averages` allows for: every allowance is
multiplied by more than the ratio of both. That it multiplies the others, too, does no harm.
"""

from __future__ import annotations

import numpy as np

from certo.certificates.base import check_count, require
from certo.certificates.blocks.sums import BlockSum
from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.certificates.density.likelihood_gap import Shown
from certo.certificates.sample.examples import Sample
from certo.numbers.averages import ROUNDED, ROUNDINGS
from certo.numbers.exact import gamma


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def terms(claim: GaussianLikelihood, sample: Sample, start: int, attempt: int) -> BlockSum:
    require(not claim.sample_weight.size, "of blocks, a claim without weights is needed.")
    require(sample.d == claim.columns, f"the claim is about {claim.columns:,} features.")
    return BlockSum(sample.m, 0, {"moments": claim._moments(sample) * sample.m})


def shown_numbers(
    claim: GaussianLikelihood, total: BlockSum, times: float, blocks: int
) -> Shown:  # fmt: skip
    """What the sums over so many blocks show, with `times` the allowances."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        raw, units = total["moments"] / total.rows
    return claim._shown_by(raw, units, times * gamma(ROUNDINGS + blocks + 4) / ROUNDED)


def shown(claim: GaussianLikelihood, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    return claim._compared(shown_numbers(claim, total, 1.0, total.blocks))
