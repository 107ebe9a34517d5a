"""How MistakeBound finds its numbers."""

from __future__ import annotations

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins
from certo.issue.spaces.vectors import shortfall_to_claim
from certo.numbers import exact


def issue_mistake_bound(
    sample: Sample,
    labels: Labels,
    *,
    coef: np.ndarray,
    intercept: float,
    lifted: bool,
    sums: UpdateSums,
    start: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    totals: np.ndarray,
    comparator: np.ndarray,
    comparator_intercept: float = 0.0,
    radius2: float | None = None,
    margins: Margins | None = None,
    averaged: bool = False,
) -> MistakeBound:
    """The claim for a comparator u: as a separator if it is one, else with its shortfall.

    `start` holds the weights before the first update, intercept last. For constant η pass no
    `totals`. `radius2` bounds ‖x_t‖², if already known; `margins` are those of u.
    """
    if not lifted and comparator_intercept:
        raise ValueError("without the extra feature 1 a comparator can have no intercept.")
    margins = margins or Margins.of(sample, comparator, comparator_intercept)
    least, _ = margins.least()
    updates = int(counts.sum())
    if least > 0 and exact.below(least) > 0:
        target, shortfall = exact.below(least), 0.0
    else:  # the scale of u is free: a typical margin of the updated examples becomes 1
        with np.errstate(over="ignore", invalid="ignore"):
            scale = float(np.mean(np.abs(margins.value[rows]))) if rows.size else 1.0
        target = scale if 0 < scale < np.inf else 1.0
        weights = totals if sums.constant is None else counts * sums.constant
        shortfall = shortfall_to_claim(margins, target, rows, weights, updates)
    radius2 = sample.square_bound() if radius2 is None else radius2
    # with room for a checker who rounds otherwise, so that he need not be exact everywhere
    radius2 = float(np.nextafter(radius2 + exact.allowance(sample.d, radius2) + lifted, np.inf))
    if not (radius2 < np.inf and shortfall < np.inf):
        raise CannotClaim("squares of the examples, or their margins, overflow float64.")
    draft = MistakeBound(
        labels, coef, intercept, lifted, sums, start, rows, counts, totals,
        comparator, comparator_intercept, sample.m, updates,
        radius2, target, shortfall, None, averaged,
    )  # fmt: skip
    bound = draft._most_updates()
    if bound is not None and bound < updates:
        raise CannotClaim(
            f"{updates:,} updates are more than the {bound:,} that the theorem allows in exact "
            "arithmetic: rounding decided some, or the examples are not those of the run."
        )
    object.__setattr__(draft, "bound", bound)
    return draft


def against(
    claim: MistakeBound, sample: Sample, comparator, comparator_intercept: float = 0.0
) -> MistakeBound:
    """The same run against another comparator."""
    kept = ("coef", "intercept", "lifted", "sums", "start", "rows", "counts", "totals",
            "averaged")  # fmt: skip
    return issue_mistake_bound(
        sample,
        claim.labels,
        **{name: getattr(claim, name) for name in kept},
        comparator=np.asarray(comparator, np.float64),
        comparator_intercept=float(comparator_intercept),
        radius2=claim.radius2 - claim.lifted,
    )
