r"""MistakeBound by blocks: the steps on the rows of a block, and the comparator's margins there.

The sums over the blocks are Σ η y_t x̃_t and Σ |η x̃_t| over the rows that were updated on, for the
weights, and, if the comparator is no separator, Σ η [ρ − margin]₊ over the same rows, of which each
block has an upper bound that is added exactly. Whether a row is too long, or a separator's margin
below the target, is decided for each block by itself, as for a table in memory.

Rounding. The weights are compared as in `spaces.vectors`, with γ_n of Σ |η x̃_t|, n being the
roundings of the run, the rows that were updated on, and 4; each block that is added rounds once
more.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.certificates.base import Refuted, check_count, require
from certo.certificates.blocks.sums import BlockSum
from certo.certificates.runs.lengths import check_lengths
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact
from certo.numbers.rounded import Rounded


def rows_of(claim: MistakeBound, start: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of a block that were updated on, counting from its first one; the signs of their
    steps, and how much they weigh together."""
    first, last = np.searchsorted(claim.rows, (start, start + m))
    counts = claim.dual_coef[first:last]
    constant = claim.sums.constant
    if constant is None:
        weights = claim.totals[first:last]
    else:
        weights = np.abs(counts) * constant / claim.sums.parts
    return claim.rows[first:last] - start, np.sign(counts), weights


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def terms(claim: MistakeBound, sample: Sample, start: int, attempt: int) -> BlockSum:
    require(claim.space.kernel is None, "of blocks, a claim about a hyperplane is needed.")
    d = sample.d
    require(claim.coef.size == claim.comparator_coef.size == d, f"X has {d:,} features.")
    require(claim.start.size in (0, d + 1), "the start does not fit the features.")
    if claim.sums.constant is None:
        require(claim.totals.shape == claim.rows.shape, "each row needs the total of its rates.")
    check_lengths(claim, sample)
    rows, signs, weights = rows_of(claim, start, sample.m)
    require(
        np.array_equal(signs, sample.signs[rows]), "every step must have the sign of its example."
    )
    part = sample.X[rows].astype(np.float64)
    steps = weights * signs
    parts = {
        "moved": np.append(part.T @ steps, claim.lifted * steps.sum()),
        "moves": np.append(abs(part).T @ weights, claim.lifted * weights.sum()),
        "missing": Rounded(Fraction(0)),
    }
    if claim.separable:
        margins = Margins.of(sample, claim.comparator_coef, claim.comparator_intercept)
        if (low := margins.below(Fraction(claim.target))) is not None:
            raise Refuted(
                f"at row {start + low} the comparator's margin is not shown to be "
                f"{claim.target!r}.",
                low,
            )
    elif rows.size:
        own = Sample(part, sample.signs[rows])
        margins = Margins.of(own, claim.comparator_coef, claim.comparator_intercept)
        missing = margins.shortfall(
            claim.target, np.arange(rows.size), weights, claim.updates + 1
        )  # fmt: skip
        require(missing < np.inf, "the margins of the comparator overflow float64.")
        parts["missing"] = Rounded(Fraction(missing))
    return BlockSum(sample.m, 0, parts)


def shown(claim: MistakeBound, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    ordered = np.all(np.diff(claim.rows) > 0) and np.all(claim.rows[-1:] < total.rows)
    require(ordered, "rows must be rows of X, each once and in increasing order.")
    claim._weights()
    start, u = claim._start_and_u
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(np.append(claim.coef, claim.intercept) - (start + total["moved"]))
        n = claim.sums.roundings(claim.updates) + claim.rows.size + 4 + total.blocks
        slack = exact.allowance(n, np.abs(start) + total["moves"])
    require(
        np.all(np.isfinite(slack)) and np.all(off <= slack),
        "the weights are not the start plus the listed updates.",
    )
    length2 = exact.dot(u, u)
    require(
        length2 <= Fraction(claim.comparator_norm) ** 2,
        f"the comparator is not shown to be as short as {claim.comparator_norm!r}.",
    )
    require(
        claim.separable or total["missing"].above <= Fraction(claim.shortfall),
        f"the comparator falls short by more than the claimed {claim.shortfall!r}.",
    )
    return claim._check_bound()
