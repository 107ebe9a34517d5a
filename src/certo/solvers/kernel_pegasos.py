"""Pegasos (Shalev-Shwartz et al. 2011) in a kernel's space, in closed form.

As without a kernel (`certo.compiled.pegasos`), u_t = v_1 + … + v_t is all that a step needs, and
w̄_T = (H_{T−1} u_T − a_T)/(λT) with a_T = Σ_s H_{s−1} v_s. Here v_s is 0 or y K̃(x, ·) of the example
drawn, so that u and a are two numbers for each example.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from certo.compiled.kernel_steps import Edges
from certo.solvers.checkpoints import run_in_blocks
from certo.solvers.kernel_steps import BLOCK_VISITS, GramRows, Growing, blocks
from certo.solvers.pegasos import PegasosOutcome, PegasosState, StepTrace, finite
from certo.stop import Asked, go_on


def kernel_pegasos(
    rows: GramRows,
    signs: np.ndarray,
    lam: float,
    steps: int,
    *,
    lifted: bool,
    rng: np.random.Generator | None,
    average: bool = True,
    start: PegasosState | None = None,
    first: int = 0,
    keep: int = 64,
    after_block: Asked = go_on,
) -> PegasosOutcome:
    """`steps` steps on the examples of `rows`, signs being int8 in {−1, +1}.

    The parameters are those of `certo.solvers.pegasos.pegasos`; without `rng`, examples are taken
    in their order from the `first` on. Weights, of the outcome and in its trace, are a coefficient
    for each example, and the intercept.
    """
    m = rows.m
    state = PegasosState(np.zeros((2, m)), 0, 0.0) if start is None else start
    before, sums = state.steps, state.sums.copy()
    growing = Growing(rows, signs, float(lifted), sums[0])

    def draw(size: int) -> np.ndarray:
        return np.arange(first, m) if rng is None else rng.integers(m, size=size)

    # All draws are made at once where they are few: then other examples need no scores.
    held = draw(steps) if rng is None or steps <= m else None
    growing.start(np.arange(first, m))
    kept: deque[tuple[int, np.ndarray]] = deque(maxlen=max(keep, 1))

    def advance(end: int) -> None:
        nonlocal state
        done = state.steps
        draws = draw(end - done) if held is None else held[done - before : end - before]
        for block in blocks(draws, BLOCK_VISITS[rows.kernel.takes]):
            t = done + np.arange(1, block.size + 1)
            harmonics = state.harmonic + np.cumsum(1.0 / t)  # H_t
            edges = Edges(np.where(t == 1, np.inf, lam * (t - 1.0)), np.zeros(t.size, bool))
            done += block.size
            needed = None if held is None else held[done - before :]
            where, _, _ = growing.visit(block, edges, needed)
            earlier = np.append(state.harmonic, harmonics)[where]  # H_{t−1}
            np.add.at(sums[1], block[where], earlier * signs[block[where]])
            state = PegasosState(sums, done, float(harmonics[-1]))

    def keep_note(end: int) -> None:
        coef = state.answer(lam, average)
        kept.append((end, np.append(coef, coef.sum() if lifted else 0.0)))

    stop = run_in_blocks(before, steps, advance, keep_note, after_block)
    return PegasosOutcome(finite(kept[-1][1], lam), state, stop, StepTrace.of(kept))
