"""Online gradient descent over a stream of examples, with the books that its theorem needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from certo.certificates.runs.gradient_run import GradientRun, Progress, loss_named, slack_of_square
from certo.compiled.online_gradient import HINGE, LOGISTIC, SQUARED, Books, Rule, play
from certo.compiled.rows import rows_of
from certo.facts import InputError
from certo.losses.base import ConvexLoss
from certo.losses.hinge import Hinge
from certo.losses.logistic import Logistic
from certo.solvers.checkpoints import run_in_blocks
from certo.solvers.layered import Layered
from certo.stop import Asked, Stop, go_on
from certo.words import refusals


@dataclass(frozen=True, repr=False)
class RegretTrace(Layered):
    """The books after 1, 2, 4, 8, … rounds and after the last.

    Attributes
    ----------
    output, step : integer arrays
        Whose books, and after how many rounds.
    suffered : array
        Σ ℓ_t(w_t) so far.
    bound : array
        What the theorem allows for suffered − Σ ℓ_t(u) so far, for every u (in the ball).
    """

    output: np.ndarray
    step: np.ndarray
    suffered: np.ndarray
    bound: np.ndarray

    def __repr__(self) -> str:
        return f"RegretTrace({len(self):,} entries)"


class GradientOutcome(NamedTuple):
    progress: Progress
    stop: Stop  # MAX_ITER: after all steps
    trace: RegretTrace


def rule_of(run: GradientRun, loss: ConvexLoss, d: int) -> Rule:
    """The run as the compiled loop takes it."""
    kind = HINGE if isinstance(loss, Hinge) else LOGISTIC if isinstance(loss, Logistic) else SQUARED
    scale = 1 / math.log(loss.base) if isinstance(loss, Logistic) else 1.0
    radius = math.inf if run.radius is None else run.radius
    lift, kappa = float(run.lifted), slack_of_square(d)
    return Rule(kind, scale, float(run.lam), float(radius), lift, kappa)


def online_gradient(
    X,
    signs: np.ndarray,
    run: GradientRun,
    *,
    before: Progress | None = None,
    after_block: Asked = go_on,
) -> GradientOutcome:
    """Go once over the rows of X (C-ordered array, or CSR), signs being int8 in {−1, +1}.

    `before` continues an earlier run. `after_block` may say why to stop.
    """
    m, d = X.shape
    start = Progress.start(d) if before is None else before
    u, a = start.u.copy(), start.a.copy()
    kept, played = Books(*start[2:]), start.rounds
    rows, rule = rows_of(X), rule_of(run, loss_named(run.loss), d)
    notes: list[tuple[int, int, float, float]] = []

    def advance(end: int) -> None:
        nonlocal kept
        kept = play(rows, signs, rule, kept.rounds - played, end - played, u, a, kept)

    def keep_note(end: int) -> None:
        bound = run.bound(kept.squares, kept.budget, kept.rounds)
        notes.append((0, end, kept.suffered, bound))

    stop = run_in_blocks(played, m, advance, keep_note, after_block)
    progress = Progress(u, a, *kept)
    finite = np.all(np.isfinite(progress.last(run))) and np.all(np.isfinite(progress.mean(run)))
    if not (math.isfinite(progress.suffered + progress.squares) and finite):
        raise InputError(refusals.losses_overflowed, progress.rounds)
    return GradientOutcome(progress, stop, RegretTrace(*map(np.array, zip(*notes, strict=True))))
