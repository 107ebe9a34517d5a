"""SoftMarginGap: how near a machine is to the best soft-margin objective, from both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import numpy as np

from certo.certificates.base import Refuted, by_blocks, require
from certo.certificates.encoding import counted, says_nothing
from certo.certificates.fields import CostVector, check_weights
from certo.certificates.margins.solution import MarginSolution
from certo.certificates.spaces.scores import Scores
from certo.certificates.spaces.space import MachineMargins
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.numbers.rounded import Rounded, positive_sum, total

HALF = Fraction(1, 2)


def costs_of(C: float, class_weight, signs: np.ndarray, sample_weight=()) -> np.ndarray:
    """The costs c_t = (C·class_weight)·sample_weight, two float64 products in this order: what the
    problem is about, exactly. `class_weight` has a number for −1 and one for +1; no `sample_weight`
    means 1 for each."""
    with np.errstate(over="ignore", under="ignore"):
        negative, positive = np.float64(C) * np.asarray(class_weight, np.float64)
        costs = np.where(signs > 0, positive, negative)
        return costs * np.asarray(sample_weight, np.float64) if len(sample_weight) else costs


@final
@dataclass(frozen=True, repr=False, eq=False)
class SoftMarginGap(MarginSolution):
    r"""Claim: P(w, intercept) ≤ primal and min P ≥ dual, where

        P(w, b) = ½‖w‖² + Σ_t c_t [1 − y_t (⟨w, φ(x_t)⟩ + b)]₊ ,      c = `costs_of(C, …)`,

    over all w of the space and, with a "free" intercept, all b; with "none" b = 0; "lifted" with
    ½b² added. In `Vectors` φ(x) = x, and w is `coef`; in `Images` φ(x) = K(x, ·), so that
    ⟨w, φ(x)⟩ = w(x), and w = v (see below), `coef` being empty. So P(w, intercept) exceeds the
    minimum by at most gap = primal − dual. Of that gap at most `allowance` is due to rounding:
    P(w, intercept) − D(α), see below, is at least gap − allowance.

    Proof from above: all hinge losses of (w, intercept), and ‖w‖². From below: let
    α_t = |dual_coef_t| on `rows`, 0 ≤ α_t ≤ c_t, and v = Σ α_t y_t φ(x_t). A hinge loss is at least
    0 and at least 1 − y_t (⟨w, φ(x_t)⟩ + b), so for all w, b

        P(w, b)  ≥  Σ α_t + ½‖w‖² − ⟨w, v⟩ − b Σ α_t y_t  ≥  Σ α_t − ½‖v‖²  =  D(α),

    if Σ α_t y_t = 0, which is required exactly where b is free (`math.fsum` rounds the exact sum
    once, and a sum of floats other than 0 does not round to 0); "lifted", where ½b² is added,
    −½(Σ α_t y_t)² is. And P ≥ 0. The space may have any number of dimensions.

    Rounding: margins, ‖w‖² and ‖v‖² as in `spaces`; a hinge loss moves no more than its margin.
    With a `width`, no multipliers are listed, and those that follow from the margins are taken, as
    `blocks.soft_margin` says and proves: the claim is then about as many rows as one likes.
    Long sums of non-negative products end with `math.fsum`, after few roundings. In `Vectors`,
    where these allowances are more than a negligible part of the gap, margins get their own, and
    what is not too long is computed exactly.
    """

    C: float
    class_weight: CostVector
    sample_weight: CostVector
    primal: float
    dual: float
    allowance: float
    #: Files of before claims by blocks do not have it.
    width: float | None = field(default=None, metadata={"since": "claims by blocks"})

    shows = ("examples", "primal", "dual", "gap", "relative_gap", "allowance")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.C <= 0:
            raise ValueError(f"C must be positive, got {self.C!r}.")
        if self.class_weight.size != 2:
            raise ValueError("class_weight must hold a number for −1 and one for +1.")
        check_weights(self.sample_weight, self.examples)
        if not 0 <= self.dual <= self.primal or self.allowance < 0:
            raise ValueError("0 ≤ dual ≤ primal and 0 ≤ allowance must hold.")
        if self.width is not None and (self.width <= 0 or self.rows.size):
            raise ValueError("width must be positive, and then no multipliers are listed.")

    @property
    def informative(self) -> bool:
        return not says_nothing(self.relative_gap)

    def _check_within(self, sample) -> str:
        if self.width is not None:
            return str(by_blocks().shown_of(self, sample))
        self._check_size(sample)
        for primal, dual in self._values_in_turn(sample, room=2):
            lowest = max(dual.below, Fraction(0))  # P ≥ 0
            spread = Fraction(self.primal) - primal.below + dual.above - Fraction(self.dual)
            shown = primal.above <= self.primal and lowest >= self.dual
            if shown and spread <= self.allowance:
                return (
                    f"the objective is at most {rounded_up(self.primal)}, and its infimum is "
                    f"lower by at most {rounded_up(self.gap, 2)}."
                )
        require(
            primal.above <= self.primal,
            f"the objective is not shown to be at most {self.primal!r}.",
        )
        require(
            lowest >= self.dual,
            f"the multipliers do not prove that no objective is below {self.dual!r}.",
        )
        raise Refuted(f"more of the gap is due to rounding than {self.allowance!r}.")

    def _values_in_turn(self, sample, room: int = 1) -> Iterator[tuple[Rounded, Rounded]]:
        """P(w, intercept) and D(α), as `_parts_in_turn`."""
        return (self._objectives(*parts) for parts in self._parts_in_turn(sample, room=room))

    def _parts_in_turn(self, sample, known=None, room: int = 1) -> Iterator[Iterable[Rounded]]:
        """The weighted losses, ‖w‖², Σ α_t and ‖v‖², at more and more cost; with `room`, what was
        exact for an issuer is so for a checker."""
        costs = self._costs(sample)
        for margins in self.space.looks(sample, self.machine, known):
            for effort in margins.efforts:
                yield (
                    margins.hinge_losses(costs, room * effort),
                    margins.square(effort),
                    (_precise_sum if effort else positive_sum)(np.abs(self.dual_coef)),
                    self.space.combined(margins, self.machine, room * effort),
                )

    def _objectives(
        self, losses: Rounded, square: Rounded, total: Rounded, combined: Rounded
    ) -> tuple[Rounded, Rounded]:
        """P(w, intercept) and D(α) from the weighted losses, ‖w‖², Σ α_t and ‖v‖²."""
        primal, dual = losses.plus(square, HALF), total.plus(combined, -HALF)
        if self.treatment == "lifted":
            primal = primal.plus(Rounded(Fraction(self.intercept) ** 2), HALF)
            dual = dual.plus(_squared_sum(self.dual_coef), -HALF)
        return primal, dual

    def _costs(self, sample) -> np.ndarray:
        """The costs, if the multipliers are feasible for them."""
        costs = costs_of(self.C, self.class_weight, sample.signs, self.sample_weight)
        require(np.all(np.isfinite(costs)), "costs overflow float64.")
        alpha = self.dual_coef * sample.signs[self.rows]
        require(np.all(alpha >= 0), "the multipliers must have the signs of their examples.")
        over = np.flatnonzero(alpha > costs[self.rows])
        require(
            not over.size, f"{counted(over.size, 'multiplier')} above the cost of their examples."
        )
        require(
            self.treatment != "free" or total(self.dual_coef) == 0,
            "with a free intercept the multipliers of the two classes must have the same sum.",
        )
        return costs

    @property
    def gap(self) -> float:
        """primal − dual, rounded up."""
        return exact.above(Fraction(self.primal) - Fraction(self.dual))

    @property
    def relative_gap(self) -> float:
        """(primal − dual)/primal, rounded up; 0 where primal is 0."""
        return exact.above(1 - Fraction(self.dual) / Fraction(self.primal)) if self.primal else 0.0

    @property
    def weighted(self) -> bool:
        return bool(self.sample_weight.size or np.any(self.class_weight != 1))

    def nearness(
        self, signs: np.ndarray, margins: MachineMargins, scores: Scores
    ) -> tuple[float, float]:
        return 1.0, exact.root_above(2 * (Fraction(self.primal) - Fraction(self.dual)))


def _squared_sum(terms: np.ndarray) -> Rounded:
    """(Σ terms)², where the sum is rounded once."""
    value = total(terms)
    off = abs(value) * Fraction(1, 2**52)
    return Rounded(value**2, (2 * abs(value) + off) * off)


def _precise_sum(terms: np.ndarray) -> Rounded:
    """Σ terms to twice the digits of float64: what the first rounding leaves is rounded once."""
    high = total(terms)
    low = total(np.append(terms, -float(high)))
    return Rounded(high + low, abs(low) * Fraction(1, 2**52))
