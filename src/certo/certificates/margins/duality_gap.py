"""DualityGap: how near a hyperplane is to the best soft-margin objective, from both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np
from scipy import sparse

from certo.certificates.encoding import says_nothing
from certo.certificates.fields import finite_vector
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_weights
from certo.numbers import exact
from certo.numbers.rounded import Rounded, at_most, hinge_losses, positive_sum, total

EXACT_PRODUCTS = 2**16  # up to so many products (a row or column counts as 16 more) are exact
PIECE = 4096  # rows added in whatever order; the sums of two halves are then added


@final
@dataclass(frozen=True, repr=False, eq=False)
class DualityGap(SoftMarginGap):
    r"""Claim: P(coef, intercept) ≤ primal and min P ≥ dual, where

        P(w, b) = ½‖w‖² + Σ_t c_t [1 − y_t (w·x_t + b)]₊ ,      c = `costs_of(C, …)`,

    over all w and, with a "free" intercept, all b; with "none" b = 0; "lifted" with ½b² added. So
    P(coef, intercept) exceeds the minimum by at most gap = primal − dual. Of that gap at most
    `allowance` is due to rounding: P(coef, intercept) − D(α), see below, is at least gap −
    allowance.

    Proof from above: all hinge losses of (coef, intercept). From below: let α_t = |dual_coef_t| on
    `rows`, 0 ≤ α_t ≤ c_t, and v = Σ α_t y_t x_t (lifted: of (x_t, 1)). A hinge loss is at least
    0 and at least 1 − y_t (w·x_t + b), so for all w, b

        P(w, b)  ≥  ½‖w‖² + Σ α_t (1 − y_t (w·x_t + b))  =  Σ α_t + ½‖w‖² − w·v − b Σ α_t y_t
                 ≥  Σ α_t − ½‖v‖²  =  D(α),

    if Σ α_t y_t = 0, which is required exactly where b is free (`math.fsum` rounds the exact sum
    once, and a sum of floats other than 0 does not round to 0). And P ≥ 0.

    Rounding: margins as in Separable; a hinge loss moves no more than its margin. An entry of v
    is added from pieces of PIECE rows in halves, so that no product passes through more than
    PIECE + 64 roundings. Long sums of non-negative products end with `math.fsum`, after few
    roundings. Where these allowances are more than a negligible part of the gap, margins get their
    own, and what is not too long is computed exactly.
    """

    coef: np.ndarray

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "rows": "support_",
        "dual_coef": "dual_coef_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))

    @property
    def informative(self) -> bool:
        return not says_nothing(self.relative_gap)

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        # what was exact for the issuer is so here
        return self._accepted(self._values_in_turn(sample, 2 * EXACT_PRODUCTS))

    def _values_in_turn(
        self, sample: Sample, most_exact: int, square: float | None = None
    ) -> Iterator[tuple[Rounded, Rounded]]:
        """P(coef, intercept) and D(α), at more and more cost."""
        costs = self._costs(sample)
        margins = Margins.of(sample, self.coef, self.intercept, square)
        for most in (0, 1, most_exact):
            yield self._values(margins, costs, most)

    def _values(
        self, margins: Margins, costs: np.ndarray, most_exact: int = 0
    ) -> tuple[Rounded, Rounded]:
        """P(coef, intercept) and D(α); with `most_exact` the allowances are worked on, and sums of
        up to so many products are exact."""
        w = np.append(self.coef, self.intercept) if self.treatment == "lifted" else self.coef
        quickly = not most_exact
        primal = _hinge_losses(margins, costs, most_exact)
        primal = primal.plus(_square(w, quickly=quickly), Fraction(1, 2))
        linear = positive_sum(np.abs(self.dual_coef), quickly)
        return primal, linear.plus(self._combination2(margins.sample, most_exact), Fraction(-1, 2))

    def _combination2(self, sample: Sample, most_exact: int) -> Rounded:
        """‖v‖², v = Σ dual_coef_t x_t over the rows, lifted: of (x_t, 1)."""
        lifted = self.treatment == "lifted"
        if not self.rows.size:
            return Rounded(Fraction(0))
        if _is_short(sample, self.rows, most_exact - 16 * sample.d):
            turned = sample.X[self.rows].T
            turned = turned.tocsr() if sparse.issparse(turned) else turned
            columns = Sample(turned, np.ones(sample.d))
            v = [columns.score(j, self.dual_coef, 0.0) for j in range(sample.d)]
            v += [exact.dot(self.dual_coef, np.ones(self.rows.size))] * lifted
            return Rounded(sum((entry**2 for entry in v), Fraction(0)))
        if 16 * self.rows.size < sample.m:
            part, weights = Sample(sample.X[self.rows], sample.signs[self.rows]), self.dual_coef
        else:  # all rows, rather than a copy of many
            part, weights = sample, np.zeros(sample.m)
            weights[self.rows] = self.dual_coef
        step = min(PIECE, next(iter(part.blocks()))[1])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            entries, sizes = _column_sums(part, weights, 0, part.m, step)
            slack = exact.allowance(PIECE + 64, sizes)
        if lifted:  # the sum is rounded once
            balance = float(total(self.dual_coef))
            entries, slack = np.append(entries, balance), np.append(slack, abs(balance) * 2.0**-52)
        return _square(entries, slack, quickly=not most_exact)


def _square(entries: np.ndarray, slack: np.ndarray | None = None, quickly: bool = False) -> Rounded:
    """‖e‖² where each |e_j − entries_j| ≤ slack_j, hence |e_j² − entries_j²| ≤ (2|entries_j| +
    slack_j) slack_j."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        short = entries.size <= exact.SHORT and np.all(np.isfinite(entries))
        square = (
            Rounded(exact.dot(entries, entries))
            if short
            else positive_sum(entries * entries, quickly)
        )
        if slack is None:
            return square
        moved = at_most((2 * np.abs(entries) + slack) * slack)
    return Rounded(square.value, square.within + moved)


