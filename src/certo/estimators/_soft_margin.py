"""One soft-margin machine: solved and certified, as a hyperplane or in a kernel's space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.labels import Labels
from certo.estimators._claims import Claim, attempt
from certo.estimators._limits import Limits
from certo.estimators._prices import Prices
from certo.estimators._spaces import Space
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.problems.soft_margin import SoftMargin
from certo.solvers.kernel_soft_margin import KernelOutcome
from certo.solvers.soft_margin import SoftOutcome
from certo.stop import Stop

AT_BOUND = 1e-10  # A multiplier so near to its bound, relatively, counts as being there.


class Machine(NamedTuple):
    """What was found for one output."""

    outcome: SoftOutcome | KernelOutcome
    rows: np.ndarray
    dual_coef: np.ndarray
    claim: Claim
    slack: np.ndarray
    gap: float  # The relative gap that is proved; infinite if none is.

    @property
    def stop(self) -> Stop:
        return self.outcome.stop

    @property
    def objective(self) -> float:
        """What it is proved to be at most; near the limits of float64 more than what it seems."""
        claim = self.claim
        return claim.primal if isinstance(claim, SoftMarginGap) else self.outcome.primal


def machine_for(
    space: Space,
    labels: Labels,
    signs: np.ndarray,
    prices: Prices,
    start: np.ndarray | None,
    limits: Limits,
) -> Machine:
    """The machine that tells the examples of sign +1 from the others."""
    costs = prices.of(signs)
    outcome = space.soft_margin(signs, costs, start, limits)
    alpha, scores = outcome.alpha, space.scores(outcome)
    kept = alpha > 0
    if space.intercept == "free" and not np.any(kept & (alpha < (1 - AT_BOUND) * costs)):
        kept[_fixing_b(scores, signs, costs, outcome)] = True
    rows = np.flatnonzero(kept)
    dual_coef = alpha[rows] * signs[rows]
    claim = attempt(
        SoftMarginGap,
        labels,
        lambda: issue_soft_margin_gap(
            space.sample(signs), labels, intercept=outcome.b, treatment=space.intercept,
            rows=rows, dual_coef=dual_coef, **prices._asdict(), **space.known_of(outcome),
        ),
    )  # fmt: skip
    slack = SoftMargin.loss.of(signs, scores + outcome.b)
    gap = claim.relative_gap if isinstance(claim, SoftMarginGap) else np.inf
    return Machine(outcome, rows, dual_coef, claim, slack, gap)


def _fixing_b(scores, signs, costs, outcome) -> np.ndarray:
    """The example whose margin becomes 1 just at the smallest b, if it has no multiplier.

    All supports have reached their bounds. Just below b the slope of Σ c_t [1 − y_t (s_t + b)]₊
    over the supports is then Σ_{y=−1} c_t − Σ_{y=+1} c_t = −Σ α_t y_t = 0, unless one of y = −1 has
    margin 1: so what keeps a smaller b from being as good is a positive example of margin 1.
    """
    away = np.abs(1 - scores - outcome.b)
    near = away <= 1e-9 * (1 + np.abs(scores) + abs(outcome.b))
    fixing = np.flatnonzero(near & (signs > 0) & (outcome.alpha == 0) & (costs > 0))
    return fixing[np.argsort(away[fixing], kind="stable")[:1]]
