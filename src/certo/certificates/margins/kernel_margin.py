"""KernelMargin: how large a margin can be in a kernel's space, from below and from above."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.encoding import rounded_down
from certo.certificates.fields import finite_vector, index_vector
from certo.certificates.margins.maximum_margin import INTERCEPTS
from certo.certificates.spaces.images import KernelSample, Scores
from certo.certificates.spaces.kernel_claim import KernelClaim
from certo.numbers import exact
from certo.numbers.digits import apart


@final
@dataclass(frozen=True, repr=False, eq=False)
class KernelMargin(KernelClaim):
    r"""Claim: lower ≤ γ* ≤ upper, where γ* is the largest margin min_t y_t (g(x_t) + b) of a g of
    the kernel's space with ‖g‖ = 1; with a "free" intercept any b, with "none" b = 0, "lifted" with
    ‖g‖² + b² = 1.

    Proof from below: the margins of f + intercept over all examples, f = Σ dual_coef_i
    K(x_rows_i, ·), divided by its length, ‖f‖² = Σ dual_coef_i f(x_rows_i). From above: let
    a_t = |dual_coef_t|. The smallest of the margins is at most their mean, so for every g

        γ(g) Σ a_t  ≤  Σ a_t y_t (g(x_t) + b)  =  ⟨g, f⟩ + b Σ a_t y_t  ≤  ‖f‖,

    if Σ a_t y_t = 0, which is required exactly where b is free; "lifted", f has the further
    coordinate Σ a_t y_t. Hence γ* ≤ ‖f‖/Σ a_t.

    Rounding: f(x_t) and ‖f‖² as in `kernel_sample`; what is made of them in rational arithmetic.
    """

    intercept: float
    treatment: str
    rows: np.ndarray
    dual_coef: np.ndarray
    examples: int
    lower: float
    upper: float

    describes: ClassVar[dict[str, str]] = {
        "intercept": "intercept_",
        "rows": "support_",
        "dual_coef": "dual_coef_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "dual_coef", finite_vector(self.dual_coef, "dual_coef"))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        if self.treatment not in INTERCEPTS:
            raise ValueError(f"treatment must be one of {INTERCEPTS}, got {self.treatment!r}.")
        if self.treatment == "none" and self.intercept != 0:
            raise ValueError(f"without an intercept it must be 0, got {self.intercept!r}.")
        if self.dual_coef.shape != self.rows.shape or not np.all(self.dual_coef):
            raise ValueError("dual_coef must hold one number other than 0 for each of the rows.")
        if not 0 < self.lower <= self.upper:
            raise ValueError("lower and upper must be positive, and in this order.")

    @property
    def relative_gap(self) -> float:
        """(primal − dual)/primal of ½‖f‖², rounded up."""
        return exact.above(1 - (Fraction(self.lower) / Fraction(self.upper)) ** 2)

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "lower": self.lower,
            "upper": self.upper,
            "relative_gap": self.relative_gap,
        }

    def _check(self, sample: KernelSample) -> str:
        require(
            sample.m == self.examples,
            f"the claim is about {self.examples:,} examples, but X has {sample.m:,}.",
        )
        self._multipliers(sample)
        scores = sample.scores(self.rows, self.dual_coef)
        below, where = self._lower(sample, scores)
        require(
            below >= self.lower, f"example {where} is not shown to have a margin of {self.lower!r}."
        )
        require(
            self._upper(sample, scores) <= self.upper,
            f"the multipliers do not prove that no margin exceeds {self.upper!r}.",
        )
        return (
            f"the largest margin is at least {rounded_down(self.lower)}, and exceeds this by at "
            f"most {apart(self.upper, self.lower)}."
        )

    def _multipliers(self, sample: KernelSample) -> None:
        """They are of these examples, and feasible."""
        require(self.rows.size > 0, "without multipliers nothing bounds the margin from above.")
        require(self.rows[-1] < sample.m, "rows must be rows of X.")
        require(
            np.array_equal(np.sign(self.dual_coef), sample.signs[self.rows]),
            "the multipliers must have the signs of their examples.",
        )
        require(
            self.treatment != "free" or self._balance == 0,
            "with a free intercept the multipliers of the two classes must have the same sum.",
        )

    @property
    def _balance(self) -> Fraction:
        return exact.dot(self.dual_coef, np.ones(self.rows.size))

    def _length2(self, sample: KernelSample, scores: Scores, last: Fraction, room: int) -> Fraction:
        """A number that ‖f‖², with `last` as a further coordinate where there is one, does not
        exceed; allowances are multiplied by `room`, for a checker who adds in another order."""
        square = sample.square(self.rows, self.dual_coef, scores)
        further = last**2 if self.treatment == "lifted" else Fraction(0)
        return max(square.value + room * square.within, Fraction(0)) + further

    def _lower(self, sample: KernelSample, scores: Scores, room: int = 1) -> tuple[float, int]:
        """A margin that is not above that of f + intercept, and where that is least."""
        value, slack = scores.plus(self.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            margins = sample.signs * value - room * slack
        require(np.all(np.isfinite(margins)), "numbers overflow float64.")
        where = int(np.argmin(margins))
        margin = Fraction(float(np.nextafter(margins[where], -np.inf)))
        length = exact.root_above(self._length2(sample, scores, Fraction(self.intercept), room))
        if margin <= 0 or not 0 < length < np.inf:
            return 0.0, where
        return exact.below(margin / Fraction(length)), where

    def _upper(self, sample: KernelSample, scores: Scores, room: int = 1) -> float:
        """A number that no margin exceeds."""
        length2 = self._length2(sample, scores, self._balance, room)
        multipliers = exact.dot(np.abs(self.dual_coef), np.ones(self.rows.size))
        return exact.root_above(length2 / multipliers**2)
