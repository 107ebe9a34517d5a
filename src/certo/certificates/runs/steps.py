"""Whether the steps that a claim lists, η y x̃ on some rows, lead from its start to its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from certo.certificates.base import require
from certo.certificates.runs.update_sums import MOST
from certo.certificates.sample.examples import Sample
from certo.numbers import exact

if TYPE_CHECKING:
    from certo.certificates.runs.mistake_bound import MistakeBound


def step_weights(claim: MistakeBound) -> np.ndarray:
    """Σ η over the updates on each row: η times the count, or the totals if they can be right.

    Sums of up to n rates by two parties differ by at most 2γ_n of their size; there is room for
    four times that. Which rates of a schedule fell on which row is not known; each row's share must
    be between that of as many smallest and as many largest ones.
    """
    require(np.all(claim.counts >= 1), "every listed example must have been updated on.")
    total = sum(claim.counts.tolist())  # of Python's integers, which do not wrap around
    require(
        total == claim.updates,
        f"the counts add up to {total:,}, not to {claim.updates:,} updates.",
    )
    if claim.sums.constant is not None:
        require(claim.totals.size == 0, "with a constant rate there are no totals to give.")
        return claim.counts * claim.sums.constant
    require(claim.totals.shape == claim.rows.shape, "each row needs the total of its rates.")
    require(claim.updates <= MOST, f"the rates of more than {MOST:,} updates are not checked.")
    rates, roundings = claim.sums.rates(claim.updates), claim.updates + claim.rows.size
    with np.errstate(over="ignore"):
        first, given = float(np.sum(rates)), float(np.sum(claim.totals))
    require(
        first < np.inf and abs(given - first) <= 4 * exact.allowance(roundings, first),
        f"the totals add up to {given!r}, but {claim.updates:,} rates to {first!r}.",
    )
    if rates.size:
        room = 4 * exact.allowance(roundings, 1.0)
        least, most = claim.counts * rates.min(), claim.counts * rates.max()
        require(
            np.all((least * (1 - room) <= claim.totals) & (claim.totals <= most * (1 + room))),
            "the totals are not those of as many rates as the counts say.",
        )
    return claim.totals


def check_steps(claim: MistakeBound, sample: Sample, weights: np.ndarray) -> None:
    """The weights are the start plus the steps, up to the rounding of that many additions.

    The run rounds each step and each sum: at most γ_{updates + 1}(|w₀_j| + Σ|η x̃_j|) in place j.
    The sum here is off by at most γ_n of the same, n counting the rounded totals, products, sums.
    """
    part = sample.X[claim.rows].astype(np.float64)
    signed = weights * sample.signs[claim.rows]
    one = float(claim.lifted)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.append(part.T @ signed, one * signed.sum())
        size = np.abs(claim.start) + np.append(abs(part).T @ weights, one * weights.sum())
        off = np.abs(np.append(claim.coef, claim.intercept) - (claim.start + moved))
        slack = exact.allowance(claim.updates + claim.rows.size + 4, size)
    require(
        np.all(np.isfinite(slack)) and np.all(off <= slack),
        "the weights are not the start plus the listed updates.",
    )
