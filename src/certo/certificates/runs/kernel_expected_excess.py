"""KernelExpectedExcess: how near to the least F Pegasos comes in a kernel's space."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.fields import finite_vector, index_vector
from certo.certificates.runs.kernel_mistake_bound import greatest_square
from certo.certificates.runs.pegasos_excess import PegasosExcess
from certo.certificates.spaces.images import KernelSample, Scores
from certo.certificates.spaces.kernel_claim import KernelClaim
from certo.numbers.rounded import Rounded, hinge_losses


@final
@dataclass(frozen=True, repr=False, eq=False)
class KernelExpectedExcess(PegasosExcess, KernelClaim):
    r"""Claim: F(f, b) = (1/m) Σ [1 − y_t (f(x_t) + b)]₊ + (λ/2)(‖f‖² + b²) is at most `objective`
    for f = Σ dual_coef_i K(x_i, ·) over `rows` and b = `intercept`; ‖f‖² + b² ≤ radius2/λ², where
    no K(x, x), + 1 if `lifted`, exceeds radius2; and the average of `steps` iterates of Pegasos
    has E F ≤ min F + `bound`, the expectation being over its draws.

    Proof of the last part: that of `ExpectedExcess`, which uses nothing of the space but its inner
    product. An example is K(x, ·), of squared length K(x, x); lifted it is (K(x, ·), 1).

    Checked from the data: radius2, F(f, b) from above (values of f and ‖f‖² with the allowances of
    `KernelSample`), the length of (f, b), and the formula, in decimal arithmetic, rounded up. How f
    was found is not: that is assumed.
    """

    rows: np.ndarray
    dual_coef: np.ndarray

    describes: ClassVar[dict[str, str]] = {
        "rows": "support_",
        "dual_coef": "dual_coef_",
        "intercept": "intercept_",
        "steps": "steps_",
        "objective": "objective_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "dual_coef", finite_vector(self.dual_coef, "dual_coef"))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        if self.dual_coef.shape != self.rows.shape:
            raise ValueError("dual_coef must hold one number for each of the rows.")
        if not self.lifted and self.intercept != 0:
            raise ValueError("without the extra feature 1 the intercept must be 0.")

    def _check(self, sample: KernelSample) -> str:
        require(
            sample.m == self.examples,
            f"the claim is about {self.examples:,} examples, but X has {sample.m:,}.",
        )
        require(not self.rows.size or self.rows[-1] < sample.m, "rows must be rows of X.")
        require(
            greatest_square(sample) + self.lifted <= Fraction(self.radius2),
            f"K(x, x) is not shown to be at most {self.radius2!r} for all examples.",
        )
        scores = sample.scores(self.rows, self.dual_coef)
        length2 = squared_length(sample, self.rows, self.dual_coef, self.intercept, scores)
        require(length2.above <= self._reach2, "the function is not shown to be as short as X/λ.")
        require(
            risk(sample.signs, scores, self.intercept, self.lam, length2).above
            <= Fraction(self.objective),
            f"F of this function is not shown to be at most {self.objective!r}.",
        )
        return self._check_bound()


def squared_length(
    sample: KernelSample, rows, dual_coef, intercept: float, scores: Scores
) -> Rounded:
    """‖f‖² + b², from the scores of f."""
    return sample.square(rows, dual_coef, scores).plus(Rounded(Fraction(intercept) ** 2))


def risk(
    signs: np.ndarray, scores: Scores, intercept: float, lam: float, length2: Rounded
) -> Rounded:
    """F on the examples that the scores of f are of; the losses are divided by m exactly."""
    value, slack = scores.plus(intercept)
    losses = hinge_losses(signs * value, slack, np.ones(signs.size))
    nothing = Rounded(Fraction(0))
    return nothing.plus(losses, Fraction(1, signs.size)).plus(length2, Fraction(lam) / 2)
