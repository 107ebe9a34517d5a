r"""The Perceptron's epochs.

Problem     find w with y_t ⟨w, x̃_t⟩ > 0 for all t, where x̃ = (x, 1) (lifted) or x
Step        on a mistake, y_t ⟨w, x̃_t⟩ ≤ 0:  w ← w + η_n y_t x̃_t,  n counting the updates
Average     Σ_{t≤T} w_t = T·w_{T+1} − Σ_s s·v_s, s the number of the look that took the step v_s:
            so the average of all weights takes one more sum over the steps, `weighted`
In place    `state`, `log` and `copies`; w holds the intercept's weight in its last place

Skipping looks that cannot find a mistake.  Let P be the length of the path w has gone (‖w₀‖ plus
the lengths of all steps, so that ‖w‖ ≤ P). If example t had margin s = y⟨w, x̃⟩ > 0 when the path
was P, then at path P' its margin is at least s − (P' − P)‖x̃‖: up to P' = P + s/‖x̃‖ it cannot have
become a mistake and need not be looked at. `safe_until[t]` holds that P'. The run is the same,
update by update.

Rounding.  With u = 2⁻⁵³ and κ = 8·1.01·(d + 16)·u,
  1. a computed score is off by at most (κ/8)‖w‖‖x̃‖, now and at the later look, and ‖w‖ ≤ P';
  2. a computed ‖x̃‖ is off by a factor within 1 ± κ/8;
  3. a rounded step is longer than η‖x̃‖ by at most 4u(‖w‖ + η‖x̃‖), and adding it to P rounds by at
     most uP: the length counted is η‖x̃‖(1 + κ) + 16uP;
so P + (1 − κ)s/‖x̃‖ − κP is on the safe side of all of them. Underflow adds at most d·2⁻¹⁰⁷⁴ to a
score: rows with ‖x̃‖² < 10⁻²⁸⁰ are never skipped, and for the others 10⁻¹⁶⁰ covers it; a step counts
as at least 10⁻²⁹⁰ long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import row_add, row_dot, row_square
from certo.compiled.trace import copy_weights, keep
from certo.numbers.rounding import UNIT


class Rule(NamedTuple):
    lift: float  # 1.0: the extra feature 1; 0.0: none
    at_zero: int  # When to update at score 0: 0 always, +1 only if y = +1, −1 only if y = −1.
    kappa: float


class State(NamedTuple):
    w: np.ndarray  # (d + 1,)
    counts: np.ndarray  # (m,) int32: updates on each example
    totals: np.ndarray  # (m,): Σ η over those updates; or (0,), where η is constant
    scalars: np.ndarray  # (2,): ‖w‖² and the path
    weighted: np.ndarray  # (d + 1,): Σ s·v_s; or (0,), where no average is wanted
    squares: np.ndarray  # (m,): ‖x̃‖² of the examples updated on; −1 before that


class Skips(NamedTuple):
    """What is known of the examples; of length 0 while every example is looked at."""

    lengths: np.ndarray  # (m,): ‖x̃‖, or infinite for rows never to be skipped
    safe_until: np.ndarray  # (m,)


@jit
def measure(rows, lift, lengths):
    """Fill in the lengths."""
    for t in range(lengths.size):
        square = row_square(rows, t) + lift
        lengths[t] = np.sqrt(square) if square >= 1e-280 else np.inf


@jit
def visit_all(
    rows, rule, signs, order, draws, cleared, rates, first, looks, state, skips, log, copies
):
    """One epoch: as many looks as there are examples.

    Order       `order` empty: as they come; else that permutation. With `draws`, numbers in
                [0, 1): take one of the misclassified examples at random. order[:cleared] are
                those found right since the last update; the next is drawn from the others, and
                the first mistake met in a random order is uniform among the mistakes.
    Rates       rates[k] is η for the k-th update of this epoch; one entry: the same for all.
    Notes       what happened goes to `log`, and some w to `copies`; `first` updates and `looks`
                looks came before.
    Returns     (updates made, examples cleared, looks); with draws, all cleared proves that no
                example is a mistake, and ends the epoch.
    """
    w, counts, totals, weighted = state.w, state.counts, state.totals, state.weighted
    squares = state.squares
    lengths, safe_until = skips.lengths, skips.safe_until
    lift, kappa, m = rule.lift, rule.kappa, signs.size
    norm2, path = state.scalars[0], state.scalars[1]
    skipping = lengths.size > 0
    made, noise = 0, 0.0  # The noise is how far off ‖w‖², followed from step to step, may be.
    for k in range(m):
        if draws.size:
            pick = cleared + int(draws[k] * (m - cleared))
            t = order[pick]
            order[pick] = order[cleared]
            order[cleared] = t
        else:
            t = order[k] if order.size else k
        cleared += 1
        if not (skipping and path < safe_until[t]):
            y = signs[t]
            score = row_dot(rows, t, w) + lift * w[-1]
            margin = y * score
            # `not >`: a score that overflowed to NaN is a mistake, never a silent success.
            if not margin > 0.0 and (margin != 0.0 or rule.at_zero * y >= 0):
                eta = rates[made if rates.size > 1 else 0]
                length2 = squares[t]
                if length2 < 0.0:
                    length2 = squares[t] = row_square(rows, t) + lift
                square, inner = length2 * eta * eta, eta * margin  # ‖v‖², ⟨w, v⟩; step v = η y x̃
                step = max(eta * np.sqrt(length2), 1e-290)  # ‖v‖, also where its square underflows
                path += step * (1.0 + kappa) + 16 * UNIT * path
                row_add(rows, t, eta * y, w)
                w[-1] += eta * y * lift
                if weighted.size:
                    late = eta * y * float(looks + k + 1)
                    row_add(rows, t, late, weighted)
                    weighted[-1] += late * lift
                counts[t] += 1
                if totals.size:
                    totals[t] += eta
                log.example[made] = t
                log.along[made] = norm2 + inner
                log.across2[made] = max(norm2 * square - inner * inner, 0.0)
                noise += 64 * UNIT * (norm2 + 2.0 * abs(inner) + square)
                norm2 = max(norm2 + 2.0 * inner + square, 0.0)
                if noise > 1e-7 * norm2:  # After cancellation ‖w‖² is computed anew.
                    norm2, noise = 0.0, 0.0
                    for j in range(w.size):
                        norm2 += w[j] * w[j]
                log.norm2[made] = norm2
                if first + made == copies.taken[0] * copies.taken[1]:
                    copy_weights(copies, w)
                made += 1
                cleared = 0
            elif skipping:
                reach = (1.0 - kappa) * margin / lengths[t]
                safe_until[t] = path + reach - kappa * path - 1e-160
        if draws.size and cleared == m:
            m = k + 1  # The number of looks.
            break
    state.scalars[0] = norm2
    state.scalars[1] = path
    return made, cleared, looks + m


@jit
def run_epochs(
    rows, rule, signs, rates, looks, state, skips, log, copies, records, epoch_updates, done, most
):
    """Epochs in the order of the examples, at one rate, after `done` others: until there are
    `most` in all, one makes no update, or, while no example is skipped, w moves little enough in
    one for that to be worth while. Fills in `epoch_updates`; returns (epochs in all, looks)."""
    nobody, no_draws = np.empty(0, np.int64), np.empty(0)
    updates = 0
    for k in range(done):
        updates += epoch_updates[k]
    while done < most:
        path = state.scalars[1]
        made, _, looks = visit_all(
            rows, rule, signs, nobody, no_draws, 0, rates, updates, looks, state, skips, log,
            copies,
        )  # fmt: skip
        epoch_updates[done] = made
        done += 1
        keep(records, log, made, updates, done)
        updates += made
        norm2 = state.scalars[0]
        settled = not skips.lengths.size and state.scalars[1] - path <= np.sqrt(norm2) / 4
        if made == 0 or not np.isfinite(norm2) or settled:
            break
    return done, looks
