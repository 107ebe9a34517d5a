"""How Regret finds its numbers."""

from __future__ import annotations

import math

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.runs.gradient_run import MAX_REPLAY_ROUNDS, GradientRun, loss_named
from certo.certificates.runs.regret import (
    LOSSES_LOST,
    MAX_SUM_ROUNDING,
    Regret,
    _comparator_loss,
    _comparator_slack,
    _no_comparator,
)
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.issue.slack import SLACK_FACTOR
from certo.numbers import exact
from certo.numbers.exact import gamma, norm
from certo.numbers.rounding import OVERFLOW_LIMIT


def issue_regret(
    sample: Sample,
    labels: Labels,
    run: GradientRun,
    *,
    coef: np.ndarray,
    intercept: float,
    suffered: float,
    bound: float,
    comparator: np.ndarray,
    comparator_intercept: float = 0.0,
    square: float = math.inf,
) -> Regret:
    """The claim for a run and a comparator, or CannotClaim with the reason why not. `square`,
    if known, is a number that no ‖x_t‖² exceeds, up to rounding."""
    if sample.m > MAX_REPLAY_ROUNDS:
        raise CannotClaim(
            f"the check repeats the run, for at most {MAX_REPLAY_ROUNDS:,} "
            f"examples, but there are {sample.m:,}."
        )
    u = np.append(comparator, comparator_intercept)
    if reason := _no_comparator(run, u, sample.m):
        raise CannotClaim(reason)
    loss = _comparator_loss(run, sample, u)
    if not loss < OVERFLOW_LIMIT:  # The checker's allowance must not overflow either.
        raise CannotClaim("the losses of the comparator overflow float64.")
    slack = _rough_slack(run, sample, u, loss, square)
    if not SLACK_FACTOR * slack <= MAX_SUM_ROUNDING * (1 + loss):
        slack = _comparator_slack(run, sample, u, loss)
    if not SLACK_FACTOR * slack <= MAX_SUM_ROUNDING * (1 + loss):
        raise CannotClaim(LOSSES_LOST)
    claim = Regret(
        labels, run, coef, intercept, comparator, comparator_intercept, sample.m, suffered,
        loss, bound,
    )  # fmt: skip
    if not claim._keeps_to_the_bound():
        raise CannotClaim(
            "the run suffered more than the theorem allows in exact arithmetic: rounding."
        )
    return claim


def _rough_slack(
    run: GradientRun, sample: Sample, u: np.ndarray, total: float, square: float
) -> float:
    """A number that A of `Regret` does not exceed, without a look at the examples: all a_t are at
    most a, and E_t ≤ L·a where no slope exceeds L, for the squared loss 2|y − s|·a + a², whose sum
    is at most 2a√(T·Σ(y − s)²) + Ta². It is infinite, where no `square` is known."""
    reach = math.sqrt(square) * norm(u[:-1]) * (1 + MAX_SUM_ROUNDING) + abs(u[-1])
    a, T = float(exact.allowance(sample.d + 1, reach)), sample.m
    steepest = -float(loss_named(run.loss).slope(-math.inf))
    moved = T * steepest * a
    if steepest == math.inf:
        moved = 2 * a * math.sqrt(T) * math.sqrt(total) + T * a * a
    return moved * (1 + MAX_SUM_ROUNDING) + 4 * float(gamma(T + sample.d + 16)) * total


def against(claim: Regret, sample: Sample, comparator, comparator_intercept: float = 0.0) -> Regret:
    """The same run against another comparator."""
    kept = ("run", "coef", "intercept", "suffered", "bound")
    told = {name: getattr(claim, name) for name in kept}
    u, b = np.asarray(comparator, np.float64), float(comparator_intercept)
    return issue_regret(sample, claim.labels, **told, comparator=u, comparator_intercept=b)
