"""MistakeBound: the updates a run made, against what the convergence theorem allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from certo.certificates.base import Certificate, require
from certo.certificates.encoding import counted
from certo.certificates.fields import finite_vector, index_vector, whole_vector
from certo.certificates.runs.steps import check_steps, step_weights
from certo.certificates.runs.update_sums import Inequality, UpdateSums, most_updates
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_weights
from certo.numbers import exact


@final
@dataclass(frozen=True, repr=False, eq=False)
class MistakeBound(Certificate):
    r"""Claim: the weights are the start plus `updates` steps η y_t x̃_t, taken on the examples
    `rows` as often as `counts` says (for a schedule: with rates that add up to `totals`), and the
    theorem allows no more than `bound` steps.

    Proof, for any comparator u and target ρ > 0. Each step adds η y u·x̃ ≥ η(ρ − [ρ − y u·x̃]₊) to
    u·w and, being a mistake, at most η²X² to ‖w‖². With Cauchy–Schwarz, after M steps

        ρ Σηᵢ − H + w₀·u  ≤  ‖u‖ sqrt(‖w₀‖² + X² Σηᵢ²),      H = Σᵢ ηᵢ [ρ − y u·x̃]₊,

    which fails for all M above some number: the bound. For a separator u take ρ = γ(u), so that
    H = 0 and the bound, (‖u‖X/γ(u))² from w₀ = 0 with constant η, holds for every run on these
    examples. Otherwise it is about runs with these steps, through H.

    Everything is exact, or rounded to the weak side: γ(u) and w₀·u down, ‖u‖², ‖w₀‖², X² and H up
    (`exact.dot_within`), and the inequality is solved for M in rational arithmetic. The weights
    are compared with start + Σ steps up to the rounding of that many float64 additions:
    |error_j| ≤ γ_n (|w₀_j| + Σ|η x̃_j|), n = updates + distinct rows + 4.
    """

    coef: np.ndarray
    intercept: float
    lifted: bool
    sums: UpdateSums
    start: np.ndarray
    rows: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    comparator: np.ndarray
    comparator_intercept: float
    examples: int
    updates: int
    radius2: float
    target: float
    shortfall: float
    bound: int | None
    averaged: bool = False  # the model answers with the average of the weights, not with these

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("coef", "start", "totals", "comparator"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        object.__setattr__(self, "counts", whole_vector(self.counts, "counts"))
        if self.counts.shape != self.rows.shape:
            raise ValueError("counts must hold one whole number for each of the rows.")
        if not (self.target > 0 and self.shortfall >= 0 and self.radius2 >= 0):
            raise ValueError("target must be positive, shortfall and radius2 not negative.")

    @property
    def describes(self) -> dict[str, str]:  # type: ignore[override]
        last = "last_" if self.averaged else ""
        return {
            "coef": f"{last}coef_",
            "intercept": f"{last}intercept_",
            "rows": "updated_",
            "updates_in_all": "updates_",
        }

    @property
    def separable(self) -> bool:
        """Whether the comparator separates the examples, so that every run is bounded."""
        return self.shortfall == 0

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "updates": self.updates,
            "bound": self.bound,
            "target": self.target,
            "radius2": self.radius2,
            "shortfall": self.shortfall,
            "examples": self.examples,
        }

    def curves(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The two curves between which ‖w‖² stays after n updates, for pictures."""
        first, second = self.sums.totals(n)
        u2 = float(self._u @ self._u)
        inner = float(self.start @ self._u)
        rise = np.maximum(inner + self.target * first - self.shortfall, 0.0)
        upper = float(self.start @ self.start) + self.radius2 * second
        return (rise**2 / u2 if u2 else np.zeros(len(first))), upper

    @property
    def updates_in_all(self) -> int:
        """Those of this claim and those that earlier calls of partial_fit made."""
        return self.sums.before + self.updates

    @property
    def _u(self) -> np.ndarray:
        return np.append(self.comparator, self.comparator_intercept if self.lifted else 0.0)

    def _most_updates(self) -> int | None:
        law = Inequality(
            target=Fraction(self.target),
            offset=exact.dot_within(self.start, self._u)[0] - Fraction(self.shortfall),
            comparator2=exact.dot_within(self._u, self._u)[1],
            start2=exact.dot_within(self.start, self.start)[1],
            radius2=Fraction(self.radius2),
        )
        return most_updates(self.sums, law, self.updates)

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(self.start.size == sample.d + 1, "the start does not fit the features.")
        require(self.comparator.size == sample.d, "the comparator does not fit the features.")
        require(
            self.lifted or self.start[-1] == self.intercept == self.comparator_intercept == 0,
            "without the extra feature 1 there can be no intercept.",
        )
        require(not self.rows.size or self.rows[-1] < sample.m, "rows must be rows of X.")
        weights = step_weights(self)
        check_steps(self, sample, weights)
        far = sample.longer_than(Fraction(self.radius2) - int(self.lifted))
        require(far is None, f"example {far} is longer than the square root of {self.radius2!r}.")
        self._check_comparator(sample, weights)
        bound = self._most_updates()
        require(
            bound is None or self.updates <= bound,
            f"{self.updates:,} updates are more than the theorem allows: {bound}.",
        )
        require(
            self.bound is None or (bound is not None and bound <= self.bound),
            f"the theorem allows {bound} updates, not {self.bound}.",
        )
        allowed = "sets no limit" if bound is None else f"allows {bound:,}"
        return (
            f"{counted(self.updates, 'update')} lead to these weights, and the theorem {allowed}."
        )

    def _check_comparator(self, sample: Sample, weights: np.ndarray) -> None:
        margins = Margins.of(sample, self.comparator, self.comparator_intercept)
        if self.separable:
            low = margins.below(Fraction(self.target))
            require(
                low is None,
                f"at example {low} the comparator's margin is below the claimed {self.target!r}.",
            )
        else:
            require(
                margins.falls_short_by_at_most(
                    self.shortfall, self.target, self.rows, weights, self.updates
                ),
                f"the comparator falls short by more than the claimed {self.shortfall!r}.",
            )
