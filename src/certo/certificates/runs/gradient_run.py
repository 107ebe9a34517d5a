"""A run of online gradient descent as a value, and the run itself in plain NumPy, for the auditor.

Everything that decides a run besides the examples is in `GradientRun`; nothing is random. Every
operation is rounded once, in the order in which it is written here, and sums of products follow the
rule of `lane_scores`. The compiled loop does the same operations in the same order, so that both
runs agree bit for bit, on any machine; the value of a logistic loss alone, on which no step
depends, is the machine's own. (A base other than e has 1/ln(base) from the machine's logarithm.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from certo.certificates.runs.padded_rows import PaddedRows
from certo.certificates.sample.examples import Sample
from certo.losses.base import ConvexLoss
from certo.losses.hinge import Hinge
from certo.losses.logistic import Logistic
from certo.losses.squared import Squared
from certo.numbers.exact import gamma
from certo.numbers.lanes import LANES, lane_scores

MAX_REPLAY_ROUNDS = 10**5  # Rounds that a checker repeats, which takes some seconds.

_LOSSES = {kind.__name__: kind for kind in (Hinge, Logistic, Squared)}


def loss_named(text: str) -> ConvexLoss:
    """The loss written so: 'Hinge()', 'Squared()', 'Logistic()' or 'Logistic(base=2)'."""
    name, _, rest = text.partition("(") if type(text) is str and len(text) < 60 else ("", "", "")
    if name in _LOSSES and rest == ")":
        return _LOSSES[name]()
    if name == "Logistic" and rest.startswith("base=") and rest.endswith(")"):
        return Logistic(base=float(rest[5:-1]))
    raise ValueError(f"loss must be one of {', '.join(f'{n}()' for n in _LOSSES)}, got {text!r}.")


LOG2_E = 1.4426950408889634
# ln 2 in two parts: multiples of the first by integers of up to eleven bits are exact.
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13 = (1 / math.factorial(n) for n in range(2, 14))


@dataclass(frozen=True)
class GradientRun:
    """w_1 = 0;  w_{t+1} = Π(w_t − η_t g_t), where g_t is the subgradient at w_t of
    ℓ_t(w) = loss(y_t, w·x̃_t) + (λ/2)‖w‖² and Π the projection on the ball of that radius, if any.
    At a kink the slope of the loss is that to the right: none, where the hinge loss is 0.

    λ > 0: η_t = 1/(λt).  λ = 0: η_t = √2·radius/√(‖g_1‖² + … + ‖g_t‖²), which is
    √2·radius/(G√t) where all gradients have length G; then a radius is needed.

    `sparse` says that scores are summed over the entries of CSR rows, which rounds otherwise.
    """

    loss: str
    lam: float
    radius: float | None
    lifted: bool
    average: bool
    sparse: bool = False

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

    @property
    def of_sums(self) -> bool:
        """Whether the weights are w_{t+1} = u/(λt), u being a sum of multiples of the examples."""
        return self.radius is None

    def bound(self, squares: float, budget: float, rounds: int) -> float:
        """How much more than any fixed weights (in the ball) the run may suffer; see `Regret`,
        also for the factor that pays for rounding."""
        formula = budget
        if not self.lam:
            formula = 2.0 * math.sqrt(2.0) * float(self.radius or 0) * math.sqrt(squares)
        return formula * (1.0 + float(gamma(rounds + 16)))


def slack_of_square(d: int) -> float:
    """What `squared_gradient` adds, relative to the terms of its sum; see `Regret`."""
    return 4.0 * float(gamma(d + 10))


class Progress(NamedTuple):
    """Where a run stands after t rounds, and its books.

    Runs of sums: u = −Σ s_t x̃_t with the slopes s_t, w_{t+1} = u/(λt), and a = −Σ H_{t−1} s_t x̃_t,
    with H_n = 1 + 1/2 + … + 1/n, from which w_1 + … + w_t = (H_{t−1} u − a)/λ. Other runs: u is
    w_{t+1} itself, and a = w_1 + … + w_t. The intercept's place is the last.
    """

    u: np.ndarray  # (d + 1,)
    a: np.ndarray  # (d + 1,)
    rounds: int  # The number t of rounds.
    suffered: float  # Σ ℓ_t(w_t)
    squares: float  # Σ ‖g_t‖²
    budget: float  # Σ ‖g_t‖²/(2λt), where λ > 0
    harmonic: float  # H_t, of runs of sums

    @classmethod
    def start(cls, d: int) -> Progress:
        return cls(np.zeros(d + 1), np.zeros(d + 1), 0, 0.0, 0.0, 0.0, 0.0)

    def last(self, run: GradientRun) -> np.ndarray:
        """w_{t+1}."""
        return self.u / (run.lam * self.rounds) if run.of_sums else self.u

    def mean(self, run: GradientRun) -> np.ndarray:
        """The average of the iterates that suffered, w_1, …, w_t."""
        if not run.of_sums:
            return self.a / self.rounds
        return ((self.harmonic - 1.0 / self.rounds) * self.u - self.a) / (run.lam * self.rounds)

    def answer(self, run: GradientRun) -> np.ndarray:
        return self.mean(run) if run.average else self.last(run)


@np.errstate(over="ignore", invalid="ignore")
def replay(
    run: GradientRun,
    sample: Sample,
    look: Callable[[int, np.ndarray, float], None] = lambda t, w, score: None,
) -> Progress:
    """Go once over the examples, in their order: the run as it is defined, slowly. Before every
    step `look` sees the number of the example, the weights and the score."""
    loss, lam, radius, lift = loss_named(run.loss), run.lam, run.radius, float(run.lifted)
    kappa, rows = slack_of_square(sample.d), PaddedRows(sample.X, np.arange(sample.m), run.sparse)
    lengths = _squared_lengths(rows, sample)
    u, a, rounds, suffered, squares, budget, harmonic = Progress.start(sample.d)
    known: float | None = None  # ‖u‖², where it was computed already
    for k, y in enumerate(sample.signs.tolist()):
        x, places = rows.one(k)
        score, length2, reach = 0.0, 0.0, lam * rounds if run.of_sums else 1.0
        if rounds or not run.of_sums:
            raw = _lanes(x, u[:-1][places]) + lift * float(u[-1])
            known = _squared_length(u) if known is None else known
            score, length2 = raw / reach, known / reach / reach
        look(k, u / reach if rounds else u, score)
        value, slope = value_and_slope(loss, float(y), score)
        rounds += 1
        suffered += value + lam / 2.0 * length2
        square = squared_gradient(slope, score, lengths[k] + lift, length2, lam, kappa)
        squares += square
        budget += square / (2.0 * lam * rounds) if lam else 0.0
        if run.of_sums:
            a[:-1][places] += -slope * harmonic * x
            a[-1] -= slope * harmonic * lift
            step = -slope
            harmonic += 1.0 / rounds
        else:
            a += u
            rate = math.sqrt(2.0) * float(radius or 0) / math.sqrt(squares) if squares else 0.0
            if lam:
                rate = 1.0 / (lam * rounds)
                u *= 1.0 - 1.0 / rounds
            step = -rate * slope
        u[:-1][places] += step * x
        u[-1] += step * lift
        known = None
        if radius is not None:
            known = _squared_length(u)
            length = math.sqrt(known)
            if length > radius:
                u *= radius / length
                known = None
    return Progress(u, a, rounds, suffered, squares, budget, harmonic)


def squared_gradient(
    slope: float, score: float, square: float, length2: float, lam: float, kappa: float
) -> float:
    """A number that ‖slope·x̃ + λw‖² does not exceed, given ‖x̃‖² and ‖w‖²: see `Regret`."""
    own, ridge = slope * slope * square, lam * lam * length2
    return max(own + 2.0 * lam * slope * score + ridge, 0.0) + kappa * (own + ridge)


def value_and_slope(loss: ConvexLoss, y: float, score: float) -> tuple[float, float]:
    """L(y, score) and ∂L/∂score as the run takes them: those of `certo.losses`, in scalars."""
    z = y * score
    if isinstance(loss, Hinge):
        return max(0.0, 1.0 - z), 0.0 if z >= 1.0 else -y
    if isinstance(loss, Logistic):
        scale, small = 1.0 / math.log(loss.base), falling_exp(-abs(z))
        chance = small / (1.0 + small) if z >= 0.0 else 1.0 / (1.0 + small)  # σ(−z)
        return scale * (math.log1p(small) + max(-z, 0.0)), -y * scale * chance
    return (y - score) * (y - score), -2.0 * (y - score)


def falling_exp(x: float) -> float:
    """eˣ for x ≤ 0, rounded alike on every machine; 0 below −700.

    x = k ln 2 + r with |r| ≤ 0.35, of which eʳ has a Taylor series whose terms after the 13th are
    below 2⁻⁵⁷ together. Reducing x and adding the terms up is off by less than 2⁻⁵⁰, relatively.
    """
    if x < -700.0:
        return 0.0
    if math.isnan(x):
        return x
    k = math.floor(x * LOG2_E + 0.5)
    rest = (x - k * LN2_HIGH) - k * LN2_LOW
    s = rest * rest
    s2 = s * s
    s4 = s2 * s2
    even = ((E2 * s + 1.0) + (E6 * s + E4) * s2) + ((E10 * s + E8) + E12 * s2) * s4
    odd = ((E3 * s + 1.0) + (E7 * s + E5) * s2) + ((E11 * s + E9) + E13 * s2) * s4
    return math.ldexp(even + odd * rest, k)


def _squared_lengths(rows: PaddedRows, sample: Sample) -> list[float]:
    """‖x_t‖² of every example."""
    found: list[float] = []
    for start, stop in sample.blocks():
        values, _ = rows.block(np.arange(start, stop))
        found += lane_scores(values, values).tolist()
    return found


def _squared_length(w: np.ndarray) -> float:
    return _lanes(w[:-1], w[:-1]) + float(w[-1]) * float(w[-1])


def _lanes(x: np.ndarray, w: np.ndarray) -> float:
    """`lane_scores` of one row."""
    products = x * w
    full = products.size - products.size % LANES
    lanes = np.add.reduce(products[:full].reshape(-1, LANES), axis=0)
    lanes[: products.size - full] += products[full:]
    a, b, c, d, e, f, g, h = lanes.tolist()
    return ((a + e) + (c + g)) + ((b + f) + (d + h))
