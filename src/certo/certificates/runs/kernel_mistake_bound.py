"""KernelMistakeBound: the mistakes a kernel perceptron made, against what the theorem allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.encoding import counted
from certo.certificates.fields import finite_vector, index_vector
from certo.certificates.runs.update_sums import Inequality, UpdateSums, most_updates
from certo.certificates.spaces.images import KernelSample, Scores
from certo.certificates.spaces.kernel_claim import KernelClaim
from certo.numbers.rounded import Rounded, at_most, positive_sum
from certo.rates import Constant


@final
@dataclass(frozen=True, repr=False, eq=False)
class KernelMistakeBound(KernelClaim):
    r"""Claim: f = Σ dual_coef_t K̃(x_t, ·) over `rows`, where |dual_coef_t| counts mistakes on x_t
    and has the sign y_t, is a sum of `updates` steps y_t K̃(x_t, ·) from f = 0, and the theorem
    allows no more than `bound` of them. K̃ is the kernel, or 1 + the kernel if `lifted`.

    Proof, for any comparator u = Σ comparator_coef_i K(x_i, ·) + comparator_intercept and target
    ρ > 0, with norms of the space of K̃. A step adds y u(x) ≥ ρ − [ρ − y u(x)]₊ to ⟨u, f⟩, by the
    reproducing property, and, being a mistake, at most K̃(x, x) ≤ radius2 to ‖f‖². So after M steps

        ρ M − H  ≤  ‖u‖ sqrt(radius2 · M),      H = Σ_steps [ρ − y u(x)]₊ ≤ shortfall,

    which fails for all M above some number: the bound. If y_t u(x_t) ≥ ρ for all examples
    (`separable`), H = 0 for every run on them, and the bound is ‖u‖² radius2/ρ². Otherwise it is
    about runs with these steps, through H: with ρ = 1 and a = ‖u‖√radius2 it is
    ((a + √(a² + 4H))/2)².

    The steps are whole numbers, so nothing is rounded in f. Each number is rounded to its weak
    side, with the allowances of `KernelSample`: ρ down, H, ‖u‖² ≤ comparator2 and radius2 up; the
    inequality is solved for M in rational arithmetic.
    """

    lifted: bool
    rows: np.ndarray
    dual_coef: np.ndarray
    comparator_rows: np.ndarray
    comparator_coef: np.ndarray
    comparator_intercept: float
    examples: int
    updates: int
    separable: bool
    radius2: float
    comparator2: float
    target: float
    shortfall: float
    bound: int

    describes: ClassVar[dict[str, str]] = {
        "rows": "support_",
        "dual_coef": "dual_coef_",
        "updates": "updates_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("dual_coef", "comparator_coef"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        for name in ("rows", "comparator_rows"):
            object.__setattr__(self, name, index_vector(getattr(self, name), name))
        for name in ("lifted", "separable"):
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}.")
        if self.dual_coef.shape != self.rows.shape:
            raise ValueError("dual_coef must hold one number for each of the rows.")
        if self.comparator_coef.shape != self.comparator_rows.shape:
            raise ValueError("comparator_coef must hold one number for each of comparator_rows.")
        if np.any(self.dual_coef != np.rint(self.dual_coef)) or not np.all(self.dual_coef):
            raise ValueError("dual_coef must hold whole numbers other than 0: counts of mistakes.")
        if not self.lifted and self.comparator_intercept != 0:
            raise ValueError("without the extra feature 1 a comparator can have no intercept.")
        if not (self.target > 0 and min(self.shortfall, self.radius2, self.comparator2) >= 0):
            raise ValueError("target must be positive, the other numbers not negative.")

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "updates": self.updates,
            "bound": self.bound,
            "target": self.target,
            "radius2": self.radius2,
            "comparator2": self.comparator2,
            "shortfall": self.shortfall,
            "examples": self.examples,
        }

    def curves(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The two curves between which ‖f‖² stays after n mistakes, for pictures."""
        rise = np.maximum(self.target * n - self.shortfall, 0.0)
        lower = rise**2 / self.comparator2 if self.comparator2 else np.zeros(len(rise))
        return lower, self.radius2 * n

    def _margins(self, sample: KernelSample, scores: Scores) -> Scores:
        values, slack = scores.plus(self.comparator_intercept)
        return Scores(sample.signs * values, slack)

    def _falls_short(self, margins: Scores) -> Rounded:
        """H, counting each mistake."""
        counts, here = np.abs(self.dual_coef), self.rows
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            missing = counts * np.maximum(self.target - margins.value[here], 0.0)
            losses = positive_sum(missing)
            return Rounded(losses.value, losses.within + at_most(counts * margins.slack[here]))

    def _length2(self, sample: KernelSample, scores: Scores) -> Rounded:
        """‖u‖²."""
        square = sample.square(self.comparator_rows, self.comparator_coef, scores)
        return square.plus(Rounded(Fraction(self.comparator_intercept) ** 2))

    def _most_updates(self) -> int:
        law = Inequality(
            target=Fraction(self.target),
            offset=-Fraction(self.shortfall),
            comparator2=Fraction(self.comparator2),
            start2=Fraction(0),
            radius2=Fraction(self.radius2),
        )
        most = most_updates(UpdateSums(Constant(1.0)), law, self.updates)
        assert most is not None  # with a constant rate there always is one
        return most

    def _check(self, sample: KernelSample) -> str:
        require(
            sample.m == self.examples,
            f"the claim is about {self.examples:,} examples, but X has {sample.m:,}.",
        )
        for rows in (self.rows, self.comparator_rows):
            require(not rows.size or rows[-1] < sample.m, "rows must be rows of X.")
        require(
            np.array_equal(np.sign(self.dual_coef), sample.signs[self.rows]),
            "every step must have the sign of its example.",
        )
        made = sum(int(count) for count in np.abs(self.dual_coef).tolist())
        require(
            made == self.updates,
            f"the steps are {made:,} in number, not {self.updates:,}.",
        )
        require(
            greatest_square(sample) + self.lifted <= Fraction(self.radius2),
            f"K(x, x) is not shown to be at most {self.radius2!r} for all examples.",
        )
        scores = sample.scores(self.comparator_rows, self.comparator_coef)
        require(
            self._length2(sample, scores).above <= Fraction(self.comparator2),
            f"the comparator's square is not shown to be at most {self.comparator2!r}.",
        )
        margins = self._margins(sample, scores)
        if self.separable:
            low = int(np.argmin(_lowest(margins)))
            require(
                _lowest(margins)[low] >= self.target,
                f"at example {low} the comparator's margin is not shown to be {self.target!r}.",
            )
        else:
            require(
                self._falls_short(margins).above <= Fraction(self.shortfall),
                f"the comparator falls short by more than the claimed {self.shortfall!r}.",
            )
        bound = self._most_updates()
        require(
            self.updates <= bound,
            f"{self.updates:,} mistakes are more than the theorem allows: {bound:,}.",
        )
        require(bound <= self.bound, f"the theorem allows {bound:,} mistakes, not {self.bound:,}.")
        return (
            f"{counted(self.updates, 'mistake')} add up to this function, and the theorem allows "
            f"{bound:,}."
        )


def _lowest(margins: Scores, room: float = 1) -> np.ndarray:
    """Numbers that the margins are not below."""
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.nextafter(margins.value - room * margins.slack, -np.inf)
    return np.where(np.isnan(low), -np.inf, low)


def greatest_square(sample: KernelSample, room: int = 0) -> Fraction:
    """A number that no K(x_t, x_t) exceeds: it is within ε K(x_t, x_t) + δ of the diagonal's; with
    `room` for a checker, whose diagonal is as near to it."""
    epsilon, delta = map(Fraction, sample._rounding)
    peak = float(np.max(sample.kernel.diagonal(sample.X)))
    require(math.isfinite(peak), "K(x, x) overflows float64.")
    square = max(Fraction(0), Fraction(peak) + delta) / (1 - epsilon)
    return square * (1 + room * epsilon) + room * delta + Fraction(sample.shift)
