"""The Perceptron (Rosenblatt 1958), epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from certo.certificates.runs.perceptron_run import AT_ZERO, PerceptronRun
from certo.certificates.runs.update_sums import UpdateSums
from certo.compiled.perceptron import Rule, Skips, State, measure, run_epochs, visit_all
from certo.compiled.rows import rows_of
from certo.compiled.trace import empty_copies, empty_log, empty_records, keep
from certo.facts import InputError
from certo.numbers.exact import gamma
from certo.solvers.trace import Trace
from certo.stop import Stop, go_on
from certo.words import blocks as sentences


class PerceptronOutcome(NamedTuple):
    w: np.ndarray  # (d + 1,): the last weights, the intercept's in the last place
    start: np.ndarray  # (d + 1,)
    answer: np.ndarray  # (d + 1,): w, or the average of the weights of all looks
    weighted: np.ndarray  # (d + 1,): what later steps need for the average; or (0,)
    looks: int  # Visits of examples, those before `start` included.
    updated: np.ndarray  # The distinct examples updated on, in increasing order.
    counts: np.ndarray  # (m,): updates on each example
    totals: np.ndarray  # (m,): their rates added up; (0,) for a constant rate
    updates: int
    epochs: int
    stop: Stop
    trace: Trace

    @property
    def converged(self) -> bool:
        """Whether the last epoch made no update."""
        return self.stop is Stop.CONVERGED


def perceptron(
    X,
    signs: np.ndarray,
    run: PerceptronRun,
    *,
    start: np.ndarray | None = None,
    before: int = 0,
    weighted: np.ndarray | None = None,
    looks: int = 0,
    epochs_at_once: int = 1,
    after_epoch: Callable[[np.ndarray], Stop | None] = go_on,
) -> PerceptronOutcome:
    """Run on the rows of X (C-ordered array, or CSR), signs being int8 in {−1, +1}.

    `start` and `before` continue an earlier run: its weights and how many updates led to them; for
    an average `weighted` and `looks`, too. `after_epoch(w)` is told the answer after every epoch,
    or every `epochs_at_once`, and may say why to stop. A KeyboardInterrupt in it stops too; the
    outcome is that of the epochs run.
    """
    m, d = X.shape
    w = run.start(d) if start is None else start.copy()
    begin = w.copy()
    sums = UpdateSums(run.rate, before)
    constant = sums.constant
    rows, rule = rows_of(X), Rule(run.lift, AT_ZERO[run.update_at_zero], 8 * gamma(d + 16))
    norm2 = float(np.sum(w * w))
    state = State(
        w=w,
        counts=np.zeros(m, np.int32),
        totals=np.zeros(m if constant is None else 0),
        scalars=np.array([norm2, np.sqrt(norm2) * (1 + rule.kappa)]),
        weighted=np.zeros((d + 1) * run.average) if weighted is None else weighted.copy(),
        squares=np.full(m, -1.0),
    )
    skips = Skips(np.zeros(0), np.zeros(0))
    log, copies, records = empty_log(m), empty_copies(d), empty_records()
    random = None if run.order == "cyclic" else run.random_order()
    draws = np.zeros(0)
    order, cleared = np.arange(m if run.order == "misclassified" else 0), 0
    epoch_updates, epochs, updates = np.zeros(run.epochs, np.int64), 0, 0
    stop: Stop | None = None
    rates, several = np.array([constant]), run.order == "cyclic" and constant is not None
    while epochs < run.epochs and stop is None:
        path = state.scalars[1]
        if constant is None:
            with np.errstate(over="ignore", under="ignore"):  # Unused rates may overflow.
                rates = run.rate(before + updates + np.arange(1, m + 1))
        if random is not None and run.order == "shuffled":
            order = random.permutation(m)
        elif random is not None:
            draws = random.random(m)
        if several:
            most = min(epochs + epochs_at_once, run.epochs)
            epochs, looks = run_epochs(
                rows, rule, signs, rates, looks, state, skips, log, copies, records,
                epoch_updates, epochs, most,
            )  # fmt: skip
            made = int(epoch_updates[epochs - 1])
            updates = int(epoch_updates.sum())
        else:
            made, cleared, looks = visit_all(
                rows, rule, signs, order, draws, cleared, rates, updates, looks, state, skips,
                log, copies,
            )  # fmt: skip
            epoch_updates[epochs] = made
            epochs += 1
            keep(records, log, made, updates, epochs)
            updates += made
        norm2, path_now = state.scalars
        if not np.isfinite(norm2):
            raise InputError(sentences.weights_overflowed, epochs, run.rate)
        converged = cleared == m if run.order == "misclassified" else made == 0
        try:
            stop = after_epoch(run.answer(w, state.weighted, looks))
        except KeyboardInterrupt:
            stop = Stop.BY_HAND
        if converged:
            stop = Stop.CONVERGED
        # Once w moves little in an epoch, compared with its length, remember the examples that
        # are far from being mistakes.
        if not skips.lengths.size and path_now - path <= np.sqrt(norm2) / 4:
            skips = Skips(np.empty(m), np.full(m, -np.inf))
            measure(rows, rule.lift, skips.lengths)
    return PerceptronOutcome(
        w=w,
        start=begin,
        answer=run.answer(w, state.weighted, looks),
        weighted=state.weighted,
        looks=looks,
        updated=np.flatnonzero(state.counts),
        counts=state.counts,
        totals=state.totals,
        updates=updates,
        epochs=epochs,
        stop=stop or Stop.MAX_ITER,
        trace=Trace.of(records, copies, epoch_updates[:epochs]),
    )
