r"""`replay` of a run at a constant rate, in the order of few dense rows: guessed, and then proved.

Guess   a step adds a row of the Gram matrix to the margins of all examples, so that the mistakes of
        some epochs are soon found, but for rounding
Proof   from the guess follow the weights at every visit, added up as `replay` does. By
        `lane_scores` these must make mistakes where it says, and nowhere else. At the first visit
        that differs, what its score says is done, and the guess begins anew after it. By induction
        over the visits, weights and mistakes are those of `replay` bit for bit; a wrong guess costs
        nothing but time
"""

from __future__ import annotations

import numpy as np

from certo.certificates.runs.perceptron_run import AT_ZERO, MAX_REPLAY_UPDATES, PerceptronRun
from certo.numbers.exact import TINY
from certo.numbers.lanes import lane_scores
from certo.rates import Constant

MAX_ROWS = 2048  # Rows whose Gram matrix has 32 MB.
MAX_NUMBERS = 2**20  # Numbers in these rows; the weights at all visits that are guessed have twice
# as many, at most.
VISITS_AT_ONCE = 1024  # Epochs are guessed together up to so many visits.
MAX_WRONG_GUESSES = 100  # After so many, `replay` is quicker.


@np.errstate(over="ignore", invalid="ignore")
def quick_replay(
    run: PerceptronRun, X, signs: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, int] | None:
    """What `replay` returns; None, where that is the quicker way."""
    rate, few = run.rate, 0 < rows.size <= MAX_ROWS and rows.size * X.shape[1] <= MAX_NUMBERS
    usual = run.order == "cyclic" and not run.average and not run.sparse
    if not (few and usual and isinstance(X, np.ndarray) and isinstance(rate, Constant)):
        return None
    y = signs[rows].astype(np.float64)
    lifted = np.column_stack([X[rows].astype(np.float64), np.full(rows.size, run.lift)])
    signed = y[:, None] * lifted
    moves = rate.value * (signed @ signed.T)  # Row i: what a step at i adds to all margins.
    steps = (rate.value * y)[:, None] * lifted
    limits = np.where(AT_ZERO[run.update_at_zero] * y >= 0, 0.0, -TINY)  # Margins of mistakes.
    w, n, every = run.start(X.shape[1]), rows.size, run.epochs * rows.size
    visit, updates, last, wrong_guesses = 0, 0, -1, 0
    while visit < every and (visit % n or last >= visit - n):  # Else an epoch had no mistakes.
        if wrong_guesses > MAX_WRONG_GUESSES or visit // n + updates > MAX_REPLAY_UPDATES:
            return None
        most = min(every, visit + min(VISITS_AT_ONCE, MAX_NUMBERS // w.size))
        guess, stop = _mistakes(signed @ w, moves, limits, visit, most)
        places = np.arange(visit, stop) % n
        weights = np.add.accumulate(np.vstack([w, steps[guess % n]]), axis=0)
        made = np.cumsum(np.bincount(guess - visit, minlength=stop - visit))
        now = np.append(0, made[:-1])  # Updates before each visit.
        scores = lane_scores(lifted[places, :-1], weights[now, :-1]) + run.lift * weights[now, -1]
        wrong = run.is_mistake(y[places], scores)
        different = np.flatnonzero(wrong != (made > now))
        seen = int(different[0]) if different.size else stop - visit
        right = int(made[seen - 1]) if seen else 0
        w, updates, last = weights[right], updates + right, int(guess[right - 1]) if right else last
        visit += seen
        if different.size:
            if wrong[seen]:
                w, updates, last = w + steps[visit % n], updates + 1, visit
            visit, wrong_guesses = visit + 1, wrong_guesses + 1
    return w, updates


def _mistakes(
    margins: np.ndarray, moves: np.ndarray, limits: np.ndarray, visit: int, most: int
) -> tuple[np.ndarray, int]:
    """The visits from this one on that seem to be mistakes, each after the steps at those before;
    and the end of the epoch where so many visits are over, or that has none."""
    found: list[int] = []
    wrong, n = margins <= limits, margins.size
    at, base, in_epoch = visit % n, visit - visit % n, 0
    while True:
        first = at + int(wrong[at:].argmax()) if at < n else n
        if first < n and wrong[first]:
            found.append(base + first)
            margins, at = margins + moves[first], first + 1
            wrong = margins <= limits
            continue
        base, at, before, in_epoch = base + n, 0, in_epoch, len(found)
        if base >= most or before == in_epoch:
            return np.array(found, np.intp), base
