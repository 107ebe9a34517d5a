"""How MistakeBound finds its numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.space import Machine, MachineMargins
from certo.issue.slack import (
    CLEAR_DIGITS,
    SLACK_FACTOR,
    clearly_wrong,
    or_cannot_claim,
    with_numbers,
    with_slack,
)
from certo.numbers import exact
from certo.numbers.rounding import MAX_FLOAT
from certo.rates import Constant


@or_cannot_claim
def issue_mistake_bound(
    sample,
    labels: Labels,
    *,
    machine: Machine,
    comparator: Machine,
    lifted: bool,
    sums: UpdateSums | None = None,
    start: np.ndarray | None = None,
    totals: np.ndarray | None = None,
    averaged: bool = False,
    target: float | None = None,
    square: float | None = None,
    margins: MachineMargins | None = None,
) -> MistakeBound:
    """The claim for a comparator u: as a separator if it is one, else with its shortfall from the
    `target` (default: a typical margin of the updates).

    The multipliers of the machine count its updates, with the signs of their examples. `sums` are
    those of the rates (default: all 1), `start` the weights before the first update, intercept last
    (default: 0), and `totals` those of the rates on each row, for a schedule alone. `square`, if
    known, bounds the squared lengths of vectors; `margins` are those of u. CannotClaim, where
    numbers overflow or more updates are listed than the theorem allows.
    """
    if not lifted and comparator.intercept:
        raise ValueError("without the extra feature 1 a comparator can have no intercept.")
    counts, nothing = np.abs(machine.dual_coef), np.zeros(0)
    draft = MistakeBound(
        labels=labels, space=sample.space, examples=sample.m, **machine._asdict(), lifted=lifted,
        sums=sums or UpdateSums(Constant(1.0)), start=nothing if start is None else start,
        totals=nothing if totals is None else totals, comparator_coef=comparator.coef,
        comparator_rows=comparator.rows, comparator_dual_coef=comparator.dual_coef,
        comparator_intercept=comparator.intercept, comparator_norm=0.0, updates=int(counts.sum()),
        radius2=0.0, target=MAX_FLOAT, shortfall=0.0, bound=None, averaged=averaged,
    )  # fmt: skip
    margins = margins or draft.space.margins(sample, draft.comparator)
    least = _least(margins)
    numbers: dict[str, Any] = {"target": least}
    if least <= 0:
        target = target or _typical(margins.value[draft.rows])
        rate = draft.sums.constant
        weights = draft.totals if rate is None else counts * rate / draft.sums.parts
        missing = margins.shortfall(target, draft.rows, weights, draft.updates + 1, SLACK_FACTOR)
        if missing == math.inf:
            raise CannotClaim("the margins of the comparator overflow float64.")
        numbers = {"target": target, "shortfall": max(missing, exact.TINY)}
    norm = exact.root_above(with_slack(draft._comparator_square(margins)))
    radius2 = exact.above(draft.space.longest2(sample, square, SLACK_FACTOR) + lifted)
    if math.inf in (norm, radius2):
        raise CannotClaim("squares of the examples, or the comparator, overflow float64.")
    draft = with_numbers(draft, **numbers, comparator_norm=norm, radius2=radius2)
    bound = draft._most_updates()
    if bound is not None and bound < draft.updates:
        raise CannotClaim(
            f"{draft.updates:,} updates are more than the {bound:,} that the theorem allows in "
            "exact arithmetic: rounding decided some, or the examples are not those of the run."
        )
    return with_numbers(draft, bound=bound)


def _least(margins: MachineMargins) -> float:
    """A number that no margin is below, if that is positive, and otherwise some other."""
    if clearly_wrong(margins) is not None:
        return 0.0
    lowest = np.min(margins.value - SLACK_FACTOR * margins.slack)
    if lowest > (1 - CLEAR_DIGITS) * np.min(margins.value):  # Exact arithmetic gains nothing.
        return math.nextafter(lowest, -math.inf)
    return exact.below(margins.least(SLACK_FACTOR)[0])


def _typical(margins: np.ndarray) -> float:
    """The scale of a comparator is free; far beyond its margins every update falls short, and the
    bound is their number, which says nothing."""
    with np.errstate(over="ignore", invalid="ignore"):
        scale = float(np.mean(np.abs(margins))) if margins.size else 1.0
    return scale if 0 < scale < math.inf else 1.0


def against(
    claim: MistakeBound, sample, comparator: Machine, target: float | None = None
) -> MistakeBound:
    """The same run against another comparator."""
    kept = ("machine", "lifted", "sums", "start", "totals", "averaged")
    told = {name: getattr(claim, name) for name in kept}
    return issue_mistake_bound(sample, claim.labels, **told, comparator=comparator, target=target)
