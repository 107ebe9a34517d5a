"""KernelGap: how near a function of an RKHS is to the best soft-margin objective there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.encoding import says_nothing
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.spaces.images import KernelSample, Scores
from certo.certificates.spaces.kernel_claim import KernelClaim
from certo.numbers.rounded import Rounded, hinge_losses, positive_sum, total

HALF = Fraction(1, 2)


@final
@dataclass(frozen=True, repr=False, eq=False)
class KernelGap(SoftMarginGap, KernelClaim):
    r"""Claim: P(f, intercept) ≤ primal and min P ≥ dual, for f = Σ dual_coef_i K(x_rows_i, ·) and

        P(g, b) = ½‖g‖² + Σ_t c_t [1 − y_t (g(x_t) + b)]₊ ,      c = `costs_of(C, …)`,

    over all g of the kernel's space H and, with a "free" intercept, all b; with "none" b = 0;
    "lifted" with ½b² added. So P(f, intercept) exceeds the minimum by at most gap = primal − dual.
    Of that gap at most `allowance` is due to rounding: P(f, intercept) − D(α) ≥ gap − allowance.

    Proof from above: all hinge losses of (f, intercept), and ‖f‖² = Σ dual_coef_i f(x_rows_i). From
    below: let α_t = |dual_coef_t|, 0 ≤ α_t ≤ c_t. A hinge loss is at least 0 and at least
    1 − y_t (g(x_t) + b), and g(x_t) = ⟨g, K(x_t, ·)⟩, so that Σ α_t y_t g(x_t) = ⟨g, f⟩. Hence

        P(g, b)  ≥  Σ α_t + ½‖g‖² − ⟨g, f⟩ − b Σ α_t y_t  ≥  Σ α_t − ½‖f‖²  =  D(α),

    if Σ α_t y_t = 0, which is required exactly where b is free; "lifted", where ½b² is added,
    −½(Σ α_t y_t)² is. And P ≥ 0. The space may have any number of dimensions.

    Rounding: f(x_t) as in `kernel_sample`, in blocks, by NumPy alone; a hinge loss moves no more
    than its margin; sums end with `math.fsum`.
    """

    describes: ClassVar[dict[str, str]] = {
        "intercept": "intercept_",
        "rows": "support_",
        "dual_coef": "dual_coef_",
    }

    @property
    def informative(self) -> bool:
        return not says_nothing(self.relative_gap)

    def _check(self, sample: KernelSample) -> str:
        require(
            sample.m == self.examples,
            f"the claim is about {self.examples:,} examples, but X has {sample.m:,}.",
        )
        return self._accepted(self._values_in_turn(sample))

    def _values_in_turn(
        self, sample: KernelSample, scores: np.ndarray | None = None
    ) -> Iterator[tuple[Rounded, Rounded]]:
        """P(f, intercept) and D(α): from the known scores, and from those that are computed."""
        costs = self._costs(sample)
        if scores is not None:
            yield self._values(sample, costs, sample.scores(self.rows, self.dual_coef, scores))
        yield self._values(sample, costs, sample.scores(self.rows, self.dual_coef))

    def _values(
        self, sample: KernelSample, costs: np.ndarray, scores: Scores
    ) -> tuple[Rounded, Rounded]:
        square = sample.square(self.rows, self.dual_coef, scores)
        value, slack = scores.plus(self.intercept)
        primal = hinge_losses(sample.signs * value, slack, costs).plus(square, HALF)
        dual = positive_sum(np.abs(self.dual_coef)).plus(square, -HALF)
        if self.treatment == "lifted":
            primal = primal.plus(Rounded(Fraction(self.intercept) ** 2), HALF)
            dual = dual.plus(_squared_sum(self.dual_coef), -HALF)
        return primal, dual


def _squared_sum(terms: np.ndarray) -> Rounded:
    """(Σ terms)², where the sum is rounded once."""
    value = total(terms)
    off = abs(value) * Fraction(1, 2**52)
    return Rounded(value**2, (2 * abs(value) + off) * off)
