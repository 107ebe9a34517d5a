"""Regret: what online gradient descent suffered, against what fixed weights would have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import WEIGHTS, Certificate, check_shape, require
from certo.certificates.fields import FiniteVector
from certo.certificates.runs.gradient_run import MAX_REPLAY_ROUNDS, GradientRun, loss_named, replay
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.exact import gamma

MAX_SUM_ROUNDING = 2.0**-20  # Rounding of a shown sum, relative to 1 + the sum.
LOSSES_LOST = "the losses of the comparator are lost in the rounding of its scores."


@final
@dataclass(frozen=True, repr=False, eq=False)
class Regret(Certificate):
    r"""Claim: going once over the examples in their order, the run ends with these weights and
    suffers Σ ℓ_t(w_t) = `suffered`; the comparator u suffers Σ ℓ_t(u) = `comparator_loss`; the
    difference is at most `bound`, which the theorem allows against every u (in the ball).

    Proof of the theorem. Projection on a ball does not move w away from a u in it, so

        ‖w_{t+1} − u‖² ≤ ‖w_t − u‖² − 2η_t g_t·(w_t − u) + η_t²‖g_t‖² ,

    and ℓ_t(w_t) − ℓ_t(u) ≤ g_t·(w_t − u) − (λ/2)‖w_t − u‖² by (strong) convexity. Together

        Σ ℓ_t(w_t) − ℓ_t(u)  ≤  Σ ½(1/η_t − 1/η_{t−1} − λ)‖w_t − u‖² + Σ ½η_t‖g_t‖²,   1/η_0 = 0.

    λ > 0, η_t = 1/(λt): the first sum is 0, and Σ‖g_t‖²/(2λt) is left, at most G²(1 + ln T)/(2λ).
    λ = 0, η_t = √2 R/√S_t with S_t = ‖g_1‖² + … + ‖g_t‖²: as ‖w_t − u‖ ≤ 2R, the first sum is at
    most 2R²/η_T = √2 R√S_T, and the second too, since Σ ‖g_t‖²/√S_t ≤ 2√S_T: together
    2√2 R√S_T, at most 2√2 R G√T.

    What is checked, and how far rounding may go (u = 2⁻⁵³, γ_n = nu/(1 − nu), T examples).

    Weights: the run is repeated bit for bit (`gradient_run`), so they must be the same.

    suffered: Σ ℓ_t(w_t), with the scores that the run computes, since these are the predictions it
    made. Both runs add the same T terms, none of them negative, in the same order, and a term
    that is not the same (a logarithm) is so to 8 roundings. Each sum is then within γ_{T+12} of its
    exact value, relatively, and the two within 2γ_{T+12} of each other.

    comparator_loss: the exact score of u at x_t is within a_t of the one computed (`allowance`). A
    convex loss that is ℓ at the computed score s is there within E_t = max(ℓ(s − a_t), ℓ(s + a_t))
    − ℓ of ℓ: above because it is largest at an end, and below because ℓ is at most the mean of two
    losses at the same distance from s. Adding up, with ‖u‖² a sum of d + 1 squares, puts the
    computed sum within A = Σ E_t + 2γ_{T+d+16}·(the sum) of the exact one. Issuer and checker may
    multiply matrices in different orders: they are within 2A of each other. A must be a small part
    of 1 + the sum, MAX_SUM_ROUNDING/2, or nothing is claimed: what is shown is the sum, not A.

    bound: ‖g_t‖² = s²‖x̃‖² + 2λs w·x̃ + λ²‖w‖², where the second is at most the sum of the others.
    Every product in it passes at most d + 10 roundings, so the computed value is within
    2γ_{d+10}(s²‖x̃‖² + λ²‖w‖²) of the exact one; twice that is added to it, which pays for the
    rounding of these two. What is added up is so never below ‖g_t‖². Rounding in the sum of T of
    them, and in the formula, is paid for by a factor of 1 + γ_{T+16}. For λ = 0 the steps use the
    same sums S_t ≥ ‖g_1‖² + … + ‖g_t‖², with which the proof above holds as it stands.

    The regret itself is compared with the bound as it is, without any tolerance. The comparator
    may be outside of the ball by a factor of 1 + γ_{2d+T+34}: the average of weights that were
    projected, computed in float64, may be so (γ_{d+T+10}), and its length is rounded up (γ_{d+3}).
    """

    run: GradientRun
    coef: FiniteVector
    intercept: float
    comparator: FiniteVector
    comparator_intercept: float
    examples: int
    suffered: float
    comparator_loss: float
    bound: float

    shows = ("examples", "suffered", "comparator_loss", "regret", "bound")

    describes: ClassVar[dict[str, str]] = WEIGHTS | {
        "suffered": "suffered_", "bound": "regret_bound_",
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.suffered >= 0 and self.comparator_loss >= 0 and self.bound >= 0):
            raise ValueError("suffered, comparator_loss and bound must not be negative.")

    @property
    def regret(self) -> float:
        """suffered − comparator_loss."""
        return self.suffered - self.comparator_loss

    @property
    def informative(self) -> bool:
        """Whether the regret that is allowed is less than what weights of 0 suffer in all: without
        any learning the regret is no more than that. (A loss at a score of 0 is the same for both
        signs.)"""
        at_zero = float(loss_named(self.run.loss).of(np.ones(1), np.zeros(1))[0])
        return self.bound < self.examples * at_zero

    def _keeps_to_the_bound(self) -> bool:
        return Fraction(self.suffered) - Fraction(self.comparator_loss) <= Fraction(self.bound)

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.size)
        require(self.comparator.size == sample.d, "the comparator does not fit the features.")
        require(
            self.run.lifted or self.intercept == self.comparator_intercept == 0,
            "without the extra feature 1 there can be no intercept.",
        )
        require(
            sample.m <= MAX_REPLAY_ROUNDS,
            f"the run is longer than {MAX_REPLAY_ROUNDS:,} rounds, and cannot be checked.",
        )
        u = np.append(self.comparator, self.comparator_intercept)
        reason = _no_comparator(self.run, u, sample.m)
        require(not reason, reason)
        loss = _comparator_loss(self.run, sample, u)
        slack = _comparator_slack(self.run, sample, u, loss)
        require(2 * slack <= MAX_SUM_ROUNDING * (1 + loss), LOSSES_LOST)
        require(
            abs(loss - self.comparator_loss) <= 2 * slack,
            f"the comparator suffers {loss!r}, not {self.comparator_loss!r}.",
        )
        again = replay(self.run, sample)
        require(
            np.array_equal(again.answer(self.run), np.append(self.coef, self.intercept)),
            "running again does not lead to these weights.",
        )
        apart = abs(again.suffered - self.suffered)
        require(
            apart <= 2 * float(gamma(sample.m + 12)) * again.suffered,
            f"the run suffers {again.suffered!r}, not {self.suffered!r}.",
        )
        bound = self.run.bound(again.squares, again.budget, again.rounds)
        require(self.bound >= bound, f"the theorem allows {bound!r}, not {self.bound!r}.")
        require(self._keeps_to_the_bound(), "the regret is above the bound.")
        return f"running again suffers the same, and the regret is {self.regret:.6g}."


def _no_comparator(run: GradientRun, u: np.ndarray, rounds: int) -> str:
    """Why the theorem does not speak of u; nothing if it does."""
    if run.radius is None:
        return ""
    allowed = Fraction(run.radius) * (1 + Fraction(float(gamma(2 * u.size + rounds + 32))))
    if exact.dot_within(u, u)[1] > allowed**2:
        return f"the comparator must be in the ball of radius {run.radius!r}."
    return ""


@np.errstate(over="ignore", invalid="ignore")
def _comparator_loss(run: GradientRun, sample: Sample, u: np.ndarray) -> float:
    """Σ ℓ_t(u)."""
    loss, signs = loss_named(run.loss), sample.signs
    parts = [
        float(np.sum(loss.of(signs[a:b], sample.part(a, b) @ u[:-1] + u[-1])))
        for a, b in sample.blocks()
    ]
    return math.fsum(parts) + sample.m * run.lam / 2 * float(u @ u)


@np.errstate(over="ignore", invalid="ignore")
def _comparator_slack(run: GradientRun, sample: Sample, u: np.ndarray, total: float) -> float:
    """A of `Regret`: how far the computed Σ ℓ_t(u) may be from the exact one."""
    loss, signs, beyond = loss_named(run.loss), sample.signs, []
    for a, b in sample.blocks():
        part, y = sample.part(a, b), signs[a:b]
        scores = np.asarray(part @ u[:-1]) + u[-1]
        size = np.asarray(abs(part) @ np.abs(u[:-1])) + abs(u[-1])
        slack = exact.allowance(sample.d + 1, size)
        ends = np.maximum(loss.of(y, scores - slack), loss.of(y, scores + slack))
        beyond.append(float(np.sum(ends - loss.of(y, scores))))
    rounding = 2 * float(gamma(sample.m + sample.d + 16)) * total
    return math.fsum(beyond) * (1 + float(gamma(sample.m + 16))) + rounding
