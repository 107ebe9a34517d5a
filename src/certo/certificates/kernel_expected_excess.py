"""KernelExpectedExcess: how near to the least F Pegasos comes in a kernel's space."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates import exact
from certo.certificates.base import CannotClaim, Refuted, require
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.expected_excess import guarantee
from certo.certificates.kernel_claim import KernelClaim
from certo.certificates.kernel_mistake_bound import ROOM, greatest_square
from certo.certificates.kernel_sample import KernelSample, Scores
from certo.certificates.rounded import Rounded, hinge_losses
from certo.certificates.sample import Labels
from certo.certificates.weights import finite_vector, index_vector


@final
@dataclass(frozen=True, repr=False, eq=False)
class KernelExpectedExcess(KernelClaim):
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

    lifted: bool
    rows: np.ndarray
    dual_coef: np.ndarray
    intercept: float
    lam: float
    steps: int
    examples: int
    radius2: float
    objective: float
    bound: float

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
        if type(self.lifted) is not bool:
            raise ValueError(f"lifted must be True or False, got {self.lifted!r}.")
        if not self.lifted and self.intercept != 0:
            raise ValueError("without the extra feature 1 the intercept must be 0.")
        if not (self.lam > 0 and self.steps >= 1):
            raise ValueError("lam must be positive and steps at least 1.")
        if not (self.radius2 >= 0 and self.objective >= 0 and self.bound >= 0):
            raise ValueError("radius2, objective and bound must not be negative.")

    @classmethod
    def of(
        cls,
        sample: KernelSample,
        labels: Labels,
        *,
        lifted: bool,
        rows: np.ndarray,
        dual_coef: np.ndarray,
        intercept: float,
        lam: float,
        steps: int,
        scores: Scores | None = None,
    ) -> KernelExpectedExcess:
        """The claim for the average of a run; `scores` are those of f, if known.

        CannotClaim, where numbers overflow or the function is longer than any run's.
        """
        draft = cls(
            labels, sample.kernel, sample.shift, lifted, rows, dual_coef, intercept, lam, steps,
            sample.m, 0.0, 0.0, 0.0,
        )  # fmt: skip
        try:
            scores = scores or sample.scores(draft.rows, draft.dual_coef)
            radius2 = exact.above(greatest_square(sample, ROOM) + lifted)
            length2 = squared_length(sample, draft.rows, draft.dual_coef, intercept, scores)
            objective = to_claim(risk(sample.signs, scores, intercept, lam, length2))
        except Refuted as reason:
            raise CannotClaim(str(reason)) from reason
        bound = guarantee(radius2, lam, steps) if radius2 < math.inf else math.inf
        if not (objective < math.inf and bound < math.inf):
            raise CannotClaim("numbers overflow float64.")
        claim = replace(draft, radius2=radius2, objective=objective, bound=bound)
        if length2.value + ROOM * length2.within > claim._reach2:
            raise CannotClaim("the function is not shown to be as short as those of all runs: X/λ.")
        return claim

    def in_probability(self, delta: float) -> float:
        """What the excess is at most with probability 1 − delta over the draws (Markov)."""
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
        return exact.above(Fraction(self.bound) / Fraction(delta))

    @property
    def claim(self) -> str:
        helps = "" if self.bound < 1 else ", which is no better than what f = 0 has"
        penalty = "(λ/2)(‖f‖² + b²)" if self.lifted else "(λ/2)‖f‖²"
        return (
            f"{self.labels.shown} against {self.labels.rest}: on these "
            f"{counted(self.examples, 'example')} F = mean hinge loss + {penalty}, with "
            f"λ = {self.lam!r}, is at most {rounded_up(self.objective)} for this function of "
            f"{self._where}, and it is no longer than X/λ, like all iterates of Pegasos. The "
            f"average of {counted(self.steps, 'step')} of Pegasos, over all its draws, is expected "
            f"to exceed the least F by at most {rounded_up(self.bound, 4)}{helps}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return (
            *super().assumes,
            "each step drew one of these examples uniformly, whatever was drawn before",
            "the function is the average of the iterates of that many steps, a number set before",
            "the guarantee is one of exact arithmetic; the run was in float64",
        )

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "steps": self.steps,
            "lam": self.lam,
            "radius2": self.radius2,
            "objective": self.objective,
            "bound": self.bound,
        }

    @property
    def _reach2(self) -> Fraction:
        return Fraction(self.radius2) / Fraction(self.lam) ** 2

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
        bound = guarantee(self.radius2, self.lam, self.steps)
        require(self.bound >= bound, f"the guarantee is {bound!r}, not {self.bound!r}.")
        return (
            f"F is at most {rounded_up(self.objective)}, and the guarantee for "
            f"{counted(self.steps, 'step')} is {rounded_up(bound, 4)}; that so many were made is "
            "assumed."
        )


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


def to_claim(value: Rounded) -> float:
    """A float that a non-negative number does not exceed, with room for a checker who rounds
    otherwise; +inf after overflow."""
    return max(0.0, exact.above(value.value + ROOM * value.within))
