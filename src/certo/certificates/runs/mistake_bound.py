"""MistakeBound: the updates a run made, against what the convergence theorem allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.encoding import counted
from certo.certificates.fields import FiniteVector, IndexVector
from certo.certificates.runs.lengths import check_lengths
from certo.certificates.runs.update_sums import MAX_RATES, Inequality, UpdateSums, most_updates
from certo.certificates.spaces.space import Machine, MachineMargins, SpaceClaim
from certo.numbers import exact
from certo.numbers.rounded import Rounded


@final
@dataclass(frozen=True, repr=False, eq=False)
class MistakeBound(SpaceClaim):
    r"""Claim: (w, intercept) is the start plus `updates` steps η y_t φ̃(x_t), taken on the examples
    `rows` as often as |dual_coef| says, the signs of which are y_t (for a schedule: with rates that
    add up to `totals`), and the theorem allows no more than `bound` steps. φ̃(x) is φ(x), or
    (φ(x), 1) if `lifted`. In `Vectors` φ(x) = x, w is `coef`, and an empty `start` is 0. In
    `Images` φ(x) = K(x, ·), the start is 0, η = 1, and w is the sum of the steps itself.

    Proof, for any comparator u and target ρ > 0. Each step adds η y ⟨u, φ̃(x)⟩ ≥
    η(ρ − [ρ − y ⟨u, φ̃(x)⟩]₊) to ⟨u, w⟩ and, being a mistake, at most η²X² to ‖w‖², where no
    ‖φ̃(x)‖² exceeds X² = radius2. With Cauchy–Schwarz, after M steps

        ρ Σηᵢ − H + ⟨w₀, u⟩  ≤  ‖u‖ sqrt(‖w₀‖² + X² Σηᵢ²),      H = Σᵢ ηᵢ [ρ − y ⟨u, φ̃(x)⟩]₊,

    which fails for all M above some number: the bound. For a separator u take ρ = γ(u), its least
    margin, so that H = 0 and the bound, (‖u‖X/γ(u))² from w₀ = 0 with constant η, holds for every
    run on these examples. Otherwise it is about runs with these steps, through H ≤ shortfall: from
    w₀ = 0 with η = ρ = 1 and a = ‖u‖X it is ((a + √(a² + 4H))/2)².

    On S shards (`sums.shards`) w is the average of S runs over parts of the examples, epoch after
    epoch, so that each step reaches it with weight 1/S: ⟨u, w⟩ grows by Σ η(ρ − …)/S, and, since
    ‖Σᵢ wᵢ/S‖² ≤ Σᵢ ‖wᵢ‖²/S, the square by at most η²X²/S for each step (McDonald, Hall and Mann
    2010). The inequality is the same with M/S for M, and η/S for the η of the sum that leads to w.

    Everything is exact, or rounded to the weak side with the allowances of the space: γ(u) and
    ⟨w₀, u⟩ down, ‖u‖ ≤ comparator_norm, ‖w₀‖², X² and H up, and the inequality is solved for M in
    rational arithmetic. Weights in `Vectors` are compared with start + Σ steps up to the rounding
    of that many float64 additions: |error_j| ≤ γ_n (|w₀_j| + Σ|η x̃_j|), n = updates + distinct
    rows + 4, and with shards S·(updates + 1) more, for the averages of as many epochs. In `Images`
    the steps are integers, and nothing is rounded in w.
    """

    lifted: bool
    sums: UpdateSums
    start: FiniteVector
    totals: FiniteVector
    comparator_coef: FiniteVector
    comparator_rows: IndexVector
    comparator_dual_coef: FiniteVector
    comparator_intercept: float
    comparator_norm: float
    updates: int
    radius2: float
    target: float
    shortfall: float
    bound: int | None
    averaged: bool = False  # The model answers with the average of the weights, not with these.

    shows = ("updates", "bound", "target", "radius2", "comparator_norm", "shortfall", "examples")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.comparator_dual_coef.shape != self.comparator_rows.shape:
            raise ValueError("comparator_dual_coef must hold one number for each of its rows.")
        if np.any(self.dual_coef != np.rint(self.dual_coef)) or not np.all(self.dual_coef):
            raise ValueError("dual_coef must hold integers other than 0: counts of updates.")
        if not self.lifted and (
            self.intercept != 0 or self.comparator_intercept != 0 or np.any(self.start[-1:])
        ):
            raise ValueError("without the extra feature 1 there can be no intercept.")
        if not self.start.size and self.sums.before:
            raise ValueError("a run that goes on from earlier updates must have a start.")
        if not (self.target > 0 and min(self.shortfall, self.radius2, self.comparator_norm) >= 0):
            raise ValueError(
                "target must be positive, shortfall, radius2 and comparator_norm not negative."
            )

    @property
    def describes(self) -> dict[str, str]:  # type: ignore[override]
        own = self.space.describes | {"intercept": "intercept_"}
        last = "last_" if self.averaged else ""
        shared = {"rows": "updated_", "updates_in_all": "updates_"}
        return shared | {name: last + attribute for name, attribute in own.items()}

    @property
    def separable(self) -> bool:
        """Whether the comparator separates the examples, so that every run is bounded."""
        return self.shortfall == 0

    @property
    def comparator(self) -> Machine:
        rows, dual_coef = self.comparator_rows, self.comparator_dual_coef
        return Machine(self.comparator_coef, rows, dual_coef, self.comparator_intercept)

    @property
    def updates_in_all(self) -> int:
        """Those of this claim and those that earlier calls of partial_fit made."""
        return self.sums.before + self.updates

    @property
    def _start_and_u(self) -> tuple[np.ndarray, np.ndarray]:
        """w₀ and u by their entries, as far as these matter: where w₀ = 0, those of u do not."""
        u = np.append(self.comparator_coef, self.comparator_intercept)
        return (self.start if self.start.size else np.zeros(u.size)), u

    def _most_updates(self) -> int | None:
        start, u = self._start_and_u
        pull = start2 = Fraction(0)
        if start.any():
            pull, start2 = exact.dot_within(start, u)[0], exact.dot_within(start, start)[1]
        law = Inequality(
            target=Fraction(self.target),
            offset=pull - Fraction(self.shortfall),
            comparator2=Fraction(self.comparator_norm) ** 2,
            start2=start2,
            radius2=Fraction(self.radius2),
        )
        return most_updates(self.sums, law, self.updates)

    def _check(self, sample) -> str:
        self._check_size(sample, self.comparator)
        features = self.space.coordinates(sample)
        require(self.start.size in (0, features + 1), "the start does not fit the features.")
        require(
            np.array_equal(np.sign(self.dual_coef), sample.signs[self.rows]),
            "every step must have the sign of its example.",
        )
        start, _ = self._start_and_u
        weights = self._weights()
        self.space.check_sum(
            sample, self.machine, start, weights * np.sign(self.dual_coef), self.lifted,
            self.sums.roundings(self.updates),
        )  # fmt: skip
        check_lengths(self, sample)
        self._check_comparator(self.space.margins(sample, self.comparator), weights)
        return self._check_bound()

    def _check_bound(self) -> str:
        """The theorem allows as many updates as were made, and no more than is claimed."""
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
        return f"{counted(self.updates, 'update')} lead to this machine, and the theorem {allowed}."

    def _weights(self) -> np.ndarray:
        """Σ η over the updates on each row: η times the count, or the totals if they can be right.

        Sums of up to n rates by two parties differ by at most 2γ_n of their size; there is room for
        four times that. Which rates of a schedule fell on which row is not known; each row's share
        must be between that of as many smallest and as many largest ones.
        """
        counts = np.abs(self.dual_coef)
        made = sum(map(int, counts.tolist()))  # Python's integers do not wrap around.
        require(made == self.updates, f"the steps are {made:,} in number, not {self.updates:,}.")
        if self.sums.constant is not None:
            require(self.totals.size == 0, "with a constant rate there are no totals to give.")
            return counts * self.sums.constant / self.sums.parts
        require(self.totals.shape == self.rows.shape, "each row needs the total of its rates.")
        require(
            self.updates <= MAX_RATES, f"rates of more than {MAX_RATES:,} updates are not checked."
        )
        rates, roundings = self.sums.rates(self.updates), self.updates + self.rows.size
        with np.errstate(over="ignore"):
            first, given = float(np.sum(rates)), float(np.sum(self.totals))
        require(
            first < np.inf and abs(given - first) <= 4 * exact.allowance(roundings, first),
            f"the totals add up to {given!r}, but {self.updates:,} rates to {first!r}.",
        )
        if rates.size:
            room = 4 * exact.allowance(roundings, 1.0)
            least, most = counts * rates.min(), counts * rates.max()
            require(
                np.all((least * (1 - room) <= self.totals) & (self.totals <= most * (1 + room))),
                "the totals are not those of as many rates as the counts say.",
            )
        return self.totals

    def _comparator_square(self, margins: MachineMargins) -> Rounded:
        """‖u‖², given the margins of u."""
        return margins.square().plus(Rounded(Fraction(self.comparator_intercept) ** 2))

    def _check_comparator(self, margins: MachineMargins, weights: np.ndarray) -> None:
        require(
            self._comparator_square(margins).above <= Fraction(self.comparator_norm) ** 2,
            f"the comparator is not shown to be as short as {self.comparator_norm!r}.",
        )
        if self.separable:
            low = margins.below(Fraction(self.target))
            if low is not None:
                raise Refuted(
                    f"at example {low} the comparator's margin is not shown to be {self.target!r}.",
                    low,
                )
        else:
            require(
                margins.falls_short_by_at_most(
                    self.shortfall, self.target, self.rows, weights, self.updates + 1
                ),
                f"the comparator falls short by more than the claimed {self.shortfall!r}.",
            )
