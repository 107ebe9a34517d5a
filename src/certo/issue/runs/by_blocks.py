"""How claims about runs find their numbers by blocks. A checker may cut the rows elsewhere: his
sums are off from ours by the allowances of both, and what is claimed leaves room for that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.blocks import expected_excess, mistake_bound
from certo.certificates.blocks.check import MAX_GATHERED_NUMBERS
from certo.certificates.blocks.sums import BlockSum, Sums, Top
from certo.certificates.runs.expected_excess import ExpectedExcess, guarantee
from certo.certificates.runs.gradient_run import MAX_REPLAY_ROUNDS, GradientRun
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.regret import Regret
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.space import Machine
from certo.certificates.spaces.vectors import Margins, Vectors
from certo.issue.machines import hyperplane
from certo.issue.runs.regret import issue_regret
from certo.issue.separation import _distance
from certo.issue.slack import SLACK_FACTOR, clearly_wrong, or_cannot_claim, with_numbers
from certo.numbers import exact
from certo.numbers.exact import gamma
from certo.numbers.rounded import Rounded
from certo.numbers.rounding import MAX_FLOAT


def excess_draft(
    labels: Labels, rows: int, w: np.ndarray, *, lifted: bool, lam: float, steps: int
) -> ExpectedExcess:
    """A claim without its numbers; w has the intercept last."""
    return ExpectedExcess(
        labels=labels, space=Vectors(), examples=rows,
        **hyperplane(w[:-1], float(w[-1]))._asdict(), lifted=lifted, lam=lam, steps=steps,
        radius2=MAX_FLOAT, objective=MAX_FLOAT, bound=MAX_FLOAT,
    )  # fmt: skip


def objective_of(draft: ExpectedExcess, total: BlockSum) -> float:
    """A float that F is not shown to exceed by anyone who sums over blocks.

    His margins are off from ours by both slacks, each at most that of the longest row, and his sum
    of losses has γ_{m+4} of them for its own roundings at most.
    """
    losses: Rounded = total["losses"]
    reach = math.sqrt(total["square"]) * exact.norm(draft.coef) + abs(draft.intercept)
    slack = exact.allowance(draft.coef.size, reach * exact.ROUND_UP)
    off = 4 * total.rows * slack + 2 * gamma(total.rows + 4) * float(losses.value)
    if not off < math.inf:
        return math.inf
    within = SLACK_FACTOR * (losses.within + Fraction(float(off)))
    raised = Rounded(losses.value, within)
    return exact.above(expected_excess.objective(draft, raised, total.rows))


@or_cannot_claim
def issue_excess(draft: ExpectedExcess, total: BlockSum) -> ExpectedExcess:
    """The claim for the average of a run."""
    d, square = draft.coef.size, float(total["square"])
    radius2 = exact.above(Fraction(square + exact.allowance(d, square)) + draft.lifted)
    objective = objective_of(draft, total)
    bound = guarantee(radius2, draft.lam, draft.steps) if radius2 < math.inf else math.inf
    if not (objective < math.inf and bound < math.inf):
        raise CannotClaim("squares of the examples, or the weights, overflow float64.")
    claim = with_numbers(draft, radius2=radius2, objective=objective, bound=bound)
    if expected_excess.squared_length(claim) > claim._reach2:
        raise CannotClaim("the weights are longer than those of any run: X/λ.")
    return claim


def regret(
    blocks: Any, labels: Labels, run: GradientRun, w: np.ndarray, suffered: float, bound: float
) -> Regret:
    """The claim for a run over all rows, against its own answer, where it is short enough for the
    rows to be put together; the check repeats the run."""
    if len(blocks) > MAX_REPLAY_ROUNDS:
        raise CannotClaim(
            f"the check repeats the run, for at most {MAX_REPLAY_ROUNDS:,} examples, but there are "
            f"{len(blocks):,}."
        )
    if math.prod(blocks.shape) > MAX_GATHERED_NUMBERS:
        raise CannotClaim(
            "the check repeats the run, with all examples in memory, and of blocks for at most "
            f"{MAX_GATHERED_NUMBERS:,} numbers."
        )
    X, y = blocks.pick(np.arange(len(blocks)))
    return issue_regret(
        Sample.of(X, y, labels), labels, run, coef=w[:-1], intercept=float(w[-1]),
        suffered=suffered, bound=bound, comparator=w[:-1], comparator_intercept=float(w[-1]),
    )  # fmt: skip


class Steps(NamedTuple):
    """The updates of a run, as MistakeBound gives them."""

    machine: Machine
    lifted: bool
    sums: UpdateSums
    start: np.ndarray
    totals: np.ndarray
    averaged: bool


def bound_draft(labels: Labels, rows: int, steps: Steps, u: np.ndarray) -> MistakeBound:
    """A claim for a comparator, its intercept last, without its numbers."""
    comparator = hyperplane(u[:-1], float(u[-1]))
    return MistakeBound(
        labels=labels, space=Vectors(), examples=rows, **steps.machine._asdict(),
        lifted=steps.lifted, sums=steps.sums, start=steps.start, totals=steps.totals,
        comparator_coef=comparator.coef, comparator_rows=comparator.rows,
        comparator_dual_coef=comparator.dual_coef, comparator_intercept=comparator.intercept,
        comparator_norm=MAX_FLOAT, updates=int(np.abs(steps.machine.dual_coef).sum()),
        radius2=MAX_FLOAT, target=exact.TINY, shortfall=MAX_FLOAT, bound=None,
        averaged=steps.averaged,
    )  # fmt: skip


def look_at_margins(block: Any, drafts: Sequence[MistakeBound]) -> Sums:
    """Of each comparator the least margin in a block, or one that is not positive if there is one;
    the sum of the sizes of margins over the rows updated on; and the longest row."""
    found = []
    for draft in drafts:
        sample = draft._sample(draft._read(block[0]), block[1])
        margins = Margins.of(sample, draft.comparator_coef, draft.comparator_intercept)
        rows, _, _ = mistake_bound.rows_of(draft, block[2], sample.m)
        parts = {
            "below": Top(-least_margin(margins)),
            "sizes": float(np.sum(np.abs(margins.value[rows]))),
            "square": Top(sample.square_bound()),
        }
        found.append(BlockSum(sample.m, 0, parts))
    return Sums(found)


def least_margin(margins: Margins) -> float:
    """A number that no margin is below, if it is positive."""
    if (t := clearly_wrong(margins)) is not None:
        return float(margins.value[t])
    lowest = float(np.min(margins.value - SLACK_FACTOR * margins.slack))
    return math.nextafter(lowest, -math.inf) if lowest > 0 else exact.below(margins.least()[0])


def least_of(total: BlockSum) -> float:
    return -float(total["below"])


def with_target(draft: MistakeBound, total: BlockSum) -> MistakeBound:
    """The draft with its target: the least margin of a separator, else the mean size of a margin
    over the updated rows."""
    norm2 = exact.dot(draft.comparator_coef, draft.comparator_coef)
    norm = exact.root_above(norm2 + Fraction(draft.comparator_intercept) ** 2)
    square = float(total["square"])
    radius2 = exact.above(
        Fraction(square + exact.allowance(draft.coef.size, square)) + draft.lifted
    )
    if math.inf in (norm, radius2):
        raise CannotClaim("squares of the examples, or the comparator, overflow float64.")
    least = least_of(total)
    if least > 0:
        numbers = {"target": least, "shortfall": 0.0}
    else:
        typical = float(total["sizes"]) / max(draft.rows.size, 1)
        numbers = {"target": typical if 0 < typical < math.inf else 1.0}
    return with_numbers(draft, comparator_norm=norm, radius2=radius2, **numbers)


@or_cannot_claim
def issue_mistakes(draft: MistakeBound, total: BlockSum | None) -> MistakeBound:
    """The claim, from the sums of its check; those of a separator (None) need not be known.

    The bounds on what is missing, of a checker who cuts the rows elsewhere, are above ours by no
    more than his allowances: those of margins, and γ_n of the sum with n roundings.
    """
    if total is not None and not draft.separable:
        missing = total["missing"].above
        rate = draft.sums.constant
        weights = draft.totals if rate is None else np.abs(draft.dual_coef) * rate
        reach = math.sqrt(draft.radius2) * draft.comparator_norm
        slack = SLACK_FACTOR * exact.allowance(draft.coef.size + 1, reach * exact.ROUND_UP)
        n = draft.rows.size + draft.updates + 8
        off = slack * float(weights.sum()) + SLACK_FACTOR * gamma(n) * float(missing)
        if not off < math.inf:
            raise CannotClaim("the margins of the comparator overflow float64.")
        shortfall = exact.above((missing + Fraction(float(off))) * (1 + Fraction(1, 2**40)))
        draft = with_numbers(draft, shortfall=max(shortfall, exact.TINY))
    bound = draft._most_updates()
    if bound is not None and bound < draft.updates:
        raise CannotClaim(
            f"{draft.updates:,} updates are more than the {bound:,} that the theorem allows in "
            "exact arithmetic: rounding decided some, or the examples are not those of the run."
        )
    return with_numbers(draft, bound=bound)


def issue_separable(
    labels: Labels, rows: int, coef: np.ndarray, intercept: float, least: float
) -> Separable:
    """The claim that all margins are at least this."""
    if not least > 0:
        raise CannotClaim("some rows are not strictly on their own side.")
    distance = _distance(coef, Fraction(least))
    return Separable(labels, coef, intercept, rows, least, distance)
