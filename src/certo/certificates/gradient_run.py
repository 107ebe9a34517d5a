"""A run of online gradient descent as a value, and the run itself in plain NumPy, for the auditor.

Everything that decides a run besides the examples is in `GradientRun`; nothing is random. Scores
follow the rounding rule of `lane_scores`, here and in the compiled loop, so that both see the same
side of a kink.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from certo.certificates.perceptron_run import lane_scores
from certo.certificates.sample import Sample
from certo.losses import ConvexLoss, Hinge, Logistic, Squared

LONGEST_REPLAY = 10**5  # rounds that a checker is asked to repeat: some seconds

_LOSSES = {kind.__name__: kind for kind in (Hinge, Logistic, Squared)}


def loss_named(text: str) -> ConvexLoss:
    """The loss written so: 'Hinge()', 'Squared()', 'Logistic()' or 'Logistic(base=2)'."""
    name, _, rest = text.partition("(") if type(text) is str and len(text) < 60 else ("", "", "")
    if name in _LOSSES and rest == ")":
        return _LOSSES[name]()
    if name == "Logistic" and rest.startswith("base=") and rest.endswith(")"):
        return Logistic(base=float(rest[5:-1]))
    raise ValueError(f"loss must be one of {', '.join(f'{n}()' for n in _LOSSES)}, got {text!r}.")


@dataclass(frozen=True)
class GradientRun:
    """w_1 = 0;  w_{t+1} = Π(w_t − η_t g_t), where g_t is the subgradient at w_t of
    ℓ_t(w) = loss(y_t, w·x̃_t) + (λ/2)‖w‖² and Π the projection on the ball of that radius, if any.

    λ > 0: η_t = 1/(λt).  λ = 0: η_t = √2·radius/√(‖g_1‖² + … + ‖g_t‖²), which is
    √2·radius/(G√t) where all gradients have length G; then a radius is needed.
    """

    loss: str
    lam: float
    radius: float | None
    lifted: bool
    average: bool

    def __post_init__(self) -> None:
        loss = loss_named(self.loss)
        if not 0 <= self.lam < math.inf:
            raise ValueError(f"lam must be a number of at least 0, got {self.lam!r}.")
        if self.radius is None:
            if not self.lam:
                raise ValueError("with lam = 0 steps have no natural size: a radius is needed.")
            if not math.isfinite(loss.slope(-math.inf)):
                raise ValueError(
                    f"the slope of {self.loss} has no limit, so that steps of 1/(λt) may run away: "
                    "a radius is needed."
                )
        elif not 0 < self.radius < math.inf:
            raise ValueError(f"radius must be a positive number, got {self.radius!r}.")

    def bound(self, squares: float, budget: float) -> float:
        """How much more than any fixed weights (in the ball) the run may suffer; see `Regret`."""
        return budget if self.lam else 2 * math.sqrt(2) * float(self.radius or 0) * squares**0.5


class Progress(NamedTuple):
    """Where a run stands, and its books."""

    w: np.ndarray  # (d + 1,): w_{t+1}, the intercept's weight last
    total: np.ndarray  # (d + 1,): w_1 + … + w_t
    rounds: int  # t
    suffered: float  # Σ ℓ_t(w_t)
    squares: float  # Σ ‖g_t‖²
    budget: float  # Σ ‖g_t‖²/(2λt), where λ > 0

    @classmethod
    def start(cls, d: int) -> Progress:
        return cls(np.zeros(d + 1), np.zeros(d + 1), 0, 0.0, 0.0, 0.0)

    def answer(self, run: GradientRun) -> np.ndarray:
        """The average of the iterates that suffered, or the last iterate."""
        return self.total / self.rounds if run.average else self.w


@np.errstate(over="ignore", invalid="ignore")
def replay(
    run: GradientRun,
    sample: Sample,
    look: Callable[[int, np.ndarray, float], None] = lambda t, w, score: None,
) -> Progress:
    """Go once over the examples, in their order: the run as it is defined, slowly. Before every
    step `look` sees the number of the example, the weights and the score."""
    loss, lam, radius, lift = loss_named(run.loss), run.lam, run.radius, float(run.lifted)
    w, total, rounds, suffered, squares, budget = Progress.start(sample.d)
    for k, y in enumerate(sample.signs.astype(np.float64)):
        x, places = sample.row(k)
        score = float(lane_scores(x[None], w[:-1][places][None])[0] + lift * w[-1])
        look(k, w, score)
        length2, slope = float(w @ w), float(loss.gradient(y, score))
        gradient = lam * w
        gradient[:-1][places] += slope * x
        gradient[-1] += slope * lift
        square = float(gradient @ gradient)
        rounds += 1
        total += w
        suffered += float(loss.of(y, score)) + lam / 2 * length2
        squares += square
        if lam:
            rate = 1 / (lam * rounds)
            budget += square * rate / 2
            w *= 1 - 1 / rounds
        else:
            rate = math.sqrt(2) * float(radius or 0) / math.sqrt(squares) if squares else 0.0
        w[:-1][places] += -rate * slope * x
        w[-1] -= rate * slope * lift
        length = math.sqrt(float(w @ w))
        if radius is not None and length > radius:
            w *= radius / length
    return Progress(w, total, rounds, suffered, squares, budget)
