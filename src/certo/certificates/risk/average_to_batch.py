"""From the losses of one pass over the examples to the risk of the average of its iterates.

The theorem is that of `online_to_batch`, for losses that are convex.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import check_shape, require
from certo.certificates.fields import FiniteVector
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.runs.gradient_run import MAX_REPLAY_ROUNDS, GradientRun, loss_named, replay
from certo.certificates.sample import label_order
from certo.certificates.sample.classes import check_classes
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.numbers.online_to_batch import online_to_batch

LOSS_ROUND_UP, LOSS_ROUND_DOWN = 1 + 2.0**-45, 1 - 2.0**-45  # Factors for the rounding of a loss.
LENGTH_ROUND_UP = (
    1 + 2.0**-20
)  # Exact arithmetic could not exceed lengths of weights by this factor.


@final
@dataclass(frozen=True, repr=False, eq=False)
class AverageToBatch(RiskBound):
    r"""Claim: one pass of online gradient descent over the examples has iterates whose average is
    (coef, intercept), up to rounding, and suffers losses of at most `loss` in all (without the
    regulariser). With probability at least 1 − δ over the draw, the error rate of
    sgn(coef·x + intercept) on new examples is at most `bound`, if no example is ever longer than
    `reach`.

    Proof. Let R be the reach (of (x, 1) with an intercept) and B a length that no iterate w_t can
    have: the radius of the ball, or L R/λ, L being the largest slope, since w_{t+1} is −1/(λt)
    times a sum of t gradients of length at most L R. Losses ℓ of margins of at most B R are in
    [0, ℓ(−B R)]. By convexity E ℓ(w̄) ≤ (1/m) Σ E ℓ(w_t), to which `online_to_batch` applies. The
    run is in float64: the iterates that are meant are those of the float64 run that is repeated, up
    to the first that is longer than B, and 0 from there on. That is a function of the examples
    before each round, too; and it is checked that no iterate was longer than B·(1 + 2⁻²⁰), with
    which the bound is computed.

    If ‖w̄ − (coef, intercept)‖ ≤ ρ, then an error of (coef, intercept) at x is a margin of w̄ of at
    most ρR, hence ℓ(w̄) ≥ ℓ(ρR): the bound is that on E ℓ(w̄), divided by ℓ(ρR). This is about 1
    for the hinge and the squared loss, and ln 2 for the logistic one.
    """

    run: GradientRun
    coef: FiniteVector
    intercept: float
    examples: int
    reach: float
    loss: float
    off: float
    bound: float

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    shows: ClassVar[tuple[str, ...]] = ("examples", "reach", "loss", "off", "delta", "bound")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_classes(self.labels)
        if len(self.labels.classes) != 2 or not self.run.average:
            raise ValueError("the bound is about two classes, and the average of the iterates.")
        if not (self.examples >= 1 and min(self.reach, self.loss, self.off) >= 0):
            raise ValueError("examples must be at least 1, reach, loss and off not negative.")

    def _why_not_drawn(self, sample: Sample) -> str:
        if self.vacuous:
            return ""
        return label_order.why_ordered(sample.signs) or super()._why_not_drawn(sample)

    @property
    def bounds(self) -> dict[str, float]:
        return {"online to batch": self.bound}

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.size)
        require(
            sample.longer_than(Fraction(self.reach) ** 2) is None,
            f"an example is longer than {self.reach!r}.",
        )
        loss, off = self._repeated(sample)
        require(loss <= self.loss, f"the losses are {loss!r}, not {self.loss!r}.")
        require(
            off <= self.off,
            f"the average of the iterates is not shown to be within {self.off!r} of these weights.",
        )
        self._check_formulas()
        return (
            f"the pass suffers at most {rounded_up(loss)}, and its average is within "
            f"{rounded_up(off, 2)}."
        )

    def _check_formulas(self) -> None:
        bound = self.formula(self.level)
        require(self.bound >= bound, f"the bound is {bound!r}, not {self.bound!r}.")

    @property
    def _far(self) -> float:
        """R, rounded up."""
        return exact.root_above(Fraction(self.reach) ** 2 + self.run.lifted)

    @property
    def _longest(self) -> float:
        """B·(1 + 2⁻²⁰)."""
        if self.run.radius is not None:
            return self.run.radius * LENGTH_ROUND_UP
        steepest = -float(loss_named(self.run.loss).slope(-math.inf))
        return steepest * self._far / self.run.lam * LENGTH_ROUND_UP

    def formula(self, delta: float) -> float:
        """What the inequality gives, rounded up."""
        kind, far, off = loss_named(self.run.loss), self._far, self.off
        moved = "rounding moved the weights too far from the average of the iterates."
        require(off * far <= 0.5, moved)
        with np.errstate(over="ignore"):
            span = float(kind.of(1.0, -self._longest * far * LOSS_ROUND_UP)) * LOSS_ROUND_UP
            least = float(kind.of(1.0, off * far * LOSS_ROUND_UP)) * LOSS_ROUND_DOWN
        require(span < math.inf, "the losses that might be overflow float64.")
        most = exact.below(self.examples * Fraction(span))  # LOSS_ROUND_UP pays for this rounding.
        risk = online_to_batch(self.examples, min(self.loss, most), delta, span)
        return exact.above(Fraction(risk) / Fraction(least))

    def _repeated(self, sample: Sample) -> tuple[float, float]:
        """What the pass suffers, rounded up, and how far its average may be from these weights."""
        require(
            sample.m <= MAX_REPLAY_ROUNDS,
            f"the check repeats the run, for at most {MAX_REPLAY_ROUNDS:,} examples.",
        )
        kind, longest = loss_named(self.run.loss), self._longest
        require(longest > 2.0**-400, "squares of weights as small as these underflow float64.")
        scores, squares = np.empty(sample.m), np.empty(sample.m)

        def look(t: int, w: np.ndarray, score: float) -> None:
            scores[t], squares[t] = score, w @ w

        average = replay(self.run, sample, look).answer(self.run)
        require(
            bool(np.all(np.sqrt(squares) * LOSS_ROUND_UP <= longest)),
            "an iterate is longer than the theorem allows.",
        )
        # Σ|w_j x_j| ≤ ‖w‖‖x‖, and a convex function is largest at an end
        slack = exact.allowance(sample.d + 1, longest * self._far)
        with np.errstate(over="ignore"):
            margins = sample.signs * scores
            ends = kind.of(1.0, margins - slack), kind.of(1.0, margins + slack)
            loss = math.nextafter(math.fsum((np.maximum(*ends) * LOSS_ROUND_UP).tolist()), math.inf)
        require(loss < math.inf, "the losses overflow float64.")
        # The mean of m iterates of length at most B, added up, is off by γ_m·B. Taken from u and a
        # (`Progress`) its error is that of two sums of m vectors of length at most λB, each times
        # a harmonic number of at most 1 + ln m, over λm: twice γ_{m+8}·(1 + ln m)·B.
        # A prediction is a score of these weights, computed with an error of γ_{d+2}·R times their
        # length, as if they were as much further away.
        own = np.append(self.coef, self.intercept)
        moved = exact.norm(average - own) + float(exact.gamma(sample.d + 2)) * exact.norm(own)
        rounding = 4 * float(exact.gamma(sample.m + 8)) * (1 + math.log(sample.m))
        return loss, moved * LENGTH_ROUND_UP + rounding * longest
