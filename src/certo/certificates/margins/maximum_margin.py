"""MaximumMargin: how large a margin can be on these examples, from below and from above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.margins.solution import MarginSolution
from certo.certificates.spaces.scores import Scores
from certo.certificates.spaces.space import MachineMargins
from certo.numbers import exact
from certo.numbers.decimals import apart, rounded_down
from certo.numbers.exact import ROUND_UP_8
from certo.numbers.rounded import Rounded


@final
@dataclass(frozen=True, repr=False, eq=False)
class MaximumMargin(MarginSolution):
    r"""Claim: lower ≤ γ* ≤ upper, where γ* is the largest margin min_t y_t (⟨u, φ(x_t)⟩ + b) of a u
    of the space with ‖u‖ = 1; with a "free" intercept any b, with "none" b = 0, "lifted" with
    ‖u‖² + b² = 1. In `Vectors` φ(x) = x; in `Images` φ(x) = K(x, ·), so that ⟨u, φ(x)⟩ = u(x).

    Proof from below: the margins of (w, intercept) over all examples, divided by its length, where
    w is `coef`, and in `Images` v. From above: let a_t = |dual_coef_t| on `rows` and
    v = Σ a_t y_t φ(x_t) (lifted: of (φ(x_t), 1)). The smallest of the margins is at most their
    mean, so for every u

        γ(u) Σ a_t  ≤  Σ a_t y_t (⟨u, φ(x_t)⟩ + b)  =  ⟨u, v⟩ + b Σ a_t y_t  ≤  ‖v‖,

    if Σ a_t y_t = 0, which is required exactly where b is free. Hence γ* ≤ ‖v‖/Σ a_t. In the words
    of duality: ½/lower² is the value of a feasible w, ½/upper² that of feasible multipliers, and
    the relative gap between them is 1 − (lower/upper)².

    Rounding: margins, ‖w‖² and ‖v‖² as in `spaces`, in `Vectors` exactly where that matters and
    takes not too long; Σ a_t and Σ a_t y_t exactly; what is made of them in rational arithmetic.
    """

    lower: float
    upper: float

    shows = ("examples", "lower", "upper", "relative_gap")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.all(self.dual_coef):
            raise ValueError("dual_coef must hold one number other than 0 for each of the rows.")
        if not 0 < self.lower <= self.upper:
            raise ValueError("lower and upper must be positive, and in this order.")

    @property
    def relative_gap(self) -> float:
        """(primal − dual)/primal of ½‖w‖², rounded up."""
        return exact.above(1 - (Fraction(self.lower) / Fraction(self.upper)) ** 2)

    def _check_within(self, sample) -> str:
        self._check_size(sample)
        margins = self.space.margins(sample, self.machine)
        length = exact.root_above(max(self._square(margins).above, Fraction(0)))
        require(0 < length < np.inf, "without a finite direction there is no distance.")
        near = margins.below(Fraction(self.lower) * Fraction(length))
        if near is not None:
            near = near if sample.places is None else int(sample.places[near])
            raise Refuted(f"example {near} is not shown to have a margin of {self.lower!r}.", near)
        most = (Fraction(self.upper) * self._multipliers(sample)) ** 2
        require(
            any(square.above <= most for square in self._combined_in_turn(margins, room=2)),
            f"the multipliers do not prove that no margin exceeds {self.upper!r}.",
        )
        return (
            f"the margin is at least {rounded_down(self.lower)}, and the largest possible one "
            f"exceeds that of this machine by at most {apart(self.upper, self.lower)}."
        )

    def _multipliers(self, sample) -> Fraction:
        """Σ a_t, if they are multipliers of these examples and feasible."""
        require(self.rows.size > 0, "without multipliers nothing bounds the margin from above.")
        require(
            np.array_equal(np.sign(self.dual_coef), sample.signs[self.rows]),
            "the multipliers must have the signs of their examples.",
        )
        require(
            self.treatment != "free" or self._balance == 0,
            "with a free intercept the multipliers of the two classes must have the same sum.",
        )
        return exact.dot(np.abs(self.dual_coef), np.ones(self.rows.size))

    @property
    def _balance(self) -> Fraction:
        return exact.dot(self.dual_coef, np.ones(self.rows.size))

    def nearness(
        self, signs: np.ndarray, margins: MachineMargins, scores: Scores
    ) -> tuple[float, float]:
        value, slack = scores.plus(self.intercept)
        unit = float(np.nextafter(np.min(signs * value - slack * ROUND_UP_8), -np.inf))
        require(0 < unit < np.inf, "the solution is not shown to separate the examples.")
        square = max(self._square(margins).above, Fraction(0))
        beyond = square / Fraction(unit) ** 2 - 1 / Fraction(self.upper) ** 2
        return unit, exact.root_above(max(beyond, Fraction(0)))

    def _square(self, margins: MachineMargins) -> Rounded:
        """‖w‖², lifted: of (w, intercept)."""
        return self._lifted(margins.square(), Fraction(self.intercept))

    def _combined_in_turn(self, margins: MachineMargins, room: int = 1) -> Iterator[Rounded]:
        """‖v‖², at more and more cost; with `room`, what was exact for an issuer is so for a
        checker."""
        for effort in margins.efforts:
            combined = self.space.combined(margins, self.machine, room * effort)
            yield self._lifted(combined, self._balance)

    def _lifted(self, square: Rounded, last: Fraction) -> Rounded:
        return square.plus(Rounded(last**2)) if self.treatment == "lifted" else square
