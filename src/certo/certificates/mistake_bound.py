"""MistakeBound: the updates a run made, against what the convergence theorem allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates import exact
from certo.certificates.base import Certificate, require
from certo.certificates.margins import Margins
from certo.certificates.sample import Labels, Sample
from certo.certificates.update_sums import UpdateSums, most_updates
from certo.certificates.weights import check_weights, finite_vector, index_vector


@final
@dataclass(frozen=True, repr=False, eq=False)
class MistakeBound(Certificate):
    r"""Claim: the weights are the start plus `updates` steps η y_t x̃_t, taken on the examples
    `rows` as often as `counts` says, and the theorem allows no more than `bound` steps.

    Proof, for any comparator u and target ρ > 0. Each step adds η y u·x̃ ≥ η(ρ − [ρ − y u·x̃]₊) to
    u·w and, being a mistake, at most η²X² to ‖w‖². With Cauchy–Schwarz, after M steps

        ρ Σηᵢ − H + w₀·u  ≤  ‖u‖ sqrt(‖w₀‖² + X² Σηᵢ²),      H = Σᵢ ηᵢ [ρ − y u·x̃]₊,

    which fails for all M above some number: the bound. For a separator u take ρ = γ(u), so that
    H = 0 and the bound, (‖u‖X/γ(u))² from w₀ = 0 with constant η, holds for every run on these
    examples. Otherwise it is about this run, through H.

    Everything is exact, or rounded to the weak side: γ(u) and w₀·u down, ‖u‖², ‖w₀‖², X² and H up
    (`exact.dot_within`), and the inequality is solved for M in rational arithmetic. The weights are compared with start + Σ steps up to the rounding of that
    many float64 additions: |error_j| ≤ γ_n (|w₀_j| + Σ|η x̃_j|), n = updates + distinct rows + 4.
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

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "rows": "updated_",
        "updates_in_all": "updates_",
    }

    def __post_init__(self) -> None:
        for name in ("coef", "start", "totals", "comparator"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        counts = np.array(self.counts, dtype=np.int64)
        if np.any(counts != self.counts) or counts.shape != self.rows.shape:
            raise ValueError("counts must hold one whole number for each of the rows.")
        object.__setattr__(self, "counts", counts)

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Labels,
        *,
        coef: np.ndarray,
        intercept: float,
        lifted: bool,
        sums: UpdateSums,
        start: np.ndarray,
        rows: np.ndarray,
        counts: np.ndarray,
        totals: np.ndarray,
        comparator: np.ndarray,
        comparator_intercept: float = 0.0,
        radius2: float | None = None,
        margins: Margins | None = None,
    ) -> MistakeBound:
        """The claim for a comparator u: as a separator if it is one, else with its shortfall.

        `start` holds the weights before the first update, intercept last. For constant η pass no
        `totals`. `radius2` bounds ‖x_t‖², if already known; `margins` are those of u.
        """
        margins = margins or Margins.of(sample, comparator, comparator_intercept)
        least, _ = margins.least()
        weights = totals if totals.size else counts * sums.constant
        if least > 0 and exact.below(least) > 0:
            target, shortfall = exact.below(least), 0.0
        else:  # the scale of u is free: a typical margin of the updated examples becomes 1
            scale = float(np.mean(np.abs(margins.value[rows]))) if rows.size else 1.0
            target = scale if 0 < scale < np.inf else 1.0
            shortfall = margins.shortfall_to_claim(target, rows, weights)
        radius2 = (sample.square_bound() if radius2 is None else radius2) + lifted
        draft = cls(
            labels, coef, intercept, lifted, sums, start, rows, counts, totals,
            comparator, comparator_intercept, sample.m, int(counts.sum()),
            float(np.nextafter(radius2, np.inf)), target, shortfall, None,
        )  # fmt: skip
        object.__setattr__(draft, "bound", draft._most_updates())
        return draft

    def against(self, sample: Sample, comparator, comparator_intercept: float = 0.0) -> MistakeBound:
        """The same run against another comparator."""
        kept = ("coef", "intercept", "lifted", "sums", "start", "rows", "counts", "totals")
        return MistakeBound.of(
            sample,
            self.labels,
            **{name: getattr(self, name) for name in kept},
            comparator=np.asarray(comparator, np.float64),
            comparator_intercept=float(comparator_intercept),
            radius2=self.radius2 - self.lifted,
        )

    @property
    def separable(self) -> bool:
        """Whether the comparator separates the examples, so that every run is bounded."""
        return self.shortfall == 0

    @property
    def claim(self) -> str:
        made = f"The run made {self.updates:,} updates (on {self.rows.size:,} of the examples), "
        if self.bound is None:
            return made + "and with this learning rate the theorem sets no finite limit."
        if self.separable:
            return made + (
                f"and no run from this start, in any order, can make more than {self.bound:,}: a "
                f"separator with margin {self.target:.6g} exists, and no example is longer than "
                f"{self.radius2**0.5:.6g}. So {self.bound + 1:,} epochs are always enough."
            )
        return made + (
            f"and the theorem for data that this comparator does not separate allows {self.bound:,}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return ("the limit is that of exact arithmetic; the run itself was in float64",)

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
        return most_updates(
            self.sums,
            target=Fraction(self.target),
            offset=exact.dot_within(self.start, self._u)[0] - Fraction(self.shortfall),
            comparator2=exact.dot_within(self._u, self._u)[1],
            start2=exact.dot_within(self.start, self.start)[1],
            radius2=Fraction(self.radius2),
            at_least=self.updates,
        )

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(self.start.size == sample.d + 1, "the start does not fit the features.")
        require(self.comparator.size == sample.d, "the comparator does not fit the features.")
        require(
            self.lifted or self.start[-1] == self.intercept == self.comparator_intercept == 0,
            "without the extra feature 1 there can be no intercept.",
        )
        require(not self.rows.size or self.rows[-1] < sample.m, "rows must be rows of X.")
        require(np.all(self.counts >= 1), "every listed example must have been updated on.")
        require(
            int(self.counts.sum()) == self.updates,
            f"the counts add up to {int(self.counts.sum()):,}, not to {self.updates:,} updates.",
        )
        weights = self._step_weights()
        self._check_weights_are_the_sum(sample, weights)
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
        return f"{self.updates:,} updates lead to these weights, and the theorem allows {bound}."

    def _step_weights(self) -> np.ndarray:
        """Σ η over the updates on each row."""
        if self.sums.constant is not None:
            require(self.totals.size == 0, "with a constant rate there are no totals to give.")
            return self.counts * self.sums.constant
        require(self.totals.shape == self.rows.shape, "each row needs the total of its rates.")
        require(np.all(self.totals >= 0), "totals of rates must not be negative.")
        first = float(self.sums.totals(np.array([self.updates]))[0][0])
        given = float(np.sum(self.totals))
        require(
            abs(given - first) <= 4 * exact.allowance(self.updates + self.rows.size, first),
            f"the totals add up to {given!r}, but {self.updates:,} rates to {first!r}.",
        )
        return self.totals

    def _check_weights_are_the_sum(self, sample: Sample, weights: np.ndarray) -> None:
        part = sample.X[self.rows].astype(np.float64)
        signed = weights * sample.signs[self.rows]
        sum_, size = part.T @ signed, abs(part).T @ weights
        if self.lifted:
            sum_, size = np.append(sum_, signed.sum()), np.append(size, weights.sum())
        else:
            sum_, size = np.append(sum_, 0.0), np.append(size, 0.0)
        n = self.updates + self.rows.size + 4
        off = np.abs(np.append(self.coef, self.intercept) - (self.start + sum_))
        require(
            np.all(off <= exact.allowance(n, np.abs(self.start) + size)),
            "the weights are not the start plus the listed updates.",
        )

    def _check_comparator(self, sample: Sample, weights: np.ndarray) -> None:
        require(self.target > 0, "the target margin must be positive.")
        require(self.shortfall >= 0, "the shortfall must not be negative.")
        margins = Margins.of(sample, self.comparator, self.comparator_intercept)
        if self.separable:
            least, where = margins.least()
            require(
                least >= Fraction(self.target),
                f"the comparator has margin {float(least):.17g} at example {where}, "
                f"below the claimed {self.target!r}.",
            )
            return
        require(
            margins.falls_short_by_at_most(self.shortfall, self.target, self.rows, weights),
            f"the comparator falls short by more than the claimed {self.shortfall!r}.",
        )
