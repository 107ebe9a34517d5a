r"""The Perceptron's epochs.

Problem     find w with y_t ⟨w, x̃_t⟩ > 0 for all t, where x̃ = (x, 1) (lifted) or x
Step        on a mistake, y_t ⟨w, x̃_t⟩ ≤ 0:  w ← w + η_n y_t x̃_t,  n counting the updates
In place    `state` and `trace`; w holds the intercept's weight in its last place

Skipping a visit that cannot be a mistake.  Let P be the length of the path w has gone (the
sum of ‖step‖, starting at ‖w₀‖). If example t had margin s = y⟨w, x̃⟩ > 0 when the path was P,
then at path P' its margin is at least s − (P' − P)‖x̃‖, so up to P' = P + s/‖x̃‖ it cannot have
become a mistake and need not be looked at. `safe_until[t]` holds that P'. The run is the same,
update by update.  Rounding: with κ = 8·1.01·(d + 16)·2⁻⁵³,
  1. a computed score is off by at most (κ/8)‖w‖‖x̃‖, now and at the later visit, and ‖w‖ ≤ P;
  2. a computed ‖x̃‖ is off by at most a factor 1 ± κ/8;
  3. each rounded step is longer than η‖x̃‖ by at most 2⁻⁵²(‖w‖ + η‖x̃‖), and adding it to P
     rounds by at most 2⁻⁵³P: the step counted is η‖x̃‖(1 + κ) + 2⁻⁴⁹P;
so P + (1 − κ)s/‖x̃‖ − κP is on the safe side of all of them. Underflow adds at most d·2⁻¹⁰⁷⁴ to
a score: rows with ‖x̃‖² < 10⁻²⁸⁰ are never skipped, and for the others 10⁻¹⁶⁰ covers it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import row_add, row_dot, row_square
from certo.compiled.trace import record


class Rule(NamedTuple):
    lift: float  # 1.0: the extra feature 1; 0.0: none
    at_zero: int  # update at score 0: 0 always, +1 only if y = +1, −1 only if y = −1
    kappa: float


class State(NamedTuple):
    w: np.ndarray  # (d + 1,)
    counts: np.ndarray  # (m,) int32: updates on each example
    totals: np.ndarray  # (m,): Σ η over those updates; or (0,), where η is constant
    safe_until: np.ndarray  # (m,); or (0,): look at every example
    updates: np.ndarray  # (1,) int64
    norm2: np.ndarray  # (1,): ‖w‖²
    path: np.ndarray  # (1,)


@jit
def _mistake(rule, y, score):
    margin = y * score
    # `not >`: a score that overflowed to NaN is a mistake, never a silent success
    return not margin > 0.0 and (margin != 0.0 or rule.at_zero * y >= 0)


@jit
def _update(rows, rule, t, y, score, rates, done, epoch, state, trace):
    """w ← w + η y x̃; `done` updates came before in this call."""
    eta = rates[done if rates.size > 1 else 0]
    step = eta * y
    square = row_square(rows, t) + rule.lift
    row_add(rows, t, step, state.w)
    state.w[-1] += step * rule.lift
    state.counts[t] += 1
    if state.totals.size:
        state.totals[t] += eta
    state.updates[0] += 1

    before = state.norm2[0]
    inner = step * score  # ⟨w, v⟩ for the step v = η y x̃
    after = max(before + 2.0 * inner + eta * eta * square, 0.0)
    across2 = max(before * eta * eta * square - inner * inner, 0.0)
    state.norm2[0] = after
    state.path[0] += eta * np.sqrt(square) * (1.0 + rule.kappa) + 2.0**-49 * state.path[0]
    record(trace, state.updates[0], epoch, t, after, before + inner, across2, state.w)


@jit
def _visit(rows, rule, t, y, rates, done, epoch, state, trace):
    """Look at example t; 1 if it was a mistake and w moved, else 0."""
    lazy = state.safe_until.size > 0
    if lazy and state.path[0] < state.safe_until[t]:
        return 0
    score = row_dot(rows, t, state.w) + rule.lift * state.w[-1]
    if _mistake(rule, y, score):
        _update(rows, rule, t, y, score, rates, done, epoch, state, trace)
        return 1
    if lazy:
        square = row_square(rows, t) + rule.lift
        if square >= 1e-280:
            path, reach = state.path[0], y * score / np.sqrt(square)
            state.safe_until[t] = path + (1.0 - rule.kappa) * reach - rule.kappa * path - 1e-160
    return 0


@jit
def in_order(rows, rule, signs, order, rates, epoch, state, trace):
    """One epoch: every example once, in the given order (empty: as they come).

    rates[k] is η for the k-th update of this epoch; one entry: the same for all.
    Returns the number of updates.
    """
    done = 0
    for k in range(signs.size):
        t = order[k] if order.size else k
        done += _visit(rows, rule, t, signs[t], rates, done, epoch, state, trace)
    return done


@jit
def among_mistakes(rows, rule, signs, deck, cleared, draws, rates, epoch, state, trace):
    """One epoch of 'take one of the misclassified examples, at random'.

    deck[:cleared] are the examples found right since the last update. The next is drawn from
    the others; the first mistake met in a random order is uniform among the mistakes.
    An epoch ends after as many looks as there are examples, or when all are cleared.
    Returns (updates, cleared): cleared = m proves that no example is a mistake.
    """
    done = 0
    for k in range(signs.size):
        pick = cleared + int(draws[k] * (signs.size - cleared))
        t = deck[pick]
        deck[pick] = deck[cleared]
        deck[cleared] = t
        cleared += 1
        if _visit(rows, rule, t, signs[t], rates, done, epoch, state, trace):
            done += 1
            cleared = 0
        if cleared == signs.size:
            break
    return done, cleared
