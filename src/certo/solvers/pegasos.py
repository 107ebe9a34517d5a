"""Pegasos (Shalev-Shwartz et al. 2011) in closed form, and its weights at some of the steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from certo.compiled.pegasos import Sums, take_steps
from certo.compiled.rows import rows_of
from certo.facts import InputError
from certo.solvers.checkpoints import run_in_blocks
from certo.solvers.layered import Layered
from certo.stop import Asked, Stop, go_on
from certo.words import refusals

MAX_TRACE_NUMBERS = 2**20  # Numbers in the traces of all outputs together.


@dataclass(frozen=True, repr=False)
class StepTrace(Layered):
    """The answer after 1, 2, 4, 8, … steps and after the last: of long runs with many features the
    later ones, as many as fit into 8 MB.

    Attributes
    ----------
    output, step : integer arrays
        Whose answer, and after how many steps.
    weights : array (kept, d + 1)
        What the run would have answered then, the intercept last. With a kernel (kept, m + 1): a
        coefficient for each example, and the intercept.
    """

    output: np.ndarray
    step: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, kept: Collection[tuple[int, np.ndarray]]) -> StepTrace:
        """Of one output's steps and answers."""
        steps, answers = zip(*kept, strict=True)
        return cls(np.zeros(len(kept), np.int64), np.array(steps), np.array(answers))

    def __repr__(self) -> str:
        return f"StepTrace({len(self):,} answers kept)"


class PegasosState(NamedTuple):
    """All that later steps depend on."""

    sums: np.ndarray  # (2, d + 1): u and a of `certo.compiled.pegasos`; with a kernel (2, m)
    steps: int
    harmonic: float  # H_steps

    @classmethod
    def start(cls, d: int) -> PegasosState:
        return cls(np.zeros((2, d + 1)), 0, 0.0)

    def answer(self, lam: float, average: bool) -> np.ndarray:
        """w̄ = (H_{T−1} u − a)/(λT), the average of w_1, …, w_T, or w_{T+1} = u/(λT)."""
        u, a = self.sums
        with np.errstate(over="ignore", invalid="ignore"):
            total = (self.harmonic - 1.0 / self.steps) * u - a if average else u
            return total / (lam * self.steps)


class PegasosOutcome(NamedTuple):
    w: np.ndarray  # (d + 1,), with a kernel (m + 1,): the intercept's weight last
    state: PegasosState
    stop: Stop  # MAX_ITER: after all steps
    trace: StepTrace


def pegasos(
    X,
    signs: np.ndarray,
    lam: float,
    steps: int,
    *,
    lifted: bool,
    rng: np.random.Generator | None,
    average: bool = True,
    start: PegasosState | None = None,
    keep: int = 64,
    after_block: Asked = go_on,
) -> PegasosOutcome:
    """`steps` steps on rows of X (C-ordered array, or CSR), signs being int8 in {−1, +1}.

    `rng` draws the rows, uniformly and with replacement, `rng.integers(m, size=steps)`; without
    it they are taken in their order. `start` continues an earlier run, and `keep` answers at most
    stay in the trace. `after_block` may say why to stop, between blocks of draws.
    """
    m, d = X.shape
    state = PegasosState.start(d) if start is None else start
    before, sums = state.steps, state.sums.copy()
    rows, lift = rows_of(X), float(lifted)
    kept: deque[tuple[int, np.ndarray]] = deque(maxlen=max(keep, 1))

    def advance(end: int) -> None:
        nonlocal state
        done, size = state.steps - before, end - state.steps
        draws = np.arange(done, done + size) if rng is None else rng.integers(m, size=size)
        so_far = state.steps, state.harmonic, Sums(*sums)
        state = PegasosState(sums, end, take_steps(rows, signs, lift, lam, draws, *so_far))

    def keep_note(end: int) -> None:
        kept.append((end, state.answer(lam, average)))

    stop = run_in_blocks(before, steps, advance, keep_note, after_block)
    return PegasosOutcome(finite(kept[-1][1], lam), state, stop, StepTrace.of(kept))


def finite(w: np.ndarray, lam: float) -> np.ndarray:
    """w, if it did not overflow."""
    if not np.all(np.isfinite(w)):
        raise InputError(refusals.small_ridge, lam)
    return w