def _hinge_losses(margins: Margins, costs: np.ndarray, most_exact: int) -> Rounded:
    """Σ c_t [1 − margin_t]₊; a loss is off by at most its margin's slack."""
    near = _below_one(margins, np.flatnonzero(costs))
    precisely = Fraction(0)
    if most_exact:
        margins._tighten(near)
        near = _below_one(margins, near)
        unsure = near[margins.slack[near] > 0]
        if _is_short(margins.sample, unsure, most_exact):
            near = near[margins.slack[near] == 0]
            for margin, t, _ in margins._each_exactly(unsure):
                precisely += Fraction(costs[t]) * max(1 - margin, Fraction(0))
    rest = hinge_losses(
        margins.value[near], margins.slack[near], costs[near], quickly=not most_exact
    )
    return Rounded(precisely + rest.value, rest.within)


def _below_one(margins: Margins, rows: np.ndarray) -> np.ndarray:
    """Those of the rows whose margin is not shown to be above 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        return rows[~(margins.value[rows] - margins.slack[rows] > 1)]


def _is_short(sample: Sample, rows: np.ndarray, most: int) -> bool:
    """Whether the rows have at most so many entries other than 0, 16 more counted for each row."""
    most -= 16 * rows.size
    entries = (int(np.count_nonzero(sample.row(t)[0])) for t in rows.tolist())
    return most >= 0 and sum(entries) <= most


def _column_sums(sample: Sample, weights: np.ndarray, start: int, stop: int, step: int):
    """Σ weights_t x_t and Σ |weights_t x_t| over rows start … stop − 1, halves added to halves."""
    if stop - start > step:
        middle = (start + stop) // 2
        first = _column_sums(sample, weights, start, middle, step)
        return first + _column_sums(sample, weights, middle, stop, step)
    part, some = sample.part(start, stop), weights[start:stop]
    return np.array([part.T @ some, abs(part).T @ np.abs(some)])
