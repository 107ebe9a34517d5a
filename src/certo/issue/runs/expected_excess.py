"""How ExpectedExcess finds its numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.expected_excess import ExpectedExcess, guarantee
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.space import Machine, MachineMargins
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim, with_slack
from certo.numbers import exact


@or_cannot_claim
def issue_expected_excess(
    sample,
    labels: Labels,
    *,
    machine: Machine,
    lifted: bool,
    lam: float,
    steps: int,
    square: float | None = None,
    margins: MachineMargins | None = None,
) -> ExpectedExcess:
    """The claim for the average of a run; `square`, if known, bounds the squared lengths of
    vectors, and `margins` are those of the machine.

    CannotClaim, where numbers overflow or the weights are longer than any run's.
    """
    space = sample.space
    margins = margins or space.margins(sample, machine)
    objective = objective_to_claim(margins, lam, np.arange(sample.m), machine.intercept)
    radius2 = exact.above(space.longest2(sample, square, SLACK_FACTOR) + lifted)
    bound = guarantee(radius2, lam, steps) if radius2 < math.inf else math.inf
    length2 = _squared_length(margins, machine.intercept)
    if not (objective < math.inf and bound < math.inf):
        raise CannotClaim("squares of the examples, or the weights, overflow float64.")
    claim = ExpectedExcess(
        labels=labels, space=space, examples=sample.m, **machine._asdict(), lifted=lifted, lam=lam,
        steps=steps, radius2=radius2, objective=objective, bound=bound,
    )  # fmt: skip
    if length2 > claim._reach2:
        raise CannotClaim("the weights are longer than those of any run: X/λ.")
    return claim


def objective_to_claim(
    margins: MachineMargins, lam: float, rows: np.ndarray, intercept: float
) -> float:
    """A float that F of a machine on these rows does not exceed, with room for a checker who rounds
    otherwise; +inf after overflow."""
    hinges = margins.shortfall(1.0, rows, np.ones(rows.size), 0, SLACK_FACTOR)
    if hinges == math.inf:
        return math.inf
    penalty = Fraction(lam) / 2 * _squared_length(margins, intercept)
    return exact.above(Fraction(hinges) / rows.size + penalty)


def _squared_length(margins: MachineMargins, intercept: float) -> Fraction:
    """What ‖w‖² + b² may be claimed not to exceed."""
    return with_slack(margins.square()) + Fraction(intercept) ** 2
