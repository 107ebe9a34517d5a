"""Regret: what online gradient descent suffered, against what fixed weights would have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import CannotClaim, Certificate, Rigour, require
from certo.certificates.encoding import counted, readable, rounded_up
from certo.certificates.gradient_run import LONGEST_REPLAY, GradientRun, loss_named, replay
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import check_weights, finite_vector

ROUNDING = 1e-9  # relative: how far sums of losses in another order, on another machine, may be off


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

    Checked by running again (nothing in the run is random) and by adding up the comparator's
    losses; sums may differ by a relative ROUNDING.
    """

    run: GradientRun
    coef: np.ndarray
    intercept: float
    comparator: np.ndarray
    comparator_intercept: float
    examples: int
    suffered: float
    comparator_loss: float
    bound: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "suffered": "suffered_",
        "bound": "regret_bound_",
    }

    rigour: ClassVar[Rigour] = Rigour(
        rounded=(
            "The run and both sums are computed again in float64, and may differ by a factor of 1 "
            "± 10⁻⁹: a tolerance, not a proved allowance."
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("coef", "comparator"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        if not (self.suffered >= 0 and self.comparator_loss >= 0 and self.bound >= 0):
            raise ValueError("suffered, comparator_loss and bound must not be negative.")

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Labels,
        run: GradientRun,
        *,
        coef: np.ndarray,
        intercept: float,
        suffered: float,
        bound: float,
        comparator: np.ndarray,
        comparator_intercept: float = 0.0,
    ) -> Regret:
        """The claim for a run and a comparator, or CannotClaim with the reason why not."""
        if sample.m > LONGEST_REPLAY:
            raise CannotClaim(
                f"checking means running again, which is asked for up to {LONGEST_REPLAY:,} "
                f"examples, but there are {sample.m:,}."
            )
        u = np.append(comparator, comparator_intercept)
        if reason := _no_comparator(run, u):
            raise CannotClaim(reason)
        loss = comparator_loss(run, sample, u)
        if not loss < math.inf:
            raise CannotClaim("the losses of the comparator overflow float64.")
        claim = cls(
            labels, run, coef, intercept, comparator, comparator_intercept, sample.m, suffered,
            loss, bound,
        )  # fmt: skip
        if not claim._keeps_to_the_bound():
            raise CannotClaim(
                "the run suffered more than the theorem allows in exact arithmetic: rounding."
            )
        return claim

    def against(self, sample: Sample, comparator, comparator_intercept: float = 0.0) -> Regret:
        """The same run against another comparator."""
        return Regret.of(
            sample,
            self.labels,
            self.run,
            coef=self.coef,
            intercept=self.intercept,
            suffered=self.suffered,
            bound=self.bound,
            comparator=np.asarray(comparator, np.float64),
            comparator_intercept=float(comparator_intercept),
        )

    @property
    def regret(self) -> float:
        """suffered − comparator_loss."""
        return self.suffered - self.comparator_loss

    @property
    def claim(self) -> str:
        run = self.run
        ball = f" in the ball of radius {run.radius!r}" if run.radius is not None else ""
        answer = "the average of its weights is this one" if run.average else "it ends here"
        return (
            f"{self.labels.shown} against {self.labels.rest}: going once over these "
            f"{counted(self.examples, 'example')}, in this order, online gradient descent with "
            f"{run.loss}, λ = {run.lam!r}{ball} suffers a loss of {readable(self.suffered)} in "
            f"all (up to float64 rounding), and {answer}. The fixed weights it is compared with "
            f"suffer {readable(self.comparator_loss)}; against no fixed weights{ball} does the "
            f"theorem allow a regret above {rounded_up(self.bound)}."
        )

    @property
    def plain(self) -> str:
        limited = "" if self.run.radius is None else " of limited size"
        return (
            f"Learning while predicting, in this order, cost about {readable(self.suffered)} in "
            f"all; a theorem allows no fixed rule{limited} to have cost less than that by more "
            f"than {rounded_up(self.bound)}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return (
            "the limit for all fixed weights is one of exact arithmetic; the run was in float64",
        )

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "suffered": self.suffered,
            "comparator_loss": self.comparator_loss,
            "regret": self.regret,
            "bound": self.bound,
        }

    def _keeps_to_the_bound(self) -> bool:
        room = ROUNDING * (self.suffered + self.comparator_loss + self.bound)
        return self.regret <= self.bound + room

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(self.comparator.size == sample.d, "the comparator does not fit the features.")
        require(
            self.run.lifted or self.intercept == self.comparator_intercept == 0,
            "without the extra feature 1 there can be no intercept.",
        )
        require(
            sample.m <= LONGEST_REPLAY,
            f"the run is longer than {LONGEST_REPLAY:,} rounds, and cannot be checked.",
        )
        u = np.append(self.comparator, self.comparator_intercept)
        reason = _no_comparator(self.run, u)
        require(not reason, reason)
        loss = comparator_loss(self.run, sample, u)
        require(
            _same(loss, self.comparator_loss),
            f"the comparator suffers {loss!r}, not {self.comparator_loss!r}.",
        )
        again = replay(self.run, sample)
        w = again.answer(self.run)
        apart = float(np.max(np.abs(w - np.append(self.coef, self.intercept))))
        require(
            apart <= ROUNDING * float(np.max(np.abs(w))),
            "running again does not lead to these weights.",
        )
        require(
            _same(again.suffered, self.suffered),
            f"the run suffers {again.suffered!r}, not {self.suffered!r}.",
        )
        bound = self.run.bound(again.squares, again.budget)
        require(
            self.bound >= bound * (1 - ROUNDING),
            f"the theorem allows {bound!r}, not {self.bound!r}.",
        )
        require(self._keeps_to_the_bound(), "the regret is above the bound.")
        return f"running again suffers the same, and the regret is {self.regret:.6g}."


def _same(value: float, claimed: float) -> bool:
    return abs(value - claimed) <= ROUNDING * abs(value)


def _no_comparator(run: GradientRun, u: np.ndarray) -> str:
    """Why the theorem does not speak of u; nothing if it does."""
    if run.radius is not None and math.sqrt(float(u @ u)) > run.radius * (1 + ROUNDING):
        return f"the comparator must be in the ball of radius {run.radius!r}."
    return ""


@np.errstate(over="ignore", invalid="ignore")
def comparator_loss(run: GradientRun, sample: Sample, u: np.ndarray) -> float:
    """Σ ℓ_t(u)."""
    loss, signs = loss_named(run.loss), sample.signs
    parts = [
        float(np.sum(loss.of(signs[a:b], sample.part(a, b) @ u[:-1] + u[-1])))
        for a, b in sample.blocks()
    ]
    return math.fsum(parts) + sample.m * run.lam / 2 * float(u @ u)
